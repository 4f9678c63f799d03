"""Tokens into additive statistics into scores, one file per metric."""
