"""Start a training in several processes of this machine."""

from __future__ import annotations

import logging
import os
import sys
import uuid
from collections.abc import Sequence

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

    Where torchrun prints a traceback, this leaves the last word to the processes, which say what happened.

    Args:
        processes: how many.
        arguments: command and arguments of each.

    Returns:
        0; 128 plus the number of the signal that stopped them; or the exit status of the first that failed.
    """
    from torch.distributed.elastic.multiprocessing.api import SignalException
    from torch.distributed.elastic.multiprocessing.errors import ChildFailedError
    from torch.distributed.launcher.api import LaunchConfig, elastic_launch

    logging.disable()  # of the launcher, which would log what the processes say
    config = LaunchConfig(
        min_nodes=1,
        max_nodes=1,
        nproc_per_node=processes,
        run_id=uuid.uuid4().hex,
        rdzv_backend="c10d",
        rdzv_endpoint="localhost:0",  # a free port
        max_restarts=0,
        monitor_interval=0.5,
        local_addr="localhost",
        shutdown_timeout=PATIENCE,
    )
    try:
        elastic_launch(config, sys.executable)("-c", CALL, *arguments)
    except SignalException as stopped:
        return 128 + stopped.sigval
    except ChildFailedError as failed:
        return failed.get_first_failure()[1].exitcode
    return 0
