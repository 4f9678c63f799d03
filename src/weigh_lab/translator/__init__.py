"""Phrase-based translation of our own: a decoder for tuning, n-best lists and derivations."""
