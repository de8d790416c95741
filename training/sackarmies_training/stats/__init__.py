"""Statistics of games: what the ladder, tournaments and evaluations share."""
