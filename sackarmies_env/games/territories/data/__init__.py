"""Units, cards and maps: schemas of the data files, and the files."""
