"""RYPT beyond counting labels: inference of open ones, and how far labels are used again."""
