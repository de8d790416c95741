"""The state record of a game and what every rule needs to read and write it."""
