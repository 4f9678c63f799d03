"""Comparisons of systems: texts or scores in, tested pairs out."""
