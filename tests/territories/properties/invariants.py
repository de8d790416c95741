"""Invariants of Territories in plain Python: of a state, between two states, and at the end of a game.

Each check raises an AssertionError with a sentence. States are read by the names of their fields.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from sackarmies_env.core.game import Game, Records
from sackarmies_env.core.legal import legal_ids
from sackarmies_env.core.step_batch import is_over
from sackarmies_env.games.territories.state.actions import DONE, FIRST_CARD, FIRST_TERRITORY
from sackarmies_env.games.territories.state.constants import NUM_CARDS, Decision, Frame, Stage
from sackarmies_env.testing.probe import results_of
from tests.territories.referee.rulebook import CARDS, MAPS, MAX_ATTACKERS, ONE_MORE_ATTACK, UNITS

VALUES = [unit.value for unit in UNITS.values()]
MOST_DICE = (20, 116)  # on the board: attacker, defender
MOST_OF_A_BATTLE, MOST_OF_A_TURN = 400, 8300  # decisions (chapter 2)


class View:
    """A state as the checks read it.

    Attributes:
        game: the game.
        state: a copy of the record.
        legal: ids of the legal actions.
    """

    def __init__(self, game: Game, states: Records) -> None:
        self.game = game
        self._states = game.clone(states[:1])
        self.state = self._states.view(np.ndarray)[0]
        self.legal = legal_ids(self.state["legal"])
        self.map = MAPS[game.config["map"]]
        self.switches = game.config["switches"]
        self.players = range(game.num_players)

    def __getattr__(self, name: str) -> Any:
        """Return a field of the state: an int, or an array."""
        value = self.state[name]
        return value if np.ndim(value) else int(value)

    @property
    def is_over(self) -> bool:
        return bool(is_over(self._states[0]))

    @property
    def frame(self) -> tuple[Frame, int]:
        """The procedure in progress and its step."""
        if self.frame_top < 0:
            return Frame.NONE, 0
        return Frame(int(self.frame_kind[self.frame_top])), int(self.frame_step[self.frame_top])

    @property
    def is_in_battle(self) -> bool:
        return self.frame[0] == Frame.BATTLE and not self.is_over

    @property
    def returns(self) -> list[float]:
        earned: list[float] = results_of(self.game, self._states)[0, 0].tolist()
        return earned

    def territories(self, player: int) -> list[int]:
        """Return the territories of a player, by number."""
        return [int(place) + 1 for place in np.flatnonzero(self.territory_owner == player)]

    def side(self, number: int) -> int:
        """Return who plays a side of the battle; -1 for nobody."""
        return int(self.active if number == 0 else self.defender)

    def dice_of(self, side: int) -> int:
        """Return the number of dice of a side, in skirmishes or not."""
        return int(self.loose_dice[side].sum() + self.skirmish_dice[:, side].sum())

    def counters_of(self, side: int) -> int:
        """Return the sum of the counters of a side, assigned or not."""
        return int((self.board_counters[side] * [1, 2, 3]).sum() + self.skirmish_counters[:, side].sum())


# --- states


def check_state(view: View) -> None:
    """Check what holds in every state."""
    for check in (check_units, check_cards, check_control, check_players, check_board, check_turn, check_decision):
        check(view)


def check_units(view: View) -> None:
    """Nothing leaves the game: units off the map and off the battle board are in the garrison (TR-Q24)."""
    for name in ("territory_units", "garrison", "board_units", "board_counters", "loose_dice", "skirmish_dice"):
        assert view.state[name].min() >= 0, f"{name} is below zero"
    for player in view.players:
        has = view.garrison[player] + view.territory_units[view.territory_owner == player].sum(axis=0)
        for side in range(2):
            has = has + view.board_units[side] * (view.side(side) == player)
        assert dict(zip(UNITS, has.tolist(), strict=True)) == view.map.garrison, f"player {player} has units {has}"
    assert not view.garrison[len(view.players) :].any(), "an unused seat has units"


def check_cards(view: View) -> None:
    """Every card is in a hand, the deck, the discards, or played; slots are in the order of drawing (TR-H3)."""
    held = np.zeros(NUM_CARDS, np.int64)
    for player, count in enumerate(view.hand_count.tolist()):
        hand, cycles = view.hand[player], view.hand_cycle[player]
        assert 0 <= count <= len(hand), f"player {player} holds {count} cards"
        held += np.bincount(hand[:count], minlength=NUM_CARDS)
        is_clear = (hand[count:] == -1).all() and not cycles[count:].any()
        assert is_clear, f"player {player} has stale cards beyond the hand"
        assert (np.diff([0, *cycles[:count], view.cycle]) >= 0).all(), f"cycles of player {player}: {cycles[:count]}"
        taken = view.taken_cycle[player]
        assert (taken <= view.cycle).all(), f"player {player} has parted with cards of the cycles {taken}"
        assert (cycles[:count] >= taken[hand[:count]]).all(), f"player {player} has kept an older card than one taken"
    for name in ("deck", "discards", "played"):
        assert view.state[name].min() >= 0, f"{name} is below zero"
    total = held + view.deck + view.discards + view.played.sum(axis=0)
    assert total.tolist() == [card.copies for card in CARDS.values()], f"cards of each kind: {total}"
    assert view.deck.sum() == view.deck_count, "the deck is miscounted"
    assert not view.pool.any() and not view.holders.any(), "cards lie in the pool"


def check_control(view: View) -> None:
    """A controlled territory has units in it or on the way out of it (TR-G3, TR-Q7); no units are off the map."""
    moving = {view.source, view.target} if view.frame[0] in (Frame.BATTLE, Frame.MOVE) and not view.is_over else set()
    for place, (owner, units) in enumerate(zip(view.territory_owner, view.territory_units, strict=True)):
        assert owner in (-1, *view.players), f"player {owner} controls territory {place + 1}"
        if units.any():
            assert place + 1 in view.map.borders, f"there are units in territory {place + 1}, which is not on the map"
            assert owner >= 0, f"nobody controls territory {place + 1}, in which there are units"
        elif owner >= 0:
            assert place in moving, f"player {owner} controls territory {place + 1} without a unit"


def check_players(view: View) -> None:
    """Eliminated players have nothing and are never asked (TR-G4); only the active player and the defender are."""
    for player in view.players:
        if not view.alive[player]:
            assert not view.territories(player), f"player {player} is out and controls territories"
            assert view.hand_count[player] == 0, f"player {player} is out and holds cards"
            assert view.current_player != player, f"player {player} is out and is asked"
    assert not view.alive[len(view.players) :].any(), "an unused seat is alive"
    assert view.is_over == (view.current_player == -1), "there is a current player after the end, or none before"
    if not view.is_over and view.active >= 0:
        assert view.current_player in (view.active, view.defender), "a bystander is asked"
        assert view.alive[view.active], "who is out has the turn"


def check_board(view: View) -> None:
    """The battle board is empty outside a battle and holds no more than its units bring (TR-A2, TR-A3)."""
    fields = ("board_units", "board_counters", "loose_dice", "played", "skirmish_dice", "skirmish_counters")
    fields += ("skirmish_cards", "skirmish_over")
    if not view.is_in_battle:
        full = [name for name in fields if view.state[name].any()]
        assert not full and view.num_skirmishes == 0, f"there is no battle, but {full} on the battle board"
        assert view.defender == -1, "somebody is attacked without a battle"
        is_moving = view.frame[0] == Frame.MOVE or view.is_over  # a forfeit may end the game in the middle of a move
        assert is_moving or view.source == view.target == -1, "a territory is marked"
        return
    assert view.board_units[0].sum() <= MAX_ATTACKERS, "too many units attack"
    for side, most in enumerate(MOST_DICE):
        assert view.dice_of(side) <= most + view.played[side].sum(), f"side {side} has {view.dice_of(side)} dice"
    assert 0 <= view.num_skirmishes <= MOST_DICE[0], f"{view.num_skirmishes} skirmishes"
    for name in fields[4:]:
        assert not view.state[name][view.num_skirmishes :].any(), f"{name} beyond the last skirmish"
    assert (view.skirmish_dice[: view.num_skirmishes, 0].sum(axis=1) > 0).all(), "a skirmish without an attacker die"
    if view.defender < 0:
        assert not view.board_units[1].any(), "units defend for nobody"
    assert view.territory_owner[view.source] == view.active, "the attack comes from a territory of another"


def check_turn(view: View) -> None:
    """Attacks, victories, steps and rounds are within their bounds (TR-A6, TR-T2, TR-G7)."""
    most = view.switches.get("attacks_per_turn") or view.map.attacks
    assert 0 <= view.victories <= view.attacks <= most, f"{view.attacks} attacks of {most}, {view.victories} won"
    limit = view.switches.get("max_rounds") or view.map.rounds
    assert 0 <= view.rounds <= limit, f"round {view.rounds} of {limit}"
    assert view.is_over or view.rounds < limit, f"round {limit} is over, and the game goes on"
    if view.frame_top >= 0 and view.frame_kind[0] == Frame.TURN:
        assert 0 <= view.frame_data[0, 0] <= (1 if view.turn == 1 else 2), "too many standard actions are left"
    if view.switches.get("exchange_pair") != "per_turn" and Frame.EXCHANGE not in view.frame_kind[: view.frame_top + 1]:
        assert view.traded_in == view.traded_out == -1, "a pair of types outlives its exchange step"


def check_decision(view: View) -> None:
    """Until the end there is a decision with legal actions, and what is offered stays within the rules."""
    if view.is_over:
        assert view.decision == Decision.NONE and not view.legal, "something is asked after the end"
        return
    assert view.error == 0, f"the state reports error {view.error}"
    assert view.legal and view.decision != Decision.NONE, "nobody can do anything"
    places = [action - FIRST_TERRITORY for action in view.legal if FIRST_TERRITORY <= action < FIRST_CARD]
    cards = {action - FIRST_CARD for action in view.legal if FIRST_CARD <= action < FIRST_CARD + NUM_CARDS}
    player = view.current_player
    assert cards <= set(view.hand[player][: view.hand_count[player]].tolist()), "a card is offered that nobody holds"
    if view.decision == Decision.ATTACK_TARGET:
        safe = [place for place in places if view.territory_safe[place]]
        assert not safe, f"territory {safe} can be attacked though a card has made it safe"
        assert all(view.territory_owner[place] != player for place in places), "an own territory can be attacked"
        near = view.map.borders[view.source + 1]
        assert all(place + 1 in near for place in places), "a territory far away can be attacked"
    elif view.decision == Decision.ATTACK_SOURCE:
        has_license = view.frame_data[0, 2] == 1
        assert not view.barred or has_license or set(view.legal) <= {DONE, FIRST_CARD + ONE_MORE_ATTACK - 1}, "barred"
    elif places and view.decision != Decision.MOVE_TARGET:
        assert all(view.territory_owner[place] == player for place in places), "a territory of another is offered"


# --- from one state to the next


def check_step(before: View, after: View) -> None:
    """Check what holds between two consecutive decisions."""
    assert after.turn >= before.turn and after.cycle >= before.cycle, "a count runs backward"
    if after.turn > before.turn and before.active >= 0:
        check_new_turn(before, after)
    elif after.turn == before.turn and not after.is_over:
        assert after.rounds == before.rounds and after.active == before.active, "a round ends within a turn"
        assert after.attacks >= before.attacks and after.victories >= before.victories, "an attack is forgotten"
        assert after.barred >= before.barred, "a bar is lifted within a turn"
        still_safe = (after.territory_safe >= before.territory_safe).all()
        assert still_safe, "a safe territory lost its protection within a turn"
    assert (after.alive <= before.alive).all(), "an eliminated player is back"
    is_same_battle = before.is_in_battle and after.is_in_battle and after.attacks == before.attacks
    if is_same_battle and before.source == after.source and after.turn == before.turn:
        check_battle(before, after)


def check_battle(before: View, after: View) -> None:
    """Dice and counters of a battle stay on the board; only a card may add a die (TR-B1, TR-D1)."""
    for side, rolled, name in ((0, Stage.ATTACK_ONES, "attacker"), (1, Stage.DEFENSE_ONES, "defender")):
        if before.frame[1] > Stage.ANSWER:
            kept = after.counters_of(side) == before.counters_of(side)
            assert kept, f"counters of the {name}: {before.counters_of(side)}, then {after.counters_of(side)}"
        if before.frame[1] >= rolled:
            grown = after.dice_of(side) - before.dice_of(side)
            cards = int(before.decision in {Decision.CARD_SKIRMISH, Decision.CARD})
            assert 0 <= grown <= cards, f"dice of the {name}: {before.dice_of(side)}, then {after.dice_of(side)}"
    assert after.num_skirmishes >= before.num_skirmishes, "a skirmish is gone"
    if before.frame[1] > Stage.ANSWER:
        assert after.board_units.sum() <= before.board_units.sum(), "units were added to the battle board"


def check_new_turn(before: View, after: View) -> None:
    """The next player in seat order has the turn; a round ends with the last seat (TR-Q45); hands are small (TR-G2)."""
    if after.turn > before.turn + 1:
        return  # a turn has passed without a decision
    places = [(seat - before.first_player) % len(before.players) for seat in before.players]
    size = len(places)
    following = [(before.active + step) % size for step in range(1, size + 1)]
    expected = next(player for player in following if after.alive[player] or (after.is_over and before.alive[player]))
    if not after.is_over:
        assert after.active == expected, f"player {after.active} has the turn after player {before.active}"
        wraps = places[after.active] <= places[before.active]
        assert after.rounds - before.rounds == wraps, f"{after.rounds - before.rounds} rounds have ended"
        own = len(after.territories(before.active))
        assert after.hand_count[before.active] <= own, f"{after.hand_count[before.active]} cards, {own} territories"
        assert not dominates(after, before.active), f"player {before.active} dominates, and the game goes on"


def dominates(view: View, player: int) -> bool:
    """Return whether a player controls enough of the map to win (TR-G5)."""
    return view.switches.get("domination", True) and len(view.territories(player)) >= view.map.domination


# --- the end


def check_returns(view: View) -> None:
    """Returns are zero-sum and follow from the ranking; eliminated players have lost (TR-G7, TR-G8, TR-Q39)."""
    share = 1 / (len(view.players) - 1)
    if not view.is_over:
        wanted = [0.0 if view.alive[player] else -share for player in view.players]
        np.testing.assert_allclose(view.returns, wanted, rtol=1e-6)
        return
    assert abs(sum(view.returns)) < 1e-6, f"returns {view.returns} do not add up to zero"
    assert view.terminated != view.truncated, "the game has both ended and been truncated, or neither"
    if view.terminated:
        check_winner(view)
        np.testing.assert_allclose(view.returns, [1 if p == view.winner else -share for p in view.players], rtol=1e-6)
        return
    ranks = [(-1, 0) if not view.alive[player] else rank(view, player) for player in view.players]
    for one in view.players:
        for other in view.players:
            if ranks[one] == ranks[other]:
                assert abs(view.returns[one] - view.returns[other]) < 1e-6, f"{ranks}: returns {view.returns}"
            elif ranks[one] > ranks[other] and ranks[one] == max(ranks):
                assert view.returns[one] > view.returns[other], f"{ranks}: returns {view.returns}"


def rank(view: View, player: int) -> tuple[int, int]:
    """Return a player's number of territories and the value of their units on the map (TR-G7)."""
    units = view.territory_units[view.territory_owner == player].sum(axis=0)
    return len(view.territories(player)), int((units * VALUES).sum())


def check_winner(view: View) -> None:
    """The winner is the last player in play or dominates (TR-G5)."""
    winner = view.winner
    assert winner >= 0 and view.alive[winner], f"the winner is {winner}"
    left = int(view.alive.sum())
    assert left == 1 or dominates(view, winner), f"player {winner} has won, {left} are in play"


# --- whole games


class Watch:
    """Checks a game decision by decision and counts the decisions of its battles and turns.

    Attributes:
        longest_battle, longest_turn: in decisions.
    """

    def __init__(self, game: Game, states: Records) -> None:
        self._last = View(game, states)
        self._battle = self._turn = 0
        self.longest_battle = self.longest_turn = 0
        check_state(self._last)

    def look(self, game: Game, states: Records) -> None:
        """Check a game after a decision."""
        before, after = self._last, View(game, states)
        check_state(after)
        check_step(before, after)
        check_returns(after)
        self._battle = self._battle + 1 if before.is_in_battle else 0
        self._turn = self._turn + 1 if after.turn == before.turn else 0
        self.longest_battle = max(self.longest_battle, self._battle)
        self.longest_turn = max(self.longest_turn, self._turn)
        assert self._battle <= MOST_OF_A_BATTLE, f"a battle takes {self._battle} decisions"
        assert self._turn <= MOST_OF_A_TURN, f"a turn takes {self._turn} decisions"
        self._last = after
