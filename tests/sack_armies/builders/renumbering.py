"""Renumbered games: types of the catalogue and rows of the armies in another order."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from sackarmies_env.core.chance import force_results
from sackarmies_env.core.game import Game
from sackarmies_env.core.legal import legal_ids
from sackarmies_env.core.observation import DIGIT_BASE
from sackarmies_env.core.state import KEPT, TYPE, alloc, select
from sackarmies_env.games.sack_armies import config, make_game
from sackarmies_env.games.sack_armies.state.actions import TYPE_BASE
from sackarmies_env.games.sack_armies.state.constants import NO_TOKEN, NO_TYPE, Decision, Zone
from sackarmies_env.games.sack_armies.state.events import TYPE_EVENTS
from sackarmies_env.games.sack_armies.state.layout import TOKEN_FEATURES, Place
from sackarmies_env.games.sack_armies.state.params import PARAMS_DTYPE
from sackarmies_env.games.sack_armies.state.record import MAX_SCRIPT_DRAWS, STATE_FIELDS
from sackarmies_env.games.sack_armies.tokens import army
from sackarmies_env.games.sack_armies.tokens.catalogue import by_id, load_catalogue
from sackarmies_env.games.sack_armies.tokens.schema import AnyToken, read_tokens
from sackarmies_env.games.sack_armies.tokens.token_tables import TokenTables
from sackarmies_env.games.sack_armies.words import event_sentences as narrate_events
from sackarmies_env.games.sack_armies.words.narrate import Narrator
from sackarmies_env.render import ansi
from sackarmies_env.render.sack_armies.picture import types_of
from sackarmies_env.render.sack_armies.words import names_of
from tests.sack_armies.builders.derived import rebuild_derived
from tests.sack_armies.builders.twin_worlds import ROW_LINKS, ROWS_IN_STATE, States, mask_of, observe, plain, record

LISTED_BY_TYPE = (Place.HAND, Place.PICKED, Place.REMOVED)
WITH_TYPE_CHOSEN = (Decision.DEPLOY_HEX, Decision.SETUP_HEX)  # the chain begins with a type
COLUMN = {feature.name: column for column, feature in enumerate(TOKEN_FEATURES)}
MODULES = (army, config, narrate_events)  # all modules that number types by the catalogue


@contextmanager
def shuffled_catalogue(rng: np.random.Generator) -> Iterator[None]:
    """Renumber the types of the catalogue within a `with` block."""
    tokens = list(load_catalogue().values())
    shuffled = by_id(tokens[number] for number in rng.permutation(len(tokens)))
    with pytest.MonkeyPatch.context() as patch:
        for module in MODULES:
            patch.setattr(module, "load_catalogue", lambda: shuffled)
        config._token_params.cache_clear()
        yield
    config._token_params.cache_clear()


class Renumbered:
    """A game, and the same game under other numbers.

    Attributes:
        game: the original game.
        other: the renumbered game.
    """

    def __init__(self, options: Mapping[str, Any], seed: int) -> None:
        self.rng = np.random.default_rng(seed)
        self.game = make_game(**options)
        self.words = [Words(self.game)]
        with shuffled_catalogue(self.rng):
            self.other = make_game(**self.shuffled(self.game.config))
            self.words.append(Words(self.other))
        numbers = {token_id: number for number, token_id in enumerate(self.words[1].ids)}
        self.types = np.array([numbers[token_id] for token_id in self.words[0].ids])

    def shuffled(self, options: Mapping[str, Any]) -> dict[str, Any]:
        """Return a configuration with its inline tokens in another order."""
        options = copy.deepcopy(dict(options))
        for place in (options.get("scenario"), *options.get("armies", ())):
            if place and place.get("token"):
                place["token"] = [place["token"][number] for number in self.rng.permutation(len(place["token"]))]
        return options

    def type_of(self, number: Any) -> Any:
        """Return the new numbers of types; NO_TYPE stays."""
        return np.append(self.types, NO_TYPE)[np.asarray(number)]

    def action(self, action: int) -> int:
        """Return the new number of an action."""
        number = action - TYPE_BASE
        return TYPE_BASE + int(self.types[number]) if 0 <= number < len(self.types) else action

    def mask(self, mask: NDArray[np.int8]) -> NDArray[np.int8]:
        """Return a mask with its actions renumbered."""
        other = np.zeros_like(mask)
        other[[self.action(action) for action in np.flatnonzero(mask).tolist()]] = 1
        return other

    def translate(self, states: States) -> States:
        """Return the same state of the other game, with its numbers and with rows reordered at random."""
        other = self.other.new_states(1)
        for name in plain(states).dtype.names:
            other[name] = states[name]
        self._number_types(other)
        size = int(self.game.params["tokens_per_general"][0])
        rows = np.arange(len(other["token_type"][0])).reshape(-1, size)
        old_row = self.rng.permuted(rows, axis=1).ravel()
        new_row = np.append(np.argsort(old_row), NO_TOKEN)  # the last entry stands for NO_TOKEN
        for name in plain(states).dtype.names:
            if name.startswith("token_"):
                moved = other[name][0, old_row]
                other[name][0] = new_row[moved] if name in ROW_LINKS else moved
            elif name in ROWS_IN_STATE:
                other[name][0] = new_row[other[name][0]]
        rebuild_derived(self.other.params[0], record(other))
        self._number_legal(states, other)
        return other

    def _number_types(self, other: States) -> None:
        for field in select(STATE_FIELDS, holds=TYPE, role=KEPT):
            types = other[field.name]
            if field.counted_by:
                types = types[:, : int(other[field.counted_by][0])]
            types[...] = self.type_of(types)
        if other["decision"][0] in WITH_TYPE_CHOSEN:
            other["chain"][0, 0] = self.types[other["chain"][0, 0]]
        tells = np.isin(other["log_kind"][0], TYPE_EVENTS)
        other["log_value"][0, tells] = self.type_of(other["log_value"][0, tells])

    def _number_legal(self, states: States, other: States) -> None:
        bits = np.zeros(other["legal"].shape[1] * 64, np.uint8)
        bits[[self.action(action) for action in legal_ids(states["legal"][0])]] = 1
        other["legal"][0] = np.packbits(bits, bitorder="little").view(np.uint64)


class Words:
    """Ids behind a game's numbers, and what its Generals receive in terms of these ids."""

    def __init__(self, game: Game) -> None:
        self.game = game
        self.narrator = Narrator(game)
        types_of(game)  # cached for each game, so read while its own catalogue is in place
        names_of(game)
        states = game.new_states(1)
        count = int(game.params["num_types"][0])
        self.ids = [game.format_action(states, TYPE_BASE + row).removeprefix("type ") for row in range(count)]
        known: dict[str, AnyToken] = dict(load_catalogue())
        for place in (game.config.get("scenario", {}), *game.config.get("armies", ())):
            known |= by_id(read_tokens(place.get("token", ()), "inline tokens"))
        tables = TokenTables(alloc(PARAMS_DTYPE, 1))
        tables.fill(known[token_id] for token_id in self.ids)
        self.keywords = {0: ""} | {bit.bit_length(): word for word, bit in tables.keywords.items()}

    def seen(self, states: States, viewer: int) -> dict[str, Any]:
        """Return an observation block by block, with ids in place of numbers; rows listed by type are sorted."""
        blocks: dict[str, Any] = {}
        values, at = observe(self.game, states, viewer), 0
        for block in self.game.observation_spec.blocks:
            size = block.rows * len(block.features)
            rows = values[at : at + size].reshape(block.rows, -1)
            names = [feature.name for feature in block.features]
            blocks[block.name] = self.named(names, rows)
            at += size
        blocks["types"] = dict(zip(self.ids, blocks["types"], strict=True))
        blocks["tokens"] = in_order(blocks["tokens"])
        return blocks

    def named(self, names: list[str], rows: NDArray[np.int8]) -> list[tuple[Any, ...]]:
        """Return the rows of an observation block with ids in place of numbers."""
        low = [i for i, name in enumerate(names) if name.endswith("type_low")]
        high = {i: names.index(names[i].replace("low", "high")) for i in low}
        columns = [i for i in range(len(names)) if i not in high.values()]
        numbers = rows.astype(np.int64)
        told = numbers[:, columns].tolist()
        for place, i in enumerate(columns):
            if i in high:
                types = numbers[:, i] + DIGIT_BASE * numbers[:, high[i]] - 1
                for row, number in zip(told, types.tolist(), strict=True):
                    row[place] = self.ids[number] if number >= 0 else None
            elif names[i] in ("keyword", "match_keyword"):
                for row in told:
                    row[place] = self.keywords[row[place]]
        return [tuple(row) for row in told]

    def picture(self, states: States, viewer: int) -> str:
        """Return the picture that a General sees in a terminal."""
        return ansi(self.game, states, viewer, color=False)

    def choices(self, states: States) -> set[str]:
        """Return the texts of all legal actions."""
        return {self.game.format_action(states, action) for action in legal_ids(states["legal"][0])}


def force_draws(game: Game, states: States, rng: np.random.Generator) -> None:
    """Force the order of every General's draws by type, because chance chooses by row."""
    state = plain(states)
    queues = []
    for player in range(game.num_players):
        in_sack = (state["token_zone"] == Zone.SACK) & (state["token_owner"] == player)
        queues.append(rng.permutation(state["token_type"][in_sack])[:MAX_SCRIPT_DRAWS].tolist())
    force_results(states, "draws", queues)


def in_order(tokens: list[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    """Return token rows, first those listed by type, which are sorted so that numbering does not matter."""
    place = COLUMN["place"]
    listed = sorted((row for row in tokens if row[place] in LISTED_BY_TYPE), key=repr)
    return listed + [row for row in tokens if row[place] not in LISTED_BY_TYPE]


def differences(twins: Renumbered, states: States, other: States) -> list[str]:
    """Return what the Generals receive differently in the two games, apart from numbers."""
    words, twin = twins.words
    found = []
    for viewer in range(twins.game.num_players):
        seen, others = words.seen(states, viewer), twin.seen(other, viewer)
        found += [f"General {viewer}: {block}" for block in seen if seen[block] != others[block]]
        masks = twins.mask(mask_of(twins.game, states, viewer)), mask_of(twins.other, other, viewer)
        found += [f"General {viewer}: mask"] if not np.array_equal(*masks) else []
        found += [f"General {viewer}: picture"] if words.picture(states, viewer) != twin.picture(other, viewer) else []
    found += ["texts of actions"] if words.choices(states) != twin.choices(other) else []
    found += ["current player"] if plain(states)["current_player"] != plain(other)["current_player"] else []
    return found
