"""Tokens and armies: schema, catalogue, prices, and the tables that kernels read."""
