"""Messages to a person, which must not depend on what they cannot know: content, sizes, number, order."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import pytest

from sackarmies_env.core.game import Game
from sackarmies_env.envs.match import Match
from sackarmies_env.games.sack_armies import make_game
from sackarmies_env.games.sack_armies.state.constants import Zone
from sackarmies_env.render.picture import find_picture
from sackarmies_training.sack_armies.table import Table
from sackarmies_training.table.game_table import GameTable
from sackarmies_training.web.feed import Feed
from sackarmies_training.web.played import InteractiveGame
from sackarmies_training.web.protocol import Message
from tests.sack_armies.belief.test_secret_decisions import TOKENS
from tests.sack_armies.builders.fights import able, scenario
from tests.sack_armies.builders.text_game import attachment, field, token, unit
from tests.sack_armies.builders.twin_worlds import CONFIGURATIONS, deal_rows, other_world
from tests.samples import many
from tests.web.tables import Company, Scripted, Watched, answer, make_played, sees_the_same, sent, twin_of

TOGETHER = 4  # answers for which two worlds are followed
EVERY = 3  # questions from one comparison of worlds to the next


def told(messages: list[Message]) -> Message:
    return messages[-1]


def do(played: InteractiveGame, said: dict[str, Any]) -> list[Message]:
    if said["kind"] == "back":
        return list(played.back(said["number"], said["count"]))
    return list(played.choose(said["number"], said["actions"]))


def compare(played: InteractiveGame, viewer: int, plies: int, seed: int) -> Counter[str]:
    """Play a game; from every `EVERY`-th question, follow a twin world as well, and compare every message."""
    rng, met = random.Random(seed), Counter[str]()
    last = told(list(played.opening()))
    for number in range(plies):
        if last["kind"] != "ask":
            break
        if number % EVERY == 0:
            make = (other_world, deal_rows)[number % 2]
            follow(played, twin_of(played, viewer, number, make), viewer, random.Random(number), met)
        last = told(do(played, answer(last, rng)))
    return met


def follow(truth: InteractiveGame, twin: InteractiveGame, viewer: int, rng: random.Random, met: Counter[str]) -> None:
    """Play two worlds with up to `TOGETHER` equal answers, until their person learns of a difference."""
    one = twin_of(truth, viewer, 0, lambda game, states, player, seed: states)
    scenes = [list(each.scene()) for each in (one, twin)]
    assert sent(scenes[0]) == sent(scenes[1])
    last = scenes[0][-1]
    for _ in range(TOGETHER):
        if last["kind"] != "ask":
            return
        said = answer(last, rng, back=0.3)
        length = len(one.match.history)
        messages = [do(each, said) for each in (one, twin)]
        if not sees_the_same(one, twin, viewer):
            met["learned"] += 1
            return
        wire = [sent(each) for each in messages]
        assert list(map(len, wire[0])) == list(map(len, wire[1])), "sizes or number of messages differ"
        assert wire[0] == wire[1]
        met["same"] += 1
        met["messages"] += len(wire[0])
        met["other choices in secret"] += one.match.history[length:] != twin.match.history[length:]
        last = messages[0][-1]


# --- whole games of random play


def asking_all(name: str) -> dict[str, Any]:
    """Return a configuration with the switches that games with people use; a scenario keeps its own."""
    config = CONFIGURATIONS[name]
    options = {"switches": config.get("switches", {}) | Table.asks_all["switches"]}
    return {**config, **({} if "scenario" in config else options)}


@pytest.mark.slow
@pytest.mark.parametrize("viewer", [0, 1])
@pytest.mark.parametrize("name", sorted(CONFIGURATIONS))
@pytest.mark.parametrize("config_of", [asking_all, CONFIGURATIONS.__getitem__], ids=["asks all", "forced silently"])
def test_messages_are_the_same_in_twin_worlds(name, viewer, config_of):
    met = compare(make_played(viewer, 5, **config_of(name)), viewer, many(30), seed=1)
    print(name, dict(met))
    assert met["same"] > many(8)


def test_messages_are_the_same_in_twin_worlds_of_a_few_turns():
    met = compare(make_played(0, 3, num_generals=2, armies=["undead", "goblin_swarm"]), 0, 30, seed=2)
    assert met["same"] > 10


# --- agents that are watched


@pytest.mark.parametrize(("name", "length"), [("battle", 12), pytest.param("wild", 60, marks=pytest.mark.slow)])
def test_watcher_of_a_seat_is_sent_the_same_in_twin_worlds(name, length):
    game = make_game(**CONFIGURATIONS[name])
    played = InteractiveGame(game, Watched(game, 0), eyes=0)
    played.begin(4)
    met = Counter[str]()
    for number in range(length):
        world = twin_of(played, 0, number)
        wire = [sent(each.watch()) for each in (played, world)]
        if sees_the_same(played, world, 0):
            assert wire[0] == wire[1]
            met["same"] += 1
            met["own decisions"] += played.match.player == 0
    print(name, dict(met))
    assert met["own decisions"] > length / 6


# --- worlds in which others have a choice, or none

HIDES = ("charm", "bolt")  # may be revealed in a window, or may not


def attack(side: int, hides: str, auto_forced: bool = True) -> Game:
    """Return a position in which General 0 can shoot at General 1, and a unit of General `side` hides a token.

    Nobody can strike back from that far away: the window is the only decision of the others.
    """
    tokens = [*TOKENS, token("archer", damage=2, armor=3, band="green", abilities=[able("range", range=4)])]
    hidden = [[attachment(hides)] if seat == side else [] for seat in (0, 1)]
    units = [unit("archer", "0,0", attached=hidden[0]), unit("guard", "3,0", 1, attached=hidden[1])]
    fields = [field(f"{q},0", int(q > 1)) for q in range(-1, 5)]
    pile = {"hand": [], "sack": ["guard", "charm", "bolt"], "casualties": [], "removed": []}
    switches = {"auto_forced": auto_forced}
    return make_game(scenario=scenario(tokens, units, "TTTTTTTTTT", switches, fields=fields, general=[pile, pile]))


def course(viewer: int, side: int, hides: str, auto_forced: bool = True) -> list[list[str]]:
    """Return the messages of a game in which a unit of General `side` hides a token and General 0 attacks."""
    game = attack(side, hides, auto_forced)
    played = InteractiveGame(game, Scripted(game, viewer, ["ranged", "pass"]))
    played.begin(3)
    told = list(played.opening())
    wire = [sent(told)]
    for _ in range(3):
        if told[-1]["kind"] != "ask":
            break
        labels = {choice["text"]: choice["id"] for choice in told[-1]["choices"]}
        wanted = labels.get("ranged", labels.get("pass", told[-1]["choices"][0]["id"]))
        told = list(played.choose(told[-1]["number"], [wanted]))
        wire.append(sent(told))
    return wire


def decisions(viewer: int, side: int, hides: str) -> int:
    """Return 1 if General `side` has a decision in the window of such a game, 0 if it is taken silently."""
    match = Match(attack(side, hides))
    match.begin(3)
    match.play(match.game.parse_action(match.states, "ranged"))
    return int(match.player == side and match.game.describe_decision(match.states) == "WINDOW")


@pytest.mark.parametrize("auto_forced", [True, False])
@pytest.mark.parametrize("side", [0, 1])
def test_nothing_tells_whether_another_general_had_a_reaction(side, auto_forced):
    viewer = 1 - side
    assert [decisions(viewer, side, hides) for hides in HIDES] == [1, 0]  # a choice in one world alone
    one, other = (course(viewer, side, hides, auto_forced) for hides in HIDES)
    assert any('"kind":"steps"' in message for messages in one for message in messages)
    assert one == other


# --- several people on one device


def answered(played: InteractiveGame, messages: list[Message], viewer: int) -> list[Message]:
    """Play for the other people until the viewer is asked again; return what is sent while the viewer may look."""
    told = list(messages)
    while messages[-1]["kind"] != "end" and not (messages[-1]["kind"] == "ask" and played.has_device == viewer):
        match messages[-1]["kind"]:
            case "handover":
                messages = list(played.cover())
            case "curtain":
                messages = list(played.uncover(messages[-1]["seat"]))
            case "ask":
                choice = played.seats.decide(played.match)
                messages = list(played.choose(messages[-1]["number"], [choice]))
        told += messages if played.has_device in (None, viewer) else []
    return told


@pytest.mark.slow
@pytest.mark.parametrize("name", ["standard", "open lists", "battle", "three"])
def test_person_who_passes_the_device_on_is_sent_the_same_in_twin_worlds(name):
    """After Setup: whether picks are asked for depends on the army (decision 37)."""
    game = make_game(**asking_all(name))
    played = InteractiveGame(game, Company(game, 0))
    played.begin(4)
    last = told(answered(played, list(played.opening()), 0))
    met = Counter[str]()
    rng = random.Random(1)
    for number in range(60):
        if last["kind"] != "ask":
            break
        said = answer(last, rng, back=0.2)
        world = twin_of(played, 0, number)
        sent_to = [answered(each, do(each, said), 0) for each in (played, world)]
        last = sent_to[0][-1]
        if sees_the_same(played, world, 0):
            assert sent(sent_to[0]) == sent(sent_to[1])
            met["same"] += 1
            met["handed over"] += any(message["kind"] == "handover" for message in sent_to[0])
    print(name, dict(met))
    assert met["handed over"] > 5


# --- the comparison finds leaks


def boundaries_of_actions(monkeypatch):
    """Send what is seen after each decision that is asked for, public or not."""
    show = InteractiveGame._show

    def leak(played, before):
        yield from show(played, before)
        yield from played._flush()

    monkeypatch.setattr(InteractiveGame, "_show", leak)


def forced_decisions_left_out(monkeypatch):
    """Combine a decision and all that follow silently into one step."""
    monkeypatch.setattr(Table, "steps", GameTable.steps)


def stops_that_are_secret(monkeypatch):
    """Show a step wherever the game stops."""
    monkeypatch.setattr(Table, "is_public", lambda table, states: True)


def number_of_decisions(monkeypatch):
    """Number questions by the decisions of all players."""
    make = InteractiveGame._make_question
    monkeypatch.setattr(
        InteractiveGame,
        "_make_question",
        lambda played, seat: make(played, seat) | {"number": len(played.match.history)},
    )


def what_agents_report(monkeypatch):
    """Add the latest analysis that was reported to each question."""
    make = InteractiveGame._make_question
    monkeypatch.setattr(
        InteractiveGame,
        "_make_question",
        lambda played, seat: make(played, seat) | {"about": str(played.seats.reports.analyses[-1:])},
    )


def size_of_the_log(monkeypatch):
    """Add a line of spaces to the log, as many as the hands decide."""
    see = Feed.see

    def leak(feed, states, **more):
        changed = see(feed, states, **more)
        if changed and feed._steps:
            held = int(states["token_type"][0][states["token_zone"][0] == Zone.HAND].sum())
            feed._steps[-1]["lines"] = [*feed._steps[-1]["lines"], " " * (held % 7)]
        return changed

    monkeypatch.setattr(Feed, "see", leak)


def hidden_names(monkeypatch):
    """Show everything to everybody."""
    monkeypatch.setattr(
        "sackarmies_training.web.feed.find_picture", lambda game, states, viewer: find_picture(game, states, None)
    )


@pytest.mark.parametrize("leak", [boundaries_of_actions, forced_decisions_left_out])
def test_planted_leak_of_a_reaction_is_found(monkeypatch, leak):
    leak(monkeypatch)
    assert any(course(1 - side, side, "charm") != course(1 - side, side, "bolt") for side in (0, 1))


@pytest.mark.slow
@pytest.mark.parametrize(
    "leak", [stops_that_are_secret, number_of_decisions, what_agents_report, size_of_the_log, hidden_names]
)
def test_planted_leak_is_found_in_random_play(monkeypatch, leak):
    leak(monkeypatch)
    with pytest.raises(AssertionError):
        for name in ("wild", "standard", "battle"):
            compare(make_played(0, 5, **CONFIGURATIONS[name]), 0, 40, seed=1)
