"""The games: one folder each, with the same layout in every folder."""
