"""Decisions: apply one, run to the next, list the legal ids."""
