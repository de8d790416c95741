"""Other libraries doing the same work; each module runs in the peers' own environment, without our packages."""
