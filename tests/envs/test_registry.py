"""The registry refuses options that a game does not have, in plain words."""

import pytest

from sackarmies_env.registry import load_players


@pytest.mark.parametrize(
    ("game_id", "section", "sentence"),
    [
        (
            "sack_armies",
            {"foo": 1},
            'the options of sack_armies: unknown key "foo"; allowed are "id", "generals", "armies", "switches"',
        ),
        ("sack_armies", {"armies": 3}, "the options of sack_armies: armies: must be a list, not 3"),
        ("territories", {"scenario": 5}, "the options of territories: scenario: must be a string, not 5"),
        ("territories", {"map": "vast"}, 'the options of territories: unknown map "vast"; known maps: full, small'),
    ],
)
def test_options_of_a_game_are_refused_in_plain_words(game_id, section, sentence):
    with pytest.raises(ValueError) as caught:
        load_players(game_id, 2, **section)
    assert str(caught.value) == sentence


def test_a_game_has_a_range_of_players():
    with pytest.raises(ValueError, match="Sack Armies is for 2 to 6 players, not 7"):
        load_players("sack_armies", 7)
