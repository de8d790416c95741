"""PettingZoo classic, through the raw environments: the wrappers check every call and are slower still."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType

from pettingzoo.classic import chess_v6, connect_four_v3, hanabi_v5

from benchmarks.contest import Player, aec_player

PACKAGES = ("pettingzoo", "chess", "shimmy", "numpy")


def _of(module: ModuleType) -> Callable[[int], Player]:
    return lambda seed: aec_player(module.raw_env(), seed)


CONTESTANTS = {"chess": _of(chess_v6), "connect_four": _of(connect_four_v3), "hanabi": _of(hanabi_v5)}
