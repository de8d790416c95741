"""Twin worlds: games that differ only in what a player cannot know, and all that this player receives in each."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from itertools import product
from typing import Any

import numpy as np

from sackarmies_env.core.chance import write_forced
from sackarmies_env.core.game import Game, Records
from sackarmies_env.core.information import InformationSets
from sackarmies_env.core.legal import legal_ids
from sackarmies_env.core.step_batch import Command, dispatch
from sackarmies_env.envs.aec import RawEnv
from sackarmies_env.envs.match import draw
from sackarmies_env.games.territories.state.actions import DRAW, FIRST_CARD
from sackarmies_env.games.territories.state.constants import NUM_CARDS, Decision
from sackarmies_env.testing.probe import world_of
from tests.territories.positions import random_table
from tests.territories.referee.random_play import LIKINGS, choose

ILLEGAL = 159  # an id that is never legal: whoever takes it forfeits
FORFEITS = 0.004  # per decision
DEALS = 30  # tried for a possible one
WRONG_TEXTS = ("card 1", "card 9", "territory 3", "done", "quantity 20", "card 13")
CARD_IDS = range(FIRST_CARD, FIRST_CARD + NUM_CARDS)


def begin(game: Game, states: Records) -> RawEnv:
    """Return an environment at a position, where a player who takes an illegal action forfeits."""
    env = RawEnv(game, illegal_action="terminate")
    env.reset(seed=1)
    put(env, states)
    env._set_agents(env.possible_agents[:])
    env._select_next()
    return env


def put(env: RawEnv, states: Records) -> None:
    """Put a position into an environment and leave its agents as they are."""
    env._match.restore(states.view(np.ndarray).tobytes(), [])
    env.infos = {agent: env._info_of(agent) for agent in env.infos}


def plain(env: RawEnv) -> Any:
    """Return the record of the game, to be read as `state["field"]`."""
    return env._match.states.view(np.ndarray)[0]


# --- worlds


def dealt_anew(game: Game, states: Records, viewer: int, rng: np.random.Generator) -> Records:
    """Return the same game with all cards that `viewer` cannot see redealt, those of each cycle separately.

    A card is not of a kind that its holder has taken from a later cycle (TR-H3).
    """
    twin = game.clone(states)
    state = twin.view(np.ndarray)[0]
    for cycle in range(int(state["cycle"]) + 1):
        slots = [place for place in hidden_slots(state, viewer) if state["hand_cycle"][place] == cycle]
        is_present = cycle == state["cycle"]
        deck = np.repeat(np.arange(NUM_CARDS), state["deck"]) if is_present else np.zeros(0, np.int64)
        truth = [*(int(state["hand"][place]) for place in slots), *deck]
        deals = (rng.permutation(truth) for _ in range(DEALS))
        pool = next((deal for deal in deals if is_possible(state, slots, deal, cycle)), np.array(truth))
        for place, kind in zip(slots, pool, strict=False):
            state["hand"][place] = kind
        if is_present:
            state["deck"] = np.bincount(pool[len(slots) :].astype(np.int64), minlength=NUM_CARDS)
    dispatch(game.step_batch, game.params, twin, Command.RESUME)  # the legal ids of others depend on their hands
    return twin


def is_possible(state: Any, slots: list[tuple[int, int]], deal: Any, cycle: int) -> bool:
    """Return whether no slot of a cycle is dealt a kind that its holder has taken from a later one."""
    return all(state["taken_cycle"][player, kind] <= cycle for (player, _), kind in zip(slots, deal, strict=False))


def hidden_slots(state: Any, viewer: int) -> list[tuple[int, int]]:
    """Return player and slot of every card in other hands."""
    hands = enumerate(state["hand_count"].tolist())
    return [place for player, count in hands if player != viewer for place in product([player], range(count))]


def with_other_chance(game: Game, states: Records, rng: np.random.Generator) -> Records:
    """Return the same game with other future chance and another count of decisions, which nobody is told."""
    twin = game.clone(states, seeds=rng.integers(1 << 40, size=1))
    twin["decisions"] += int(rng.integers(1, 9))
    faces = "".join(str(face) for face in rng.integers(1, 7, size=20))
    cards = [[f"card {kind}" for kind in rng.integers(1, 13, size=3)] for _ in range(game.num_players)]
    write_forced(twin, game.forced_kinds, {"dice": faces, "draws": cards})
    return twin


# --- what a player receives


def received(env: RawEnv, viewer: int, *, is_thorough: bool) -> dict[str, Any]:
    """Return everything that `viewer` receives now, by name; if `is_thorough`, pictures and samples as well."""
    agent, match, game = env.possible_agents[viewer], env._match, env.game
    given: dict[str, Any] = {
        "agents": list(env.agents),
        "agent order": env.agent_selection,
        "endings": (dict(env.terminations), dict(env.truncations)),
        "rewards": (dict(env.rewards), dict(env._cumulative_rewards), match.returns),
        "observation": match.observe(viewer).tobytes(),
        "events": [plain(env)[name].tobytes() for name in ("log_kind", "log_player", "log_place", "log_value")],
    }
    if agent in env.agents:
        given["mask"] = env.observe(agent)["action_mask"].tobytes()
        given["info"] = {name: value.tobytes() for name, value in env.infos[agent].items()}
    if match.player == viewer:
        given["decision"] = game.describe_decision(match.states), game.actions.legal_texts(match.states)
        given["errors"] = [match.refusal(agent, action) for action in (0, ILLEGAL, 160, "x")], complaints(env)
    if is_thorough:
        given["text"], given["page"] = (str(draw(game, match.states, mode, viewer)) for mode in ("ansi", "html"))
        given["guess"] = world_of(game, match.states, viewer, 5).tobytes()
        given["question of an isolated agent"] = InformationSets.of(game, match.states, viewer).states.tobytes()
    return given


def complaints(env: RawEnv) -> list[str]:
    """Return the answers to texts of actions, most of which are illegal."""
    answers = []
    for text in WRONG_TEXTS:
        try:
            answers.append(str(env.game.parse_action(env._match.states, text)))
        except ValueError as error:
            answers.append(str(error))
    return answers


def check_alike(one: RawEnv, other: RawEnv, viewer: int, where: str, *, is_thorough: bool = False) -> None:
    """Raise unless `viewer` receives the same in both."""
    expected, found = (received(env, viewer, is_thorough=is_thorough) for env in (one, other))
    differing = [name for name in expected.keys() | found.keys() if expected.get(name) != found.get(name)]
    assert not differing, f"{where}: player {viewer} is shown what is hidden from them in {sorted(differing)}"


# --- games played on in both worlds


class Pair:
    """A game and its twin, played on with the same actions for as long as `viewer` cannot tell them apart.

    Attributes:
        one, other: the environments.
        viewer: a seat.
        has_parted: whether something hidden has been revealed.
    """

    def __init__(self, env: RawEnv, viewer: int, rng: np.random.Generator) -> None:
        self.viewer = viewer
        self.one, self.other = env.clone(), env.clone()
        put(self.other, dealt_anew(env.game, env._match.states, viewer, rng))
        self.has_parted = False

    def act(self, action: int | None) -> None:
        """Take an action in both; None for an agent whose game is over."""
        if action is None:
            self.one.step(None)
            self.other.step(None)
            return
        if self._reveals(action):
            self.has_parted = True
            return
        hands = plain(self.one)["hand_count"].copy()
        self.one.step(action)
        if action == DRAW and hands[self.viewer] < plain(self.one)["hand_count"][self.viewer]:
            self._force(int(plain(self.one)["hand"][self.viewer, hands[self.viewer]]))
        if not self.has_parted:
            self.other.step(action)
            out = plain(self.one)["alive"] == 0
            out[self.viewer] = False
            self.has_parted = bool(hands[: len(out)][out].any())  # their hands are revealed now

    def _reveals(self, action: int) -> bool:
        """Return whether the action reveals a card that is elsewhere in the other world."""
        player = self.one._match.player
        states = [plain(env) for env in (self.one, self.other)]
        if player == self.viewer:
            return False
        if action == ILLEGAL:
            return bool(states[0]["hand_count"][player])
        options = [{one for one in legal_ids(state["legal"]) if one not in CARD_IDS} for state in states]
        assert options[0] == options[1], f"cards of player {player} decide on more than the cards that they may play"
        if action not in CARD_IDS:
            return False
        cycles = [state["hand_cycle"][player][state["hand"][player] == action - FIRST_CARD][:1] for state in states]
        return cycles[0].tolist() != cycles[1].tolist()

    def _force(self, kind: int) -> None:
        """Make `viewer` draw the same card in the other world, if it can be drawn there."""
        state = plain(self.other)
        pile = state["deck"] if state["deck_count"] else state["discards"]
        self.has_parted = pile[kind] == 0
        draws: list[list[str]] = [[] for _ in range(self.one.game.num_players)]
        draws[self.viewer] = [f"card {kind + 1}"]
        write_forced(self.other._match.states, self.one.game.forced_kinds, {"draws": draws})


def next_action(env: RawEnv, rng: random.Random, likings: list[str]) -> int | None:
    """Return the action of the current agent; None if its game is over."""
    if env.terminations[env.agent_selection] or env.truncations[env.agent_selection]:
        return None
    if rng.random() < FORFEITS:
        return ILLEGAL
    return choose(rng, env._match.legal_actions(), likings[env._match.player])


class Course:
    """A random game from a random position, from which twin worlds are made.

    Attributes:
        env: the game.
        met: how often each decision was compared with a twin world in which other hands differ.
    """

    def __init__(self, seed: int, game: Game | None = None) -> None:
        start = random_table(seed)
        self.env = begin(game or start.game, start.states)
        self.seed = seed
        self.rng, self.chance = random.Random(seed), np.random.default_rng(seed)
        self.likings = [self.rng.choice(list(LIKINGS)) for _ in range(start.game.num_players)]
        self.met: Counter[Decision] = Counter()

    def decisions(self, most: int) -> Iterator[int]:
        """Play on; yield the number of each decision before it is made."""
        for number in range(most):
            if not self.env.agents or self.env._match.player < 0:
                return
            yield number
            action = next_action(self.env, self.rng, self.likings)
            self.env.step(action)

    def look(self, number: int, *, is_thorough: bool) -> None:
        """Compare what each player receives at the current decision with what they receive in a twin world."""
        env = self.env
        for viewer in range(env.game.num_players):
            twin = env.clone()
            world = dealt_anew(env.game, env._match.states, viewer, self.chance)
            put(twin, with_other_chance(env.game, world, self.chance))
            if (world["hand"] != env._match.states["hand"]).any():
                self.met[Decision(int(plain(env)["decision"]))] += 1
            check_alike(env, twin, viewer, self.where(number), is_thorough=is_thorough)

    def follow(self, number: int, most: int) -> int:
        """Play a pair of worlds on from here and compare them at each decision; return the number of decisions."""
        viewer = int(self.chance.integers(self.env.game.num_players))
        pair = Pair(self.env, viewer, self.chance)
        rng = random.Random(f"{self.seed} {number}")
        for played in range(most):
            if not pair.one.agents:
                return played
            pair.act(next_action(pair.one, rng, self.likings))
            if pair.has_parted:
                return played
            check_alike(pair.one, pair.other, viewer, f"{self.where(number)}, {played + 1} decisions later")
        return most

    def where(self, number: int) -> str:
        """Return the seed of the game, the number of the decision and its name."""
        return f"seed {self.seed}, decision {number}, {Decision(int(plain(self.env)['decision'])).name}"
