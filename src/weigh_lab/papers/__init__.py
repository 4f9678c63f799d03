"""The papers behind weigh, run again: our numbers beside those that were published."""
