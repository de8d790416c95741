"""Commands for Sack Armies alone: the catalogue of tokens, and armies."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Group, RenderableType
from rich.text import Text

from sackarmies_agents.factory import parse_agent
from sackarmies_env.core.atomic_write import write_safely
from sackarmies_env.core.messages import join, suggestion
from sackarmies_env.games.sack_armies.tokens.army import army_ids, built_in_armies, check_army, resolve_army
from sackarmies_env.games.sack_armies.tokens.catalogue import by_id, load_catalogue
from sackarmies_env.games.sack_armies.tokens.schema import AnyToken, Unit
from sackarmies_env.games.sack_armies.tokens.text import HOMELAND_NAMES, effect_text
from sackarmies_env.registry import load_game
from sackarmies_training.commands.options import (
    ContestSeedOption,
    WorkersOption,
    check_writable,
    complete_agent,
    completes,
)
from sackarmies_training.commands.output import DATA, PlainCommand, PlainGroup, games_bar, print_resumed
from sackarmies_training.fitting import plain_table
from sackarmies_training.sack_armies.greedy_commands import greedy_app
from sackarmies_training.terminal import console

KINDS = ("unit", "battlefield", "spell", "maneuver")
HOMELANDS = (*filter(None, HOMELAND_NAMES), "none")
ROUND_ROBINS = Path("runs/round_robin")
WRONG = 1  # exit code of a check that found something

army_app = typer.Typer(cls=PlainGroup, no_args_is_help=True, help="List armies, check them, measure their strength.")
complete_army = completes(army_ids)

ArmyArgument = Annotated[
    str,
    typer.Argument(
        metavar="ARMY", help="A built-in army or a TOML file.", show_default=False, autocompletion=complete_army
    ),
]


def add_commands(app: typer.Typer) -> None:
    """Add the commands to the command line."""
    app.command(cls=PlainCommand, rich_help_panel=DATA)(catalogue)
    app.add_typer(army_app, name="army", rich_help_panel=DATA)
    app.command(cls=PlainCommand, rich_help_panel=DATA)(fit_evaluation)
    app.add_typer(greedy_app, name="greedy", rich_help_panel=DATA)


def abilities() -> list[str]:
    """Return the abilities that tokens of the catalogue have, sorted."""
    return sorted({kind for token in load_catalogue().values() for kind in ability_kinds(token)})


def ability_kinds(token: AnyToken) -> set[str]:
    """Return the abilities printed on a token."""
    return {one.kind for one in token.abilities} if isinstance(token, Unit) else set()


def catalogue(
    kind: Annotated[
        str | None,
        typer.Option(
            metavar="KIND",
            help=f"One of {', '.join(KINDS)}.",
            show_default=False,
            autocompletion=completes(lambda: KINDS),
        ),
    ] = None,
    homeland: Annotated[
        str | None,
        typer.Option(
            metavar="HOMELAND",
            help=f"One of {', '.join(HOMELANDS)}.",
            show_default=False,
            autocompletion=completes(lambda: HOMELANDS),
        ),
    ] = None,
    rank: Annotated[int | None, typer.Option(metavar="N", help="Tokens of this rank.", show_default=False)] = None,
    ability: Annotated[
        str | None,
        typer.Option(
            metavar="ABILITY",
            help="Units with this ability, such as flying.",
            show_default=False,
            autocompletion=completes(abilities),
        ),
    ] = None,
    text: Annotated[
        str | None,
        typer.Option(metavar="TEXT", help="Words in name, id, keywords or effect text.", show_default=False),
    ] = None,
) -> None:
    """List the tokens of the catalogue, all or those that match."""
    _require("kind", kind, KINDS)
    _require("homeland", homeland, HOMELANDS)
    _require("ability", ability, abilities())
    tokens = [
        token
        for token in load_catalogue().values()
        if (kind is None or token.kind == kind)
        and (homeland is None or (isinstance(token, Unit) and token.homeland == homeland.replace("none", "")))
        and (rank is None or token.rank == rank)
        and (ability is None or ability in ability_kinds(token))
        and (text is None or text.lower() in searchable(token))
    ]
    if not tokens:
        console.print(f"None of the {len(load_catalogue())} tokens in the catalogue match.", highlight=False)
        return
    console.print(token_table(tokens))
    console.print(f"{len(tokens)} of {len(load_catalogue())} tokens", highlight=False)


def searchable(token: AnyToken) -> str:
    """Return the text in which a search looks for words."""
    keywords = token.keywords if isinstance(token, Unit) else ()
    return " ".join([token.name, token.id, *keywords, effect_text(token)]).lower()


def token_table(tokens: Iterable[AnyToken], copies: Mapping[str, int] | None = None) -> RenderableType:
    """Return tokens for the terminal, with numbers of copies by id if given."""
    table = plain_table()
    if copies is not None:
        table.add_column("", justify="right", no_wrap=True)
    table.add_column("token", no_wrap=True)
    table.add_column("rank", justify="right", no_wrap=True)
    table.add_column("kind", ratio=2)
    table.add_column("text", ratio=3)
    for token in tokens:
        number = [] if copies is None else [str(copies[token.id])]
        table.add_row(*number, Text(token.name), str(token.rank), kind_text(token), Text(effect_text(token)))
    return Group(table, "M movement, D damage, A armor; band: the attachments it takes.")


def kind_text(token: AnyToken) -> str:
    """Return the kind of a token; for a unit, its stats too."""
    if not isinstance(token, Unit):
        return token.kind
    stats = f"M{token.movement} D{token.damage} A{token.armor} {token.type}, {token.band} band"
    return f"{stats}, {HOMELAND_NAMES[token.homeland]}" if token.homeland else stats


def _require(option: str, value: str | None, allowed: Iterable[str]) -> None:
    known = list(allowed)
    if value is not None and value not in known:
        raise ValueError(f'--{option} "{value}" is not allowed{suggestion(value, known)}; allowed are {join(known)}')


# --- armies


@army_app.command("list", cls=PlainCommand)
def army_list() -> None:
    """List the built-in armies."""
    table = plain_table()
    table.add_column("army", no_wrap=True)
    table.add_column("tokens", justify="right", no_wrap=True)
    table.add_column("ranks", justify="right", no_wrap=True)
    table.add_column("description", ratio=1)
    for army_id, army in built_in_armies().items():
        about = Text(f"{army.name}: {army.description}")
        table.add_row(army_id, str(army.size), str(army.ranks(load_catalogue())), about)
    console.print(table, highlight=False)


@army_app.command("show", cls=PlainCommand)
def army_show(army: ArmyArgument) -> None:
    """Show the tokens of an army."""
    chosen = resolve_army(army)
    tokens = by_id([*load_catalogue().values(), *chosen.inline])
    unknown = [token_id for token_id in chosen.counts if token_id not in tokens]
    if unknown:
        raise ValueError(f"{army}: unknown tokens {join(unknown)}; `sackarmies army check {army}` says more")
    console.print(token_table((tokens[token_id] for token_id in chosen.counts), chosen.counts))
    console.print(f"{chosen.size} tokens, {chosen.ranks(tokens)} ranks. {chosen.description}")


@army_app.command("check", cls=PlainCommand)
def army_check(army: ArmyArgument) -> None:
    """Check an army and list what is wrong with it; exit code 1 if anything is."""
    chosen = resolve_army(army)
    problems = check_army(chosen)
    for problem in problems:
        console.print(f"{army}: {problem}", markup=False, soft_wrap=True)
    if problems:
        raise typer.Exit(WRONG)
    tokens = by_id([*load_catalogue().values(), *chosen.inline])
    console.print(f"{army} is legal: {chosen.name}, {chosen.size} tokens, {chosen.ranks(tokens)} ranks.")


@army_app.command("round-robin", cls=PlainCommand)
def army_round_robin(
    armies: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="ARMY",
            help="Built-in armies or TOML files; all built-in ones by default.",
            show_default=False,
            autocompletion=complete_army,
        ),
    ] = None,
    agent: Annotated[
        str, typer.Option(metavar="AGENT", help="The agent on both sides.", autocompletion=complete_agent)
    ] = "greedy",
    seeds: Annotated[
        int, typer.Option(metavar="N", min=1, help="Seeds per pair of armies; each is played twice, seats swapped.")
    ] = 10,
    seed: ContestSeedOption = 1,
    workers: WorkersOption = 2,
    folder: Annotated[
        Path, typer.Option(metavar="FOLDER", help="Results of each round-robin go to a folder in this one.")
    ] = ROUND_ROBINS,
) -> None:
    """Play every army against every other, with the same agent on both sides. Interrupted round-robins resume."""
    from sackarmies_training.evaluate import Plan
    from sackarmies_training.locks import locked, removed_if_unused
    from sackarmies_training.sack_armies.army_round_robin import RoundRobin, pairings_table, round_robin_table
    from sackarmies_training.seeds import checked_seed

    chosen = armies or list(built_in_armies())
    if len(set(chosen)) < max(2, len(chosen)):
        raise ValueError(f"two or more different armies are needed, given: {join(chosen)}")
    parse_agent(agent)
    contest = RoundRobin.make(chosen, agent, Plan(seeds, checked_seed("--seed", seed), workers), folder)
    with locked(contest.folder), removed_if_unused(contest.folder):
        missing = contest.missing()
        total, left = (sum(contest.jobs[one].num_games for one in jobs) for jobs in (range(len(contest.jobs)), missing))
        print_resumed(contest.folder, total, left)
        with games_bar(left) as progress:
            contest.play(missing, progress)
        results = contest.results()
    console.print(pairings_table(results, console.width), highlight=False)
    console.print(round_robin_table(results, console.width), highlight=False)
    told = f"Agent on both sides: {agent}; {results.turns:.0f} turns per game on average."
    console.print(told, markup=False, highlight=False, soft_wrap=True)


def fit_evaluation(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="The weights go here.", show_default=False)],
    weights: Annotated[
        str,
        typer.Option(metavar="NAME", help="Weights of greedy, which plays all seats: the name of a set, or a file."),
    ] = "tuned",
    agent: Annotated[
        str,
        typer.Option(
            metavar="AGENT",
            help="Plays all seats of games of two Generals in place of greedy, such as trained.",
            show_default=False,
            autocompletion=complete_agent,
        ),
    ] = "",
    games: Annotated[int, typer.Option(metavar="N", min=480, help="Play at least this many games.")] = 48_000,
    seed: Annotated[int, typer.Option(metavar="SEED", min=0, help="Random seed.")] = 1,
    picture: Annotated[
        Path | None, typer.Option(metavar="SVG", help="Write a picture of predicted chances and actual results.")
    ] = None,
) -> None:
    """Fit the evaluation of search to complete games, and report how well it predicts results."""
    from sackarmies_training.sack_armies.fit_evaluation import (
        DUEL,
        Plan,
        calibration_error,
        collect,
        draw_reliability,
        fit,
        player_of,
        reliability_table,
        save,
    )
    from sackarmies_training.seeds import checked_seed

    check_writable("FILE", file)
    check_writable("--picture", picture)
    parse_agent(f"greedy:weights={weights}")
    if agent:
        player_of(agent, load_game("sack_armies", num_generals=DUEL))
    if picture is not None:
        import matplotlib.figure  # noqa: F401 # what is missing is told before the games, not after them
    plan = Plan(weights=weights, agent=agent, games=games, seed=checked_seed("--seed", seed))
    with games_bar(games) as progress:
        positions = collect(plan, progress)
    learned_weights, report = fit(positions, plan)
    save(learned_weights, file)
    if picture is not None:
        write_safely(picture, draw_reliability(report.reliability))
    tested, learned = report.positions
    told = (
        f"Log loss {report.log_loss:.4f} on {tested:,} positions of held-out games, learned from {learned:,}; "
        f"{report.base:.4f} without looking at the position. With two Generals {report.two[0]:.4f} and "
        f"{report.two[1]:.4f}; {report.unknown:.4f} where no type is known. "
        f"Calibration error of wins {calibration_error(report.reliability):.3f}. "
        f"The weights are in {file}."
    )
    console.print(reliability_table(report), highlight=False)
    console.print(told, markup=False, highlight=False, soft_wrap=True)
