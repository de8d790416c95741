"""Positions as documents: reading, validation, conversion to states, dumps."""
