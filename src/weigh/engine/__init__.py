"""Where work runs: this process's threads."""
