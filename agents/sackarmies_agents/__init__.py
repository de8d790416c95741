"""Agents: given an observation and an action mask, they choose a legal id."""

from sackarmies_agents.agent import Agent, GameInfo, InformedAgent, Report
from sackarmies_agents.factory import make_agent, parse_agent

__all__ = ["Agent", "GameInfo", "InformedAgent", "Report", "make_agent", "parse_agent"]
