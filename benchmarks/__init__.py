"""Measurements: the contest with other libraries, where time goes, how it grows, and the check for regressions."""
