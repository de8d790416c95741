"""Sampling of states that are consistent with what a player knows."""
