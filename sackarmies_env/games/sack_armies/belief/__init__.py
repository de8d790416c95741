"""Sampling of states that are consistent with all that a General knows."""
