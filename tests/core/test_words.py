"""Words for messages: suggestions, and libraries that are not installed."""

import tomllib

from sackarmies_env.core.words import EXTRAS, missing_extra, suggestion

PLAYERS = ["random", "greedy", "ppo"]


def test_suggestion_names_the_nearest_known_word():
    assert suggestion("gredy", PLAYERS) == ' (did you mean "greedy"?)'
    assert suggestion("nothing like it", PLAYERS) == ""


def test_suggestion_ignores_capitals_and_what_is_no_text():
    assert suggestion("Greedy", [0, None, "greedy"]) == ' (did you mean "greedy"?)'
    assert suggestion(7, PLAYERS) == ""
    assert suggestion("greedy" * 100, PLAYERS) == ""


def test_missing_library_is_named_with_the_extra_that_installs_it():
    error = ModuleNotFoundError("No module named 'torch.nn'", name="torch.nn")
    assert (
        missing_extra(error, "this") == "this needs torch, which is not installed: pip install 'sackarmies-env[train]'"
    )
    assert missing_extra(ModuleNotFoundError("No module named 'mine'", name="mine"), "this") == ""


def test_extras_are_those_of_the_project(pytestconfig):

    project = tomllib.loads((pytestconfig.rootpath / "pyproject.toml").read_text())["project"]
    wheels = {"sb3_contrib": "sb3-contrib", "stable_baselines3": "stable-baselines3", "PIL": "pillow"}
    for extra, libraries in EXTRAS.items():
        wanted = {requirement.partition(">")[0] for requirement in project["optional-dependencies"][extra]}
        assert {wheels.get(library, library) for library in libraries} == wanted
