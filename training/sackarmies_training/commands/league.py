"""Commands of the league: make one, submit to it, play it by budget, show its table."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer
from rich.console import RenderableType
from rich.text import Text

from sackarmies_training.commands.output import PlainCommand, PlainGroup, games_bar, print_without_replay
from sackarmies_training.commands.submit import print_line, print_trial, refuse
from sackarmies_training.fitting import add_numbers, fitted, plain_table, titled
from sackarmies_training.terminal import console

if TYPE_CHECKING:
    from sackarmies_training.league.report import LeagueReport

REPORT = "league.html"
league_app = typer.Typer(
    cls=PlainGroup,
    no_args_is_help=True,
    help="Run a long-lived league: agents join and leave, and each call plays a set number of games.",
)

FolderArgument = Annotated[Path, typer.Argument(metavar="FOLDER", help="The league.", show_default=False)]
NameArgument = Annotated[
    str, typer.Argument(metavar="NAME", help="A submission; its latest version.", show_default=False)
]
WhyOption = Annotated[str, typer.Option("--why", metavar="TEXT", help="The reason, for the report.")]


@league_app.command("new", cls=PlainCommand)
def new(
    folder: Annotated[
        Path, typer.Argument(metavar="FOLDER", help="Folder of the league; new or empty.", show_default=False)
    ],
    config: Annotated[
        Path,
        typer.Option("--config", metavar="FILE", help="The league, a TOML file, which is copied.", show_default=False),
    ],
) -> None:
    """Make a league with its anchors."""
    from sackarmies_training.league.contest import create

    league = create(folder, config)
    names = ", ".join(league.config.anchors)
    say(f"The league in {folder} has the anchors {names}. To add to it:")
    say(f"sackarmies league submit {shlex.quote(str(folder))} AGENT --name NAME --author WHO")


@league_app.command("submit", cls=PlainCommand)
def submit(
    folder: FolderArgument,
    agent: Annotated[
        str,
        typer.Argument(
            metavar="AGENT",
            help="A folder with a submission.toml, or the text form of an agent, whose files are copied.",
            show_default=False,
        ),
    ],
    name: Annotated[
        str,
        typer.Option(
            "--name", metavar="NAME", help="New name, or that of the submission to replace.", show_default=False
        ),
    ],
    author: Annotated[
        str, typer.Option("--author", metavar="WHO", help="Author of the submission.", show_default=False)
    ],
    games: Annotated[int, typer.Option("--games", metavar="N", min=1, help="Games of the trial.")] = 4,
) -> None:
    """Try a submission in isolation and enter it, replacing a version of the same name. Exit code 1 if it fails."""
    from sackarmies_training.league.contest import League

    league = League(folder)
    players = league.config.players
    with games_bar(2 * -(-games // players) * players) as progress:
        trial, label = league.submit(agent, name, author, games, progress)
    print_line("submission", name)
    print_trial(trial)
    if label is None:
        refuse(trial.faults())
    say(f"{label} plays from the next round on.")


def change(folder: Path, name: str, event: Literal["suspended", "resumed", "withdrawn"], why: str) -> None:
    """Change the status of a submission."""
    from sackarmies_training.league.contest import League

    entry = League(folder).change(name, event, why)
    say(f"{entry.label} is {entry.status}.")


@league_app.command("withdraw", cls=PlainCommand)
def withdraw(folder: FolderArgument, name: NameArgument, why: WhyOption = "") -> None:
    """Take a submission out of the league for good; its games stay. Its author can submit another version."""
    change(folder, name, "withdrawn", why)


@league_app.command("suspend", cls=PlainCommand)
def suspend(folder: FolderArgument, name: NameArgument, why: WhyOption = "") -> None:
    """Suspend a submission or an anchor: it plays no games until `resume`."""
    change(folder, name, "suspended", why)


@league_app.command("resume", cls=PlainCommand)
def resume(folder: FolderArgument, name: NameArgument, why: WhyOption = "") -> None:
    """Make a suspended submission or anchor play again; earlier forfeits no longer count."""
    change(folder, name, "resumed", why)


@league_app.command("play", cls=PlainCommand)
def play(
    folder: FolderArgument,
    games: Annotated[
        int | None,
        typer.Option("--games", metavar="N", min=1, help="Number of games; one round if left out.", show_default=False),
    ] = None,
    minutes: Annotated[
        float | None,
        typer.Option("--minutes", metavar="M", help="Stop after this time, or after --games.", show_default=False),
    ] = None,
) -> None:
    """Play games where they tell the most, then write the report. Interrupted rounds resume."""
    from sackarmies_training.league.play import Budget, league_player

    if minutes is not None and not minutes > 0:
        raise ValueError(f"--minutes {minutes} is not allowed: give a number above 0")
    from sackarmies_training.league.contest import League
    from sackarmies_training.league.report import LeagueReport
    from sackarmies_training.locks import locked

    league = League(folder)
    most = 2 * league.config.round if games is None and minutes is None else games
    with locked(folder):
        budget = Budget(most, None if minutes is None else 60 * minutes)
        with games_bar(most or 0) as progress, league_player(league, say, progress) as player:
            player.play(budget)
        say(f"{budget.played} games were played.")
        write_report(LeagueReport(league))


@league_app.command("show", cls=PlainCommand)
def show(
    folder: FolderArgument,
    html: Annotated[bool, typer.Option("--html", help="Write the report again, with its page.")] = False,
) -> None:
    """Show the table of a league."""
    from sackarmies_training.league.contest import League
    from sackarmies_training.league.report import LeagueReport
    from sackarmies_training.locks import locked

    league = League(folder)
    if not html:
        print_report(LeagueReport(league))
        return
    _ = league.config  # fails before a folder that holds no league is locked
    with locked(folder):
        write_report(LeagueReport(league))


def write_report(report: LeagueReport) -> None:
    """Print the table, and write the files of the report."""
    print_report(report)
    with games_bar(len(report.missing_replays()), "replays", "drawn") as progress:
        print_without_replay(report.write(progress))
    say(f"The report is {report.league.folder / REPORT}.")


def print_report(report: LeagueReport) -> None:
    """Print the table of the current season."""
    for sentence in report.sentences():
        say(sentence)
    if report.present is None:
        return
    from sackarmies_training.league.report import HEADS, LABEL, STATUS

    heads, rows = [*HEADS, "status"], report.rows(report.present)

    def make(labels: Sequence[str], left_out: Sequence[str]) -> RenderableType:
        table = plain_table()
        places = [place for place, head in enumerate(heads) if head not in (heads[LABEL], *left_out)]
        table.add_column(heads[LABEL], no_wrap=True)
        add_numbers(table, (heads[place] for place in places if place != STATUS))
        table.add_column("status", overflow="fold")
        for label, row in zip(labels, rows, strict=True):
            table.add_row(Text(label), *(Text(row[place]) for place in places))
        return titled("Standings", table)

    narrow = ("author", "units", "points")
    names = [line.label for line in report.present.lines]
    shown = fitted(make, ((), narrow, (*narrow, "won", "drawn", "lost")), names, console.width)
    console.print(shown, highlight=False)


def say(sentence: str) -> None:
    """Print a sentence."""
    console.print(sentence, highlight=False, markup=False, soft_wrap=True)
