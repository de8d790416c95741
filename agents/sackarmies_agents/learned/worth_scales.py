"""What worths are measured by, and how many numbers networks are told of them, see `worths`."""

LEAST, MOST = -60.0, 120.0  # worths beyond are cut
IMPOSSIBLE = -1e6  # ids worth less than this are never chosen
USUAL = 30.0  # worth of a choice
FARTHEST = 80.0  # a greater shortfall counts as this
FEATURES = 9  # of an id
SUMMARY = 3  # of a position, beside two numbers for each verb
