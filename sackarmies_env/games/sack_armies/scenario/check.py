"""Validation of positions: the rules that every position must keep, and sentences that name the faulty entry."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations

from sackarmies_env.core.hexgrid import DIRECTIONS
from sackarmies_env.core.messages import join, suggestion
from sackarmies_env.games.sack_armies.rules.setup import SETUP_FIELDS
from sackarmies_env.games.sack_armies.scenario.schema import MAX_ENTRIES, NO_PIECE, Piece, Scenario
from sackarmies_env.games.sack_armies.state.constants import OWNED_LIMIT, STACK_LIMIT, Face, Zone
from sackarmies_env.games.sack_armies.state.record import MAX_SCRIPT_DRAWS, MAX_SCRIPT_FLIPS
from sackarmies_env.games.sack_armies.switches import Switches
from sackarmies_env.games.sack_armies.tokens.schema import AnyToken, Attachment, Unit

Hex = tuple[int, int]
BANDS = {"spell": ("blue", "green"), "maneuver": ("red", "green")}  # bands of units that may hold it
KINDS = {Zone.ATTACHED: ("spell", "maneuver"), Zone.PICKED: ("battlefield",)}  # kinds that a zone may hold


def problems_of(
    scenario: Scenario, pieces: Sequence[Piece], tokens: Mapping[str, AnyToken], switches: Switches
) -> list[str]:
    """Return all problems of a position; an empty list if there are none.

    Args:
        scenario: the position.
        pieces: its tokens.
        tokens: all tokens by id, including those of the scenario.
        switches: all switches, those of the scenario included.
    """
    if len(pieces) > MAX_ENTRIES:
        return [f"there are {len(pieces)} tokens, but at most {MAX_ENTRIES} fit into a game"]
    problems = [
        *(*_seats(scenario, pieces), *_ends(scenario), *_picks(scenario, switches)),
        *(*_kinds(pieces, tokens), *_script(scenario, pieces)),
    ]
    if problems:
        return problems
    units = [piece for piece in pieces if piece.at is not None and tokens[piece.token].kind == "unit"]
    fields = [piece for piece in pieces if piece.at is not None and tokens[piece.token].kind == "battlefield"]
    radius = switches.radius(scenario.generals)
    problems = [*_board(units, fields, radius), *_attachments(pieces, tokens), *_captives(pieces)]
    if switches.sight_on_reveal and not scenario.procedure:  # no face-down unit can stand next to an enemy
        problems += _unsighted(units)
    if not (scenario.setup or scenario.procedure or scenario.is_over):
        problems += _generals(scenario, pieces, fields, tokens)
    return problems


def _distance(one: Hex, other: Hex) -> int:
    dq, dr = other[0] - one[0], other[1] - one[1]
    return max(abs(dq), abs(dr), abs(dq + dr))


def _seats(scenario: Scenario, pieces: Sequence[Piece]) -> Iterator[str]:
    """All seats named must be in the game, and lists by General must be empty or complete."""
    last = scenario.generals - 1
    for key in ("to_move", "winner"):
        if (seat := getattr(scenario, key)) is not None and seat > last:
            yield f"{key} is {seat}, but the Generals are 0 to {last}"
    for key in ("general", "draws"):
        if (given := len(getattr(scenario, key))) not in (0, scenario.generals):
            yield f"{key} has {given} entries, but there are {scenario.generals} Generals"
    for piece in pieces:
        for key in ("owner", "controller"):
            if (seat := getattr(piece, key)) > last:
                yield f"{piece.entry}: {key} is {seat}, but the Generals are 0 to {last}"
    if scenario.to_move not in _alive(scenario) and not scenario.is_over and not _is_outlived(scenario):
        yield f"to_move is {scenario.to_move}, but this General is eliminated"


def _alive(scenario: Scenario) -> list[int]:
    """Return the Generals who are still in the game."""
    fallen = {seat for seat, general in enumerate(scenario.general) if not general.alive}
    return [seat for seat in range(scenario.generals) if seat not in fallen]


def _is_outlived(scenario: Scenario) -> bool:
    """Return whether a surprise maneuver is under way, which continues though the active General is eliminated."""
    kinds, top, verb = (scenario.procedure.get(name) for name in ("frame_kind", "frame_top", "act_verb"))
    if not (isinstance(kinds, list | tuple) and isinstance(top, int) and 0 <= top < len(kinds)):
        return False
    return bool(kinds[top] == "activate" and verb == "surprise")


def _ends(scenario: Scenario) -> Iterator[str]:
    """The Generals who are still in the game must fit how it has ended, or that it goes on."""
    alive, winner, victory = _alive(scenario), scenario.winner, scenario.victory_type
    named = winner is not None and winner >= 0
    if (not scenario.is_over or victory == "none") and len(alive) < 2:
        yield f"too few Generals are in the game: {len(alive)}; at least 2 are needed unless it is over"
    if victory in ("none", "draw"):
        if named:
            yield f'winner is {winner}, but nobody wins a game whose victory_type is "{victory}"'
        if victory == "draw" and alive:
            yield f'victory_type is "draw", but General {alive[0]} is still in the game: set alive = false for all'
    elif scenario.is_over and not named:
        yield 'winner must be a General once the game is over, unless victory_type is "draw" or "none"'
    elif scenario.is_over and alive != [winner]:
        left = join(alive) or "nobody"
        yield f"winner is {winner}, so General {winner} alone must still be in the game, but it has {left}"
    if scenario.is_over and victory != "none" and "victory_type" in scenario.procedure:
        yield "procedure: victory_type must be given outside of the procedure"


def _picks(scenario: Scenario, switches: Switches) -> Iterator[str]:
    """Battlefields are picked in Setup alone, and placed there; only a General who left meanwhile may still have some.

    No others would ever be placed.
    """
    for seat, general in enumerate(scenario.general):
        entry = f"general[{seat}]: picked"
        if len(general.picked) > SETUP_FIELDS:
            yield f"{entry} holds {len(general.picked)} battlefields, but at most {SETUP_FIELDS} are picked"
        if general.picked and switches.setup_pick == "any_at_placement":
            yield f'{entry} must be empty with setup_pick = "any_at_placement": nothing is picked beforehand'
        if general.picked and general.alive and not scenario.setup:
            yield f"{entry} must be empty after Setup, unless the General is eliminated"


def _kinds(pieces: Sequence[Piece], tokens: Mapping[str, AnyToken]) -> Iterator[str]:
    """Every token must exist and be of a kind that may be where it is."""
    for piece in pieces:
        token = tokens.get(piece.token)
        if token is None:
            yield f'{piece.entry}: there is no token "{piece.token}"{suggestion(piece.token, tokens)}'
            continue
        wanted = KINDS.get(piece.zone)
        if piece.at is not None:
            wanted = ("battlefield",) if piece.entry.startswith("battlefield") else ("unit",)
        if piece.zone == Zone.CAPTURED:
            wanted = ("unit", "spell", "maneuver")
        if wanted is not None and token.kind not in wanted:
            yield f"{piece.entry}: expected a {' or '.join(wanted)}, got a {token.kind}"


def _script(scenario: Scenario, pieces: Sequence[Piece]) -> Iterator[str]:
    """Forced results must fit into a state, and a General can be forced to draw only tokens that they own."""
    flips = sum(letter in "HT" for letter in scenario.flips.upper())
    if flips > MAX_SCRIPT_FLIPS:
        yield f"flips forces {flips} flips, but at most {MAX_SCRIPT_FLIPS} can be forced"
    for seat, draws in enumerate(scenario.draws):
        if len(draws) > MAX_SCRIPT_DRAWS:
            yield f"draws[{seat}] forces {len(draws)} draws, but at most {MAX_SCRIPT_DRAWS} can be forced"
        owned = {piece.token for piece in pieces if piece.owner == seat}
        for token in dict.fromkeys(draws):
            if token not in owned:
                yield f'draws[{seat}]: General {seat} has no token "{token}"{suggestion(token, owned)}'


def _board(units: Sequence[Piece], fields: Sequence[Piece], radius: int) -> Iterator[str]:
    """At most one unit and one battlefield may be on a hex, units on legal hexes, and everything on the board."""
    holders: dict[tuple[str, Hex], Piece] = {}
    for kind, piece in [*(("battlefield", field) for field in fields), *(("unit", unit) for unit in units)]:
        at = piece.at or (0, 0)
        inner = radius - 1 if kind == "battlefield" else radius
        if _distance(at, (0, 0)) > inner:
            edge = " with all its neighbors" if kind == "battlefield" else ""
            yield f"{piece.entry}: the hex must lie on the board{edge}, at most {inner} from 0,0"
        if (other := holders.setdefault((kind, at), piece)) is not piece:
            yield f"{piece.entry}: the hex already holds a {kind}, {other.entry}"
    places = {field.at for field in fields if field.at is not None}
    legal = places | {(q + dq, r + dr) for q, r in places for dq, dr in DIRECTIONS}
    for unit in units:
        if unit.at not in legal:
            yield f"{unit.entry}: a unit must stand on a battlefield or next to one"


def _attachments(pieces: Sequence[Piece], tokens: Mapping[str, AnyToken]) -> Iterator[str]:
    """Attachments must respect the bands, the limits on their number, and what permanents in effect require."""
    for number, host in enumerate(pieces):
        stack = [piece for piece in pieces if piece.host == number and piece.zone == Zone.ATTACHED]
        if len(stack) > STACK_LIMIT:
            yield f"{host.entry}: {len(stack)} tokens are attached, but at most {STACK_LIMIT} can be"
        owned = sum(piece.owner == host.owner for piece in stack)
        if owned > OWNED_LIMIT:
            yield f"{host.entry}: {owned} spells and maneuvers of its own General are attached, but at most 3 may be"
        for piece in stack:
            yield from _attachment(piece, host, tokens)


def _attachment(piece: Piece, host: Piece, tokens: Mapping[str, AnyToken]) -> Iterator[str]:
    """Yield what is wrong with one attachment."""
    text, unit = tokens[piece.token], tokens[host.token]
    if not isinstance(text, Attachment) or not isinstance(unit, Unit):
        return
    if piece.active and text.use != "permanent":
        foreign = "another General's token" if piece.owner != host.owner else "active = true"
        yield f"{piece.entry}: {foreign} must be a permanent in effect, but this text is {text.use}"
    elif piece.active and piece.face != Face.UP:
        yield f'{piece.entry}: a permanent in effect must be face up: set face = "up"'
    elif not piece.active and piece.owner != host.owner:
        yield f"{piece.entry}: another General's token can be attached only as a permanent in effect"
    elif not piece.active and unit.band not in BANDS[text.kind]:
        allowed = join(BANDS[text.kind])
        yield f'{piece.entry}: a {text.kind} needs a host with a band of {allowed}, but this one is "{unit.band}"'


def _captives(pieces: Sequence[Piece]) -> Iterator[str]:
    """A unit cannot have captured a face-down token of its own General."""
    for piece in pieces:
        if piece.zone != Zone.CAPTURED or piece.host == NO_PIECE:
            continue
        captor = pieces[piece.host]
        if piece.owner == captor.owner and piece.face == Face.DOWN:
            yield f"{piece.entry}: a unit cannot hold a face-down token of its own General as a captive"


def _unsighted(units: Sequence[Piece]) -> Iterator[str]:
    """No face-down unit may stand next to an opposing unit: it would have been sighted."""
    for one, other in combinations(units, 2):
        if one.owner != other.owner and _distance(one.at or (0, 0), other.at or (0, 0)) == 1:
            for unit, enemy in ((one, other), (other, one)):
                if unit.face == Face.DOWN:
                    yield f'{unit.entry}: a unit next to the opposing {enemy.entry} must have face = "up"'


def _generals(
    scenario: Scenario, pieces: Sequence[Piece], fields: Sequence[Piece], tokens: Mapping[str, AnyToken]
) -> Iterator[str]:
    """Every General in the game must have a unit left and control a battlefield of their own."""
    for seat in range(scenario.generals):
        if scenario.general and not scenario.general[seat].alive:
            if any(piece.owner == seat and piece.zone == Zone.ATTACHED for piece in pieces) or any(
                piece.owner == seat and piece.at is not None and piece not in fields for piece in pieces
            ):
                yield f"general[{seat}] is eliminated, but has tokens in play besides battlefields"
            continue
        if not any(field.owner == seat == field.controller for field in fields):
            yield f"general[{seat}] controls none of their own battlefields and would be eliminated"
        lost = (Zone.CASUALTIES, Zone.REMOVED)
        own = [piece for piece in pieces if piece.owner == seat and tokens[piece.token].kind == "unit"]
        if all(piece.zone in lost for piece in own):
            yield f"general[{seat}] has no unit outside casualties and removed and would be eliminated"
