"""Scales of worths, and how many numbers networks are given about them, see `worths`."""

LEAST, MOST = -60.0, 120.0  # worths are clipped to these
IMPOSSIBLE = -1e6  # ids worth less than this are never chosen
USUAL = 30.0  # usual worth of a choice
FARTHEST = 80.0  # a greater shortfall counts as this
FEATURES = 9  # per id
SUMMARY = 3  # per position, besides two numbers per verb
