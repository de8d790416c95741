"""Adapters to libraries that need more than ten lines; each module is imported where its library is installed."""
