"""Results into text: pure functions, no printing."""
