"""Parts of the training package for Sack Armies alone: commands, the game at a table, evaluation, greedy weights."""
