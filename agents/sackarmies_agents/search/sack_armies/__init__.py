"""Search in Sack Armies."""
