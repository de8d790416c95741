"""Seeds of games and agents, derived from one number; none of them reveals another.

The number has 128 bits. Each seed is a keyed hash (BLAKE2b) of its purpose, with the number as the key: knowing some
seeds, as an agent knows its own, reveals nothing about the number or about any other seed.
"""

from __future__ import annotations

import hashlib
import secrets

from sackarmies_env.core.game import Game
from sackarmies_env.core.messages import short_repr

SEED_BITS = 128
MAX_SEED = 2**SEED_BITS
GAME_BITS = 63  # of the seed of a game, see core/rng.py


def draw_seed() -> int:
    """Return an unpredictable number from the operating system's random source."""
    return secrets.randbits(SEED_BITS)


def checked_seed(name: str, seed: int | None) -> int:
    """Return a given seed, or draw one.

    Args:
        name: its name in messages.
        seed: None to draw one.

    Raises:
        ValueError: it is not from 0 to 2**128 - 1.
    """
    if seed is None:
        return draw_seed()
    if not 0 <= seed < MAX_SEED:
        raise ValueError(f"{name} must be an integer from 0 to 2**{SEED_BITS} - 1, not {short_repr(seed)}")
    return seed


def derive(seed: int, purpose: str, *numbers: int, bits: int = GAME_BITS) -> int:
    """Derive a seed from another one and from its purpose.

    Args:
        seed: 0 to 2**128 - 1.
        purpose: what the result is for, in a few words.
        numbers: which seed of that purpose.
        bits: size of the result.
    """
    text = " ".join([purpose, *map(str, numbers)])
    key = seed.to_bytes(SEED_BITS // 8, "little")
    word = int.from_bytes(hashlib.blake2b(text.encode(), key=key).digest(), "little")
    return word & ((1 << bits) - 1)


def check_games_differ(game: Game) -> None:
    """Refuse a game whose chance does not depend on the seed: copies of one game would count as independent games.

    Raises:
        ValueError: it begins from a scenario that fixes its chance.
    """
    if game.keeps_chance:
        raise ValueError(
            "the scenario fixes its chance (`seed` or `chance`), so all games would be the same: remove it"
        )


def game_seeds(seed: int, count: int, first: int = 0) -> list[int]:
    """Return the seeds of `count` games, from the game number `first` on."""
    return [derive(seed, "game", number) for number in range(first, first + count)]


def agent_seed(seed: int, part: int) -> int:
    """Return the number that the seeds of all agents in a part of a contest are derived from."""
    return derive(seed, "agents", part, bits=SEED_BITS)


def commitment(seed: int) -> str:
    """Return the SHA-256, in hexadecimal, of a seed in decimal: it commits to the seed without revealing it."""
    return hashlib.sha256(str(seed).encode()).hexdigest()
