"""Sampled states that are possible for all that a General knows."""
