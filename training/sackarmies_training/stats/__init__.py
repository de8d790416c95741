"""Statistics of games, shared by the ladder, tournaments and evaluations."""
