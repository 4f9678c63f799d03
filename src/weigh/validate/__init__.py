"""Studies of significance tests, with people, large test sets and equal systems."""
