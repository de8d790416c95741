"""Rules of Sack Armies: procedures that run until the next decision."""
