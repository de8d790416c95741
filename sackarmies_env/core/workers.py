"""Worker threads that share work with the calling thread; kernels release the interpreter lock while they run.

They are Python threads, not a parallel build of the kernels: that would compile all rules again, and its threads
busy-wait, which is ten times slower than one thread as soon as another program wants a core.
"""

from __future__ import annotations

import os
import threading
import weakref
from collections.abc import Callable


def free_cores() -> int:
    """Return how many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class Workers:
    """Threads beside the calling one. They start with the first work and end with this object.

    Args:
        num_threads: number of threads, the calling one included.
    """

    def __init__(self, num_threads: int) -> None:
        self.num_threads = num_threads
        self._crew: _Crew | None = None

    def share(self, work: Callable[[int], None], num_pieces: int) -> None:
        """Call `work` with each number below `num_pieces`, in any order; return when all is done.

        Raises:
            Exception: the first one that `work` raised, in whichever thread; the other pieces are done all the same.
        """
        crew = self._crew
        if crew is None or crew.process != os.getpid():  # after a fork, only the calling thread exists
            crew = self._crew = _Crew(self.num_threads - 1)
            weakref.finalize(self, crew.dismiss)
        crew.share(_Job(work, num_pieces))


class _Job:
    """Numbered pieces of work, given to whichever thread asks next."""

    def __init__(self, work: Callable[[int], None], num_pieces: int) -> None:
        self._work = work
        self._pieces = iter(range(num_pieces))  # each step of it is atomic: the interpreter's lock is held
        self.errors: list[BaseException] = []

    def take(self) -> None:
        """Do pieces until none is left."""
        for piece in self._pieces:
            try:
                self._work(piece)
            except BaseException as error:
                self.errors.append(error)


class _Crew:
    """The threads, which have no reference to the object that owns them, since that would keep it alive."""

    def __init__(self, size: int) -> None:
        self.process = os.getpid()
        self.job: _Job | None = None
        self._gates = [_closed() for _ in range(size)]  # open: there is a job, or the end
        self._ends = [_closed() for _ in range(size)]  # open: the thread has done its part
        for number in range(size):
            threading.Thread(target=self._serve, args=(number,), name=f"batch-{number + 1}", daemon=True).start()

    def _serve(self, number: int) -> None:
        while True:
            self._gates[number].acquire()
            job = self.job
            if job is None:
                return
            job.take()
            del job
            self._ends[number].release()

    def share(self, job: _Job) -> None:
        """Do a job with all threads."""
        self.job = job
        for gate in self._gates:
            gate.release()
        try:
            job.take()
        finally:  # even after an interrupt, the caller must wait while others still write
            for end in self._ends:
                _acquire(end, job)
            self.job = None
        if job.errors:
            raise job.errors[0]

    def dismiss(self) -> None:
        """End the threads."""
        self.job = None
        for gate in self._gates:
            gate.release()


def _closed() -> threading.Lock:
    lock = threading.Lock()
    lock.acquire()
    return lock


def _acquire(lock: threading.Lock, job: _Job) -> None:
    """Acquire a lock even if interrupted: an interrupt from the keyboard counts as an error of the job."""
    while True:
        try:
            lock.acquire()
            return
        except KeyboardInterrupt as interrupt:
            job.errors.append(interrupt)
