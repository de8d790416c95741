"""Parts of the training package for Territories alone: how people are asked."""
