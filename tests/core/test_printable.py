"""Text in messages: invisible characters are escaped."""

import sys
import unicodedata

import pytest

from sackarmies_env.core.messages import INVISIBLE, UNPRINTABLE, printable


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("empire\u200b", r"empire\u200b"),  # zero width space
        ("em\u200dpire", r"em\u200dpire"),
        ("\ufeffempire", r"\ufeffempire"),
        ("em\u2060pire", r"em\u2060pire"),
        ("em\xadpire", r"em\xadpire"),  # soft hyphen
        ("empire\U000e0041\U000e007f", r"empire\U000e0041\U000e007f"),  # tags
        ("empire\ufe0f\U000e0100", r"empire\ufe0f\U000e0100"),  # variation selectors
        ("\u3164empire\u2800", r"\u3164empire\u2800"),  # fillers
        ("a\u202eb\u2066c\u061c", r"a\u202eb\u2066c\u061c"),
        ("a\xa0b\u2003c", r"a\xa0b\u2003c"),  # spaces other than the plain one
        ("\x1b[31m\n\ud800\ue000\U0010ffff", r"\x1b[31m\n\ud800\ue000\U0010ffff"),
        ("Mêlée, 軍 and \U0001f409 stay", "Mêlée, 軍 and \U0001f409 stay"),
        ("[/red] :smile:", "[/red] :smile:"),
    ],
)
def test_invisible_characters_are_escaped(text, shown):
    assert printable(text) == shown


def test_no_character_of_an_invisible_category_is_left():
    hidden = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp", "Zs"}
    for code in range(sys.maxunicode + 1):
        letter = chr(code)
        if letter != " " and (unicodedata.category(letter) in hidden or INVISIBLE.match(letter)):
            assert letter not in printable(letter)


def test_unprintable_characters_are_found_and_emoji_are_kept():
    for text in ("a\u200b", "a\U000e0041", "\ufeffa", "a\u2063", "\u202e", "\x7f"):
        assert UNPRINTABLE.search(text)
    for text in ("\u2764\ufe0f", "\U0001f469\u200d\U0001f680", "می\u200cخواهم", "co\xadop", "à la\xa0carte"):
        assert not UNPRINTABLE.search(text)
