"""Agents: they are given an observation and an action mask, and choose a legal id."""

from sackarmies_agents.agent import Agent, GameInfo, InformedAgent
from sackarmies_agents.factory import make_agent, parse_agent

__all__ = ["Agent", "GameInfo", "InformedAgent", "make_agent", "parse_agent"]
