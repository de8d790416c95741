"""The games: one folder each, the same file names in every folder."""
