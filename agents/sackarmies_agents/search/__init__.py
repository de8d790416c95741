"""Search: Generals that play positions on, in states that may be the true ones."""
