"""Model cards: what is known of a trained agent, as Markdown beside its checkpoint."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from torch import nn

from sackarmies_agents.learned.checkpoint import Header
from sackarmies_agents.learned.sizes import REASONS, WORTHS


def card_path(path: Path) -> Path:
    """Return the path of the model card of a checkpoint."""
    return path.with_suffix(".md")


def card_of_learner(header: Header, network: nn.Module, file: str) -> str:
    """Return the model card of an agent of the trainer `learn.py`, as Markdown.

    Args:
        header: header of its checkpoint.
        network: the network whose weights it holds.
        file: file name of the checkpoint.
    """
    training, learn = header.training, header.training["config"]["learn"]
    rounds = training["updates"] if training["config"].get("expert") else 0
    played = f"labeled by a search, in {rounds} rounds" if rounds else "in self-play, all seats counted"
    facts = {
        "Armies": _told_armies(learn["line_ups"], _game_of(header)),
        "Advice": _told_advice(header),
        "Start": _told_start(learn["start"], training["config"].get("teacher"), training.get("taught")),
        "Decisions": f"{training['decisions']:,} {played}",
        "Processes": f"{training['origin']['processes']}, device {learn['device']}, {learn['precision']}",
    }
    if rounds:
        weights, trained = "after the last round of", "by expert iteration, in games against itself"
    elif training["updates"]:
        weights, trained = "averaged over the last updates of", "against itself, in games"
    else:
        weights, trained = "after", "from labels alone, of games"
    verdict = f"{training['verdict']}\n\n" if training.get("verdict") else ""
    return f"""{_beginning(header, network, file, weights, facts)}

It was trained {trained} as named above: how well it plays others is not known.
{verdict}The curve of its training, if one was asked for, is `curve.csv` beside this file.
"""


def card_of_ppo(header: Header, network: nn.Module, file: str) -> str:
    """Return the model card of an agent trained by MaskablePPO, as Markdown; arguments as for `card_of_learner`."""
    training, config = header.training, header.training["config"]
    imitation, scripted = config["imitation"], config["selfplay"]["scripted"]
    opponents = [f"`{name}`" for name, weight in scripted.items() if weight]
    opponents += ["its past selves"] if config["selfplay"]["past"] else []
    facts = {
        "Armies": _told_armies(0, _game_of(header)),
        "Start": "random weights"
        + (f", then {imitation['decisions']:,} decisions of `{imitation['teacher']}` imitated" if imitation else ""),
        "Decisions": f"{training['decisions']:,} of its own",
        "Opponents": ", ".join(opponents),
        "Rewards": "the results of games" + (", with shaping" if config["shaping"] else ""),
        "Device": config["ppo"]["device"],
    }
    return f"""{_beginning(header, network, file, "after", facts)}

It was trained by MaskablePPO of sb3-contrib against the opponents named above: how well it plays others is not known.
"""


def _beginning(header: Header, network: nn.Module, file: str, weights: str, facts: Mapping[str, str]) -> str:
    """Return what all cards begin with: how the agent plays, and a table of facts.

    Args:
        header: header of the checkpoint.
        network: the network whose weights it holds.
        file: file name of the checkpoint.
        weights: when in training the weights are from.
        facts: rows of the table that only agents of this trainer have.
    """
    training = header.training
    rows = {
        "Game": ", ".join(f"{key} {value}" for key, value in _game_of(header).items()),
        "Players": header.game["num_players"],
        "Layout (SHA-256)": training["origin"]["layout_sha256"],
        "Parameters": f"{sum(tensor.numel() for tensor in network.state_dict().values()):,}",
        "Network": ", ".join(f"{key} {value}" for key, value in vars(header.network).items()),
        **facts,
        "Minutes": f"{training['minutes']:.1f}",
        "Versions": ", ".join(f"{key} {training['origin'][key]}" for key in ("sackarmies_env", "torch", "python")),
    }
    table = "\n".join(f"| {key} | {value} |" for key, value in rows.items())
    return f"""# A trained agent

`{file}` holds the weights of a policy, {weights} its training, and its configuration as JSON.
It plays as `ppo:path={file}`, drawing its actions from the policy, or with `deterministic=true` the likeliest one.

| | |
|---|---|
{table}"""


def _game_of(header: Header) -> dict[str, Any]:
    """Return section `[game]` of the training, without empty entries."""
    return {key: value for key, value in header.training["config"]["game"].items() if value}


def _told_advice(header: Header) -> str:
    if not header.advice:
        return "none"
    worths = ", and so is what each legal id is worth to it" if header.network.advice >= WORTHS else ""
    reasons = ", with the reasons" if header.network.advice >= REASONS else ""
    return f"the choice of `{header.advice}` is an input{worths}{reasons}"


def _told_start(start: str, teacher: dict[str, Any] | None, taught: int | None) -> str:
    """Describe the weights before self-play.

    Args:
        start: checkpoint or name that the network started from; "" for random weights.
        teacher: section `[teacher]`; None without one.
        taught: decisions of the teacher learned from; files are learned whole, so they may exceed those asked for.
    """
    if teacher is None:
        return start or "random weights"
    number = "" if taught is None else f"{taught:,} "
    labels = " and ".join(f"`{name}`" for name in teacher["files"]) or f"`{teacher['agent']}`"
    return f"{start or 'random weights'}, then {number}labels of {labels}"


def _told_armies(line_ups: int, game: dict[str, Any]) -> str:
    """Describe the armies of the games.

    Args:
        line_ups: number of line-ups that were drawn; 0: the game is as configured.
        game: section `[game]`, without empty entries.
    """
    if line_ups:
        return f"{line_ups} line-ups of all built-in ones"
    return "the tokens of the scenario" if "scenario" in game else "those of the game above"
