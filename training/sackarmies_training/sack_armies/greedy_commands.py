"""Commands for the weights of the greedy General: a search for better ones, and a comparison of two sets."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sackarmies_agents.scripted.sack_armies.weights import DEFAULT, load_weights, weight_sets
from sackarmies_training.commands.options import ContestSeedOption, completes
from sackarmies_training.commands.output import PlainCommand, PlainGroup, games_bar
from sackarmies_training.terminal import console

TUNING = Path("runs/greedy")

greedy_app = typer.Typer(cls=PlainGroup, no_args_is_help=True, help="Tune and compare weights of the greedy General.")

complete_weights = completes(weight_sets)
ThreadsOption = Annotated[int, typer.Option("--workers", metavar="N", min=1, help="Number of threads.")]


@greedy_app.command("tune", cls=PlainCommand)
def greedy_tune(
    start: Annotated[
        str,
        typer.Option(metavar="WEIGHTS", help="Where to begin: a set or a TOML file.", autocompletion=complete_weights),
    ] = "first",
    games: Annotated[int, typer.Option(metavar="N", min=1, help="Games to play in all.")] = 300_000,
    seed: ContestSeedOption = 1,
    workers: ThreadsOption = 1,
    folder: Annotated[Path, typer.Option(metavar="FOLDER", help="Where the state and the result go.")] = TUNING,
) -> None:
    """Search for better weights by playing; interrupted searches resume."""
    from sackarmies_env.core.atomic_write import remove_leftovers
    from sackarmies_training.locks import locked
    from sackarmies_training.sack_armies.greedy_tuning import GAMES, RESULT, Search, tune
    from sackarmies_training.seeds import checked_seed

    checked_seed("--seed", seed)
    weights = load_weights(start)
    with locked(folder):
        remove_leftovers(folder)
        search = Search.resumed(folder, weights, seed, games)
        with games_bar((search.steps - search.done) * GAMES) as progress:
            tune(search, folder, workers, progress)
    console.print(f"Weights of {search.done} steps: {folder / RESULT}", markup=False, highlight=False, soft_wrap=True)


@greedy_app.command("compare", cls=PlainCommand)
def greedy_compare(
    first: Annotated[
        str, typer.Argument(metavar="WEIGHTS", help="A set or a TOML file.", autocompletion=complete_weights)
    ] = DEFAULT,
    second: Annotated[
        str, typer.Argument(metavar="WEIGHTS", help="Those to compare with.", autocompletion=complete_weights)
    ] = "first",
    starts: Annotated[
        int, typer.Option(metavar="N", min=1, help="Starts per ordered pair of armies, each from both seatings.")
    ] = 10,
    several: Annotated[
        int, typer.Option(metavar="N", min=0, help="Starts with 3 and with 4 Generals, each from every seat.")
    ] = 50,
    seed: ContestSeedOption = 1,
    workers: ThreadsOption = 1,
) -> None:
    """Have two sets of weights play each other with every pair of armies, and one among others with more Generals."""
    from sackarmies_env.games.sack_armies.tokens.army import army_ids
    from sackarmies_training.sack_armies.greedy_comparison import compare_alone, compare_by_army, comparison_table
    from sackarmies_training.sack_armies.greedy_matches import Tables
    from sackarmies_training.seeds import checked_seed

    checked_seed("--seed", seed)
    one, other = load_weights(first), load_weights(second)
    tables = Tables(workers)
    total = 2 * starts * len(army_ids()) ** 2 + 2 * several * (3 + 4)
    with games_bar(total) as progress:
        lines = compare_by_army(one, other, starts, seed, tables, progress)
        for num_players in (3, 4) if several else ():
            lines += compare_alone((one, other), num_players, several, seed, tables, progress)
    console.print(comparison_table(lines, f"What {first} scores against {second}"), highlight=False)
