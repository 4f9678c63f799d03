"""N-best lists into weights: the store, line search, optimizers and the loop with a decoder."""
