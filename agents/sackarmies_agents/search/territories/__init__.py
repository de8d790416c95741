"""Search in Territories."""
