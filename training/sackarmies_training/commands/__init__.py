"""Commands of `sackarmies`, a module for each group of them, and what they share; `cli.py` puts them together."""
