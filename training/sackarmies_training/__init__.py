"""Experiments: training, tournaments, ratings and the command line."""
