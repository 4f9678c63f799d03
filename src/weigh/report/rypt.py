"""What is shown of RYPT: `weigh rypt`."""
