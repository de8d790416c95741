"""Messages from a page: what is read, what is refused, and with which error."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sackarmies_training.web.protocol import (
    MAX_MESSAGE,
    MAX_PLAYERS,
    MAX_TEXT,
    REQUESTS,
    Choose,
    Start,
    read_request,
    write,
)
from tests.samples import examples

GOOD = {
    "start": {"players": ["person", "greedy"], "armies": ["undead", "scourge"], "seed": 4, "eyes": 1},
    "resume": {"name": "game 1", "eyes": "referee"},
    "choose": {"number": 3, "actions": [4, 250]},
    "back": {"number": 3, "count": 2},
    "passing": {"until": "turn"},
    "cover": {},
    "uncover": {"seat": 1},
    "next": {},
    "save": {"name": "my game", "overwrite": True},
    "leave": {},
}


def test_each_kind_of_message_is_read():
    assert set(GOOD) == set(REQUESTS)
    for kind, keys in GOOD.items():
        assert isinstance(read_request(json.dumps({"kind": kind, **keys})), REQUESTS[kind])
    assert read_request(b'{"kind": "choose", "number": 1, "actions": [2]}') == Choose(
        kind="choose", number=1, actions=(2,)
    )
    assert read_request('{"kind": "start", "players": ["person"]}') == Start(kind="start", players=("person",))


def test_agents_and_armies_of_long_paths_fit_into_a_message():
    longest = ["x" * MAX_TEXT] * MAX_PLAYERS
    line = json.dumps({"kind": "start", "players": longest, "armies": longest, "seed": 1})
    assert read_request(line).players == tuple(longest)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "not valid JSON"),
        ("{", "not valid JSON"),
        ("[]", "unknown kind"),
        ("null", "unknown kind"),
        ('{"kind": 3}', "unknown kind 3"),
        ('{"kind": "chose"}', 'did you mean "choose"'),
        ('{"kind": "choose", "number": 1}', "actions"),
        ('{"kind": "choose", "number": "1", "actions": [1]}', "number"),
        ('{"kind": "choose", "number": 1, "actions": []}', "actions"),
        ('{"kind": "choose", "number": -1, "actions": [1]}', "number"),
        ('{"kind": "choose", "number": 1, "actions": [NaN]}', "NaN"),
        ('{"kind": "save", "name": "../secret"}', "name"),
        ('{"kind": "save", "name": ".hidden"}', "name"),
        ('{"kind": "save", "name": "a/b"}', "name"),
        ('{"kind": "resume", "name": "a\\u0000b"}', "name"),
        ('{"kind": "cover", "seat": 1}', "seat"),
        ('{"kind": "start", "players": ["person\\n"]}', "players"),
        ("[" * 5000 + "]" * 5000, "nested"),
        ('{"kind": "leave"' + " " * MAX_MESSAGE + "}", "too long"),
    ],
)
def test_bad_message_is_refused_with_a_sentence(text, told):
    with pytest.raises(ValueError, match="message") as refused:
        read_request(text)
    assert told in str(refused.value)


@pytest.mark.parametrize(
    ("message", "told"),
    [
        ({"kind": "choose", "number": 1, "actions": ["x"]}, 'actions[0]: must be an integer, not "x"'),
        ({"kind": "choose", "number": 1, "actions": []}, "actions: the list must have at least 1 entry"),
        ({"kind": "start", "players": [7]}, "players[0]: must be a string, not 7"),
    ],
)
def test_list_of_wrong_entries_is_not_called_empty(message, told):
    with pytest.raises(ValueError, match="message") as refused:
        read_request(json.dumps(message))
    assert str(refused.value) == f"message: {told}"


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)
near_misses = st.sampled_from(sorted(GOOD)).flatmap(
    lambda kind: st.builds(
        lambda keep, more: json.dumps({"kind": kind, **{k: v for k, v in GOOD[kind].items() if k in keep}, **more}),
        st.sets(st.sampled_from(sorted(GOOD[kind]) or ["none"])),
        st.dictionaries(st.sampled_from(["number", "actions", "players", "name", "seat", "until"]), json_values),
    )
)


@pytest.mark.slow
def test_anything_is_read_or_refused_with_a_sentence():
    @examples(1000)
    @given(st.text() | st.binary() | json_values.map(json.dumps) | near_misses)
    def fuzz(data: str | bytes) -> None:
        try:
            assert type(read_request(data)) in REQUESTS.values()
        except ValueError as fault:
            assert "message" in str(fault)

    fuzz()


def test_equal_messages_are_equal_lines():
    assert write({"kind": "error", "text": "é"}) == '{"kind":"error","text":"é"}'
    with pytest.raises(ValueError, match="Out of range"):
        write({"chance": float("nan")})
