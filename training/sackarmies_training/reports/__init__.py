"""Reports of contests as web pages: what all of them share, and those of tournaments and evaluations."""
