"""Slow, plain-Python definitions of what the compiled kernels must return."""
