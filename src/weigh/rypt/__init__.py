"""A metric made of people's judgments on source constituents (Zaidan & Callison-Burch 2009)."""
