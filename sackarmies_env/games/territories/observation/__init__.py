"""What a player observes, and reward shaping from it."""
