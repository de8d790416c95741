"""What a seat receives."""
