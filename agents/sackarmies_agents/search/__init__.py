"""Search: agents that play on from states that may be the true one."""
