"""Trained agents: checkpoints, and networks that a kernel computes.

The modules `network`, `board_network`, `worths`, `reasons`, `fused`, `tensors` and `policy_agent`, which are for
learning and for other devices, need torch. The others do not import it.
"""
