"""Texts for people: narration, log sentences, documentation pages."""
