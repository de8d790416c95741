"""Pictures, texts and logs of Territories."""
