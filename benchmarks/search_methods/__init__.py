"""Methods of search compared at equal time: `python -m benchmarks.search_methods`, see docs/search_methods.md."""
