"""Decisions that a person at a table is not asked for: forced choices, and reactions that they ordered to pass."""

import pytest
from typer.testing import CliRunner

from sackarmies_agents.agent import GameInfo
from sackarmies_agents.factory import make_agent
from sackarmies_env.envs.match import Match
from sackarmies_training.cli import app
from sackarmies_training.table.game_table import GameTable
from sackarmies_training.table.person import Person
from sackarmies_training.table.standing_orders import Orders
from tests.core.toy_game import make_duel


class Table(GameTable):
    """Table at which the first legal action of every decision passes; tests set the other properties."""

    turn_of = 1
    attacked = final = public = False

    def pass_of(self, known, legal):
        return legal[0]

    def is_attacked(self, picture, seat):
        return self.attacked

    def is_final(self, states):
        return self.final

    def is_public(self, states):
        return self.public

    def active(self, states):
        return self.turn_of


@pytest.fixture
def match():
    begun = Match(make_duel(2))
    begun.begin(0)
    return begun


@pytest.fixture
def orders(match):
    return Orders(Table(match.game))


def test_without_orders_reactions_are_asked(match, orders):
    assert len(match.legal_actions()) > 1
    assert orders.silent_choice(match) is None


def test_reactions_are_passed_until_the_own_turn(match, orders):
    orders.until = "turn"
    assert orders.silent_choice(match) == match.legal_actions()[0]
    orders._table.turn_of = match.player
    assert orders.silent_choice(match) is None
    orders._table.turn_of = 1 - match.player
    assert orders.silent_choice(match) is None  # the order has ended
    assert orders.until == "off"


def test_reactions_are_passed_until_an_attack(match, orders):
    orders.until = "attack"
    orders._table.turn_of = match.player
    assert orders.silent_choice(match) == match.legal_actions()[0]
    orders._table.attacked = True
    assert orders.silent_choice(match) is None
    assert orders.until == "off"


@pytest.mark.parametrize(
    ("situation", "is_asked"),
    [("", False), ("final", True), ("public", False), ("public shared", True), ("shared", False)],
)
def test_forced_choices_are_asked_where_something_depends_on_it(match, orders, monkeypatch, situation, is_asked):
    only = match.legal_actions()[0]
    monkeypatch.setattr(match, "legal_actions", lambda: [only])
    orders._table.final, orders._table.public = "final" in situation, "public" in situation
    assert orders.silent_choice(match, shares_device="shared" in situation) == (None if is_asked else only)


# --- a whole game in the terminal


class Greedy(Person):
    """A person who types what the greedy General chooses, and gives orders to pass where that is possible."""

    def __init__(self, match, seat):
        super().__init__(match, seat)
        self.agent = make_agent("greedy", GameInfo.of(match.game))
        self.agent.reset(1)
        self.turn = -1  # of the latest order
        self.ordered = self.asked = 0

    def answer(self, prompt):
        match = self.match
        legal = match.legal_actions()
        if self._passing is not None:
            turn = int(match.states["turn"][0])
            assert turn > self.turn, "a reaction is asked for despite the order to pass"
            self.turn = turn
            self.ordered += 1
            return "pass until my turn"
        assert len(legal) > 1 or self._table.is_final(match.states)
        self.asked += 1
        action = int(self.agent.act(match.observation, match.action_mask))
        return str(1 + next(place for place, choice in enumerate(self._choices) if choice["id"] == action))


@pytest.mark.slow
def test_whole_game_in_the_terminal_with_orders_to_pass(monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    people = []

    def sit_down(match, seat):
        people.append(Greedy(match, seat))
        monkeypatch.setattr("builtins.input", people[0].answer)
        return people[0]

    monkeypatch.setattr("sackarmies_training.commands.play.Person", sit_down)
    result = CliRunner().invoke(app, ["play", "random", "--seed", "5"])
    assert result.exit_code == 0, result.output
    assert "General 0 (you) wins after " in result.output
    assert result.output.rindex("seen by the referee") > result.output.rindex("seen by General 0")  # all is shown
    assert people[0].ordered > 2
    assert people[0].asked > 50
    assert max(map(len, result.output.splitlines())) <= 80
