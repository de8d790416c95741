"""Training in several processes: starting them on this machine, and what happens when one of them is gone."""

from __future__ import annotations

import contextlib
import logging
import os
import sys
import uuid
from collections.abc import Iterator, Sequence

from sackarmies_training.config import LearnConfig, TrainConfig
from sackarmies_training.jobs import is_one_of_several

PATIENCE = 300  # seconds that processes have to save what they learn after Ctrl-C; torchrun gives them 30
CALL = "from sackarmies_training.cli import app; app()"


def check_several(processes: int, settings: LearnConfig | TrainConfig) -> None:
    """Refuse several processes where only one can train.

    Raises:
        ValueError: MaskablePPO is to train, or torchrun has started several processes already.
    """
    if not isinstance(settings, LearnConfig):
        raise ValueError(
            f"--processes {processes}: MaskablePPO trains in one process, configurations with a section [learn] in as "
            "many as you like"
        )
    if is_one_of_several():
        raise ValueError(f"--processes {processes}: torchrun has started {os.environ['WORLD_SIZE']} processes already")


def run_together(processes: int, arguments: Sequence[str]) -> int:
    """Run `sackarmies` with some arguments in several processes, as torchrun does; return the exit status.

    Where torchrun prints a traceback, this leaves the last word to the processes, which say what happened. The launcher
    handles signals from now on, and logging is off: this should be the last thing that a process does.

    Args:
        processes: how many.
        arguments: command and arguments of each.

    Returns:
        0; 128 plus the number of the signal that this process got; or the exit status of the first that failed.

    Raises:
        ValueError: a process was killed.
    """
    from torch.distributed.elastic.multiprocessing.api import DefaultLogsSpecs, SignalException
    from torch.distributed.elastic.multiprocessing.errors import ChildFailedError
    from torch.distributed.launcher.api import LaunchConfig, elastic_launch

    logging.disable()  # of the launcher, which would log what the processes say
    os.environ.setdefault("TORCH_ELASTIC_SHUTDOWN_TIMEOUT", str(PATIENCE))  # older versions of torch ignore it
    config = LaunchConfig(
        min_nodes=1,
        max_nodes=1,
        nproc_per_node=processes,
        logs_specs=DefaultLogsSpecs(log_dir=os.devnull),
        run_id=uuid.uuid4().hex,
        rdzv_backend="c10d",
        rdzv_endpoint="localhost:0",  # a free port
        max_restarts=0,
        monitor_interval=0.5,
        local_addr="localhost",
    )
    try:
        elastic_launch(config, sys.executable)("-P", "-c", CALL, *arguments)
    except SignalException as stopped:
        return 128 + stopped.sigval
    except ChildFailedError as failed:
        rank, failure = failed.get_first_failure()
        if failure.exitcode < 0:
            raise ValueError(f"process {rank} of the training was killed by signal {-failure.exitcode}") from None
        return failure.exitcode
    return 0


@contextlib.contextmanager
def in_touch() -> Iterator[None]:
    """Say in a sentence that communication with the other processes has failed.

    Raises:
        ValueError: it has, most often because one of them has ended and said why.
    """
    try:
        yield
    except RuntimeError as error:
        raise ValueError(f"lost touch with the other processes of this training: {error}") from None
