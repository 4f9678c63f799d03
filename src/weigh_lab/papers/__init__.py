"""Reproductions of the papers behind weigh, beside the published numbers."""
