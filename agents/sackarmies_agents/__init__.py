"""Generals: agents that see an observation and an action mask, and choose."""
