"""Are the tests themselves right? Held against people, large test sets and equal systems."""
