"""Chance: two streams of random words from one seed, for dice and for draws, and forced results."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

MASK = 0xFFFFFFFF
MULTIPLIER, WEYL, ROUNDS = 0xD256D193, 0x9E3779B9, 10  # of Philox2x32-10
DRAWS = 0x5DEECE66  # distinguishes the stream of draws from that of dice
DICE = 0


def philox(key: int, high: int, counter: int) -> int:
    """Return the 32 random bits at place `counter` of the stream `(key, high)`."""
    left, right = counter & MASK, high & MASK
    for _ in range(ROUNDS):
        product = MULTIPLIER * left
        left, right = (product >> 32) ^ key ^ right, product & MASK
        key = (key + WEYL) & MASK
    return left


class Stream:
    """One stream of random words."""

    def __init__(self, seed: int, purpose: int):
        self.key, self.high = seed & MASK, ((seed >> 32) & MASK) ^ purpose
        self.used = 0

    def below(self, number: int) -> int:
        """Return the next random integer from 0 to `number` - 1."""
        word = philox(self.key, self.high, self.used)
        self.used += 1
        return (word * number) >> 32


class Chance:
    """All chance of one game.

    Args:
        seed: random seed of 64 bits.
        dice: faces that are rolled first.
        draws: player -> kinds of cards drawn first.
    """

    def __init__(self, seed: int, dice: Iterable[int] = (), draws: Mapping[int, Iterable[int]] | None = None):
        self.dice_stream, self.draw_stream = Stream(seed, DICE), Stream(seed, DRAWS)
        self.forced_dice = list(dice)
        self.forced_draws = {player: list(kinds) for player, kinds in (draws or {}).items()}

    def roll(self, number: int) -> list[int]:
        """Return the faces of `number` dice, rolled one after another."""
        return [self.forced_dice.pop(0) if self.forced_dice else 1 + self.dice_stream.below(6) for _ in range(number)]

    def seat(self, number: int) -> int:
        """Return a random seat from 0 to `number` - 1."""
        return self.draw_stream.below(number)

    def territory(self, left: list[int]) -> int:
        """Return a random one of the territories that are left, which are in ascending order."""
        return left[self.draw_stream.below(len(left))]

    def card(self, player: int, deck: Mapping[int, int]) -> int:
        """Return the kind of a card drawn from a deck: kind -> copies, in the order of kinds."""
        forced = self.forced_draws.get(player, [])
        if forced:
            kind = forced.pop(0)
            if deck[kind]:
                return kind  # otherwise chance decides
        cards = [kind for kind in sorted(deck) for _ in range(deck[kind])]
        return cards[self.draw_stream.below(len(cards))]
