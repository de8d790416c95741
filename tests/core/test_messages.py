"""Texts of messages: suggestions and missing libraries."""

import pytest

from sackarmies_env.core.messages import missing_extra, suggestion

PLAYERS = ["random", "greedy", "ppo"]


def test_suggestion_names_the_nearest_known_word():
    assert suggestion("gredy", PLAYERS) == ' (did you mean "greedy"?)'
    assert suggestion("nothing like it", PLAYERS) == ""


def test_suggestion_ignores_capitals_and_what_is_no_text():
    assert suggestion("Greedy", [0, None, "greedy"]) == ' (did you mean "greedy"?)'
    assert suggestion(7, PLAYERS) == ""
    assert suggestion("greedy" * 100, PLAYERS) == ""


@pytest.mark.parametrize(
    ("module", "wheel", "extra"),
    [
        ("torch.nn", "torch", "train"),
        ("sb3_contrib", "sb3-contrib", "train"),
        ("scipy", "scipy", "train"),
        ("PIL", "pillow", "render"),
        ("matplotlib", "matplotlib", "render"),
    ],
)
def test_missing_library_is_named_with_the_extra_that_installs_it(module, wheel, extra):
    error = ModuleNotFoundError(f"No module named {module!r}", name=module)
    sentence = f"this needs {wheel}, which is not installed: pip install 'sackarmies-env[{extra}]'"
    assert missing_extra(error, "this") == sentence


def test_missing_module_of_no_extra_has_no_sentence():
    assert missing_extra(ModuleNotFoundError("No module named 'mine'", name="mine"), "this") == ""
    assert missing_extra(ImportError("cannot import name"), "this") == ""
