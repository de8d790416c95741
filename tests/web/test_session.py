"""A session: the dialogue, playing, taking back, passing, the curtain, saving and continuing, watching."""

from __future__ import annotations

import copy
import os
import random

import pytest

from sackarmies_agents.agent import GameInfo
from sackarmies_agents.factory import make_agent
from sackarmies_env.core.record import Analysis, load_record, make_record, replay, save_record
from sackarmies_env.games.sack_armies import make_game
from sackarmies_env.games.sack_armies.state.constants import Decision
from sackarmies_env.registry import game_of
from sackarmies_training.web.protocol import write
from sackarmies_training.web.saves import MAX_LISTED
from sackarmies_training.web.session import UNFINISHED, Offer
from tests.agents import thinking
from tests.agents.simple import place
from tests.sack_armies.builders.twin_worlds import CONFIGURATIONS, observe
from tests.web.tables import AGENTS, answer, kinds, latest, make_played, make_session, play_out, say, start


def state_of(session):
    """Return all that a refusal must not change."""
    game = session.game
    return game.match.states.tobytes(), list(game.match.history), write(list(game.scene())[-1])


def refused(session, **message):
    """Send a message that must be refused and change nothing; return the text of the error."""
    before = None if session.game is None else state_of(session)
    (told,) = say(session, **message)
    assert told["kind"] == "error"
    assert "pydantic" not in told["text"]
    assert before == (None if session.game is None else state_of(session))
    return told["text"]


def choices_of(ask):
    return {choice["label"]: choice for choice in ask["choices"]}


def play_to(session, messages, question, seed=1):
    """Play at random until a question with these words is asked, and return it."""
    rng = random.Random(seed)
    for _ in range(400):
        if messages[-1]["kind"] == "ask" and question in messages[-1]["question"]:
            return messages[-1]
        messages = say(session, **answer(messages[-1], rng))
    raise AssertionError(f"{question} is never asked")


def play_well_to(session, messages, is_wanted):
    """Play as the greedy General does until `is_wanted` accepts a question, and return it."""
    agent = make_agent("greedy", GameInfo.of(session.game.match.game))
    agent.reset(1)
    while not is_wanted(messages[-1]):
        assert messages[-1]["kind"] == "ask", "the wanted question was never asked"
        match = session.game.match
        action = int(agent.act(match.observation, match.action_mask))
        messages = say(session, kind="choose", number=messages[-1]["number"], actions=[action])
    return messages[-1]


def is_reaction(last):
    return last["kind"] == "ask" and last["pass"] is not None


# --- the dialogue


def test_dialogue_offers_players_armies_and_saved_games(tmp_path):
    (lobby,) = make_session(tmp_path).opened()
    assert (lobby["kind"], lobby["counts"], lobby["players"]) == ("lobby", [2, 6], ["person", "greedy"])
    assert [agent["text"] for agent in lobby["agents"]] == ["greedy", "random"]
    assert [army["text"] for army in lobby["armies"]] == ["undead", "mongrels", "scourge"]
    assert lobby["saves"] == []


def test_what_is_not_offered_is_refused(tmp_path):
    session = make_session(tmp_path)
    assert "unknown player" in refused(session, kind="start", players=["person", "python:class=os:system"])
    assert 'did you mean "greedy"' in refused(session, kind="start", players=["person", "gredy"])
    assert "no army" in refused(session, kind="start", players=["person", "greedy"], armies=["undead", "/etc/passwd"])
    assert "one per player" in refused(session, kind="start", players=["person", "greedy"], armies=["undead"])
    assert "2 to 6" in refused(session, kind="start", players=["person"])
    assert "seats run" in refused(session, kind="start", players=["greedy", "greedy"], eyes=2)
    other = make_session(tmp_path, "territories")  # which has no armies, whatever is offered
    two = {"players": ["person", "greedy"], "armies": ["undead", "undead"]}
    assert 'unknown key "armies"' in refused(other, kind="start", **two)
    assert "no saved game" in refused(session, kind="resume", name="nothing")
    assert "no game is in progress" in refused(session, kind="choose", number=1, actions=[1])


def test_seed_that_nobody_gave_is_not_told(tmp_path):
    session = make_session(tmp_path)
    messages = say(session, kind="start", players=["person", "greedy"])
    assert session.game.match.seed == 11  # from `draw_seed`
    assert "seed" not in " ".join(key for message in messages for key in message)


@pytest.mark.slow
@pytest.mark.parametrize("players", [["person", "greedy"], ["greedy", "person"], ["person", "random", "greedy"]])
def test_game_is_played_to_its_end_and_then_shown_whole(tmp_path, players):
    session = make_session(tmp_path)
    told = play_out(session, start(session, *players), seed=1)
    assert session.game.is_over
    assert told[-1]["outcome"]
    assert told[-1]["view"]["viewer"] is None
    assert all(unit["card"] for unit in told[-1]["view"]["units"])
    assert {message["viewer"] for message in told if message["kind"] == "game"} == {players.index("person")}


# --- choosing


def test_choices_are_those_that_are_legal_in_words(tmp_path):
    session = make_session(tmp_path)
    ask = play_to(session, start(session, "person", "greedy"), "action")
    game = session.game
    assert [choice["id"] for choice in ask["choices"]] == game.match.legal_actions()
    by_label = choices_of(ask)
    assert by_label["Draw"]["text"] == "draw"
    deploy = by_label["Deploy"]["next"]
    assert deploy and all(each["part"] == "type" for each in deploy)


def test_parts_of_a_choice_can_be_sent_at_once_and_what_is_forced_is_skipped(tmp_path):
    session = make_session(tmp_path)
    ask = play_to(session, start(session, "person", "greedy"), "action")
    verb = choices_of(ask)["Deploy"]
    messages = say(session, kind="choose", number=ask["number"], actions=[verb["id"], verb["next"][0]["id"]])
    ask = messages[-1]
    assert ask["question"] == "choose where to deploy it"
    assert ask["crumbs"][0] == "Deploy"
    assert all(choice["hex"] for choice in ask["choices"])


@pytest.mark.parametrize("seed", [1, 2])
def test_target_of_an_attack_is_asked_even_if_there_is_one(tmp_path, seed):
    session = make_session(tmp_path)
    ask, rng, single = start(session, "person", "random", seed=seed)[-1], random.Random(seed), 0
    while single < 2 and ask["kind"] == "ask":
        attack = next((each for each in ask["choices"] if each["text"] in ("melee", "ranged", "move_attack")), None)
        if attack is None:
            wanted = [each for each in ask["choices"] if each["text"] != "concede"]
            ask = say(session, kind="choose", number=ask["number"], actions=[rng.choice(wanted)["id"]])[-1]
            continue
        target = say(session, kind="choose", number=ask["number"], actions=[attack["id"]])[-1]
        if session.game.match.states["decision"][0] == Decision.SOURCE:
            target = say(session, kind="choose", number=target["number"], actions=[target["choices"][0]["id"]])[-1]
        assert session.game.match.states["decision"][0] == Decision.TARGET
        assert target["crumbs"]
        assert all("odds" in choice for choice in target["choices"])
        single += len(target["choices"]) == 1
        ask = say(session, kind="choose", number=target["number"], actions=[target["choices"][0]["id"]])[-1]
    assert single


def test_choice_that_is_not_legal_or_too_late_is_refused(tmp_path):
    session = make_session(tmp_path)
    ask = start(session, "person", "greedy")[-1]
    assert "not among the choices" in refused(session, kind="choose", number=ask["number"], actions=[0])
    assert "not among" in refused(session, kind="choose", number=ask["number"], actions=[2**31 - 1])
    first = ask["choices"][0]["id"]
    assert say(session, kind="choose", number=ask["number"], actions=[first])[-1]["number"] == ask["number"] + 1
    assert "no longer open" in refused(session, kind="choose", number=ask["number"], actions=[first])
    assert "no longer open" in refused(session, kind="back", number=ask["number"])


def test_loaded_page_is_shown_the_game_as_it_is(tmp_path):
    session = make_session(tmp_path)
    ask = play_to(session, start(session, "person", "greedy"), "action")
    before = state_of(session)
    for _ in range(2):
        messages = list(session.opened())
        assert kinds(messages) == ["page", "game", "scene", "ask"]
        assert messages[-1] == ask
        assert latest(messages, "scene")["view"]["viewer"] == 0
        assert (messages[0]["title"], messages[0]["pictured"], messages[0]["free_name"]) == (
            "Sack Armies",
            True,
            "game",
        )
        assert messages[0]["advice"].startswith("In your turn")
    assert state_of(session) == before


# --- taking back


def test_choice_is_taken_back_to_the_byte_until_others_learn_of_it(tmp_path):
    session = make_session(tmp_path)
    ask = play_to(session, start(session, "person", "greedy"), "action")
    before = session.game.match.states.tobytes()
    other = observe(session.game.match.game, session.game.match.states, 1).tobytes()
    verb = choices_of(ask)["Deploy"]
    deploying = say(session, kind="choose", number=ask["number"], actions=[verb["id"], verb["next"][0]["id"]])[-1]
    assert observe(session.game.match.game, session.game.match.states, 1).tobytes() == other
    depth = len(deploying["crumbs"])
    assert "cannot be taken back" in refused(session, kind="back", number=deploying["number"], count=depth + 1)
    again = say(session, kind="back", number=deploying["number"], count=depth)[-1]
    assert session.game.match.states.tobytes() == before
    assert again["choices"] == ask["choices"]
    assert again["crumbs"] == []
    place = say(session, kind="choose", number=again["number"], actions=[verb["id"], verb["next"][0]["id"]])[-1]
    done = say(session, kind="choose", number=place["number"], actions=[place["choices"][0]["id"]])[-1]
    assert done["crumbs"] == []  # all have seen it
    assert "cannot be taken back" in refused(session, kind="back", number=done["number"])


def test_picks_are_taken_back_one_by_one_since_they_are_secret():
    played = make_played(0, 1, **CONFIGURATIONS["wild"])
    ask = list(played.opening())[-1]
    assert "pick" in ask["question"]
    label = ask["choices"][0]["label"]
    picked = list(played.choose(ask["number"], [ask["choices"][0]["id"]]))[-1]
    assert picked["crumbs"] == [label]
    messages = list(played.back(picked["number"], 1))
    assert messages[-1]["crumbs"] == []
    assert latest(messages, "scene")["view"]["seats"][0]["picks"] == []


# --- reactions


def test_order_to_pass_ends_when_own_turn_begins(tmp_path):
    session = make_session(tmp_path)
    ask = play_well_to(session, start(session, "person", "greedy", seed=5), is_reaction)
    assert ask["pass"] == 0
    messages = say(session, kind="passing", until="turn")
    assert messages[0] == {"kind": "passing", "until": "turn"}
    assert not is_reaction(messages[-1])
    assert int(session.game.match.states["active"][0]) == 0 or messages[-1]["question"] == "counter-attack?"


def test_order_to_pass_ends_in_a_turn_without_a_reaction_of_its_own(tmp_path):
    session = make_session(tmp_path)
    play_well_to(session, start(session, "person", "greedy", seed=5), is_reaction)
    last = say(session, kind="passing", until="turn")[-1]
    turns = {}
    for _ in range(12):
        if session.game.match.states["active"][0] == 0:
            turns[int(session.game.match.states["turn"][0])] = last["until"]
        wanted = next((each for each in last["choices"] if each["label"] in ("Draw", "Pass")), last["choices"][0])
        last = say(session, kind="choose", number=last["number"], actions=[wanted["id"]])[-1]
    assert len(turns) > 1
    assert set(turns.values()) == {"off"}


@pytest.mark.slow
def test_order_to_pass_ends_when_player_is_attacked(tmp_path):
    session = make_session(tmp_path)
    messages = start(session, "person", "greedy", seed=5)
    attacked = 0
    for _ in range(6):
        ask = play_well_to(session, messages, lambda last: is_reaction(last) and last["until"] == "off")
        messages = say(session, kind="passing", until="attack")
        if not is_reaction(messages[-1]):
            session.game._orders[0].until = "attack"
            ask = play_well_to(session, messages, is_reaction)
            view = latest(list(session.opened()), "scene")["view"]
            targets = [target for _, target in view["aim"]]
            assert ask["until"] == "off"
            assert any(unit["at"] in targets and unit["owner"] == 0 for unit in view["units"])
            attacked += 1
            messages = [ask]
    assert attacked > 1


def test_orders_are_refused_where_nothing_is_asked(tmp_path):
    session = make_session(tmp_path)
    start(session, "greedy", "random")
    assert "choose to pass" in refused(session, kind="passing", until="turn")


# --- several people on one device


def test_curtain_falls_between_people_and_hides_all(tmp_path):
    session = make_session(tmp_path)
    messages = start(session, "person", "person", seed=3)
    assert messages[-1]["kind"] == "curtain"
    assert kinds(messages) == ["game", "curtain"]
    first = messages[-1]["seat"]
    assert "does not wait" in refused(session, kind="uncover", seat=1 - first)
    assert "no longer open" in refused(session, kind="choose", number=0, actions=[1])
    messages = say(session, kind="uncover", seat=first)
    assert latest(messages, "game")["viewer"] == first
    assert "answer the open question" in refused(session, kind="cover")
    rng = random.Random(1)
    for _ in range(60):
        messages = say(session, **answer(messages[-1], rng))
        if messages[-1]["kind"] == "handover":
            break
    assert all(step["view"]["viewer"] == first for m in messages if m["kind"] == "steps" for step in m["steps"])
    messages = say(session, kind="cover")
    assert messages == [{"kind": "curtain", "seat": 1 - first, "name": f"General {1 - first}"}]
    assert kinds(list(session.opened())) == ["page", "game", "curtain"]
    messages = say(session, kind="uncover", seat=1 - first)
    views = [step["view"] for m in messages if m["kind"] == "steps" for step in m["steps"]]
    views += [m["view"] for m in messages if m["kind"] == "scene" and m["view"]]
    assert views and all(view["viewer"] == 1 - first for view in views)


@pytest.mark.slow
def test_people_are_asked_in_every_window_so_that_the_device_tells_nothing(tmp_path):
    """A person who can only pass is asked as well: otherwise the curtain would show who has a choice."""
    session = make_session(tmp_path)
    messages, rng, alone = start(session, "person", "person", seed=4), random.Random(3), 0
    for _ in range(400):
        if alone or messages[-1]["kind"] == "end":
            break
        if messages[-1]["kind"] == "ask" and messages[-1]["pass"] is not None:
            alone += len(messages[-1]["choices"]) == 1
        messages = say(session, **answer(messages[-1], rng))
    assert alone > 0


# --- saving and continuing


@pytest.mark.slow
def test_saved_game_goes_on_as_if_it_had_not_been_left(tmp_path):
    session = make_session(tmp_path)
    play_to(session, start(session, "person", "greedy"), "action")
    before = session.game.match.states.tobytes()
    (saved,) = say(session, kind="save", name="my game")
    assert saved == {"kind": "saved", "name": "my game", "free_name": "game"}
    record = load_record(tmp_path / "my game.json")
    assert replay(game_of(record), record).tobytes() == before
    (lobby,) = say(session, kind="leave")
    assert lobby["saves"] == ["my game"]
    messages = say(session, kind="resume", name="my game")
    assert session.game.match.states.tobytes() == before
    assert messages[-1]["question"] == "choose an action"
    play_out(session, messages, seed=4)


def test_record_that_was_changed_is_refused(tmp_path):
    session = make_session(tmp_path)
    play_to(session, start(session, "person", "greedy"), "action")
    say(session, kind="save", name="one")
    path = tmp_path / "one.json"
    path.write_text(path.read_text().replace('"greedy"', '"python:class=a:B"'))
    assert "unknown player" in refused(session, kind="resume", name="one")
    path.write_text("{}")
    assert "not a game record" in refused(session, kind="resume", name="one")


def test_game_that_is_left_by_closing_the_page_is_kept(tmp_path):
    session = make_session(tmp_path)
    session.keep()
    assert session.saves.names() == []
    start(session, "person", "greedy")
    session.keep()
    assert session.saves.names() == [UNFINISHED]


def test_watched_game_is_not_kept(tmp_path):
    session = make_session(tmp_path)
    start(session, "greedy", "random", eyes="referee")
    session.keep()
    assert session.saves.names() == []


def test_game_that_is_kept_takes_the_place_of_no_other_game(tmp_path):
    def left(*messages):
        """Send messages to a new session and close its page; return the seeds of the saved games by name."""
        session = make_session(tmp_path)
        for message in messages:
            say(session, **message)
        session.keep()
        return {path.stem: load_record(path).seed for path in tmp_path.iterdir()}

    def begun(seed):
        return {"kind": "start", "players": ["person", "greedy"], "seed": seed}

    continued = {"kind": "resume", "name": f"{UNFINISHED} 2"}
    saved = {"kind": "save", "name": "mine"}
    assert left(begun(1)) == {"unfinished": 1}
    assert left(begun(2)) == (both := {"unfinished": 1, "unfinished 2": 2})
    assert left(continued) == both
    assert left(continued, saved, {"kind": "leave"}) == both | {"mine": 2}
    assert left({"kind": "resume", "name": "mine"}) == both | {"mine": 2, "unfinished 3": 2}
    assert left(continued, {"kind": "leave"}, begun(4)) == both | {"mine": 2, "unfinished 3": 2, "unfinished 4": 4}


def test_other_game_is_overwritten_only_where_that_is_asked_for(tmp_path):
    session = make_session(tmp_path)
    start(session, "person", "greedy", seed=1)
    assert say(session, kind="save", name="game") == [{"kind": "saved", "name": "game", "free_name": "game 2"}]
    assert kinds(say(session, kind="save", name="game")) == ["saved"]  # it is the same game
    start(session, "person", "greedy", seed=2)
    before = (tmp_path / "game.json").read_bytes()
    assert latest(session.opened(), "page")["free_name"] == "game 2"
    assert say(session, kind="save", name="game") == [{"kind": "exists", "name": "game"}]
    assert (tmp_path / "game.json").read_bytes() == before
    say(session, kind="resume", name="game")
    assert kinds(say(session, kind="save", name="game")) == ["saved"]
    assert load_record(tmp_path / "game.json").seed == 1
    start(session, "person", "greedy", seed=2)
    assert kinds(say(session, kind="save", name="game", overwrite=True)) == ["saved"]
    assert load_record(tmp_path / "game.json").seed == 2


def test_saved_games_beyond_those_listed_are_continued_and_not_overwritten(tmp_path):
    session = make_session(tmp_path)
    start(session, "person", "greedy")
    say(session, kind="save", name="game")
    os.utime(tmp_path / "game.json", (1, 1))
    for number in range(2, MAX_LISTED + 3):
        (tmp_path / f"game {number}.json").write_text("{}")
    (lobby,) = say(session, kind="leave")
    assert len(lobby["saves"]) == MAX_LISTED
    assert "game" not in lobby["saves"]
    assert lobby["free_name"] == f"game {MAX_LISTED + 3}"
    assert kinds(say(session, kind="resume", name="game"))[0] == "game"


def test_record_of_a_negative_seed_is_continued(tmp_path):
    record = make_record(make_game(2), -5, [], players=["you", "greedy"])
    save_record(record, tmp_path / "one.json")
    messages = say(make_session(tmp_path), kind="resume", name="one")
    assert messages[-1]["kind"] == "ask"


def test_record_leaves_out_what_is_known_of_a_decision_that_is_not_played(tmp_path):
    session = make_session(tmp_path)
    play_to(session, start(session, "person", "greedy"), "action")
    seats, plies = session.game.seats, len(session.game.match.history)
    seats.reports.analyses.append(Analysis(ply=plies, agent="greedy"))
    seats.reasons[plies] = "hangs"
    record = session.game.record()
    assert (len(record.actions), record.analyses, record.forfeits) == (plies, (), ())


def test_files_that_are_no_saved_games_are_not_listed(tmp_path):
    session = make_session(tmp_path)
    for name in (".hidden.json", "notes.txt", "..json"):
        (tmp_path / name).write_text("{}")
    (tmp_path / "folder.json").mkdir()
    (tmp_path / "dangling.json").symlink_to(tmp_path / "nowhere")
    (tmp_path / "a game.json").write_text("{}")
    assert session.saves.names() == ["a game"]


# --- what agents report

THINKER = "python:class=tests.agents.thinking:Thinker"
FAILS = THINKER.replace("Thinker", "Fails")


def reporting(folder, text):
    return make_session(folder, agents=(Offer(text, "Thinks"), *AGENTS))


@pytest.mark.slow
def test_reports_of_agents_are_kept_in_the_record_and_nowhere_else(tmp_path):
    session = reporting(tmp_path, THINKER)
    messages, rng = start(session, "person", THINKER), random.Random(1)
    wire = [write(message) for message in messages]
    for _ in range(12):
        messages = say(session, **answer(messages[-1], rng))
        wire += [write(message) for message in messages]
    say(session, kind="save", name="one")
    kept = load_record(tmp_path / "one.json").analyses
    assert kept and {analysis.agent for analysis in kept} == {THINKER}
    assert not any("the sky" in message for message in wire)  # the agents' belief
    say(session, kind="leave")
    messages = say(session, kind="resume", name="one")
    for _ in range(12):
        messages = say(session, **answer(messages[-1], rng))
    continued = session.game.record().analyses
    assert continued[: len(kept)] == kept
    assert len(continued) > len(kept)
    assert b"the sky" in session.game.replay_page()  # which is served once the game is over, see test_server


@pytest.mark.slow
@pytest.mark.parametrize("players", [["person", FAILS], [FAILS, "random"]])
def test_reports_that_are_missing_are_told_at_the_end(tmp_path, players):
    session = reporting(tmp_path, FAILS)
    told = play_out(session, start(session, *players), seed=1)
    (sentence,) = told[-1]["missing"]
    assert sentence.startswith(f"Some analyses of General {players.index(FAILS)}")
    assert sentence.endswith(
        f"are missing: the agent raised RuntimeError: no idea {place(thinking, 'raise RuntimeError')}"
    )
    assert not any("no idea" in write(message) for message in told[:-1])


# --- watching


@pytest.mark.slow
@pytest.mark.parametrize("eyes", ["referee", 1])
def test_agents_are_watched_step_by_step(tmp_path, eyes):
    session = make_session(tmp_path)
    messages = start(session, "greedy", "random", eyes=eyes)
    assert latest(messages, "game")["watched"]
    told = play_out(session, messages, seed=1)
    viewers = {step["view"]["viewer"] for m in told if m["kind"] == "steps" for step in m["steps"]}
    assert viewers == {None if eyes == "referee" else 1}
    assert told[-1]["kind"] == "end"


def viewers(session):
    """Watch for a while, and return the viewers of what is shown."""
    told = [message for _ in range(4) for message in say(session, kind="next")]
    return {step["view"]["viewer"] for message in told if message["kind"] == "steps" for step in message["steps"]}


def test_saved_game_is_watched_on_through_the_same_eyes(tmp_path):
    session = make_session(tmp_path)
    start(session, "greedy", "random", eyes=1)
    assert viewers(session) == {1}
    say(session, kind="save", name="one")
    start(session, "greedy", "random")
    assert viewers(session) == {None}
    say(session, kind="resume", name="one")
    assert viewers(session) == {1}
    say(session, kind="resume", name="one", eyes="referee")
    assert viewers(session) == {None}


def test_eyes_are_asked_for_where_a_game_of_another_session_is_watched_on(tmp_path):
    session = make_session(tmp_path)
    start(session, "greedy", "random", eyes=1)
    say(session, kind="save", name="one")
    session = make_session(tmp_path)
    asked = {"kind": "eyes", "name": "one", "names": ["General 0", "General 1"]}
    assert say(session, kind="resume", name="one") == [asked]
    assert session.game is None
    assert "seats run from 0 to 1" in refused(session, kind="resume", name="one", eyes=2)
    say(session, kind="resume", name="one", eyes=0)
    assert viewers(session) == {0}


def test_game_that_is_played_is_not_watched(tmp_path):
    session = make_session(tmp_path)
    start(session, "person", "greedy")
    assert "not watched" in refused(session, kind="next")


def test_agents_stop_thinking_where_the_game_is_left(tmp_path):
    session = make_session(tmp_path)
    start(session, "greedy", "greedy")
    session.interrupt()
    assert say(session, kind="next") == []
    assert kinds(say(session, kind="leave")) == ["lobby"]


def test_question_that_was_answered_is_not_asked_again(tmp_path, monkeypatch):
    session = make_session(tmp_path)
    ask = play_to(session, start(session, "person", "greedy"), "action")

    def leave(seats, match):
        session.interrupt()
        return match.legal_actions()[0]

    monkeypatch.setattr("sackarmies_training.table.seats.Seats.decide", leave)
    while not session.game.is_stopped:
        wanted = choices_of(ask).get("Draw", ask["choices"][0])
        told = say(session, kind="choose", number=ask["number"], actions=[wanted["id"]])
        ask = next((message for message in told if message["kind"] == "ask"), ask)
    assert "no longer open" in refused(session, kind="choose", number=ask["number"], actions=[ask["choices"][0]["id"]])
    assert kinds(session.opened()) == ["lobby"]


def test_copies_of_a_played_game_are_independent(tmp_path):
    session = make_session(tmp_path)
    ask = start(session, "person", "greedy")[-1]
    twin = copy.deepcopy(session.game)
    list(session.game.choose(ask["number"], [ask["choices"][0]["id"]]))
    assert twin.match.history == []
    assert list(twin.scene())[-1] == ask
