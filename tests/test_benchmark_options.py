"""Command lines of the benchmarks: what they explain, what they refuse, and what they leave out of measurements."""

from __future__ import annotations

import importlib
import sys
from types import SimpleNamespace

import numpy as np
import pytest

from benchmarks import forward, horizons, structure

WITHOUT_OPTIONS = ["checks", "figures", "scaling", "ray_workers", "open_spiel", "page"]


def run(monkeypatch, capsys, name, *words):
    """Run a benchmark with words that end it at once; return its exit code, output and errors."""
    if name == "open_spiel":
        pytest.importorskip("pyspiel")
    module = importlib.import_module(f"benchmarks.{name}")
    monkeypatch.setattr(sys, "argv", [name, *map(str, words)])
    with pytest.raises(SystemExit) as ended:
        module.main()
    return ended.value.code, *capsys.readouterr()


@pytest.mark.parametrize("name", WITHOUT_OPTIONS)
def test_benchmark_without_options_explains_itself_and_refuses_words(monkeypatch, capsys, name):
    code, told, _ = run(monkeypatch, capsys, name, "--help")
    assert code == 0
    assert importlib.import_module(f"benchmarks.{name}").__doc__.splitlines()[0] in told
    code, told, refused = run(monkeypatch, capsys, name, "quickly")
    assert (code, told) == (2, "")
    assert "unrecognized arguments: quickly" in refused


@pytest.mark.parametrize(
    ("name", "words", "sentence"),
    [
        (
            "horizons",
            ["--worlds", 1],
            "--worlds is 1: at least 2 are needed, as gains in different worlds are compared",
        ),
        ("seats", ["--option", "map=small"], 'the options of sack_armies: unknown key "map"; allowed are'),
        (
            "seats",
            ["--game", "territories", "--players", 2, 3, "--option", "map=small"],
            "the options of territories: num_players must be 2 on the map 'small', not 3",
        ),
        ("seats", ["--option", "map"], "argument --option: 'map' is not of the form NAME=VALUE"),
        ("seats", ["--against", "gredy"], "unknown agent 'gredy' (did you mean \"greedy\"?)"),
    ],
)
def test_impossible_options_are_refused_before_anything_is_measured(monkeypatch, capsys, name, words, sentence):
    code, told, refused = run(monkeypatch, capsys, name, *words)
    assert (code, told) == (2, "")
    assert sentence in refused


def test_folder_without_modules_has_no_structure(monkeypatch, capsys, tmp_path):
    code, told, refused = run(monkeypatch, capsys, "structure", tmp_path)
    assert (code, told) == (2, "")
    assert f"{tmp_path}: there are no Python modules in this folder" in refused


def test_modules_that_import_nothing_are_on_one_floor(monkeypatch, capsys, tmp_path):
    (tmp_path / "alone.py").write_text("x = 1\n")
    monkeypatch.setattr(sys, "argv", ["structure", str(tmp_path)])
    structure.main()
    assert "modules: 1 floors, 0 arrows; rooms: 1 floors, 0 arrows" in capsys.readouterr().out


def test_errors_of_slopes_are_positive(monkeypatch, capsys):
    """Gains in two worlds of opposite signs have a negative shared part."""
    gains = np.array([[[1.0, 1.0]], [[-0.5, -0.8]]]).transpose(1, 0, 2)
    monkeypatch.setattr(horizons, "draw_positions", lambda *given: (None, [None]))
    monkeypatch.setattr(horizons, "gains_in", lambda *given: [gains[0], 2 * gains[0]])
    monkeypatch.setattr(sys, "argv", ["horizons", "--games", "1", "--worlds", "2", "--turns", "1"])
    horizons.main()
    cells = capsys.readouterr().out.splitlines()[-1].split(" | ")
    assert cells[1].startswith("-")
    assert float(cells[-1].split(" ± ")[1].rstrip(" |")) > 0


def test_agents_decide_before_the_speed_of_their_forward_pass_is_measured(monkeypatch, capsys):
    calls = []

    def agent_named(name):
        return SimpleNamespace(advisor=None, act_batch=lambda observations, masks: calls.append(name))

    monkeypatch.setattr(forward, "kernel_agent_of", lambda *given, **options: agent_named("kernel"))
    monkeypatch.setattr(forward, "PolicyAgent", lambda *given, **options: agent_named("torch"))
    monkeypatch.setattr(forward, "read_network", lambda *given: None)
    monkeypatch.setattr(forward, "positions_of", lambda game, count: (np.zeros((1, 1)), np.zeros((1, 1))))
    monkeypatch.setattr(forward, "microseconds", lambda *given: calls.append("measured") or 1.0)
    monkeypatch.setattr(sys, "argv", ["forward", "--rounds", "1"])
    forward.main()
    assert calls == ["kernel", "torch", "measured", "measured"]
