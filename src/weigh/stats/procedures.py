"""The names of tests, corrections and intervals, for plans and for the command line.

Nothing is computed here, so that reading a command's arguments loads no arrays.
"""

TESTS = ("randomization", "bootstrap", "paired-bootstrap")
BLOCK_TESTS = ("tukey", "scheffe")
"""For means of segment scores, of all systems together."""
FLAWED_TESTS = ("sacrebleu-bs", "moses-bs", "multeval")
"""Other tools' tests, all known to reject too often."""
RUNS_TEST = "runs-t"
"""Student's t with runs as a sample."""
ALTERNATIVES = ("two-sided", "better", "worse")
ADJUSTMENTS = ("holm", "bonferroni", "sidak", "bh", "by", "maxt", "none")
FAMILIES = ("metric", "all")
INTERVALS = ("percentile", "expanded", "bca", "t")
P_VALUES = ("plus-one", "plain")
