"""Trained Generals: networks and checkpoints. The only agents that need torch."""
