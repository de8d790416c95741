"""The trained General of Sack Armies."""
