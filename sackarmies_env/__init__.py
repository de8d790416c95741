"""Sack Armies and its sibling games as environments for reinforcement learning and search."""

__version__ = "0.1.0"
