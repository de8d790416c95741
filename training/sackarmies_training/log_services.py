"""Services that a run logs to: Weights & Biases, MLflow and Trackio, each imported only if it is asked for.

What has been sent to a service cannot be taken back. So a file in the folder of the run notes the service's own run
and the last step sent to it: a resumed run continues that run and sends no step twice.
"""

from __future__ import annotations

import importlib
import json
import re
import time
import uuid
from abc import ABC, abstractmethod
from collections.abc import Mapping
from pathlib import Path
from types import ModuleType
from typing import Any, ClassVar

from sackarmies_env.core.safe_read import read_json
from sackarmies_training.files import write_json

SENT = "log_services.json"
STEP = "decisions"  # the horizontal axis of curves
MAX_PARAMETER = 500  # characters of a configuration value in MLflow
REFUSED = re.compile(r"[^\w\-. /]")  # characters in names that MLflow does not take


class Service(ABC):
    """A logger that sends values to a service.

    Args:
        project: the service's project for the run.
        folder: folder of the run; its name is the run's name.
        config: configuration of the run.

    Raises:
        ValueError: the library is not installed.
    """

    library: ClassVar[str]  # its name in `[log]`, and its module

    def __init__(self, project: str, folder: Path, config: dict[str, Any]) -> None:
        self._module: Any = import_service(self.library)
        self._path = folder / SENT
        earlier = self._noted().get(self.library, {})
        self._before: int | None = earlier.get("step")
        self._id = self.connect(project, folder, config, earlier.get("run"))
        self._note(self._before)

    def log(self, step: int, values: Mapping[str, float]) -> None:
        """Send values, unless the run sent this step before it was resumed."""
        if self._before is None or step > self._before:
            self._note(step)  # first: a kill at this point loses values, but sends none twice
            self.send(step, dict(values))

    def _noted(self) -> dict[str, Any]:
        """Return what the file notes for each service."""
        noted: dict[str, Any] = read_json(self._path) if self._path.is_file() else {}
        return noted

    def _note(self, step: int | None) -> None:
        """Note the last step sent; the notes of other services are kept."""
        write_json(self._path, self._noted() | {self.library: {"run": self._id, "step": step}})

    @abstractmethod
    def connect(self, project: str, folder: Path, config: dict[str, Any], run: str | None) -> str:
        """Start a run, or continue the one with the id `run`; return its id."""

    @abstractmethod
    def send(self, step: int, values: dict[str, float]) -> None:
        """Send values."""

    @abstractmethod
    def artifact(self, path: Path) -> None:
        """Send a file."""

    @abstractmethod
    def close(self) -> None:
        """End the run, which may be resumed."""


class Wandb(Service):
    """Weights & Biases; `WANDB_MODE=offline` keeps the run in its folder."""

    library = "wandb"

    def connect(self, project: str, folder: Path, config: dict[str, Any], run: str | None) -> str:
        """Begin or resume a run."""
        run = run or uuid.uuid4().hex
        self._run = self._module.init(
            project=project, name=folder.name, id=run, resume="allow", config=config, dir=str(folder)
        )
        self._run.define_metric(STEP, hidden=True)
        self._run.define_metric("*", step_metric=STEP)
        return run

    def send(self, step: int, values: dict[str, float]) -> None:
        """Send values; the service's own steps only count calls, since they cannot be negative."""
        self._run.log({STEP: step, **values})

    def artifact(self, path: Path) -> None:
        """Send a file."""
        self._run.log_artifact(str(path), name=f"{self._run.id}-{path.name}", type=path.suffix.lstrip("."))

    def close(self) -> None:
        """End the run."""
        self._run.finish()


class MLflow(Service):
    """MLflow; `MLFLOW_TRACKING_URI` names a server, or a database file."""

    library = "mlflow"

    def connect(self, project: str, folder: Path, config: dict[str, Any], run: str | None) -> str:
        """Begin or resume a run."""
        self._client = self._module.MlflowClient()
        if run is None:
            known = self._client.get_experiment_by_name(project)
            experiment = self._client.create_experiment(project) if known is None else known.experiment_id
            run = str(self._client.create_run(experiment, run_name=folder.name).info.run_id)
            for key, value in flattened(config).items():
                self._client.log_param(run, key, value)
        else:
            self._client.update_run(run, status="RUNNING")
        return run

    def send(self, step: int, values: dict[str, float]) -> None:
        """Send values."""
        now, metric = int(time.time() * 1000), self._module.entities.Metric
        metrics = [metric(REFUSED.sub("_", name), value, now, step) for name, value in values.items()]
        self._client.log_batch(self._id, metrics)

    def artifact(self, path: Path) -> None:
        """Send a file."""
        self._client.log_artifact(self._id, str(path))

    def close(self) -> None:
        """End the run."""
        self._client.set_terminated(self._id)


class Trackio(Service):
    """Trackio, which keeps runs on this machine."""

    library = "trackio"

    def connect(self, project: str, folder: Path, config: dict[str, Any], run: str | None) -> str:
        """Begin or resume a run, which Trackio knows by its name."""
        run = run or f"{folder.name}-{uuid.uuid4().hex[:8]}"
        self._run = self._module.init(project=project, name=run, resume="allow", config=config, embed=False)
        return run

    def send(self, step: int, values: dict[str, float]) -> None:
        """Send values."""
        self._run.log(values, step=step)

    def artifact(self, path: Path) -> None:
        """Send a file."""
        self._module.log_artifact(path, type=path.suffix.lstrip("."))

    def close(self) -> None:
        """End the run."""
        self._module.finish()


SERVICES: dict[str, type[Service]] = {service.library: service for service in (Wandb, MLflow, Trackio)}


def import_service(name: str) -> ModuleType:
    """Import the library of a service.

    Raises:
        ValueError: it is not installed.
    """
    try:
        return importlib.import_module(name)
    except ImportError:
        raise ValueError(f"[log] names {name!r}, which is not installed: pip install {name}") from None


def open_service(name: str, project: str, folder: Path, config: dict[str, Any]) -> Service:
    """Return the logger of a service.

    Raises:
        ValueError: its library is not installed.
    """
    return SERVICES[name](project, folder, config)


def flattened(config: Mapping[str, Any], prefix: str = "") -> dict[str, str]:
    """Flatten a configuration into texts, with names such as `learn.games`."""
    texts: dict[str, str] = {}
    for key, value in config.items():
        if isinstance(value, Mapping) and value:
            texts |= flattened(value, f"{prefix}{key}.")
        else:
            texts[f"{prefix}{key}"] = (value if isinstance(value, str) else json.dumps(value))[:MAX_PARAMETER]
    return texts
