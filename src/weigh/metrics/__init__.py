"""Metrics: additive statistics of segments and their scores, one file per metric."""
