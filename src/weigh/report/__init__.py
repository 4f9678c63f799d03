"""Views of results, and the formats that render them."""
