"""Positions as documents: read, checked, filled in, dumped."""
