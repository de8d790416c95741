"""Commands about data: the catalogue, armies, scenarios, game records."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Annotated

import numpy as np
import typer
from rich.table import Table

from sackarmies_agents.factory import parse_agent
from sackarmies_env.core.notation import give_up, load_record
from sackarmies_env.core.notation import replay as replay_record
from sackarmies_env.core.words import listed, suggestion
from sackarmies_env.games.sack_armies.army import built_in_armies, check_army, resolve_army
from sackarmies_env.games.sack_armies.catalogue import by_id, load_catalogue
from sackarmies_env.games.sack_armies.narrate import narrate
from sackarmies_env.games.sack_armies.schema import AnyToken, Unit
from sackarmies_env.games.sack_armies.text import HOMELAND_NAMES, effect_text
from sackarmies_env.registry import game_of, load_game, load_scenario
from sackarmies_training.cli_errors import console, games_bar

KINDS = ("unit", "battlefield", "spell", "maneuver")
HOMELANDS = (*filter(None, HOMELAND_NAMES), "none")
WRONG = 1  # exit code of a check that found something

army_app = typer.Typer(no_args_is_help=True, help="List armies, check them, let them fight each other.")
scenario_app = typer.Typer(no_args_is_help=True, help="Check positions.")

ArmyArgument = Annotated[str, typer.Argument(help="A TOML file, or the name of a built-in army.", show_default=False)]


def catalogue(
    kind: Annotated[str | None, typer.Option(help=f"One of {', '.join(KINDS)}.")] = None,
    homeland: Annotated[str | None, typer.Option(help=f"One of {', '.join(HOMELANDS)}.")] = None,
    rank: Annotated[int | None, typer.Option(help="Tokens of this rank.")] = None,
    ability: Annotated[str | None, typer.Option(help="Units with this ability, such as flying.")] = None,
    text: Annotated[str | None, typer.Option(help="Words to be found in name, id, keywords or effect text.")] = None,
) -> None:
    """List the tokens of the catalogue, all of them or those that match."""
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
    console.print(token_table(tokens))
    console.print(f"{len(tokens)} of {len(load_catalogue())} tokens")


def abilities() -> list[str]:
    """Return the abilities that tokens of the catalogue have, sorted."""
    return sorted({kind for token in load_catalogue().values() for kind in ability_kinds(token)})


def ability_kinds(token: AnyToken) -> set[str]:
    """Return the abilities printed on a token."""
    return {one.kind for one in token.abilities} if isinstance(token, Unit) else set()


def searchable(token: AnyToken) -> str:
    """Return what a search for words looks at."""
    keywords = token.keywords if isinstance(token, Unit) else ()
    return " ".join([token.name, token.id, *keywords, effect_text(token)]).lower()


def token_table(tokens: Iterable[AnyToken], copies: Mapping[str, int] | None = None) -> Table:
    """Return tokens for the terminal, with numbers of copies by id if given."""
    table = Table(caption="M movement, D damage, A armor; band: the attachments it takes")
    if copies is not None:
        table.add_column("", justify="right")
    table.add_column("token", no_wrap=True)
    table.add_column("rank", justify="right")
    table.add_column("kind", ratio=2)
    table.add_column("text", ratio=3)
    for token in tokens:
        number = [] if copies is None else [str(copies[token.id])]
        table.add_row(*number, token.name, str(token.rank), kind_text(token), effect_text(token))
    return table


def kind_text(token: AnyToken) -> str:
    """Return what kind of token it is; of a unit its values, too."""
    if not isinstance(token, Unit):
        return token.kind
    stats = f"M{token.movement} D{token.damage} A{token.armor} {token.type}, {token.band} band"
    return f"{stats}, {HOMELAND_NAMES[token.homeland]}" if token.homeland else stats


def _require(option: str, value: str | None, allowed: Iterable[str]) -> None:
    known = list(allowed)
    if value is not None and value not in known:
        raise ValueError(f'--{option} "{value}" is not allowed{suggestion(value, known)}; allowed are {listed(known)}')


# --- armies


@army_app.command("list")
def army_list() -> None:
    """List the built-in armies."""
    table = Table()
    for title in ("army", "name", "tokens", "ranks", "what it is like"):
        table.add_column(title, justify="right" if title in ("tokens", "ranks") else "left")
    for army_id, army in built_in_armies().items():
        table.add_row(army_id, army.name, str(army.size), str(army.ranks(load_catalogue())), army.description)
    console.print(table)


@army_app.command("show")
def army_show(army: ArmyArgument) -> None:
    """Show the tokens of an army."""
    chosen = resolve_army(army)
    tokens = by_id([*load_catalogue().values(), *chosen.inline])
    unknown = [token_id for token_id in chosen.counts if token_id not in tokens]
    if unknown:
        raise ValueError(f"{army}: unknown tokens {listed(unknown)}; `sackarmies army check {army}` says more")
    console.print(token_table((tokens[token_id] for token_id in chosen.counts), chosen.counts))
    console.print(f"{chosen.size} tokens, {chosen.ranks(tokens)} ranks. {chosen.description}")


@army_app.command("check")
def army_check(army: ArmyArgument) -> None:
    """Check an army and say each thing that is wrong with it; exit code 1 if anything is."""
    chosen = resolve_army(army)
    problems = check_army(chosen)
    for problem in problems:
        console.print(f"{army}: {problem}", markup=False, soft_wrap=True)
    if problems:
        raise typer.Exit(WRONG)
    tokens = by_id([*load_catalogue().values(), *chosen.inline])
    console.print(f"{army} is legal: {chosen.name}, {chosen.size} tokens, {chosen.ranks(tokens)} ranks.")


@army_app.command("round-robin")
def army_round_robin(
    armies: Annotated[
        list[str] | None, typer.Argument(help="Armies by name or file; without any, all built-in ones.")
    ] = None,
    agent: Annotated[str, typer.Option(help="The General on both sides.")] = "greedy",
    seeds: Annotated[
        int, typer.Option(min=1, help="Seeds a pair of armies; each is played twice, seats swapped.")
    ] = 10,
    seed: Annotated[int, typer.Option(min=0, help="Of all randomness.")] = 1,
    workers: Annotated[int, typer.Option(min=1, help="Processes.")] = 2,
) -> None:
    """Let every army fight every other under the same General; print win rates with 95% intervals."""
    from sackarmies_training.army_round_robin import pairings_table, play_round_robin, round_robin_table
    from sackarmies_training.evaluate import Plan
    from sackarmies_training.seeds import checked_seed

    chosen = armies or list(built_in_armies())
    if len(set(chosen)) < max(2, len(chosen)):
        raise ValueError(f"two or more different armies are needed, given: {listed(chosen)}")
    parse_agent(agent)
    with games_bar(len(chosen) * (len(chosen) - 1) * seeds) as progress:
        results = play_round_robin(chosen, agent, Plan(seeds, checked_seed("--seed", seed), workers), progress)
    console.print(pairings_table(results))
    console.print(round_robin_table(results))
    console.print(f"General on both sides: {agent}; {results.turns:.0f} turns a game on average")


# --- scenarios and records


@scenario_app.command("check")
def scenario_check(
    scenario: Annotated[str, typer.Argument(help="A TOML file, or the name of a built-in one.")],
) -> None:
    """Check a position, and show it as the referee sees it."""
    from sackarmies_env import render

    game = load_game("sack_armies", scenario=load_scenario(scenario))
    states = game.new_states(1)
    game.reset(game.params, states, np.array([0], np.int64))
    print(render.ansi(game, states))
    console.print(f"{scenario} is a legal position.")


def replay(
    record: Annotated[Path, typer.Argument(help="A game record (JSON).", show_default=False)],
    check: Annotated[bool, typer.Option("--check", help="Only verify the record, to the byte, at every ply.")] = False,
) -> None:
    """Tell a recorded game move by move, or verify it."""
    loaded = load_record(record)
    game = game_of(loaded)
    if check:
        replay_record(game, loaded)
        console.print(f"{record} is intact: {len(loaded.actions)} decisions, {loaded.result.turns} turns.")
        return
    for line in narrate(game, loaded):
        console.print(line, markup=False, highlight=False)
    for forfeit in loaded.forfeits:
        player = give_up(loaded.actions[forfeit.ply])
        console.print(f"General {player} lost by forfeit: the agent {forfeit.reason}", markup=False, highlight=False)
