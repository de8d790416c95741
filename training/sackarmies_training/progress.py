"""Progress of training: a clock, a progress bar in the terminal, and a soft stop."""

from __future__ import annotations

import contextlib
import signal
import threading
import time
from collections.abc import Iterator
from types import FrameType

from rich.console import Console, RenderableType
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from rich.text import Text


class Clock:
    """Progress of a run: by decisions or, with a time limit, by time, whichever is further along."""

    def __init__(self, decisions: int, max_minutes: float | None) -> None:
        self._decisions = decisions
        self._max_minutes = max_minutes
        self._before = 0.0  # minutes of earlier sessions
        self._began = time.monotonic()
        self.done = 0  # decisions made

    def start(self, minutes_before: float) -> None:
        """Start a session."""
        self._before = minutes_before
        self._began = time.monotonic()

    @property
    def minutes(self) -> float:
        """Minutes trained, over all sessions."""
        return self._before + (time.monotonic() - self._began) / 60

    @property
    def fraction(self) -> float:
        """0 at the start, 1 at the end."""
        by_time = self.minutes / self._max_minutes if self._max_minutes else 0.0
        return min(1.0, max(self.done / self._decisions, by_time))


class TrainingProgress(Progress):
    """A bar with the time left, and below it a sentence, which may take several lines; hidden without a terminal."""

    def __init__(self, console: Console) -> None:
        self._sentence = ""
        super().__init__(
            TextColumn("training"),
            BarColumn(bar_width=None),
            TextColumn("{task.percentage:3.0f}%"),
            TimeElapsedColumn(),
            TextColumn("left:"),
            TimeRemainingColumn(elapsed_when_finished=False),
            console=console,
            expand=True,
            disable=not console.is_terminal,
        )
        self._task = self.add_task("", total=1.0)

    def show(self, fraction: float, sentence: str) -> None:
        """Show the progress of training, and a sentence."""
        self._sentence = sentence
        self.update(self._task, completed=fraction)

    def get_renderables(self) -> Iterator[RenderableType]:
        """Yield the bar and the sentence."""
        yield from super().get_renderables()
        yield Text(self._sentence)


class SoftStop:
    """Makes Ctrl-C and SIGTERM end training after the current round; a second one ends it at once.

    Attributes:
        asked: whether training was asked to end.
    """

    def __init__(self) -> None:
        self.asked = False

    @contextlib.contextmanager
    def listening(self) -> Iterator[None]:
        """Handle these signals while the block runs."""
        if threading.current_thread() is not threading.main_thread():  # only there can handlers be set
            yield
            return
        before = {number: signal.signal(number, self._stop) for number in (signal.SIGINT, signal.SIGTERM)}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

    def _stop(self, number: int, frame: FrameType | None) -> None:
        if self.asked:
            raise KeyboardInterrupt
        self.asked = True
