"""A ruling changed in the referee is noticed: engine and referee then disagree in random games."""

from __future__ import annotations

import pytest

from sackarmies_env.core.jit import INTERPRETED
from tests.territories.referee import attack, battle, rulebook, steps, table
from tests.territories.referee.lockstep import DisagreementError, engine_of, play_both
from tests.territories.referee.random_play import LIKINGS, STANDARD_OPTIONS

GAMES = 30
PLANTED = {
    "attackers win ties": (
        battle,
        "totals",
        lambda original: lambda *given: (original(*given)[0] + 1, original(*given)[1]),
    ),
    "four dice win the battle": (battle, "STACK", lambda _: 4),
    "nine points rout": (battle, "ROUT", lambda _: 9),
    "six to one wins": (battle, "ODDS", lambda _: 6),
    "nine units attack": (attack, "MAX_ATTACKERS", lambda _: 9),
    "card 3 is worth 2": (battle, "BATTLE_BONUS", lambda _: {3: 2, 4: 2}),
    "card 7 places five": (steps, "CARD_TROOPS", lambda _: 5),
    "card 12 is free": (steps, "CARDS", lambda cards: cards | {12: rulebook.CardKind(3)}),
    "one is not offered as all": (table, "quantities", lambda original: lambda number: original(number) - {"all"}),
    "exchange at a loss": (steps, "units_needed", lambda original: lambda *pair: original(*pair) + 1),
    "attackers return to the garrison": (attack, "take_back", lambda _: lambda *given: None),
}
LIKINGS_OF = {"card 3 is worth 2": ("scholar",), "nine points rout": ("warlike",)}  # other likings seldom get there


@pytest.mark.slow
@pytest.mark.skipif(INTERPRETED, reason="takes minutes without the compiler")
@pytest.mark.parametrize("name", PLANTED)
def test_a_changed_ruling_is_noticed(name, monkeypatch):
    module, ruling, change = PLANTED[name]
    changed = change(getattr(module, ruling))
    for each in (attack, battle, steps, table):
        if hasattr(each, ruling):
            monkeypatch.setattr(each, ruling, changed)
    game = engine_of(STANDARD_OPTIONS)
    with pytest.raises(DisagreementError):
        for seed in range(GAMES):
            play_both(seed, STANDARD_OPTIONS, game=game, likings=LIKINGS_OF.get(name, tuple(LIKINGS)))
