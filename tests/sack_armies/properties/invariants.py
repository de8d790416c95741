"""Invariants of every decision, in plain Python by the rulebook: tokens, board, turns, elimination."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator

import numpy as np

from sackarmies_env.games.sack_armies.state.constants import NO_TOKEN, NUM_SLOTS, Zone
from sackarmies_env.games.sack_armies.state.record import IN_SIGHT
from sackarmies_env.games.sack_armies.tokens.schema import Text, Unit
from tests.sack_armies.builders.derived import DERIVED, rebuild_derived
from tests.sack_armies.builders.twin_worlds import copy_of, layout_of, plain, record, sizes_of
from tests.sack_armies.properties.bout import Bout, Look
from tests.sack_armies.properties.view import View, spot
from tests.sack_armies.referee.board import distance, neighbors
from tests.sack_armies.referee.deploy import BANDS, OWNED_LIMIT, is_interior
from tests.sack_armies.referee.position import Hex, Token
from tests.sack_armies.referee.stats import ability_range

NOWHERE = -1
FINAL = (Zone.CASUALTIES, Zone.REMOVED)

# --- conservation


def check_tokens(start: View, before: View, now: View) -> None:
    """Check that each row keeps its type and owner, and that what was removed from play stays so (R6.0-7)."""
    assert now.rows == start.rows, "tokens have come or gone"
    for name in ("type", "owner"):
        assert now.columns[name] == start.columns[name], f"the {name} of a token has changed"
    for row in before.rows:
        if before.zone(row) == Zone.REMOVED:
            assert now.zone(row) == Zone.REMOVED, f"{now.tokens[row].text.id} was removed from play and is back"


def check_army(now: View) -> None:
    """Check that each General owns exactly the tokens of their army list (R3.2-2, R6.0-1)."""
    for seat, army in enumerate(now.config.armies):
        assert now.count(seat) == Counter(army.counts), f"General {seat} owns other tokens than their army list has"


def check_zones(now: View) -> None:
    """Check that each token is in one zone, and that nothing about it suggests another (R6.0-1)."""
    for row in now.rows:
        token, zone = now.tokens[row], now.zone(row)
        at, host, first, face = (now.columns[name][row] for name in ("hex", "host", "first", "face"))
        told = f"{token.text.id} in {zone.name}"
        assert (at != NOWHERE) == (zone == Zone.BATTLEGROUND), f"{told} has hex {at}"
        assert (host != NO_TOKEN) == (zone in (Zone.ATTACHED, Zone.CAPTURED)), f"{told} has host {host}"
        assert first == NO_TOKEN or token in now.units, f"{told} has attachments"
        assert not token.active or zone == Zone.ATTACHED, f"{told} is a permanent in effect"
        assert zone != Zone.PICKED or (now.in_setup and token.text.kind == "battlefield"), told
        if zone in (Zone.SACK, Zone.HAND, Zone.PICKED):
            assert face == 0, f"{told} lies face up"
        if zone in FINAL and now.switches.casualties_public:
            assert face == 1, f"{told} lies face down, though piles are public"
        if zone != Zone.BATTLEGROUND:
            assert not (token.employed or token.moved), f"{told} has been employed or moved"
            assert token.controller == token.owner, f"{told} is not controlled by its owner"


def check_memory(bout: Bout, now: View) -> None:
    """Check that memory fits the present: what all can see, and when tokens went to a sack or left it (V-17)."""
    returns = bout.state["returns"].tolist()
    for row in now.rows:
        token, zone = now.tokens[row], now.zone(row)
        seen, drawn = now.columns["seen"][row], now.columns["drawn"][row]
        told = f"{token.text.id} in {zone.name}"
        assert (seen == IN_SIGHT) == (now.columns["face"][row] == 1), f"{told} has a wrong token_seen"
        assert drawn <= returns[token.owner], f"{told} was drawn after return {drawn}"
        if seen != IN_SIGHT:
            assert seen <= returns[token.owner] + 1, f"{told} went to the sack with return {seen - 1}"
            in_plain_sack = zone == Zone.SACK and not now.columns["kind_known"][row]
            assert in_plain_sack or drawn + 1 >= seen, f"{told} was drawn before it went to the sack"


def check_captives(now: View) -> None:
    """Check that captives lie under a unit on the board, in one order (RA-Capture-5, RA-Capture-6, Q-52)."""
    captives = [row for row in now.rows if now.zone(row) == Zone.CAPTURED]
    for row in captives:
        token, captor = now.tokens[row], now.tokens[now.columns["host"][row]]
        assert captor in now.units, f"the captor of {token.text.id} is not on the board"
        if token.text.kind == "unit":
            assert captor.owner != token.owner, f"{token.text.id} is a captive of its own General"
        assert token.text.kind != "battlefield"
    for captor in now.units:
        held = [row for row in captives if now.columns["host"][row] == captor.row]
        following = [now.columns["next"][row] for row in held]
        first = set(held) - set(following)
        in_order = not held or (len(first) == 1 and sorted(following) == sorted([NO_TOKEN, *set(held) - first]))
        assert in_order, f"the captives of {captor.text.id} are not in one order"


# --- the board


def check_board(before: View, now: View) -> None:
    """Check that units stand one to a hex, on or beside fixed battlefields (R3.2.1-2, R8.2.1-6, R8.3-7, R8.3-10)."""
    for kind, tokens in (("units", now.units), ("battlefields", now.fields)):
        taken = Counter(spot(token) for token in tokens)
        assert all(count == 1 for count in taken.values()), f"several {kind} on a hex: {taken.most_common(1)}"
    for unit in now.units:
        assert isinstance(unit.text, Unit), f"{unit.text.id} stands among the units"
        assert unit.controller == unit.owner, f"{unit.text.id} is not controlled by its owner"
        near = [spot(unit), *neighbors(now.position, spot(unit))]
        assert any(hex_ in now.position.field_on for hex_ in near), f"{unit.text.id} is off legal hexes at {unit.hex}"
    for field in now.fields:
        assert field.face_up, f"{field.text.id} lies face down"
    for old in before.fields:
        field = now.tokens[old.row]
        assert field in now.fields and field.hex == old.hex, f"{old.text.id} has left {old.hex}"


def check_attachments(now: View) -> None:
    """Check that attachments fit the band of their host and its limits (R3.2.2-6, R3.2.2-7, R9.2-15, Q-65)."""
    for unit in now.units:
        assert isinstance(unit.text, Unit)
        assert len(unit.attachments) <= NUM_SLOTS, f"{unit.text.id} bears {len(unit.attachments)} attachments"
        own = [token for token in unit.attachments if token.owner == unit.owner]
        assert len(own) <= OWNED_LIMIT, f"{unit.text.id} bears {len(own)} attachments of its owner's"
        for token in unit.attachments:
            assert isinstance(token.text, Text) and token.text.kind in BANDS, f"{token.text.id} is attached"
            if token.active:
                assert token.face_up and token.text.use == "permanent", f"{token.text.id} is in effect"
            else:
                assert token.owner == unit.owner, f"{token.text.id} is under a unit of another General"
                assert unit.text.band in BANDS[token.text.kind], f"{token.text.id} is under {unit.text.id}"


def sight_of(view: View, unit: Token) -> int:
    """Return how far a unit sees (R8.2.1-2, R8.2.2-5)."""
    return max(1, ability_range(view.position, unit, "sight"))


def unseen(view: View) -> set[tuple[int, Hex, int, Hex]]:
    """Return the face-down units within sight of an opposing unit, as row and hex of both."""
    return {
        (unit.row, spot(unit), other.row, spot(other))
        for unit in view.units
        if not unit.face_up
        for other in view.units
        if other.owner != unit.owner and distance(spot(unit), spot(other)) <= sight_of(view, other)
    }


def check_sight(before: View, now: View) -> None:
    """Check that no unit stays face down once an opposing unit sees it (R8.2.2-4, Q-24); a scenario may begin so."""
    if now.switches.sight_on_reveal and not now.is_over:
        blind = unseen(now) - unseen(before)
        told = [f"{now.tokens[row].text.id} at {hex_}" for row, hex_, _, _ in blind]
        assert not blind, f"seen but face down: {', '.join(told)}"


# --- placement and control


def check_neutral_zone(before: View, now: View) -> None:
    """Check that new battlefields lie beside own ones and apart from others (R7.1-12 to 16, R8.2.1-9 to 12, Q-03)."""
    placed = [field for field in now.fields if field.row not in {old.row for old in before.fields}]
    for field in placed:
        assert is_interior(now.position, spot(field)), f"{field.text.id} lies at the edge"
        # Arrows may turn at a turn's end, right after the placement or before it.
        sides = [{old.row: before.side(old) for old in before.fields}, {old.row: now.side(old) for old in now.fields}]
        held = [stands_apart(field, {f.row: f.owner for f in placed} | side, now) for side in sides]
        assert any(held), f"{field.text.id} of General {field.owner} breaks the neutral zone at {field.hex}"


def stands_apart(field: Token, side: dict[int, int], now: View) -> bool:
    """Return whether the owner of a new battlefield may put it there; `side` says whose the others are."""
    others = [other for other in now.fields if other is not field]
    beside = {side[other.row] for other in others if distance(spot(field), spot(other)) == 1}
    if beside:
        return beside == {field.owner}
    gaps = [distance(spot(field), spot(other)) for other in others if other.owner != field.owner]
    is_first = all(other.owner != field.owner for other in others) or spot(field) == (0, 0)
    return is_first and (2 in gaps or spot(field) == (0, 0))


def check_control(before: View, now: View) -> None:
    """Check that arrows turn only at the end of a turn, to the General whose unit is there (R5.0-7 to 9, Q-10)."""
    for old in before.fields:
        field = now.tokens[old.row]
        if now.turn == before.turn and not now.is_over:
            assert field.controller == old.controller, f"the arrow of {field.text.id} has turned within a turn"
        unit = now.position.unit_on.get(spot(field))
        stayed = unit is not None and before.tokens[unit.row].hex == unit.hex
        if unit is not None and stayed and now.turn > before.turn and not before.in_setup:
            assert field.controller == unit.controller, f"{unit.text.id} holds {field.text.id}, but not its arrow"


# --- turns and elimination


def has_unit(now: View, seat: int) -> bool:
    """Return whether a General has a unit that is not lost (R5.0-11, Q-11)."""
    return any(
        token.owner == seat and token.text.kind == "unit" and token.zone not in FINAL for token in now.position.tokens
    )


def check_elimination(before: View, now: View) -> None:
    """Check that players in the game pass the elimination tests, and others have nothing in play (P-ELIM, Q-15)."""
    assert set(now.alive) <= set(before.alive), "somebody has come back into the game"
    for seat in now.alive:
        assert has_unit(now, seat), f"General {seat} has lost all units, but is in the game"
        holds = any(field.owner == field.controller == seat for field in now.fields)
        if now.turn > before.turn and not before.in_setup:
            assert holds, f"General {seat} controls none of their battlefields at the end of a turn, but is in the game"
    for token in now.position.tokens:
        if token.owner not in now.alive:
            gone = token.zone not in (Zone.ATTACHED, Zone.CAPTURED) and token not in now.units
            assert gone, f"{token.text.id} of General {token.owner}, who is eliminated, is in play"


def check_end(now: View) -> None:
    """Check that the game ends with at most one General left, or at a limit (R5.0-4, R5.0-12, Q-13, Q-70)."""
    assert now.error == 0, f"the state reports error {now.error}"
    assert bool(now.terminated) == (len(now.alive) <= 1), f"{len(now.alive)} Generals are left"
    assert now.winner == (now.alive[0] if len(now.alive) == 1 else NOWHERE)
    idle = now.turn - now.last_progress_turn
    limits = now.turn >= now.switches.max_turns or idle >= now.switches.no_progress_turns
    assert not now.truncated or (limits and not now.terminated), "the game is truncated for no reason"
    assert now.turn <= now.switches.max_turns, f"turn {now.turn} of at most {now.switches.max_turns}"
    assert idle <= now.switches.no_progress_turns, f"{idle} turns without progress exceed the limit"


def check_question(now: View) -> None:
    """Check that a player in the game is asked something, and has a choice (R8.0-2, C-auto_forced)."""
    if now.is_over:
        assert now.current_player == NOWHERE
        assert now.legal == []
        return
    assert now.current_player in now.alive, f"General {now.current_player} is asked, but is eliminated"
    assert len(now.legal) > int(now.switches.auto_forced), f"too few legal actions: {now.legal}"


def check_order(before: View, now: View) -> None:
    """Check that turns go around the players who are left (R7.2-2, Q-01, C-turn_direction)."""
    assert now.turn >= before.turn
    if now.turn == before.turn + 1 and not before.in_setup and not now.is_over:
        step = -1 if now.switches.turn_direction == "cw_turns" else 1
        seat = before.active
        for _ in range(now.config.num_generals):
            seat = (seat + step) % now.config.num_generals
            if seat in now.alive:
                break
        assert now.active == seat, f"after General {before.active} comes {seat}, not {now.active}"


# --- all of them


def check_indexes(bout: Bout) -> None:
    """Check that derived indexes equal those rebuilt from the token rows."""
    anew = copy_of(bout.game, bout.states)
    rebuild_derived(bout.game.params[0], record(anew))
    for name in DERIVED:
        assert np.array_equal(plain(anew)[name], bout.state[name]), f"the index {name} is out of date"


def check_numbers(bout: Bout) -> None:
    """Check that every number of the state is one that its field may hold by declaration."""
    faults = list(layout_of(bout.game).faults(bout.states, sizes_of(bout.game)))
    assert not faults, faults[0]


def look_closely(start: View, before: View, now: View) -> None:
    """Check a state by itself, and as a successor of the one before."""
    check_tokens(start, before, now)
    for check in (check_army, check_zones, check_captives, check_attachments, check_end, check_question):
        check(now)
    for compare in STEPS:
        compare(before, now)


STEPS: tuple[Callable[[View, View], None], ...] = (
    check_board,
    check_sight,
    check_neutral_zone,
    check_control,
    check_elimination,
    check_order,
)


def invariants(bout: Bout) -> Look:
    """Return a `Look` that checks all invariants."""
    start = before = View(bout)

    def look() -> None:
        nonlocal before
        now = View(bout)
        check_indexes(bout)
        check_numbers(bout)
        check_memory(bout, now)
        look_closely(start, before, now)
        before = now

    return look


def each_legal_action(bout: Bout) -> Look:
    """Return a `Look` that tries all legal actions, each in a copy of the game (V-16, D-xx)."""
    start = View(bout)

    def look() -> None:
        before = View(bout)
        for action, after in branches(bout):
            try:
                look_closely(start, before, View(after))
                check_indexes(after)
            except AssertionError as error:
                bout.texts.append(bout.game.format_action(bout.states, action))
                raise AssertionError(f"after {bout.texts[-1]!r}: {error}") from error

    return look


def branches(bout: Bout) -> Iterator[tuple[int, Bout]]:
    """Yield every legal action with the game after it."""
    for action in bout.legal():
        after = bout.twin()
        after.act(action)
        yield action, after
