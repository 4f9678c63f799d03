"""Judgments of people into a gold standard: plans, hits, quality, scores, tests and agreement."""
