"""What is shown of the evaluation by people: `weigh human`."""
