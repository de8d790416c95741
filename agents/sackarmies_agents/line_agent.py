"""Agents in any language: programs that read lines of JSON from stdin and write lines of JSON to stdout.

The messages are documented in docs/line_protocol.md. Everything that is sent comes from `GameInfo`, from information
sets, which hold nothing hidden from the seat, and from the time that the program itself has used.
"""

from __future__ import annotations

import copy
import errno
import json
import shlex
import sys
import weakref
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from sackarmies_agents.agent import GameInfo, InformedAgent
from sackarmies_agents.child import protect_memory
from sackarmies_agents.conduct import Gone, HostError, Misconduct, Status
from sackarmies_agents.limits import ALONE, Isolation, until
from sackarmies_agents.line_pipe import LONGEST, LinePipe, TooLongLine
from sackarmies_agents.line_words import DecisionWords
from sackarmies_agents.separate import Ended, SeparateAgent, ending_of, not_started
from sackarmies_env.core.arguments import MAX_INTEGER, MIN_INTEGER, integer
from sackarmies_env.core.information import InformationSets
from sackarmies_env.core.messages import short_repr

LINE = "line"  # name of this kind of agent
PROTOCOL = 1
USUAL = Isolation(time_limit=60.0)  # if no limits are set: a program that hangs must not hang its game
PARTS = ("words", "observation")  # parts of a decision that a program may decline
# Errors of starting a program that its command, folder or log cause; all others are the machine's, such as EMFILE.
OF_THE_AGENT = {
    errno.E2BIG,
    errno.EACCES,
    errno.EISDIR,
    errno.ELOOP,
    errno.ENAMETOOLONG,
    errno.ENOENT,
    errno.ENOEXEC,
    errno.ENOTDIR,
    errno.ENXIO,
    errno.EPERM,
    errno.EROFS,
}


def make_line(info: GameInfo, options: Mapping[str, str], isolation: Isolation = USUAL) -> LineAgent:
    """Start a program that plays.

    Args:
        info: the game that it will play.
        options: `command`, `folder`, `log`, see `factory.KINDS`.
        isolation: limits.

    Raises:
        ValueError: the program cannot be started, or does not answer as it must; the log cannot be written; or this
            system does not support such programs.
        HostError: the machine cannot start another process.
    """
    command, log = options["command"], options.get("log")
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise ValueError(f"command={command}: {error}; it is split into words as in a shell") from None
    try:
        return LineAgent(info, words, isolation, folder=options.get("folder", "."), log=log)
    except HostError:
        raise
    except OSError as error:
        name = "command" if log is None or error.filename != str(Path(log)) else "log"
        raise ValueError(f"option {name}={short_repr(options[name])}: {error.strerror}") from None


class LineAgent(SeparateAgent, InformedAgent):
    """A program that plays over stdin and stdout."""

    def __init__(
        self, info: GameInfo, words: list[str], isolation: Isolation, *, folder: str = ".", log: str | None = None
    ) -> None:
        """Start the program and greet it.

        Args:
            info: the game that it will play.
            words: the program and its arguments.
            isolation: limits; the memory limit includes what an empty process takes.
            folder: its working directory.
            log: file to which its stderr is appended.

        Raises:
            ValueError: it cannot be started, or does not answer as it must; or this system does not support it.
            OSError: the log cannot be written, or the system does not start the program.
            HostError: the machine cannot start another process.
        """
        if sys.platform == "win32" or (isolation.memory_limit is not None and sys.platform != "linux"):
            raise ValueError("programs that play need Unix, and memory limits need Linux")
        super().__init__(isolation)
        self._info = info
        self._command = words
        self._place = (folder, isolation.memory_limit, log)
        self._pipe: LinePipe | None = None
        self._seed: int | None = None  # of the game that the program was last told of
        self._start()

    @property
    def pid(self) -> int | None:
        """The process id; None if the process is gone."""
        return None if self._pipe is None else self._pipe.pid

    def reset(self, seed: int) -> None:
        """Announce a new game; if the program is gone, start it again first.

        Raises:
            ValueError: the seed is not an integer from 0 to 2**63 - 1.
        """
        seed = integer("seed", seed, 0)
        if self._pipe is None:
            self._start()
        self._begin_game()
        self._announce(seed)

    def act_informed(self, information: InformationSets) -> NDArray[np.int64]:
        """Ask the program for a choice in each of `n` games."""
        rows = range(len(information))
        return np.array([self._choice(information.select([row])) for row in rows], np.int64)

    def close(self) -> None:
        """Give the program a moment to exit by itself, then end it and its process group."""
        pipe, self._pipe = self._pipe, None
        if pipe is not None:
            self._ends()

    def __deepcopy__(self, memo: dict[int, Any]) -> LineAgent:
        """Start another process of the program and announce the same game to it.

        It knows nothing of earlier decisions: what a process remembers cannot be copied.
        """
        folder, _, log = self._place
        twin = memo[id(self)] = LineAgent(self._info, self._command, self._isolation, folder=folder, log=log)
        twin.accounts = copy.deepcopy(self.accounts, memo)
        if self._seed is not None:
            twin._announce(self._seed)
            twin._number = self._number
        return twin

    def __reduce__(self) -> NoReturn:
        """Refuse to be pickled.

        Raises:
            TypeError: always.
        """
        raise TypeError("a program that plays cannot be pickled: copy.deepcopy starts another process of it")

    def _kill(self) -> None:
        """Kill the program and its process group."""
        pipe, self._pipe = self._pipe, None
        if pipe is not None:
            self._ends.detach()
            pipe.kill()

    def _gone(self, reason: str, status: Status = Status.ERROR) -> Gone:
        self._kill()  # after a fault, it gets no time to exit by itself
        return super()._gone(reason, status)

    def _ending(self) -> str:
        """Describe how the program ended."""
        assert self._pipe is not None
        return ending_of(self._pipe.exit_code())

    # --- messages

    def _start(self) -> None:
        protect_memory()  # the program runs as the same user
        try:
            self._pipe = LinePipe(self._command, *self._place)
        except OSError as error:
            if error.errno not in OF_THE_AGENT:
                raise not_started(error) from None
            raise
        self._ends = weakref.finalize(self, self._pipe.close)
        self._is_fresh = True
        try:
            with self._end_described():
                ready = self._ask(hello(self._info), *self._allowed())
            if ready.get("type") != "ready":
                raise self._gone('did not answer "hello" with {"type": "ready"}', Status.INVALID)
            self._parts = {part for part in PARTS if wants(ready, part)}
        except Misconduct as fault:
            self._kill()
            raise ValueError(f"the program {shlex.join(self._command)} cannot play: it {fault}") from None
        self._watch_process()

    def _announce(self, seed: int) -> None:
        """Announce a new game to the program."""
        self._seed = seed
        self._words: DecisionWords | None = None
        self._number = 0  # of the decision in this game
        seconds, fault = self._allowed()
        with self._end_described():
            self._send({"type": "new_game", "seed": seed}, until(seconds), fault)

    def _choice(self, information: InformationSets) -> int:
        """Return the program's choice for one information set."""
        self._number += 1
        decision = ALONE if self._decisions is None else self._decisions[0]
        clock = self.accounts.clock(decision)
        message = self._question(information) | ({"time": clock} if clock else {})
        with self._timed(1) as (seconds, fault):
            answer = self._ask(message, seconds, fault)
        action, number = answer.get("action"), answer.get("decision", self._number)
        if type(action) is not int or not MIN_INTEGER <= action <= MAX_INTEGER:
            told = f'answered {short_repr(answer)}, but must give an integer "action"'
            raise Misconduct(told, Status.INVALID)
        if number != self._number:
            told = f"answered decision {short_repr(number)} when it was asked for decision {self._number}"
            raise self._gone(told, Status.INVALID)
        return action

    def _question(self, information: InformationSets) -> dict[str, Any]:
        """Return the message that asks for a decision."""
        legal = np.flatnonzero(information.action_masks()[0]).tolist()
        message = {"type": "choose", "decision": self._number, "seat": information.player, "legal": legal}
        if "words" in self._parts:
            if self._words is None:
                self._words = DecisionWords(information.game)
                message["rules"] = self._words.rules()
            message |= self._words.decision(information, legal)
        if "observation" in self._parts:
            message["observation"] = information.observations()[0].tolist()
        return message

    def _ask(self, message: dict[str, Any], seconds: float | None, fault: str) -> dict[str, Any]:
        """Send a message and return the answer.

        Raises:
            Gone: there is none in time, or it is no JSON object: later lines cannot be trusted either.
            Ended: the program has closed its stdin or stdout.
        """
        deadline = until(seconds)
        self._send(message, deadline, fault)
        assert self._pipe is not None
        try:
            line = self._pipe.receive(deadline)
        except TimeoutError:
            raise self._gone(fault, Status.TIMEOUT) from None
        except TooLongLine:
            raise self._gone(f"wrote a line of more than {LONGEST} bytes", Status.INVALID) from None
        except EOFError:
            raise Ended from None
        try:
            answer = json.loads(line)
        except (ValueError, RecursionError):
            answer = None
        if not isinstance(answer, dict):
            told = short_repr(line.decode(errors="replace"))
            raise self._gone(f"wrote the line {told}, which is not a JSON object", Status.INVALID)
        return answer

    def _send(self, message: dict[str, Any], deadline: float | None, fault: str) -> None:
        """Send a message without waiting for an answer.

        Raises:
            Gone: the program does not read it in time.
            Ended: it has closed its stdin.
        """
        if self._pipe is None:
            raise Gone("is gone")
        try:
            self._pipe.send(json.dumps(message, separators=(",", ":")).encode() + b"\n", deadline)
        except TimeoutError:
            raise self._gone(fault, Status.TIMEOUT) from None
        except OSError:
            raise Ended from None


def hello(info: GameInfo) -> dict[str, Any]:
    """Return the first message: the game, its sizes, and the layout of an observation."""
    blocks = [
        {
            "name": block.name,
            "rows": block.rows,
            "features": [
                {"name": one.name, "low": one.low, "high": one.high, "categorical": one.categorical}
                for one in block.features
            ],
        }
        for block in info.observation_spec.blocks
    ]
    game = {"id": info.game_id, "num_players": info.num_players, "num_actions": info.num_actions}
    return {
        "type": "hello",
        "protocol": PROTOCOL,
        "game": game,
        "observation": {"size": info.observation_spec.size, "blocks": blocks},
    }


def wants(ready: Mapping[str, Any], part: str) -> bool:
    """Return whether a program wants a part of each decision; it does unless it says false.

    Raises:
        Misconduct: it says neither true nor false.
    """
    wanted = ready.get(part, True)
    if not isinstance(wanted, bool):
        raise Misconduct(f"answered {part}: {short_repr(wanted)}, but must give true or false", Status.INVALID)
    return wanted
