"""Benchmarks: the contest with other libraries, profiles, growth curves, and the check for regressions."""
