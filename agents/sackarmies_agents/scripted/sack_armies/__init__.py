"""The greedy General of Sack Armies."""
