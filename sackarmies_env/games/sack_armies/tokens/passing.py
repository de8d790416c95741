"""Bounds on passing effects: how many an army can cause in one turn, so that the tables of a state hold them all.

Two tables fill up during a turn and are empty at its end. In one, each text that changes a unit, or grants it an
ability, until the end of the turn takes an entry. Such a text is activated at most once: for each General, either an
attached maneuver as a surprise in an opponent's turn, or the one action of their own turn. In the other, a dead
augmenter leaves an entry for what was printed on it, and one for each text that granted it an augment: each token can
cause that once, and a surprise that raises a unit lets it die once more.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sackarmies_env.core.hexgrid import NO_HEX
from sackarmies_env.games.sack_armies.state.constants import OWNED_LIMIT, Zone
from sackarmies_env.games.sack_armies.state.record import PASSING_LIMIT, PRINTED
from sackarmies_env.games.sack_armies.tokens.schema import AnyToken, Attachment, Text, Unit
from sackarmies_env.games.sack_armies.tokens.text_schema import AugmentAbility, GrantEffect, ModifyEffect


def passes(token: AnyToken) -> bool:
    """Return whether a token has an action text with effects that pass with the turn."""
    return (
        isinstance(token, Text)
        and token.use == "action"
        and any(isinstance(effect, ModifyEffect | GrantEffect) for effect in token.effects)
    )


def is_surprise(token: AnyToken) -> bool:
    """Return whether a token is a maneuver that can be used as a surprise and is then spent."""
    return isinstance(token, Attachment) and token.kind == "maneuver" and token.use == "action"


def augments(token: AnyToken) -> bool:
    """Return whether a token is a unit with a printed augment."""
    return isinstance(token, Unit) and any(isinstance(ability, AugmentAbility) for ability in token.abilities)


def grants_augment(token: AnyToken) -> bool:
    """Return whether a text grants an augment."""
    return isinstance(token, Text) and any(
        isinstance(effect, GrantEffect) and isinstance(effect.ability, AugmentAbility) for effect in token.effects
    )


def raises(token: AnyToken) -> bool:
    """Return whether a text raises a unit."""
    return isinstance(token, Text) and any(effect.kind == "raise" for effect in token.effects)


def most_surprises(tokens: Sequence[AnyToken]) -> int:
    """Return the most surprises with passing effects that the units among `tokens` can hold at once, three each."""
    holders = sum(isinstance(token, Unit) and token.band in ("red", "green") for token in tokens)
    return min(OWNED_LIMIT * holders, sum(is_surprise(token) and passes(token) for token in tokens))


def left_by_texts(tokens: Sequence[AnyToken], augmenters: int) -> int:
    """Return the most augments of the dead that an army's texts can cause in one turn.

    Permanents may lie on anybody's units; of the rest, each unit holds three. Of spells and printed actions, only one
    can be activated in a turn.
    """
    permanents = sum(grants_augment(token) for token in tokens if isinstance(token, Attachment) and is_permanent(token))
    held = [
        grants_augment(token) + (raises(token) and augmenters > 0)
        for token in tokens
        if isinstance(token, Attachment) and not is_permanent(token) and (is_surprise(token) or token.use == "free")
    ]
    units = sum(isinstance(token, Unit) for token in tokens)
    return permanents + sum(sorted(held, reverse=True)[: OWNED_LIMIT * units]) + left_by_action(tokens, augmenters)


def left_by_action(tokens: Iterable[AnyToken], augmenters: int) -> int:
    """Return the most augments of the dead that the one action of a turn can cause, surprises aside."""
    actions = [
        token for token in tokens if isinstance(token, Text) and token.use == "action" and not is_surprise(token)
    ]
    return max((grants_augment(token) + (raises(token) and augmenters > 0) for token in actions), default=0)


def is_permanent(token: Attachment) -> bool:
    """Return whether a text becomes a permanent."""
    return token.use == "permanent"


def too_many_effects(tokens: Sequence[AnyToken]) -> list[str]:
    """Return a sentence for each table of passing effects in which an army, copy by copy, could exceed its share."""
    problems = []
    surprises = most_surprises(tokens)
    if surprises > PASSING_LIMIT:
        problems.append(
            f"its units can hold {surprises} maneuvers that change a unit, or grant it an ability, until the end of "
            f"the turn, but a game has room for at most {PASSING_LIMIT}: use fewer of them"
        )
    augmenters = sum(augments(token) for token in tokens)
    texts = left_by_texts(tokens, augmenters)
    if augmenters + texts > PASSING_LIMIT:
        problems.append(
            f"its dead units can leave {augmenters + texts} augments behind in one turn ({augmenters} printed on units "
            f"and {texts} from texts that grant one or raise the dead), but a game has room for at most "
            f"{PASSING_LIMIT}: use fewer of them"
        )
    return problems


# --- positions in the middle of a turn


def passing_faults(tokens: Sequence[AnyToken], states: NDArray[np.void]) -> Iterator[str]:
    """Yield what is wrong with the passing effects of `states[0]`; `tokens` are the types by number."""
    state: Any = states.view(np.ndarray)[0]
    modifiers, ghosts = int(state["num_modifiers"]), int(state["num_ghosts"])
    faults = [*_modifier_faults(tokens, state, modifiers), *_ghost_faults(tokens, state, ghosts)]
    if not faults and modifiers + ghosts > 0:
        faults = [*_room_faults(tokens, state, modifiers, ghosts)]
    yield from faults


def _modifier_faults(tokens: Sequence[AnyToken], state: Any, count: int) -> Iterator[str]:
    """Yield faults of passing effects: each must be that of an action text on a unit in play."""
    for row, number, rows in zip(
        *(state[f"modifier_{name}"][:count].tolist() for name in ("token", "type", "rows")), strict=True
    ):
        text = tokens[number] if number >= 0 else None
        if row < 0 or state["token_zone"][row] != Zone.BATTLEGROUND or not isinstance(_token(tokens, state, row), Unit):
            yield "modifier_token: a passing effect must be on a unit in play"
        if text is None or not passes(text):
            yield "modifier_type: a passing effect must come from an action text that changes or grants something"
        elif isinstance(text, Text) and not 1 <= rows <= len(text.effects):
            yield f"modifier_rows: {rows} is out of range; allowed for {text.id} are 1 to {len(text.effects)}"


def _ghost_faults(tokens: Sequence[AnyToken], state: Any, count: int) -> Iterator[str]:
    """Yield faults of what dead augmenters left: it must be printed on a unit, or granted by a text."""
    for cell, number, rows in zip(
        *(state[f"ghost_{name}"][:count].tolist() for name in ("hex", "type", "rows")), strict=True
    ):
        token = tokens[number] if number >= 0 else None
        if cell == NO_HEX:
            yield "ghost_hex must be the hex on which the augmenter died"
        if token is None or not (augments(token) if rows == PRINTED else grants_augment(token)):
            yield "ghost_type: the augment of a dead unit must be printed on a unit or granted by a text"
        elif isinstance(token, Text) and not 0 <= rows <= len(token.effects):
            yield f"ghost_rows: {rows} is out of range; allowed for {token.id} are 0 to {len(token.effects)}"


def _room_faults(tokens: Sequence[AnyToken], state: Any, modifiers: int, ghosts: int) -> Iterator[str]:
    """Yield faults if what this turn may still bring does not fit beside what is there."""
    granted = sum(grants_augment(tokens[number]) for number in state["modifier_type"][:modifiers].tolist())
    more = [_to_come(tokens, state, owner) for owner in range(len(state["general_alive"]))]
    surprises, left = sum(entry[0] for entry in more) + 1, sum(entry[1] for entry in more) + granted
    left += max(entry[2] for entry in more)
    if modifiers + surprises > (size := len(state["modifier_token"])):
        yield f"num_modifiers: {modifiers} passing effects and {surprises} still possible exceed the limit of {size}"
    if ghosts + left > (size := len(state["ghost_hex"])):
        yield f"num_ghosts: {ghosts} augments of the dead and {left} still possible exceed the limit of {size}"


def _to_come(tokens: Sequence[AnyToken], state: Any, owner: int) -> tuple[int, int, int]:
    """Return how many passing effects and augments of the dead a General's tokens in play can still cause.

    The third number is the augments of the dead from an action of their own turn.
    """
    owned = (state["token_owner"] == owner) & (state["token_zone"] != Zone.NONE)
    army = [_token(tokens, state, row) for row in np.flatnonzero(owned).tolist()]
    augmenters = sum(augments(token) for token in army)
    is_there = np.isin(state["token_zone"], (Zone.BATTLEGROUND, Zone.ATTACHED))
    there = [_token(tokens, state, row) for row in np.flatnonzero(owned & is_there).tolist()]
    waiting = [token for token in there if is_surprise(token)] if owner != state["active"] else []
    left = sum(augments(token) for token in there)
    left += sum(grants_augment(token) for token in there if isinstance(token, Attachment) and token.use != "action")
    left += sum(grants_augment(token) + (raises(token) and augmenters > 0) for token in waiting)
    return sum(passes(token) for token in waiting), left, left_by_action(army, augmenters)


def _token(tokens: Sequence[AnyToken], state: Any, row: int) -> AnyToken:
    return tokens[int(state["token_type"][row])]
