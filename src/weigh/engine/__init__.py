"""Parallel work: threads of this process, or any executor."""
