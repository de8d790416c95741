"""Observations of Sack Armies: what a seat receives."""
