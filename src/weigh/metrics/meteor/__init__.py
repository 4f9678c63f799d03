"""METEOR: its parameters, its resources and the metric."""
