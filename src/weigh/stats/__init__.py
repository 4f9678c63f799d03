"""Statistics: resampling, tests, intervals, multiple comparisons, ranking, power."""
