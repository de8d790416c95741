"""Generals that were trained: networks and checkpoints. The only place among the agents that needs torch."""
