"""Trained Generals: checkpoints, and networks that a kernel computes.

Of the modules, `network`, `board_network`, `worths`, `reasons`, `fused`, `tensors` and `policy_agent` need torch, those
that learning and other devices take. The others do not import it.
"""
