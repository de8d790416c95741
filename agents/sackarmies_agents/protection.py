"""Protects the memory of any process that imports it, as the server that forks the processes of agents does.

An agent's process would protect itself too late: another one might already have opened its memory.
"""

from sackarmies_agents.child import protect_memory

protect_memory()
