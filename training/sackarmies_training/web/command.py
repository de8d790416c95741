"""`sackarmies play --web`: its options, what the dialogue offers, and the browser."""

from __future__ import annotations

import threading
import webbrowser
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from sackarmies_agents.factory import parse_agent
from sackarmies_agents.search.agent import LEVELS, Level
from sackarmies_agents.search.variants import TRAINED
from sackarmies_env.core.entries import find_hook
from sackarmies_training.commands.options import check_has_armies, check_writable
from sackarmies_training.table.seats import PERSON
from sackarmies_training.terminal import console
from sackarmies_training.web.protocol import MAX_SEED
from sackarmies_training.web.saves import Saves, default_folder, file_name
from sackarmies_training.web.session import UNFINISHED, Offer, Offers, Session

WebOption = Annotated[bool, typer.Option("--web", help="Play in the browser.")]
PortOption = Annotated[
    int, typer.Option("--port", metavar="N", min=0, max=65535, help="With --web: port; 0 for any.", show_default=False)
]
BrowserOption = Annotated[
    bool, typer.Option("--browser/--no-browser", help="With --web: open the page.", show_default=False)
]
SavesOption = Annotated[
    Path | None,
    typer.Option("--saves", metavar="FOLDER", help="With --web: where games are saved.", show_default=False),
]


def offered_agents(game_id: str, named: Sequence[str]) -> tuple[Offer, ...]:
    """Return the opponents to choose from: agents that come with a game, and those that the user has named."""
    offers = [Offer("random", "Random", "chooses any legal action")]
    if find_hook(game_id, "greedy") is not None:
        offers.insert(0, Offer("greedy", "Greedy", "follows simple rules, and answers at once"))
    if find_hook(game_id, "policy") is not None and find_hook(game_id, "evaluation") is not None:
        offers += [
            Offer(f"search:level={name}", f"Search, {name}", f"plays choices on, {_thinking(game_id, level)}")
            for name, level in LEVELS.items()
        ]
    if find_hook(game_id, "trained") is not None:
        offers.append(Offer("trained", "Trained", "a network that has learned by playing itself"))
    known = {offer.text for offer in offers}
    return (*offers, *(Offer(text, text) for text in dict.fromkeys(named) if text not in known))


def _thinking(game_id: str, level: Level) -> str:
    """Return in a few words how long a level thinks."""
    usual = f"{level.settings.playouts} times a decision"
    if level.learned is None or find_hook(game_id, TRAINED) is None:
        return usual
    return f"{usual}, or {level.learned.playouts} times as Trained would"


def offered_armies(game_id: str, named: Sequence[str]) -> tuple[Offer, ...]:
    """Return the armies to choose from: armies that come with a game, and those that the user has named.

    Raises:
        ValueError: some are named, but the game has no armies.
    """
    check_has_armies(game_id, named)
    built_in = list((find_hook(game_id, "choices") or {}).get("armies", list)())
    offers = [Offer(text, text.replace("_", " ").title()) for text in built_in]
    return (*offers, *(Offer(text, text) for text in dict.fromkeys(named) if text not in built_in))


def play_in_browser(  # noqa: PLR0913 - the options of a command
    game_id: str,
    opponents: Sequence[str],
    seat: int,
    armies: Sequence[str],
    *,
    seed: int | None,
    port: int,
    opens_browser: bool,
    saves: Path | None,
) -> None:
    """Serve a game to the browser until its page is closed, or a signal such as that of Ctrl-C ends it.

    Args:
        game_id: id of the game.
        opponents: agents that the dialogue proposes as opponents.
        seat: seat that it proposes for the person.
        armies: armies that it offers besides those of the game, and proposes.
        seed: seed that it proposes; None for one that nobody knows.
        port: 0 for any port.
        opens_browser: whether to open the page.
        saves: folder of saved games; None for the user's own.

    Raises:
        ValueError: an agent does not exist, armies are given for a game without any, the seed is too large for a page
            to write, or `saves` is no folder.
        ImportError: what the extra `web` installs is missing.
        OSError: `saves` cannot be written to, the port is taken, or the session has failed; what was played is saved.
    """
    from sackarmies_training.web.server import LocalServer, stopped_by_signals

    if seed is not None and seed > MAX_SEED:
        raise ValueError(f"--seed {seed} with --web is not allowed: seeds go up to {MAX_SEED} there")
    for text in opponents:
        parse_agent(text)
    check_writable("--saves", None if saves is None else saves / file_name(UNFINISHED))
    players = (*opponents[:seat], PERSON, *opponents[seat:])
    offers = Offers(
        game_id, offered_agents(game_id, opponents), offered_armies(game_id, armies), players, tuple(armies), seed
    )
    session = Session(offers, Saves(saves or default_folder()))
    server = LocalServer(session, port)
    console.print(f"The game is at {server.address}", highlight=False, soft_wrap=True)
    console.print("Ctrl-C ends it; so does closing the page, after a while.", highlight=False)
    if opens_browser:  # in a thread: some browsers return only once they are closed
        threading.Thread(target=webbrowser.open, args=(server.address,), daemon=True).start()
    with stopped_by_signals(server.stop):
        try:
            server.run()
        finally:
            session.keep()
