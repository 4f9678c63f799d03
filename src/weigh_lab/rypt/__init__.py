"""RYPT: inference of missing labels, and how often labels can be reused."""
