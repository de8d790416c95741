"""The catalogue: the tokens that come with the game, read from catalogue.toml."""

from __future__ import annotations

import functools
import hashlib
import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from types import MappingProxyType

from sackarmies_env.core.reading import read_toml
from sackarmies_env.games.sack_armies.schema import AnyToken, read_tokens, token_data

CATALOGUE_FILE = Path(__file__).parent / "catalogue.toml"


@functools.cache
def load_catalogue() -> Mapping[str, AnyToken]:
    """Return the tokens of the catalogue by id; their order is their number.

    Raises:
        ValueError: the file is at fault.
    """
    return by_id(read_tokens(read_toml(CATALOGUE_FILE).get("token", ()), CATALOGUE_FILE.name))


def by_id(tokens: Iterable[AnyToken]) -> Mapping[str, AnyToken]:
    """Return tokens by id, in their order, read only."""
    return MappingProxyType({token.id: token for token in tokens})


@functools.cache
def catalogue_digest() -> str:
    """Return a SHA-256 of the values of all tokens of the catalogue, as 64 hex digits."""
    values = [token_data(token) for token in load_catalogue().values()]
    return hashlib.sha256(json.dumps(values, sort_keys=True).encode("utf-8")).hexdigest()
