"""What is shown of scores and comparisons: `weigh score`, `weigh compare`."""
