"""Protects the memory of the process that imports it: the server that forks the processes of agents does.

A process of an agent would protect itself too late: another one might have opened its memory already.
"""

from sackarmies_agents.child import protect_memory

protect_memory()
