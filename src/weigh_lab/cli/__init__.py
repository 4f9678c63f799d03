"""Verbs of weigh_lab, which `weigh` finds by their entry points."""
