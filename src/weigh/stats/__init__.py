"""From statistics to conclusions: resampling, tests, intervals, multiplicity, ranking, power."""
