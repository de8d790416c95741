"""The league: a folder in which submissions come and go over weeks, and games are played by budget."""
