"""What the command line offers for Sack Armies alone: its catalogue and its armies."""
