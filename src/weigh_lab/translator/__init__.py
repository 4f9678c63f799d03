"""A phrase-based translator: n-best lists and derivations, and a decoder for tuning."""
