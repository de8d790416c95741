"""The catalogue: the tokens that come with the game, read from catalogue.toml."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Mapping
from pathlib import Path
from types import MappingProxyType

from sackarmies_env.core.safe_read import read_toml
from sackarmies_env.games.sack_armies.tokens.schema import AnyToken, read_tokens

CATALOGUE_FILE = Path(__file__).parent / "catalogue.toml"


@functools.cache
def load_catalogue() -> Mapping[str, AnyToken]:
    """Return the tokens of the catalogue by id, in the order of their numbers.

    Raises:
        ValueError: if the file is faulty.
    """
    return by_id(read_tokens(read_toml(CATALOGUE_FILE).get("token", ()), CATALOGUE_FILE.name))


def by_id(tokens: Iterable[AnyToken]) -> Mapping[str, AnyToken]:
    """Return a read-only mapping of tokens by id, in the given order."""
    return MappingProxyType({token.id: token for token in tokens})
