"""The ladder: frozen rungs measured against each other, newcomers placed among them, exploitability, exact values."""
