"""The league: a folder where submissions come and go over weeks, and games are played within budgets."""
