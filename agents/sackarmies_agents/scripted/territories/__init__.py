"""The greedy agent of Territories."""
