"""Pictures, texts and logs of Sack Armies."""
