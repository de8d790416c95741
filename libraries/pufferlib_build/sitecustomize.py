"""On the path while pip builds PufferLib 3.0.0: with NO_OCEAN=1 its setup.py reads a list that it has not made."""

import builtins

builtins.c_extension_paths = []  # type: ignore[attr-defined]
