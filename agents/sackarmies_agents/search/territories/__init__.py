"""Evaluation of positions of Territories in search."""
