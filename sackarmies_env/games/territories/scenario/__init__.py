"""Positions as documents: read, checked, filled in, written."""
