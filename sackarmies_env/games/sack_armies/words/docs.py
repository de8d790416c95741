"""The generated page of the catalogue: docs/catalogue.md."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from sackarmies_env.core.markdown import table
from sackarmies_env.games.sack_armies.tokens.army import Army, built_in_armies
from sackarmies_env.games.sack_armies.tokens.catalogue import load_catalogue
from sackarmies_env.games.sack_armies.tokens.pricing import ARMOR, DAMAGE, MOVEMENT, POINTS, TOLERANCE, price
from sackarmies_env.games.sack_armies.tokens.schema import AnyToken, Unit
from sackarmies_env.games.sack_armies.tokens.text import HOMELAND_NAMES, effect_text

HEAD = """# Catalogue

Generated from `catalogue.toml` and `armies/*.toml`. How to add a token: [adding_a_token.md](adding_a_token.md).

The rulebook names some twenty tokens and gives values for only a few of them. Everything else is our own
reconstruction, consistent with what the rulebook says, and marked `reconstructed = true`. Texts are made from the data.
M movement, D damage, A armor; `price` as explained at the end.
"""
NOTES = """## What a rank buys

`pricing.py` gives every token a price in points: the sum of its parts. {ranks}
The weights are a judgment, corrected by what tokens won in games of random armies. The rank of every token is
within {tolerance} points of what it pays for, and a test holds that.

A unit costs, for its stats (value: points, the last one for anything above):

| stat | {values} |
| --- | {rules} |
| movement | {movement} |
| damage | {damage} |
| armor | {armor} |

Each point of armor is worth more than the one before, since fewer blows reach it; damage beyond three is seldom needed.
Movement above one is worth little, since a move takes the whole turn. Abilities come on top: range grows dear with
damage, Flying and Capture cost about half a rank, Dismiss most. A text costs by what it does to a stat, by how long,
and by its reach. A battlefield is worth {open_ground} points for being one.
"""


def catalogue_markdown() -> str:
    """Return docs/catalogue.md."""
    tokens = load_catalogue()
    parts = [HEAD, summary(tokens.values())]
    for homeland, name in sorted(HOMELAND_NAMES.items(), key=lambda item: item[0] == ""):
        units = [token for token in tokens.values() if isinstance(token, Unit) and token.homeland == homeland]
        parts.append(f"## Units: {name}\n\n{unit_table(units)}")
    for kind, title in (("battlefield", "Battlefields"), ("spell", "Spells"), ("maneuver", "Maneuvers")):
        parts.append(f"## {title}\n\n{text_table([token for token in tokens.values() if token.kind == kind])}")
    parts.append("Action maneuvers may also answer an attack on their host, at no cost.\n")
    parts.append(f"## Armies\n\n{army_table(built_in_armies(), tokens)}")
    return "\n".join([*parts, notes()])


def summary(tokens: Iterable[AnyToken]) -> str:
    """Return how many tokens there are of each kind."""
    kinds = Counter(token.kind for token in tokens)
    return f"{kinds.total()} tokens: " + ", ".join(f"{number} {kind}s" for kind, number in kinds.items()) + ".\n"


def unit_table(units: Iterable[Unit]) -> str:
    """Return the table of units with everything that is printed on them."""
    head = ("unit", "id", "rank", "type", "band", "M", "D", "A", "keywords", "text", "price")
    return table(head, (unit_row(unit) for unit in units))


def unit_row(unit: Unit) -> list[object]:
    """Return a unit as a row of its table."""
    symbols = [unit.name, f"`{unit.id}`", unit.rank, unit.type, unit.band]
    stats = [unit.movement, unit.damage, unit.armor]
    return [*symbols, *stats, ", ".join(unit.keywords), effect_text(unit), f"{price(unit):.1f}"]


def text_table(tokens: Iterable[AnyToken]) -> str:
    """Return the table of battlefields, spells or maneuvers with their texts."""
    head = ("name", "id", "rank", "text", "price")
    return table(head, ((t.name, f"`{t.id}`", t.rank, effect_text(t), f"{price(t):.1f}") for t in tokens))


def army_table(armies: Mapping[str, Army], tokens: Mapping[str, AnyToken]) -> str:
    """Return the table of armies with their tokens."""
    return table(
        ("army", "id", "tokens", "ranks", "what it is like", "made of"),
        (
            (army.name, f"`{army_id}`", army.size, army.ranks(tokens), army.description, contents(army, tokens))
            for army_id, army in armies.items()
        ),
    )


def contents(army: Army, tokens: Mapping[str, AnyToken]) -> str:
    """Return the tokens of an army in words."""
    return ", ".join(f"{copies} {tokens[token_id].name}" for token_id, copies in army.counts.items())


def notes() -> str:
    """Return the chapter on prices."""
    size = max(len(MOVEMENT), len(DAMAGE), len(ARMOR))

    def row(prices: Sequence[float]) -> str:
        return " | ".join([f"{points:g}" for points in prices] + [""] * (size - len(prices)))

    return NOTES.format(
        ranks="A rank pays for " + ", ".join(f"{points:g} of a {kind}" for kind, points in POINTS.items()) + ".",
        tolerance=TOLERANCE,
        values=" | ".join(str(value) for value in range(size)),
        rules=" | ".join(["---"] * size),
        movement=row(MOVEMENT),
        damage=row(DAMAGE),
        armor=row(ARMOR),
        open_ground=POINTS["battlefield"],
    )
