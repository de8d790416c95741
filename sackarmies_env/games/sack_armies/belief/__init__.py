"""States that a seat may believe in."""
