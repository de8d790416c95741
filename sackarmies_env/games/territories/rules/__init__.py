"""The rules: procedures that run to the next decision."""
