"""What the training package knows of Territories: how people are asked."""
