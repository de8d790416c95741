"""Where jobs run: in processes of this machine, or on a Ray cluster of any number of machines.

The result of a job depends only on its arguments (configuration, seeds, weights), and a job writes no files. So it does
not matter where a job runs, and one whose worker is lost is run again.
"""

from __future__ import annotations

import functools
import logging
import os
import socket
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any, ParamSpec, Protocol, TypeVar

from sackarmies_env.core.cache_folder import source_digest
from sackarmies_env.core.messages import missing_extra, short_repr
from sackarmies_training.config import Place
from sackarmies_training.identity import code_digest
from sackarmies_training.matches import PLAYER_DIED, worker_pool

P = ParamSpec("P")
R = TypeVar("R")

PATIENCE = 10.0  # seconds to wait for an answer at the address of a cluster
TRIES = 6  # attempts at a job whose worker is lost each time; the job itself may be what ends it


class Pool(Protocol):
    """Anything that runs jobs, such as an executor of `concurrent.futures`."""

    def submit(self, job: Callable[P, R], /, *args: P.args, **kwargs: P.kwargs) -> Future[R]:
        """Schedule a job; the future gets its result or error."""
        ...


class RayPool:
    """Runs jobs as tasks of Ray, which notices lost workers and machines and submits their jobs again."""

    def __init__(self, died: str) -> None:
        """Use the cluster that this process is connected to; `died` is the error if a job is lost in all attempts."""
        import ray

        self._died = died
        self._digest = installed_digest()
        self._task: Any = ray.remote(max_retries=TRIES - 1)(_run)
        self._lost = (ray.exceptions.WorkerCrashedError, ray.exceptions.NodeDiedError, ray.exceptions.OutOfMemoryError)

    def submit(self, job: Callable[P, R], /, *args: P.args, **kwargs: P.kwargs) -> Future[R]:
        """Run a job on some machine of the cluster.

        Raises:
            ValueError: through the future: the job failed, its worker was lost in all attempts, or the machine has
                other code.
        """
        result: Future[R] = Future()
        reference = self._task.remote(self._digest, job, args, kwargs)
        reference.future().add_done_callback(lambda done: self._settle(result, done))
        return result

    def _settle(self, result: Future[R], done: Future[Any]) -> None:
        """Pass on the result or error of a task."""
        lost = done.exception()
        if isinstance(lost, self._lost):
            result.set_exception(ValueError(self._died))
        elif lost is not None:
            result.set_exception(lost)
        else:
            value, error = done.result()
            if error is None:
                result.set_result(value)
            else:
                result.set_exception(error)


@functools.cache
def installed_digest() -> str:
    """Return a digest of the code that job results depend on, as this process found it."""
    return f"{code_digest()} {source_digest([Path(__file__).parent])}"


def _run(digest: str, job: Callable[..., R], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Run a job on a machine of the cluster; return its result and None, or None and its error as raised."""
    if installed_digest() != digest:
        told = "runs other sackarmies-env code than the machine that submits jobs: install the same code"
        return None, ValueError(f"a machine of the cluster ({os.uname().nodename}) {told}")
    try:
        return job(*args, **kwargs), None
    except (ValueError, OSError) as error:  # Ray would wrap them, and put a traceback into their text
        return None, error


@contextmanager
def ray_pool(died: str = PLAYER_DIED) -> Iterator[RayPool]:
    """Yield a pool on the cluster at `RAY_ADDRESS`, or on one started on this machine for the block.

    Args:
        died: error message if the workers of a job are lost in all attempts.

    Raises:
        ValueError: Ray is not installed, or no cluster answers at the address.
    """
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    try:
        import ray
    except ImportError as error:
        raise ValueError(missing_extra(error, "--on ray")) from None
    check_address(os.environ.get("RAY_ADDRESS", ""))
    try:
        ray.init(include_dashboard=False, log_to_driver=False, logging_level=logging.ERROR, configure_logging=False)
    except (ConnectionError, RuntimeError) as error:
        raise ValueError(f"Ray cannot be used: {str(error).partition(chr(10))[0]}") from None
    try:
        yield RayPool(died)
    finally:
        ray.shutdown()


def check_address(address: str) -> None:
    """Refuse the address of a cluster if nothing answers there; Ray itself would try for minutes.

    Raises:
        ValueError: nothing answers.
    """
    host, colon, port = address.rpartition("://")[2].rpartition(":")
    if not (colon and port.isdecimal()):
        return  # a word such as `auto` or `local`: Ray knows what it means
    try:
        socket.create_connection((host, int(port)), PATIENCE).close()
    except OSError as error:
        raise ValueError(f"no Ray cluster answers at RAY_ADDRESS={short_repr(address)}: {error}") from None


def is_one_of_several() -> bool:
    """Return whether torchrun started this process along with others."""
    return "RANK" in os.environ and int(os.environ.get("WORLD_SIZE") or 1) > 1


def job_pool(on: Place, workers: int, died: str = PLAYER_DIED) -> AbstractContextManager[Pool]:
    """Return a pool as a context manager.

    Args:
        on: this machine or a cluster.
        workers: number of processes on this machine; a cluster has as many as it has cores.
        died: error message if a worker dies; on a cluster, if that happens in all attempts at a job.

    Raises:
        ValueError: on entering or inside the block: there is no cluster, or a worker died.
    """
    return ray_pool(died) if on is Place.RAY else worker_pool(workers, died)
