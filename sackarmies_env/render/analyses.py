"""Analyses of decisions: beliefs from sampled states, and data for pages."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from sackarmies_env.core.game import Game, Records
from sackarmies_env.core.information import InformationSets
from sackarmies_env.core.messages import printable, shorten
from sackarmies_env.core.record import Analysis, Belief, ply_text
from sackarmies_env.render.picture import REFEREE, Hex, HexBoard, find_picture, reading_order

PLACE = re.compile(r"(?:^| )(-?\d{1,3}),(-?\d{1,3})$")  # a hex at the end of an action's text
DIGITS = 3  # decimal places of shares
LISTED = 5  # identities per token, the likeliest ones

# --- beliefs


def sampled_beliefs(game: Game, information: InformationSets, samples: int) -> tuple[Belief, ...]:
    """Return what each hidden token on the board may be, with its share of the sampled states.

    This is what the game's sampler lets the player assume; it is the same for all positions that the player cannot
    tell apart. The result is empty if the game has no board of hexes, or if nothing on it is hidden from the player.

    Args:
        game: the game; it names the tokens.
        information: one information set.
        samples: number of states to sample.
    """
    hidden = [place for place, name in tokens_of(game, information.states, information.player).items() if name is None]
    if not hidden:
        return ()
    found: dict[tuple[Hex, int], Counter[str]] = defaultdict(Counter)
    states = information.sample(np.arange(samples), np.zeros(samples, np.int64))
    for number in range(samples):
        names = tokens_of(game, states[number : number + 1], REFEREE)
        for place in hidden:
            if name := names.get(place):
                found[place][name] += 1
    return tuple(
        Belief(
            subject=subject_of(*place),
            at=place[0],
            contents={name: round(count / samples, DIGITS) for name, count in found[place].most_common(LISTED)},
        )
        for place in sorted(found, key=lambda place: (*reading_order(place[0]), place[1]))
    )


def tokens_of(game: Game, states: Records, viewer: int | None) -> Mapping[tuple[Hex, int], str | None]:
    """Return the names of tokens (None if hidden) by hex and place in the stack; none if the board has no hexes."""
    picture = find_picture(game, states, viewer)
    return picture.tokens() if isinstance(picture, HexBoard) else {}


def subject_of(at: Hex, slot: int) -> str:
    """Return a description of where a hidden token is."""
    place = f"unit at {at[0]},{at[1]}"
    return f"attachment {slot} of the {place}" if slot else place


# --- for pages


def analysis_data(game: Game, states: Records, analysis: Analysis, action: int) -> dict[str, Any]:
    """Return an analysis as JSON data.

    Args:
        game: the game.
        states: `(1,)`, at the decision.
        analysis: the analysis of this decision, already checked.
        action: what the player chose in the game.
    """
    candidates = []
    for rank, candidate in enumerate(analysis.candidates, start=1):
        text = ply_text(game, states, candidate.action)
        numbers = {"probability": candidate.probability, "value": candidate.value, "rank": candidate.rank or rank}
        candidates.append({"text": text, "at": place_of(text), **numbers, "played": candidate.action == action})
    return {
        "seat": int(states["current_player"][0]),
        "agent": shorten(printable(analysis.agent)),
        "value": analysis.value,
        "played": ply_text(game, states, action),
        "candidates": candidates,
        "beliefs": list(beliefs_data(analysis.beliefs)),
    }


def beliefs_data(beliefs: Sequence[Belief]) -> Iterator[dict[str, Any]]:
    """Yield beliefs as JSON data, likeliest contents first."""
    for belief in beliefs:
        contents = sorted(belief.contents.items(), key=lambda item: -item[1])
        at = None if belief.at is None else list(belief.at)
        yield {"subject": belief.subject, "at": at, "contents": [list(item) for item in contents]}


def place_of(text: str) -> list[int] | None:
    """Return the hex named in the text of an action, or None."""
    found = PLACE.search(text)
    return None if found is None else [int(found[1]), int(found[2])]
