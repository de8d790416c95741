"""Data sets of recorded games: a Parquet file of decisions, or a Minari data set of episodes."""
