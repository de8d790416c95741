"""Commands to watch a game, to play one, and to compile the rules in advance."""

from __future__ import annotations

import contextlib
import shlex
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from sackarmies_agents.factory import parse_agent
from sackarmies_env.core.entries import entry_of, find_hook, game_ids, player_name
from sackarmies_env.core.game import forfeit_code
from sackarmies_env.core.messages import counted
from sackarmies_env.core.record import save_record
from sackarmies_env.envs.match import NO_ACTION, Match
from sackarmies_env.registry import DEFAULT_GAME
from sackarmies_training.analysis import Reports
from sackarmies_training.commands.options import (
    REFEREE,
    ArmyOption,
    GameOption,
    PlaySeedOption,
    ScenarioOption,
    SeedOption,
    ViewerOption,
    build_game,
    check_writable,
    complete_agent,
    completes,
    viewer_seat,
)
from sackarmies_training.table.choices import told_choice
from sackarmies_training.table.game_table import table_class, table_of, winners_of
from sackarmies_training.table.person import Person
from sackarmies_training.table.seats import PERSON, Seats
from sackarmies_training.terminal import clears_screen, console
from sackarmies_training.web.command import (
    BrowserOption,
    PortOption,
    SavesOption,
    WebOption,
    play_in_browser,
)

USUAL_SEED = 1  # default in the terminal
WATCHED_PAUSE = 1.0  # seconds between boards, for people
MAX_PAUSE = 3600.0  # seconds; systems cannot sleep for arbitrarily long

AgentsArgument = typer.Argument(
    metavar="AGENT",
    help="One agent per player, such as greedy or ppo:path=FILE.",
    show_default=False,
    autocompletion=complete_agent,
)
RecordOption = Annotated[
    Path | None, typer.Option("--record", metavar="FILE", help="Save the game record to this file.", show_default=False)
]


def watch(  # noqa: PLR0913, PLR0917 - the options of a command
    agents: Annotated[list[str] | None, AgentsArgument] = None,
    game: GameOption = DEFAULT_GAME,
    army: ArmyOption = None,
    scenario: ScenarioOption = None,
    seed: SeedOption = USUAL_SEED,
    viewer: ViewerOption = REFEREE,
    delay: Annotated[
        float | None,
        typer.Option(
            metavar="SECONDS",
            min=0,
            max=MAX_PAUSE,
            help="Pause between boards; 1 by default, in a terminal.",
            show_default=False,
        ),
    ] = None,
    record: RecordOption = None,
) -> None:
    """Watch agents play a game in the terminal, one board per turn; greedy against random by default."""
    names = agents or [_strongest(game), "random"]
    least, most = entry_of(game).players or (len(names), len(names))
    if not least <= len(names) <= most:
        raise ValueError(f"a game needs {least} to {most} agents, not {len(names)}")
    check_writable("--record", record)
    for name in names:
        parse_agent(name)
    match = Match(build_game(game, len(names), army, scenario))
    seat = viewer_seat(viewer, len(names))
    seats = Seats(match.game, names, seed, None if record is None else Reports())
    match.begin(seed)
    pause = delay if delay is not None else WATCHED_PAUSE if clears_screen() else 0.0
    table = table_of(match.game)
    shown = -1
    with _saving_if_interrupted(match, names, record, seats):
        while match.player >= 0:
            turn = int(match.states["turn"][0])
            if turn != shown:
                print(match.render("ansi", seat))
                shown = turn
                time.sleep(pause)
            player = match.player
            action = seats.decide(match)
            if action == NO_ACTION:
                _tell_forfeit(match, names[player], seats.reasons[len(match.history)] if seat is None else None)
            elif seat is None or seat == player:  # others see the result, not the choices
                choice = f"{player_name(game, player)} ({names[player]}), {told_choice(table, match, action)}"
                console.print(choice, highlight=False, markup=False)
            _apply(match, action)
    print(match.render("ansi", seat))
    _finish(match, names, seats.reasons, tells_why=seat is not None)
    _save(match, names, record, seats)


def play(  # noqa: PLR0913, PLR0917 - the options of a command
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
    game: GameOption = DEFAULT_GAME,
    army: ArmyOption = None,
    scenario: ScenarioOption = None,
    seed: PlaySeedOption = None,
    record: RecordOption = None,
    web: WebOption = False,
    port: PortOption = 0,
    browser: BrowserOption = True,
    saves: SavesOption = None,
) -> None:
    """Play against agents: in the terminal, where ? explains what can be typed, or with --web in the browser."""
    opponents = against or [_strongest(game)]
    least, most = entry_of(game).players or (len(opponents) + 1, len(opponents) + 1)
    if not least <= len(opponents) + 1 <= most:
        raise ValueError(f"a game needs {least - 1} to {most - 1} opponents, not {len(opponents)}")
    if web and record is not None:
        raise ValueError(
            "--record and --web cannot be combined: a game in the browser is saved from its page, see --saves"
        )
    if not web and (port or not browser or saves is not None):
        raise ValueError("--port, --no-browser and --saves are for --web: a game in the terminal has no page")
    check_writable("--record", record)
    if seat > len(opponents):
        count = counted(len(opponents), "opponent")
        raise ValueError(f"--seat {seat} is not at the table: with {count}, seats run from 0 to {len(opponents)}")
    if web:
        if scenario is not None:
            raise ValueError("--scenario and --web cannot be combined: a game in the browser begins with the setup")
        play_in_browser(game, opponents, seat, army or [], seed=seed, port=port, opens_browser=browser, saves=saves)
        return
    for name in opponents:
        parse_agent(name)
    names = [*opponents[:seat], "you", *opponents[seat:]]
    match = Match(build_game(game, len(names), army, scenario, **table_class(game).asks_all))
    seed = USUAL_SEED if seed is None else seed
    playing = [PERSON if name == "you" else name for name in names]
    seats = Seats(match.game, playing, seed, None if record is None else Reports())
    match.begin(seed)
    person = Person(match, seat)
    with _saving_if_interrupted(match, names, record, seats):
        while match.player >= 0:
            if match.player != seat:
                action = seats.decide(match)
                if action == NO_ACTION:
                    _tell_forfeit(match, names[match.player], None)
                _apply(match, action)
                person.look()
            elif not person.decide():
                console.print("You left the game.")
                break
    print(match.render("ansi", seat if match.player >= 0 else None))  # all is shown once the game is over
    _finish(match, names, seats.reasons, tells_why=True)
    _save(match, names, record, seats)


def _tell_forfeit(match: Match, name: str, reason: str | None) -> None:
    """Print that the current player forfeits, and why; the reason is None if it could reveal what is hidden."""
    why = "" if reason is None else f": the agent {reason}"
    console.print(f"{player_name(match.game.id, match.player)} ({name}) forfeits{why}", highlight=False, markup=False)


def _apply(match: Match, action: int) -> None:
    if action == NO_ACTION:
        match.forfeit(match.player)
    else:
        match.play(action)


def warmup(
    game: Annotated[
        str | None,
        typer.Option(
            "--game",
            metavar="ID",
            help="Only this game; all by default.",
            show_default=False,
            autocompletion=completes(game_ids),
        ),
    ] = None,
    players: Annotated[
        int | None,
        typer.Option(
            "--players",
            "--generals",
            metavar="N",
            min=1,
            help="Only for games of this number of players; all by default.",
            show_default=False,
        ),
    ] = None,
) -> None:
    """Compile everything in advance, so that nothing has to be compiled later."""
    from sackarmies_training.warmup import warm_up_all

    for line in warm_up_all(game, players):
        console.print(line, markup=False, highlight=False)


def _strongest(game_id: str) -> str:
    """Return the agent that plays by default: greedy, or random if the game has no greedy agent."""
    return "random" if find_hook(game_id, "greedy") is None else "greedy"


def _finish(match: Match, names: list[str], reasons: dict[int, str], *, tells_why: bool) -> None:
    """Print who has won, and why agents forfeited if that has not been printed yet."""
    if match.player < 0:
        player_of = partial(player_name, match.game.id)
        for ply, reason in reasons.items() if tells_why else ():
            seat = forfeit_code(match.history[ply])
            told = f"{player_of(seat)} ({names[seat]}) lost by forfeit: the agent {reason}"
            console.print(told, markup=False, highlight=False)
        winners = winners_of(match)
        ending = f"{player_of(winners[0])} ({names[winners[0]]}) wins" if len(winners) == 1 else "The game is drawn"
        console.print(f"{ending} after {int(match.states['turn'][0])} turns.", markup=False, highlight=False)


@contextlib.contextmanager
def _saving_if_interrupted(match: Match, names: list[str], record: Path | None, seats: Seats) -> Iterator[None]:
    """Save the record of the game so far, if one is wanted, when Ctrl-C ends the block."""
    try:
        yield
    except KeyboardInterrupt:
        print()  # ends the line of the prompt
        _save(match, names, record, seats)
        raise


def _save(match: Match, names: list[str], record: Path | None, seats: Seats) -> None:
    """Save the record, if one is wanted, with what the agents reported."""
    if record is None or seats.reports is None:
        return
    for told in seats.missing_analyses(match):
        console.print(told, markup=False, highlight=False)
    save_record(seats.record(match, names), record)
    console.print(
        f"The record is in {record}; sackarmies replay {shlex.quote(str(record))} retells the game.",
        markup=False,
        highlight=False,
        soft_wrap=True,
    )
