"""Other libraries doing the same work; each module runs in the peers' own environment and imports nothing of ours."""
