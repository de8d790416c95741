"""Pages of positions and of recorded games: what they contain, and for whom."""

from __future__ import annotations

import html
import json
import re
from pathlib import Path

import pytest

from sackarmies_env.core.game import Game, forfeit_code
from sackarmies_env.core.legal import legal_ids
from sackarmies_env.core.record import Analysis, Belief, Candidate, GameRecord, load_record, make_record, replay
from sackarmies_env.games.sack_armies import make_game
from sackarmies_env.registry import game_of
from sackarmies_env.render import Replay, svg, theme
from sackarmies_env.render import html as position_page
from sackarmies_env.render.frames import all_viewers, pack, picture_data, position_data, replay_data
from sackarmies_env.render.log import log_lines
from sackarmies_env.render.marks import SIGNS, draw_mark, draw_sign
from sackarmies_env.render.page import MODULES, json_text, page_html, script_text, source_hash, web_files, web_text
from sackarmies_env.render.picture import find_picture
from sackarmies_env.render.shapes import Place
from sackarmies_env.render.svg import element
from tests.render.positions import SMALL, play, start, twin
from tests.sack_armies.builders.twin_worlds import CONFIGURATIONS, act, build, copy_of, leaks, plain, wander

ROOT = Path(__file__).resolve().parents[2]
EXAMPLE = ROOT / "examples" / "greedy_game.json"
PLAY = ROOT / "training" / "sackarmies_training" / "web" / "static"
ANALYZED = ROOT / "examples" / "analyzed_game.json"
MEGABYTE = 1_000_000
# General 1 deploys what they have and moves: General 0 cannot tell SMALL from twin().
HIDDEN_COURSE = (
    *("move", "hex -1,0", "hex -1,1", "pass", "deploy", "move", "hex -1,1", "hex -1,0", "pass"),
    *("move", "hex 3,0", "move", "hex 0,0", "hex 1,0", "pass"),
)


def recorded(scenario: dict[str, object], *texts: str, players: tuple[str, ...] = ()) -> tuple[Game, GameRecord]:
    game, states = start(scenario)
    actions = []
    for text in texts:
        actions.append(game.parse_action(states, text))
        play(game, states, text)
    return game, make_record(game, 0, actions, players=players)


def unpacked(packed: dict[str, list[object]]) -> object:
    values: list[object] = []
    for part in packed["parts"]:
        if not isinstance(part, list):
            values.append(part)
            continue
        items = [values[number] for number in part[1:]]
        values.append(dict(zip(packed["shapes"][part[0] - 1], items, strict=True)) if part[0] else items)
    return values[-1]


def data_of(page: str) -> dict[str, object]:
    """Return the data that a page contains."""
    (text,) = re.findall(r'<script type="application/json" id="data">(.*?)</script>', page, re.DOTALL)
    return unpacked(json.loads(text))


def told(game, record, viewer):
    """Return the lines of a viewer's log."""
    (view,) = replay_data(game, record, [viewer])["views"]
    return [line["text"] for line in view["log"]]


# --- form


def test_picture_becomes_json_with_the_names_of_its_fields():
    picture = find_picture(*start(SMALL), 0)
    data = json.loads(json.dumps(picture_data(picture)))
    assert data == picture_data(picture)
    assert data["units"][0]["at"] == list(picture.units[0].at)
    assert data["units"][1]["card"]["printed"] == list(picture.units[1].card.printed)
    assert data["hexes"] == [list(at) for at in picture.hexes]
    assert data["fields"][2]["effects"] == [{"stat": "armor", "amount": 1, "whom": ""}]


def test_packed_data_is_given_back_and_holds_equal_parts_once():
    data = {"a": [1, True, 1.5, None, "x"], "b": {"at": [1, 2]}, "c": [{"at": [1, 2]}, {"at": [1, 2]}], "d": [0, False]}
    packed = pack(data)
    restored = unpacked(packed)
    assert restored == data
    assert restored["d"][1] is False
    assert packed["parts"].count([0, *(packed["parts"].index(number) for number in (1, 2))]) == 1


def test_analyzed_example_is_small():
    assert ANALYZED.stat().st_size < 300_000
    assert len(load_record(ANALYZED).analyses) > 200


@pytest.mark.slow
def test_example_page_with_all_views_is_under_a_third_of_a_megabyte():
    record = load_record(EXAMPLE)
    assert len(record.actions) >= 240
    page = Replay(game_of(record), record).html
    assert len(page.encode()) < MEGABYTE / 3
    data = data_of(page)
    assert [view["viewer"] for view in data["views"]] == [None, 0, 1]
    assert {len(view["frames"]) for view in data["views"]} == {len(record.actions) + 1}
    assert data["players"] == ["greedy", "greedy"]


def test_page_loads_nothing_and_allows_its_own_script_alone():
    page = position_page(*start(SMALL), 0)
    script = source_hash(script_text())
    assert f"default-src 'none'; script-src '{script}'" in page
    assert not re.search(r'(?:src|href)="(?!data:)|@import|url\((?!#)', page.replace("url(#${", "url(#"))
    assert not re.findall(r"https?://(?!www\.w3\.org/2000/svg)", page)


def test_no_text_of_a_record_can_end_the_script_or_become_markup():
    names = ("</script><script>alert(1)</script>", "<!--<script> & \u2028")
    page = Replay(*recorded(SMALL, "reveal_unit", players=names)).html
    assert "alert(1)</script>" not in page
    assert "<!--" not in page
    assert data_of(page)["players"][0] == names[0]
    assert json_text("</script>") == r'"\u003c/script\u003e"'


def test_modules_come_after_what_they_import_and_share_no_names():
    seen: set[str] = set()
    names: list[str] = []
    for module in MODULES:
        text = web_text(module)
        assert set(re.findall(r'from "\./([\w.]+)"', text)) <= seen, module
        seen.add(module)
        names += re.findall(r"^(?:export )?(?:const|let|function|class) (\w+)", text, re.MULTILINE)
    assert seen <= set(web_files())
    assert len(names) == len(set(names))


def test_notebook_shows_the_page_in_a_frame():
    replay = Replay(*recorded(SMALL, "reveal_unit"))
    (source,) = re.findall(r'srcdoc="([^"]*)"', replay._repr_html_())
    assert html.unescape(source) == replay.html


def test_page_is_saved_whole(tmp_path):
    replay = Replay(*recorded(SMALL, "reveal_unit"), viewers=[0, 0])
    replay.save(tmp_path / "deep" / "page.html")
    assert (tmp_path / "deep" / "page.html").read_text(encoding="utf-8") == replay.html
    assert [view["viewer"] for view in data_of(replay.html)["views"]] == [0]


@pytest.mark.parametrize(
    ("viewers", "sentence"),
    [
        ([2], "viewer 2 is not a seat: use 0 to 1, or None for the referee"),
        ([], r"viewers=\[\]: name at least one"),
    ],
)
def test_viewers_that_do_not_exist_are_refused(viewers, sentence):
    with pytest.raises(ValueError, match=sentence):
        Replay(*recorded(SMALL), viewers=viewers)


# --- the log


def test_log_names_what_each_viewer_knows():
    game, record = recorded(SMALL, *HIDDEN_COURSE, "reveal_unit")
    assert told(game, record, 0)[-4:] == [
        "Turn 5: General 0",
        "General 0 moves Guard from 0,0 to 1,0",
        "Turn 6: General 1",
        "revealed: General 1's Scout at 3,0",
    ]
    assert "General 1 deploys an attachment at 3,-1" in told(game, record, 0)
    assert "General 1 attaches Dash to their Scout at 3,-1" in told(game, record, 1)
    assert "General 1 moves a face-down unit from 3,-1 to 3,0" in told(game, record, 0)
    assert "General 1 moves Scout from 3,-1 to 3,0" in told(game, record, None)


@pytest.mark.slow
def test_log_of_the_example_tells_all_public_events_to_all():
    record = load_record(EXAMPLE)
    game = game_of(record)
    views = replay_data(game, record, all_viewers(game))["views"]
    public = {"turn", "casualty", "control", "elimination", "end", "flip"}
    told = [[(line["ply"], line["text"]) for line in view["log"] if line["kind"] in public] for view in views]
    assert told[0] == told[1] == told[2]
    assert sum(line["kind"] == "turn" for line in views[0]["log"]) == record.result.turns
    assert views[1]["log"][-1]["text"] == "General 1 wins in turn 50: a Standard Victory"
    draws = [next(line["text"] for line in view["log"] if " draws " in line["text"]) for view in views]
    assert draws[0] == draws[1] != draws[2] == "General 0 draws 3 tokens"


def test_forfeit_is_told_with_its_reason_to_the_referee():
    game, _ = start(SMALL)
    record = make_record(game, 0, [forfeit_code(0)], reasons={0: "raised ValueError: lost"})
    assert "General 0 lost by forfeit: the agent raised ValueError: lost" in told(game, record, None)
    assert told(game, record, 1)[0] == "General 0 forfeits"
    assert not any("ValueError" in line for line in told(game, record, 1))


# --- fog of war


def test_twin_records_give_a_general_the_same_page_until_something_is_revealed():
    this, that = ([*recorded(scenario, *HIDDEN_COURSE)] for scenario in (SMALL, twin()))
    assert page_html(replay_data(*this, [0])) == page_html(replay_data(*that, [0]))
    assert page_html(replay_data(*this, [1])) != page_html(replay_data(*that, [1]))
    longer = [recorded(scenario, *HIDDEN_COURSE, "reveal_unit") for scenario in (SMALL, twin())]
    (before, after), (other, other_after) = (
        (frames[:-1], frames[-1]) for frames in (replay_data(*world, [0])["views"][0]["frames"] for world in longer)
    )
    assert before == other
    assert after != other_after


def test_decisions_that_a_general_sees_nothing_of_leave_no_frame():
    game = make_game(2, armies={"name": "Surplus", "tokens": {"plain": 4, "hill": 3, "legionaries": 4}})
    states = game.new_states(1)
    game.start(states, 0)
    actions = []
    while game.describe_decision(states) == "SETUP_PICK":
        actions.append(game.parse_action(states, "type hill"))
        act(game, states, actions[-1])
        if len(actions) == 2:
            break
    record = make_record(game, 0, actions)
    frames = {viewer: len(replay_data(game, record, [viewer])["views"][0]["frames"]) for viewer in (None, 0, 1)}
    assert frames == {None: 3, 0: 3, 1: 1}


def analyzed(game, record, *seats, agent="oracle"):
    """Return the record with analyses of the decisions of some seats by an agent, and the player of each ply."""
    analyses, players = [], []

    def listen(ply, before, action, after):
        players.append(int(before["current_player"][0]))
        if players[-1] in seats:
            belief = Belief(subject="unit at 3,-1", at=(3, -1), contents={"Guard": 0.25, "Scout": 0.75})
            candidates = (Candidate(action=action, probability=0.5, value=0.25),)
            analyses.append(Analysis(ply=ply, agent=agent, candidates=candidates, value=-0.5, beliefs=(belief,)))

    replay(game, record, listen)
    return make_record(game, 0, record.actions, analyses=analyses), players


def test_analysis_is_shown_to_the_referee_and_to_the_player_of_the_decision():
    game, record = recorded(SMALL, *HIDDEN_COURSE)
    record, players = analyzed(game, record, 0, 1)
    views = replay_data(game, record, all_viewers(game))["views"]
    for view in views:
        seats = [analysis["seat"] for analysis in view["analyses"]]
        assert seats == [player for player in players if view["viewer"] in {None, player}]
    first = views[0]["analyses"][1]
    assert first["ply"] == 1
    assert first["candidates"] == [
        {"text": "hex -1,0", "at": [-1, 0], "probability": 0.5, "value": 0.25, "rank": 1, "played": True}
    ]
    assert first["beliefs"] == [
        {"subject": "unit at 3,-1", "at": [3, -1], "contents": [["Scout", 0.75], ["Guard", 0.25]]}
    ]
    for view in views:
        for analysis in view["analyses"]:
            assert view["choices"][analysis["ply"] + 1] == analysis["played"]


def test_analyses_of_others_change_nothing_in_the_page_of_a_general():
    game, record = recorded(SMALL, *HIDDEN_COURSE)
    plain_page = Replay(game, record, [0]).html
    assert Replay(game, analyzed(game, record, 1)[0], [0]).html == plain_page
    assert Replay(game, analyzed(game, record, 0)[0], [0]).html != plain_page
    own, _ = analyzed(game, record, 0)
    both = own.model_copy(
        update={
            "analyses": tuple(
                sorted(
                    [*own.analyses, *analyzed(game, record, 1, agent="other")[0].analyses],
                    key=lambda analysis: analysis.ply,
                )
            )
        }
    )
    assert Replay(game, both, [0]).html == Replay(game, own, [0]).html


def shown(game, states, viewer):
    return json_text(pack(position_data(game, states, viewer)))


@pytest.mark.slow
@pytest.mark.parametrize("name", CONFIGURATIONS)
def test_no_page_of_a_position_depends_on_what_is_hidden_from_its_viewer(name):
    game = build(name)
    for ply, states in enumerate(wander(game, 3, plies=600)):
        if ply % 20 == 0:
            for viewer in range(game.num_players):
                assert not leaks(game, states, viewer, shown, seed=ply), (ply, viewer)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["standard", "open lists", "hidden piles", "all windows", "battle", "three"])
def test_no_line_of_the_log_names_what_its_viewer_does_not_know(name):
    game = build(name)
    compared = 0
    for ply, states in enumerate(wander(game, 5, plies=400)):
        if ply % 4 or plain(states)["current_player"] < 0:
            continue
        legal = legal_ids(states["legal"][0])
        action, after = legal[ply % len(legal)], copy_of(game, states)
        act(game, after, action)
        for viewer in range(game.num_players):
            (lines,) = log_lines(game, states, action, after, [viewer])
            hidden = hidden_names(game, states, after, viewer)
            for line in lines:
                is_public = line.kind == "casualty" or line.text.startswith("revealed")
                assert is_public or not any(name in line.text for name in hidden), (ply, viewer, line)
                compared += len(hidden)
    assert compared > 10


def hidden_names(game, before, after, viewer):
    """Return the names of units and attachments on the board that neither position's page tells the viewer."""
    board = find_picture(game, before, None)
    names = {unit.card.name for unit in board.units}
    names |= {attachment.name for unit in board.units for attachment in unit.attachments}
    told = json.dumps([position_data(game, states, viewer) for states in (before, after)])
    return {name for name in names if name not in told}


# --- what else is drawn


def test_position_page_shows_what_the_svg_shows():
    game, states = start(SMALL)
    (view,) = data_of(position_page(game, states, 1))["views"]
    drawn = svg(game, states, 1)
    assert [unit["card"]["name"] for unit in view["frames"][0]["units"] if unit["card"]] == ["Scout", "Guard"]
    assert "Guard" in drawn
    assert view["frames"][0] == picture_data(find_picture(game, states, 1))


# --- colors


SCHEMES = {"light": theme.PAGE, "dark": theme.PAGE | theme.DARK_PAGE}
SHEETS = ("style.css", "play.css")


def sheet(name):
    return (PLAY / name).read_text("utf-8") if name.startswith("play") else web_text(name)


def test_style_sheets_take_their_colors_from_the_theme_of_pictures():
    """Other colors are only the translucent ones and the metal of coins, which pictures do not have."""
    text = "".join(map(sheet, SHEETS))
    own = set(re.findall(r"--([\w-]+): ", text)) | {"columns", "hex"}  # the last two are set by scripts
    assert set(re.findall(r"var\(--([\w-]+)", text)) <= set(theme.PAGE) | own
    lines = [line for line in text.splitlines() if re.search(r"#(?:[0-9a-f]{3}|[0-9a-f]{6})\b", line)]
    assert all(line.startswith(".coin.") for line in lines), lines
    assert set(theme.DARK_PAGE) <= set(theme.PAGE)


def test_marks_and_signs_of_pages_are_drawn_as_in_pictures():
    """Each is drawn as in Python's own SVG; marks of bands and kinds take the color of the surrounding text."""
    module = dict(re.findall(r"^export const (\w+) = (.*);$", web_text("signs.js"), re.MULTILINE))
    drawings = {name: json.loads(text) for name, text in module.items()}
    assert drawings["BAND_MARKS"] == theme.BAND_MARKS
    for mark in theme.BAND_MARKS.values():
        scene = []
        draw_mark(scene, Place(0, 0, 10), mark, "#010203")
        drawn = "".join(map(element, scene))
        assert drawings["MARKS"][mark].replace("none", theme.WHITE).replace("currentColor", "#010203") == drawn
    for name in SIGNS:
        scene = []
        draw_sign(scene, Place(0, 0, 10), name)
        assert drawings["SIGNS"][name] == "".join(map(element, scene))
    assert set(drawings["SIGNS"]) == set(SIGNS)
    assert set(drawings["TYPES"]) == {"infantry", "cavalry", "missile", "artillery"}


def contrast(one, other):
    """Return the contrast of two colors as WCAG defines it."""

    def luminance(color):
        channels = [int(color[place : place + 2], 16) / 255 for place in (1, 3, 5)]
        linear = [value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4 for value in channels]
        return sum(weight * value for weight, value in zip((0.2126, 0.7152, 0.0722), linear, strict=True))

    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_has_a_contrast_of_4_5_on_all_that_it_stands_on(scheme):
    colors = SCHEMES[scheme]
    pairs = [("faded", ground) for ground in ("open", "paper", "panel", "raised-panel")]
    pairs += [("ink", ground) for ground in ("paper", "panel", "raised-panel")]
    pairs += [("ground-ink", ground) for ground in ("plain", "water", "halting", "marsh", "bonus")]
    pairs += [("white", f"seat-{seat}") for seat in range(6)]
    pairs += [(text, f"tint-{seat}") for seat in range(6) for text in ("token-ink", "raised", "lowered")]
    pairs += [(text, f"seat-{seat}") for seat in range(6) for text in ("raised-down", "lowered-down")]
    pairs += [("white", name) for name in colors if name.startswith(("band-", "kind-"))]
    pairs += [("white", "captives"), ("white", "token-ink")]
    pairs += [("on-accent", "accent")]
    low = {pair: contrast(*(colors[name] for name in pair)) for pair in pairs}
    assert min(low.values()) >= 4.5, {pair: ratio for pair, ratio in low.items() if ratio < 4.5}
