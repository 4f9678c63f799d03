"""Five kinds of pictures and parse trees, one module each; they take plain data."""
