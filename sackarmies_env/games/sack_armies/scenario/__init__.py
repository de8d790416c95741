"""Positions as documents: reading, validation, conversion into states, and dumps."""
