"""The contest: our modes beside other libraries, measured in the same run. `make bench` prepares their environment.

There are several rounds, each in a different order; in each round every contestant gets a fresh process. The table
shows medians over all windows of all rounds. Results go to benchmarks/results/bench.json, and from there to
docs/benchmarks.md.
"""

from __future__ import annotations

import argparse
import datetime
import json
import os
import random
import shlex
import statistics
import subprocess
import sys
import time
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import Console

from benchmarks.contest import load_now
from benchmarks.machine import describe_machine
from benchmarks.page import record
from benchmarks.report import bench_table, figures_table, wide_console
from sackarmies_env.core.atomic_write import write_safely

ROOT = Path(__file__).resolve().parents[1]
CONTESTANTS = Path(__file__).with_name("contestants.toml")
PARTIAL = ROOT / "runs" / "bench.json"  # results of some contestants only
PEERS = ROOT / ".venv-peers"
PEERS_PYTHON = PEERS / "bin" / "python"
OURS = "sackarmies"
PATIENCE = 300.0  # seconds per process; our first one may have to compile the rules
MAX_ERROR = 300  # characters kept of a contestant's last line of stderr


@dataclass(frozen=True)
class Contestant:
    """One entry of the contest.

    Attributes:
        family: id of the library.
        library: its title.
        module: module that defines the contestant.
        name: key in that module's CONTESTANTS.
        title: what it plays, or how.
    """

    family: str
    library: str
    module: str
    name: str
    title: str

    @property
    def key(self) -> str:
        """Return the name used in results and on the command line."""
        return f"{self.family}/{self.name}"


@dataclass(frozen=True)
class Plan:
    """How long and how often to measure.

    Attributes:
        rounds: processes per contestant.
        windows: timed stretches of play in each process.
        seconds: length of a stretch.
        budget: seconds after which no further process is started.
        seed: seed of the order and of play.
    """

    rounds: int
    windows: int
    seconds: float
    budget: float
    seed: int


def load_contestants(pattern: str = "") -> list[Contestant]:
    """Return the contestants whose key contains `pattern`, in the order of the file."""
    families = tomllib.loads(CONTESTANTS.read_text(encoding="utf-8"))["family"]
    everybody = [
        Contestant(family["id"], family["title"], family["module"], entry["name"], entry["title"])
        for family in families
        for entry in family["contestant"]
    ]
    return [contestant for contestant in everybody if pattern in contestant.key]


def shuffled_rounds(contestants: Sequence[Contestant], plan: Plan) -> list[tuple[int, Contestant]]:
    """Return `(round, contestant)` in order of play: each contestant once per round, each round in its own order."""
    shuffle = random.Random(plan.seed).shuffle
    order = []
    for number in range(plan.rounds):
        turn = list(contestants)
        shuffle(turn)
        order += [(number, contestant) for contestant in turn]
    return order


def run_process(contestant: Contestant, plan: Plan, number: int) -> dict[str, Any]:
    """Run a contestant in a new process and return its report, or `{"error": reason}`."""
    python = sys.executable if contestant.family == OURS else str(PEERS_PYTHON)
    command = [python, "-m", "benchmarks.contest", contestant.module, contestant.name]
    command += ["--seconds", str(plan.seconds), "--windows", str(plan.windows), "--seed", str(plan.seed + number)]
    environment = dict(os.environ) | {
        "PYTHONWARNINGS": "ignore",
        "PYGAME_HIDE_SUPPORT_PROMPT": "1",
        "JAX_PLATFORMS": "cpu",
        "JAX_COMPILATION_CACHE_DIR": str(PEERS / "compiled"),  # later rounds start sooner
        "JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS": "0",
    }
    try:
        ended = subprocess.run(
            command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=PATIENCE, check=False
        )
    except subprocess.TimeoutExpired:
        return {"error": f"took more than {PATIENCE:.0f} s"}
    if ended.returncode != 0:
        lines = ended.stderr.strip().splitlines() or [f"exit status {ended.returncode}"]
        return {"error": lines[-1][:MAX_ERROR]}
    report: dict[str, Any] = json.loads(ended.stdout.strip().splitlines()[-1])
    return report


def summarise(contestant: Contestant, reports: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Return the entry of a contestant in the results: its median rate, and everything that was measured."""
    entry: dict[str, Any] = {"family": contestant.family, "library": contestant.library, "title": contestant.title}
    windows = [window for report in reports for window in report.get("windows", [])]
    errors = [report["error"] for report in reports if "error" in report]
    if errors:
        entry["error"] = errors[0]
    if windows:
        rates = [window["decisions"] / window["wall"] for window in windows]
        loads = [load for window in windows for load in window["load"]]
        good = [report for report in reports if "windows" in report]
        entry |= {
            "rate": statistics.median(rates),
            "lowest": min(rates),
            "highest": max(rates),
            "cores": statistics.median(window["cpu"] / window["wall"] for window in windows),
            "by cpu": statistics.median(window["decisions"] / max(window["cpu"], 1e-9) for window in windows),
            "load": [min(loads), max(loads)],
            "details": good[-1]["details"],
            "versions": good[-1]["versions"],
            "windows": windows,
        }
    return entry


def hold_contest(contestants: Sequence[Contestant], plan: Plan, console: Console) -> dict[str, dict[str, Any]]:
    """Measure all contestants and return their entries by key; those left out by the budget say so."""
    reports: dict[str, list[dict[str, Any]]] = {contestant.key: [] for contestant in contestants}
    started = time.monotonic()
    for number, contestant in shuffled_rounds(contestants, plan):
        if time.monotonic() - started > plan.budget:
            console.print(f"budget of {plan.budget:.0f} s used up in round {number + 1}: measuring no further")
            break
        report = run_process(contestant, plan, number)
        reports[contestant.key].append(report)
        told = report.get("error") or "  ".join(
            f"{window['decisions'] / window['wall']:,.0f}/s" for window in report["windows"]
        )
        console.print(f"round {number + 1}  {contestant.key:28} {told}", highlight=False)
    for contestant in contestants:
        if not reports[contestant.key]:
            reports[contestant.key] = [{"error": "not measured: the budget was used up"}]
    return {contestant.key: summarise(contestant, reports[contestant.key]) for contestant in contestants}


def measure_figures(console: Console) -> dict[str, float]:
    """Return the figures that are not rates."""
    console.print("figures beside the rates; the first-ever compile takes about a minute ...")
    command = [sys.executable, "-m", "benchmarks.figures"]
    ended = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if ended.returncode != 0:
        raise SystemExit(f"benchmarks.figures failed: {ended.stderr.strip()}")
    figures: dict[str, float] = json.loads(ended.stdout.strip().splitlines()[-1])
    return figures


def parse_arguments() -> argparse.Namespace:
    """Return the command-line options."""
    parser = argparse.ArgumentParser(description="Measure our modes beside other libraries.")
    parser.add_argument("--only", default="", help="contestants whose key contains this, for example openspiel/")
    parser.add_argument("--rounds", type=int, default=3, help="processes of each contestant")
    parser.add_argument("--windows", type=int, default=3, help="timed windows in each process")
    parser.add_argument("--seconds", type=float, default=1.0, help="length of a window")
    parser.add_argument("--budget", type=float, default=440.0, help="seconds after which no process is started")
    parser.add_argument("--seed", type=int, default=0, help="seed of the order of contestants and of play")
    parser.add_argument("--output", type=Path, default=None, help="JSON file to write instead of the page's")
    return parser.parse_args()


def main() -> int:
    """Measure, print, and write results and page."""
    arguments = parse_arguments()
    console = wide_console()
    plan = Plan(arguments.rounds, arguments.windows, arguments.seconds, arguments.budget, arguments.seed)
    contestants = load_contestants(arguments.only)
    if not contestants:
        raise SystemExit(f"--only {arguments.only!r} matches no contestant: see {CONTESTANTS.name}")
    if not PEERS_PYTHON.exists() and any(contestant.family != OURS for contestant in contestants):
        raise SystemExit(f"there is no {PEERS_PYTHON.relative_to(ROOT)}: run `make bench`, or use `--only {OURS}/`")
    started, load = time.monotonic(), load_now()
    result: dict[str, Any] = {
        "command": shlex.join(["python", "-m", "benchmarks.bench", *sys.argv[1:]]),
        "date": datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%d %H:%M UTC"),
        "machine": describe_machine(),
        "plan": vars(plan),
        "contestants": hold_contest(contestants, plan, console),
        "figures": {} if arguments.only else measure_figures(console),
    }
    result |= {"seconds": time.monotonic() - started, "load": [load, load_now()]}
    console.print(bench_table(result))
    if result["figures"]:
        console.print(figures_table(result))
    path = arguments.output or (PARTIAL if arguments.only else None)
    if path is None:
        record("bench", result)
        console.print("wrote benchmarks/results/bench.json and docs/benchmarks.md")
    else:
        write_safely(path, (json.dumps(result, indent=1) + "\n").encode())
        console.print(f"wrote {path}")
    return any("error" in entry for entry in result["contestants"].values())


if __name__ == "__main__":
    sys.exit(main())
