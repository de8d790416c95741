"""Generals that follow written rules."""
