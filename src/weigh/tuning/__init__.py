"""Tuning and reranking: n-best lists, line search, optimizers and the loop with a decoder."""
