"""Decisions from outside: apply one, run to the next, list its legal ids."""
