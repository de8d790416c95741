"""Scripted Generals."""
