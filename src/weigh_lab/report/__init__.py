"""What is shown of the results of weigh_lab."""
