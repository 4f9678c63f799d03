"""Views of the results of weigh_lab."""
