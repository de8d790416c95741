"""Commands at the table: watching a game, playing one, compiling the rules beforehand."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import numpy as np
import typer

from sackarmies_agents import conduct
from sackarmies_agents.agent import Agent, GameInfo
from sackarmies_agents.conduct import Misconduct
from sackarmies_agents.factory import make_agent
from sackarmies_env.core.advance import NO_ACTION
from sackarmies_env.core.game import Game
from sackarmies_env.core.notation import make_record, save_record
from sackarmies_env.envs.match import Match
from sackarmies_env.registry import load_game
from sackarmies_training.cli_errors import console

REFEREE = "referee"
QUIT = ("quit", "q", "exit")
MAX_LISTED = 40  # choices that are listed in full

Choose = Callable[[Match], int]
ArmyOption = Annotated[
    list[str] | None, typer.Option("--army", help="One a General, by name or file.", show_default=False)
]
SeedOption = Annotated[int, typer.Option(min=0, help="Of the game's chance and of the agents.")]
RecordOption = Annotated[Path | None, typer.Option("--record", help="Save the game record here.", show_default=False)]


def watch(
    agents: Annotated[list[str] | None, typer.Argument(help="One a General, such as greedy or ppo:path=FILE.")] = None,
    army: ArmyOption = None,
    seed: SeedOption = 1,
    viewer: Annotated[str, typer.Option(help="Whose view is shown: a seat, or referee, who sees all.")] = REFEREE,
    delay: Annotated[float, typer.Option(min=0, help="Seconds between two boards.")] = 0.0,
    record: RecordOption = None,
) -> None:
    """Watch agents play a game in the terminal, a board a turn."""
    names = agents or ["greedy", "random"]
    match = Match(_load(len(names), army))
    seat = _viewer(viewer, len(names))
    seated = _seat_agents(match.game, names, seed)
    match.begin(seed)
    reasons: dict[int, str] = {}
    shown = -1
    while match.player >= 0:
        turn = int(match.states["turn"][0])
        if turn != shown:
            print(match.render("ansi", seat))
            shown = turn
            time.sleep(delay)
        player = match.player
        action = _decide(match, seated[player], names[player], reasons)
        if action != NO_ACTION and (seat is None or seat == player):  # others see what comes of it, not how
            text = match.game.format_action(match.states, action)
            console.print(f"General {player} ({names[player]}): {text}", highlight=False, markup=False)
        _apply(match, action)
    print(match.render("ansi", seat))
    _finish(match, names, record, reasons)


def play(
    against: Annotated[list[str] | None, typer.Argument(help="Your opponents, one or more.")] = None,
    seat: Annotated[int, typer.Option(min=0, help="Your seat.")] = 0,
    army: ArmyOption = None,
    seed: SeedOption = 1,
    record: RecordOption = None,
) -> None:
    """Play against agents in the terminal: type a number or the text of an action, or quit."""
    opponents = against or ["greedy"]
    if seat > len(opponents):
        raise ValueError(
            f"--seat {seat} is not at the table: with {len(opponents)} opponents, seats go to {len(opponents)}"
        )
    names = [*opponents[:seat], "you", *opponents[seat:]]
    match = Match(_load(len(names), army))
    seated = _seat_agents(match.game, ["random" if name == "you" else name for name in names], seed)
    match.begin(seed)
    reasons: dict[int, str] = {}
    while match.player >= 0:
        if match.player != seat:
            _apply(match, _decide(match, seated[match.player], names[match.player], reasons))
            continue
        action = ask(match, seat)
        if action == NO_ACTION:
            console.print("You left the game.")
            break
        match.play(action)
    print(match.render("ansi", seat))
    _finish(match, names, record, reasons)


def _decide(match: Match, agent: Agent, name: str, reasons: dict[int, str]) -> int:
    """Return an agent's action; NO_ACTION if it misbehaves, which is told and kept in `reasons` by ply."""
    try:
        actions = conduct.ask(agent, match.observation[None], match.action_mask[None])
        if match.is_legal(actions[0]):
            return int(actions[0])
        reason = f"chose action {actions[0]}, which is not legal"
    except Misconduct as fault:
        reason = str(fault)
    reasons[len(match.history)] = reason
    console.print(f"General {match.player} ({name}) forfeits: the agent {reason}", highlight=False, markup=False)
    return NO_ACTION


def _apply(match: Match, action: int) -> None:
    if action == NO_ACTION:
        match.forfeit(match.player)
    else:
        match.play(action)


def ask(match: Match, seat: int) -> int:
    """Show a player the position and return the action chosen, NO_ACTION to leave."""
    print(match.render("ansi", seat))
    texts = [match.game.format_action(match.states, action) for action in match.legal_actions()]
    listed = "  ".join(f"[{number}] {text}" for number, text in enumerate(texts[:MAX_LISTED], start=1))
    more = f"  and {len(texts) - MAX_LISTED} more: type their texts" if len(texts) > MAX_LISTED else ""
    console.print(f"{match.game.describe_decision(match.states)}: {listed}{more}", markup=False, highlight=False)
    while True:
        try:
            answer = input("> ").strip()
        except EOFError:
            return NO_ACTION
        if answer.lower() in QUIT:
            return NO_ACTION
        if answer.isdigit() and 1 <= int(answer) <= len(texts):
            return match.legal_actions()[int(answer) - 1]
        try:
            return match.game.parse_action(match.states, answer)
        except ValueError as error:
            console.print(str(error), markup=False, soft_wrap=True)


def warmup() -> None:
    """Compile the rules and the scripted General for this machine now, so that nothing waits for it later."""
    began = time.monotonic()
    for generals in (2, 3):  # the small and the large layout of the state
        game = _load(generals, None)
        match = Match(game)
        match.begin(0)
        match.observe(0)
        match.play(make_agent("greedy", GameInfo.of(game)).act(match.observation, match.action_mask))
        states = game.new_states(1)
        game.reset(game.params, states, np.zeros(1, np.int64))
        game.determinize(game.params, states, np.zeros(1, np.int64), np.zeros(1, np.int64))
        make_record(game, 0, [])
    console.print(f"All is compiled ({time.monotonic() - began:.0f} s).")


def _load(generals: int, armies: list[str] | None) -> Game:
    return load_game("sack_armies", num_generals=generals, armies=armies or None)


def _viewer(text: str, generals: int) -> int | None:
    if text == REFEREE:
        return None
    if not text.isdigit() or int(text) >= generals:
        raise ValueError(f"--viewer {text} is not allowed; allowed are {REFEREE} and the seats 0 to {generals - 1}")
    return int(text)


def _seat_agents(game: Game, names: list[str], seed: int) -> list[Agent]:
    info = GameInfo.of(game)
    seated = [make_agent(name, info) for name in names]
    for place, agent in enumerate(seated):
        agent.reset(int(np.random.SeedSequence([seed, place]).generate_state(1)[0]))
    return seated


def _finish(match: Match, names: list[str], record: Path | None, reasons: dict[int, str]) -> None:
    if match.player < 0:
        best = max(match.returns)
        winners = [f"General {seat} ({name})" for seat, name in enumerate(names) if match.returns[seat] == best]
        ending = f"{winners[0]} wins" if len(winners) == 1 else "The game is drawn"
        console.print(f"{ending} after {int(match.states['turn'][0])} turns.")
    if record is not None:
        save_record(make_record(match.game, match.seed, match.history, players=names, reasons=reasons), record)
        console.print(f"The record is in {record}; `sackarmies replay {record}` tells the game.")
