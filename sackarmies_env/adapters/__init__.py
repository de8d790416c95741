"""Adapters for libraries that need more than ten lines of code; importing a module requires its library."""
