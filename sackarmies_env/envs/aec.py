"""The PettingZoo environment: any game, one decision per step, each agent seeing only what its player may know."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from operator import index
from typing import Any, Unpack

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray
from pettingzoo import AECEnv

from sackarmies_env.core.game import Game
from sackarmies_env.core.information import InformationSets
from sackarmies_env.core.messages import short_repr
from sackarmies_env.core.state import NO_PLAYER
from sackarmies_env.envs.keywords import RENDER_FPS, RENDER_MODES
from sackarmies_env.envs.match import InformationState, Match, restore_match
from sackarmies_env.envs.options import (
    CommonOptions,
    PotentialShaping,
    forced_results,
    next_seed,
    read_options,
)
from sackarmies_env.envs.presentation import present
from sackarmies_env.envs.referee import NOT_BEGUN, Referee
from sackarmies_env.envs.snapshot import SAVED_FIELDS, check_fields, make_generator, pack_state, unpack_state
from sackarmies_env.envs.spaces import (
    Info,
    Last,
    Seen,
    action_space,
    agent_names,
    content_space,
    num_actions_of,
    observation_space,
    state_space,
)


class RawEnv(Referee, AECEnv[str, Seen, int]):
    """PettingZoo AEC environment of any game, without wrappers; `sackarmies_env.env` makes the wrapped one.

    Agents are "player_0", "player_1", ... in seat order. `agent_selection` is the current player, no matter whose
    turn it is. A compound choice takes several steps of the same agent. An eliminated agent leaves at once, by
    stepping None. A turn limit truncates all remaining agents.

    Agents are given only observations, masks and infos. The methods of `Referee` and `state` reveal more.

    Args:
        game: the game to play.
        mask_in_observation: whether observations are dicts of vector and mask, or the vector alone. Infos hold the mask
            in either case.
        options: see `Options`.

    Raises:
        ValueError: an option is unknown (also a TypeError), or its value is not allowed.
    """

    def __init__(self, game: Game, *, mask_in_observation: bool = True, **options: Unpack[CommonOptions]) -> None:
        super().__init__()
        self.game = game
        self.mask_in_observation = mask_in_observation
        self.options = read_options(options, game.num_players, type(self).__name__)
        self.padding = self.options.padding
        self.presentation = present(game, self.options.observation, self.padding)
        self._no_mask = np.zeros(num_actions_of(game, self.presentation), np.int8)
        self.render_mode = self.options.render_mode
        self.metadata = {
            "name": f"{game.id}_v0",
            "render_modes": list(RENDER_MODES),
            "render_fps": RENDER_FPS,
            "is_parallelizable": False,
        }
        self.possible_agents = agent_names(game)
        self._seats = {agent: seat for seat, agent in enumerate(self.possible_agents)}
        self._observation_spaces: dict[str, spaces.Space[Any]] = {}
        self._action_spaces: dict[str, spaces.Discrete[np.int64]] = {}
        self._np_random: np.random.Generator | None = None
        self._match = Match(game)
        self._set_agents([])

    def _set_agents(self, agents: list[str]) -> None:
        self.agents = agents
        self.agent_selection = ""
        self.rewards = dict.fromkeys(agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(agents, 0.0)
        self.terminations = dict.fromkeys(agents, False)
        self.truncations = dict.fromkeys(agents, False)
        self.infos = {agent: self._idle_info() for agent in agents}
        self._skip_agent_selection: str | None = None
        self._paid = [0.0] * len(self.possible_agents)  # part of the returns already paid as rewards
        self._out = [0.0] * len(self.possible_agents)  # `out` of the match when it was last processed
        self._has_rewards = False  # whether `rewards` may hold anything but zeros
        self._potentials: dict[str, float] = {}  # of each agent's observation at its last decision

    def _idle_info(self) -> Info:
        return {"action_mask": self._no_mask.copy()}

    # --- PettingZoo

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """Return the observation space of an agent, always the same object."""
        self._seat(agent)
        if agent not in self._observation_spaces:
            make_space = observation_space if self.mask_in_observation else content_space
            self._observation_spaces[agent] = make_space(self.game, self.presentation)
        return self._observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Discrete[np.int64]:
        """Return the action space of an agent, always the same object."""
        self._seat(agent)
        if agent not in self._action_spaces:
            self._action_spaces[agent] = action_space(self.game, self.presentation)
        return self._action_spaces[agent]

    @property
    def observation_spaces(self) -> dict[str, spaces.Space[Any]]:
        """The observation space of each agent."""
        return {agent: self.observation_space(agent) for agent in self.possible_agents}

    @property
    def action_spaces(self) -> dict[str, spaces.Discrete[np.int64]]:
        """The action space of each agent."""
        return {agent: self.action_space(agent) for agent in self.possible_agents}

    def reset(self, seed: int | None = None, options: Mapping[str, Any] | None = None) -> None:
        """Start a new game.

        Args:
            seed: source of all chance, 0 to 2**63 - 1; the same seed gives the same game. If None, the seed is drawn
                from a generator seeded by the last given seed, or by the system if none was given.
            options: forced results, which are used up before the seed decides, keyed by the names in
                `Game.forced_kinds`; in Sack Armies "flips", such as "H T | H", and "draws", one list of token ids per
                player. Game options such as "armies" or "scenario" choose the game, see `Variety`. Other keys are
                ignored with a warning.

        Raises:
            ValueError: the seed is out of range, or the game refuses the forced results or game options.
        """
        variety, match, padding = self.options.variety, self._match, self.padding
        given, options = ({}, options) if variety is None else variety.split(options)
        forced = forced_results(options, self.game, variety)
        seed, chance = next_seed(seed, self._np_random)
        if variety is not None:
            game, padding = variety.choose(seed, given)
            self.options.check_potential(self.game, game)
            match = match if game is self.game else Match(game)
        match.begin(seed, forced)
        self._np_random = chance
        if match is not self._match:
            self._match, self.game, self.padding = match, match.game, padding
            self.presentation = present(self.game, self.options.observation, padding)
        self._set_agents(self.possible_agents[:])
        if self.options.shaping is not None and self._match.player != NO_PLAYER:
            self._potentials[self.possible_agents[self._match.player]] = self.options.shaping(self._match.observation)
        self._select_next()
        if self.render_mode == "human":
            self.render()

    def step(self, action: int | None) -> None:
        """Apply the action of `agent_selection`; None for an agent whose game is over.

        Raises:
            ValueError: the action is illegal and `illegal_action="raise"` (nothing is changed), or no game is running.
        """
        agent = self.agent_selection
        if agent not in self.terminations:
            raise ValueError("no game is running: call reset() before step()")
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        match = self._match
        chosen = action if self.padding is None else self.padding.own_action(action)
        if match.is_legal(chosen):
            match.play(index(chosen))  # type: ignore[arg-type]  # is_legal
            penalty = 0.0
        else:
            penalty = self._take_illegal(agent, action)
        self._cumulative_rewards[agent] = 0.0
        if self._has_rewards:
            self._clear_rewards()
            self._has_rewards = False
        if penalty or match.returns != self._paid:
            self._pay(agent, penalty)
        if self.options.shaping is not None:
            self._shape(self.options.shaping)
        self._select_next(agent)
        if self._has_rewards:
            self._accumulate_rewards()
        if self.render_mode == "human":
            self.render()

    def _take_illegal(self, agent: str, action: Any) -> float:
        """Handle an illegal action as the option says, and return the penalty to pay."""
        match = self._match
        if self.options.illegal_action == "raise":
            raise ValueError(match.refusal(agent, action, self.padding))
        if self.options.illegal_action == "terminate":
            match.forfeit(match.player)
            return 0.0
        assert self._np_random is not None  # set by reset
        match.play(int(self._np_random.choice(match.legal_actions())))
        return self.options.illegal_penalty

    def _pay(self, actor: str, penalty: float) -> None:
        """Set the rewards to the growth of the returns, less the actor's penalty."""
        returns, paid = self._match.returns, self._paid
        for agent in self.agents:
            seat = self._seats[agent]
            self.rewards[agent] = returns[seat] - paid[seat]
        self.rewards[actor] -= penalty
        self._paid = returns
        self._has_rewards = True

    def _shape(self, shaping: PotentialShaping) -> None:
        """Add the shaping rewards of the current player and of agents whose game has ended."""
        match = self._match
        if match.player != NO_PLAYER:
            agent = self.possible_agents[match.player]
            potential = shaping(match.observation)
            if agent in self._potentials:
                self.rewards[agent] += shaping.gamma * potential - self._potentials[agent]
            self._potentials[agent] = potential
        for agent in list(self._potentials):
            seat = self._seats[agent]
            if match.out[seat] or match.truncated:
                final = 0.0 if match.out[seat] else shaping.gamma * shaping(match.observe(seat))
                self.rewards[agent] += final - self._potentials.pop(agent)
        self._has_rewards = True

    def _select_next(self, previous: str | None = None) -> None:
        """Select the current player, or first the agents that must leave by stepping None."""
        match = self._match
        if match.out != self._out or match.player == NO_PLAYER:
            if previous is not None:
                self.infos[previous] = self._idle_info()
            self._retire()
            self._unmask_selected()
            return
        self.agent_selection = selected = self.possible_agents[match.player]
        if previous is not None and previous != selected:
            self.infos[previous] = self._idle_info()
        self.infos[selected] = {"action_mask": match.action_mask if self.presentation is None else self._mask()}

    def _retire(self) -> None:
        """Mark the agents whose game has ended, and make them step first."""
        match = self._match
        for agent in self.agents:
            is_out = bool(match.out[self._seats[agent]])
            self.terminations[agent] = is_out
            self.truncations[agent] = match.truncated and not is_out
        self._out = match.out
        self.agent_selection = self.agents[0] if match.player == NO_PLAYER else self.possible_agents[match.player]
        self._deads_step_first()

    def _unmask_selected(self) -> None:
        """Put the mask into the info of the selected agent, if it is the current player."""
        if self._has_decision(self.agent_selection):
            self.infos[self.agent_selection] = self._info_of(self.agent_selection)

    def _has_decision(self, agent: str) -> bool:
        """Return whether `agent` is the current player and no other agent must leave first."""
        player = self._match.player
        return player != NO_PLAYER and self.possible_agents[player] == agent == self.agent_selection

    def _info_of(self, agent: str) -> Info:
        """Return a new info with an agent's current mask."""
        return {"action_mask": self._mask()} if self._has_decision(agent) else self._idle_info()

    def _mask(self) -> NDArray[np.int8]:
        """Return a copy of the current player's mask."""
        mask = self._match.action_mask
        return mask if self.presentation is None else self.presentation.mask(mask)

    def _was_dead_step(self, action: int | None) -> None:
        super()._was_dead_step(action)
        self._has_rewards = False
        self._unmask_selected()

    def observe(self, agent: str) -> Seen:
        """Return what an agent may know now, selected or not; its mask is all zero unless it must decide now.

        Raises:
            ValueError: there is no such agent, or no game has begun.
        """
        match, seat = self._begun(), self._seat(agent)
        observation = match.observation if match.player == seat else match.observe(seat)
        content = observation if self.presentation is None else self.presentation.content(observation)
        if not self.mask_in_observation:
            return content
        mask = self._mask() if self._has_decision(agent) else self._no_mask.copy()
        return {"observation": content, "action_mask": mask}

    def last(self, observe: bool = True) -> Last:
        """Return observation, reward, terminated, truncated and info of `agent_selection`.

        The observation is a new copy at each call; the info is the one in `infos`, which is new for each decision.

        Raises:
            ValueError: no game is running: none has begun, or all agents have left.
        """
        agent = self.agent_selection
        if agent not in self.terminations:
            raise ValueError("no game is running: call reset() before last()")
        seen = self.observe(agent) if observe else None
        return (
            seen,
            self._cumulative_rewards[agent],
            self.terminations[agent],
            self.truncations[agent],
            self.infos[agent],
        )

    def _begun(self) -> Match:
        if self._np_random is None:
            raise ValueError(NOT_BEGUN)
        return self._match

    def _seat(self, agent: str) -> int:
        if not isinstance(agent, str) or agent not in self._seats:
            raise ValueError(f"unknown agent {short_repr(agent)}: agents are {', '.join(self.possible_agents)}")
        return self._seats[agent]

    @property
    def state_space(self) -> spaces.Box:
        """The space of `state()`."""
        return state_space(self.game, self.presentation)

    def state(self) -> NDArray[np.int8]:
        """Return the concatenated observations of all seats, for central critics; agents must never see them."""
        match = self._begun()
        seen = [match.observe(seat) for seat in range(self.game.num_players)]
        return np.concatenate(seen if self.padding is None else [self.padding.observe(one) for one in seen])

    def render(self) -> str | NDArray[np.uint8] | None:
        """Render the game in `render_mode`, as seen from `render_viewpoint`."""
        if self.render_mode is None:
            raise ValueError(f"render() needs a render_mode: give one of {RENDER_MODES} when you make the environment")
        return self._begun().render(self.render_mode, self._viewer())

    def _viewer(self) -> int | None:
        own = None if self._match.player == NO_PLAYER else self._match.player
        return self.options.viewer(own)

    def _repr_html_(self) -> str | None:
        """Return the HTML that notebooks show, as seen from `render_viewpoint`; None before the first reset."""
        return self._match.notebook_html(self._viewer()) if self.agent_selection else None

    def close(self) -> None:
        """Do nothing: there is nothing to release."""

    def step_text(self, text: str) -> None:
        """Step with the action that a text names.

        Raises:
            ValueError: the text names no legal action, or the selected agent's game is over.
        """
        agent = self.agent_selection
        if self.terminations.get(agent) or self.truncations.get(agent):
            raise ValueError(f"the game is over for {agent}: call step(None), with which the agent leaves")
        self.step(self.parse_action(text))

    def information_state(self, agent: str) -> InformationState:
        """Return all that an agent has seen and done in this game; the cost grows with the length of the game."""
        return self._begun().information_state(self._seat(agent))

    def information_set(self, agent: str) -> InformationSets:
        """Return an agent's information set, a single one, to sample states from that may be the true one."""
        return self._begun().information_set(self._seat(agent))

    # --- copies

    def clone(self) -> RawEnv:
        """Return an independent copy of this environment."""
        twin = copy.copy(self)
        twin._match = self._match.clone()
        twin._np_random = copy.deepcopy(self._np_random)
        twin._observation_spaces = copy.deepcopy(self._observation_spaces)
        twin._action_spaces = copy.deepcopy(self._action_spaces)
        twin.metadata = copy.deepcopy(self.metadata)
        twin.possible_agents = self.possible_agents.copy()
        twin.agents = self.agents.copy()
        for name in ("rewards", "_cumulative_rewards", "terminations", "truncations", "_potentials"):
            setattr(twin, name, getattr(self, name).copy())
        twin.infos = {agent: twin._info_of(agent) for agent in self.infos}
        return twin

    def __deepcopy__(self, memo: dict[int, Any]) -> RawEnv:
        return self.clone()

    def get_state(self) -> bytes:
        """Return the game as bytes, from which `set_state` of an equal environment continues."""
        match, rng = self._match, self._np_random
        fields = {name: getattr(self, name) for name in SAVED_FIELDS}
        fields |= {"seed": match.seed, "forced": match.forced}
        fields["generator"] = None if rng is None else rng.bit_generator.state
        return pack_state(self.game, fields, match.states.tobytes(), match.history)

    def set_state(self, data: bytes) -> None:
        """Restore a state saved by `get_state`.

        Raises:
            ValueError: the bytes are damaged, or belong to another version, game or configuration; nothing is changed.
        """
        fields, state, history = unpack_state(self.game, data)
        check_fields(fields, self.possible_agents)
        generator = make_generator(fields["generator"])
        self._match = restore_match(self.game, state, fields["seed"], fields["forced"], history)
        self._set_agents(fields["agents"])
        for name in SAVED_FIELDS:
            setattr(self, name, fields[name])
        self._np_random = generator
        self._has_rewards = any(self.rewards.values())
        self._unmask_selected()
