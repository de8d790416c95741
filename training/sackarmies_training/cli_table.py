"""Commands at the table: watching a game, playing one, compiling the rules beforehand."""

from __future__ import annotations

import errno
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import numpy as np
import typer
from rich.columns import Columns
from rich.text import Text

from sackarmies_agents import conduct
from sackarmies_agents.agent import Agent, GameInfo
from sackarmies_agents.conduct import Misconduct
from sackarmies_agents.factory import make_agent
from sackarmies_env.core.advance import NO_ACTION
from sackarmies_env.core.game import Game
from sackarmies_env.core.notation import make_record, save_record
from sackarmies_env.core.reading import named
from sackarmies_env.core.words import suggestion
from sackarmies_env.envs.match import Match
from sackarmies_env.games.sack_armies.constants import MAX_GENERALS
from sackarmies_env.registry import load_game
from sackarmies_training.cli_errors import console
from sackarmies_training.cli_options import ArmyOption, SeedOption, check_armies, complete_agent

REFEREE = "referee"
MIN_GENERALS = 2
MAX_LISTED = 40  # choices that are listed without being asked for

ADVICE = """\
Type the number of a choice, or its text such as "hex 1,-1". Other words:
  ? or help   this text
  list        all choices
  board       the board once more
  quit        leave the game
On the board, 0:OrI is a unit of General 0; the lines below the board explain its code. ?? is a unit that you do not \
know, +1 an attachment, * a unit that has acted. The line under it is the battlefield with its owner, then > and its \
controller, if that is another General.
A General who controls none of their own battlefields, or has no unit left, is out; the last one wins."""

Choose = Callable[[Match], int]
AgentsArgument = typer.Argument(
    metavar="AGENT",
    help="One agent per General, such as greedy or ppo:path=FILE.",
    show_default=False,
    autocompletion=complete_agent,
)
RecordOption = Annotated[
    Path | None, typer.Option("--record", metavar="FILE", help="Save the game record to this file.", show_default=False)
]


def watch(
    agents: Annotated[list[str] | None, AgentsArgument] = None,
    army: ArmyOption = None,
    seed: SeedOption = 1,
    viewer: Annotated[
        str, typer.Option(metavar="SEAT", help="Whose view is shown: a seat, or referee, who sees everything.")
    ] = REFEREE,
    delay: Annotated[float, typer.Option(metavar="SECONDS", min=0, help="Pause between boards.")] = 0.0,
    record: RecordOption = None,
) -> None:
    """Watch agents play a game in the terminal, one board per turn; greedy against random by default."""
    names = agents or ["greedy", "random"]
    if len(names) < MIN_GENERALS or len(names) > MAX_GENERALS:
        told = "1 agent is" if len(names) == 1 else f"{len(names)} agents are"
        raise ValueError(f"{told} given; a game needs {MIN_GENERALS} to {MAX_GENERALS}")
    _check_record(record)
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
    against: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="AGENT",
            help="Your opponents; greedy by default.",
            show_default=False,
            autocompletion=complete_agent,
        ),
    ] = None,
    seat: Annotated[int, typer.Option(metavar="N", min=0, help="Your seat.")] = 0,
    army: ArmyOption = None,
    seed: SeedOption = 1,
    record: RecordOption = None,
) -> None:
    """Play against agents in the terminal: type a number or the text of an action; ? for help."""
    opponents = against or ["greedy"]
    if len(opponents) >= MAX_GENERALS:
        raise ValueError(f"{len(opponents)} opponents are given; a game has 1 to {MAX_GENERALS - 1}")
    _check_record(record)
    if seat > len(opponents):
        count = "1 opponent" if len(opponents) == 1 else f"{len(opponents)} opponents"
        raise ValueError(f"--seat {seat} is not at the table: with {count}, seats run from 0 to {len(opponents)}")
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
    """Return an agent's action; NO_ACTION if it misbehaves, which is printed and kept in `reasons` by ply."""
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
    texts = [match.game.format_action(match.states, action) for action in match.legal_actions()]
    print(match.render("ansi", seat))
    _list_choices(texts, MAX_LISTED)
    while True:
        try:
            answer = input("> ").strip()
        except EOFError:
            return NO_ACTION
        match answer.lower():
            case "quit" | "q" | "exit":
                return NO_ACTION
            case "?" | "help":
                console.print(ADVICE, markup=False, highlight=False)
            case "board":
                print(match.render("ansi", seat))
            case "list":
                _list_choices(texts, len(texts))
            case "":
                continue
            case number if number.isdecimal() and 1 <= int(number) <= len(texts):
                return match.legal_actions()[int(number) - 1]
            case text:
                try:
                    return match.game.parse_action(match.states, text)
                except ValueError as error:
                    console.print(f"{error} (? for help)", markup=False, highlight=False)


def _list_choices(texts: list[str], most: int) -> None:
    """Print a player's choices, in as many columns as fit."""
    told = [Text(f"[{number}] {text}") for number, text in enumerate(texts[:most], start=1)]
    console.print("Choices:")
    console.print(Columns(told, padding=(0, 2)))
    if len(texts) > most:
        console.print(f"and {len(texts) - most} more: type list to see them", highlight=False)


def warmup(
    generals: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            min=2,
            max=6,
            help="Only for games of this number of Generals; all by default.",
            show_default=False,
        ),
    ] = None,
) -> None:
    """Compile everything in advance, so that nothing has to be compiled later."""
    from sackarmies_training.warmup import warm_up_all

    for line in warm_up_all(generals):
        console.print(line)


def _check_record(path: Path | None) -> None:
    """Refuse a place where no record can be written, before a game is played for it.

    Raises:
        ValueError: the place is no file, or not in a folder.
        OSError: its folder cannot be written to.
    """
    if path is None:
        return
    if path.exists() and not path.is_file():
        found = "a folder" if path.is_dir() else "a device or a pipe"
        raise ValueError(f"--record {named(path)}: this is {found}, a file is wanted")
    folder = next(folder for folder in path.absolute().parents if folder.exists())  # missing ones will be made
    if not folder.is_dir():
        raise ValueError(f"--record {named(path)}: {named(folder)} is not a folder")
    if not os.access(folder, os.W_OK | os.X_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(folder))


def _load(generals: int, armies: list[str] | None) -> Game:
    return load_game("sack_armies", num_generals=generals, armies=check_armies(armies, generals))


def _viewer(text: str, generals: int) -> int | None:
    if text == REFEREE:
        return None
    if not text.isdecimal() or int(text) >= generals:
        near = suggestion(text, [REFEREE])
        raise ValueError(
            f"--viewer {text} is not allowed{near}; allowed are {REFEREE} and the seats 0 to {generals - 1}"
        )
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
        console.print(f"{ending} after {int(match.states['turn'][0])} turns.", markup=False, highlight=False)
    if record is not None:
        save_record(make_record(match.game, match.seed, match.history, players=names, reasons=reasons), record)
        console.print(
            f"The record is in {record}; sackarmies replay {record} retells the game.",
            markup=False,
            highlight=False,
            soft_wrap=True,
        )
