"""The state record of a game, and the functions with which all rules read and write it."""
