"""Where work runs: this process's threads, or wherever an executor takes it."""
