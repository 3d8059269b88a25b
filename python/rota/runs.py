"""Runs on disk: what `rota train` and fits with `out=` have written, read while they train and later."""
from __future__ import annotations

import importlib
import json
import math
import os
import pathlib
import time
from typing import Any

import numpy as np

from . import _linear, _rota
from ._errors import DataError, Error, NoInput
from ._training import _lines, _newest_epoch, _options_of

# The estimators of the apps: "module.Class", or a function of the run's options that returns such a name or None.
ESTIMATORS: dict[str, Any] = {
    **_linear.ESTIMATORS,
    "lda": "topics.LDA", "medlda": "topics.MedLDA", "mf": "factors.MF", "als": "factors.ALS", "ccd": "factors.CCD",
    "kmeans": "cluster.KMeans", "pagerank": "graph.PageRank",
}

_SIGN_SECONDS = 120.0  # a coordinator of another machine is believed to run so long after its last record


def load(folder: Any) -> Run:
    """The run in a folder: live, finished, ended early, or cut off by a crash.

    Parameters
    ----------
    folder : path
        What `--out` or `out=` named.

    Returns
    -------
    Run

    Raises
    ------
    rota.NoInput
        If there is no run in the folder.
    """
    return Run(folder)


class Run:
    """A run folder.  Its files are only read, and each property reads them again: a live run is not disturbed.

    Attributes
    ----------
    folder : pathlib.Path
    """

    def __init__(self, folder: Any) -> None:
        self.folder = pathlib.Path(os.fspath(folder)).absolute()
        if not any((self.folder / name).is_file() for name in ("flags.txt", "events.jsonl", "metrics.jsonl")):
            raise NoInput(f"{self.folder}: there is no run here")

    def __repr__(self) -> str:
        return f"<rota.Run {self.app or 'of an unknown app'}, {self.state}, {str(self.folder)!r}>"

    @property
    def options(self) -> dict[str, str]:
        """The options by name, as texts."""
        return _options_of(self.folder)

    @property
    def app(self) -> str:
        """The name of the app; "" if the folder does not tell."""
        return self.options.get("app") or str((self.result or {}).get("app", ""))

    @property
    def version(self) -> str | None:
        """The version of Rota that ran it last; None if it did not say."""
        started = [event.get("version") for event in self.events if event.get("event") == "started"]
        return started[-1] if started else None

    @property
    def state(self) -> str:
        """"running"; "done"; "ended" (an error or a signal, which was recorded); or "stale" (nothing tells its end)."""
        if self._is_held():
            return "running"
        result, events = self.result, self.events
        ended = bool(events) and events[-1].get("event") == "end"
        if result is None and not ended and self._is_elsewhere():
            return "running"
        return "done" if result is not None else "ended" if ended else "stale"

    @property
    def problems(self) -> list[str]:
        """What is wrong with the files of the folder; empty if nothing is."""
        found = []
        if not (self.folder / "flags.txt").is_file():
            found.append("flags.txt is missing: the options of the run are not known")
        if (self.folder / "result.json").is_file() and self.result is None:
            found.append("result.json is not a JSON object")
        for name in ("metrics.jsonl", "events.jsonl"):
            text = _text(self.folder / name)
            if text and not text.endswith("\n") and self.state != "running":
                found.append(f"{name} ends in the middle of a line")
        ours = _rota.version
        if self.version not in (None, ours):
            found.append(f"the run is of Rota {self.version}, and this is {ours}")
        return found

    @property
    def result(self) -> dict[str, Any] | None:
        """result.json; None before the run is finished."""
        try:
            value = json.loads(_text(self.folder / "result.json"))
        except ValueError:
            return None
        return value if isinstance(value, dict) else None

    @property
    def epoch(self) -> int:
        """The newest epoch that was recorded; 0 before the first."""
        epochs = [line.get("epoch", 0) for line in (*self._records("metrics"), *self.events[-1000:])]
        return max((epoch for epoch in epochs if isinstance(epoch, int)), default=0)

    @property
    def checkpoint_epoch(self) -> int:
        """The epoch of the newest checkpoint; 0 if there is none."""
        return _newest_epoch(self.folder)

    @property
    def events(self) -> list[dict[str, Any]]:
        """The events in their order (docs/run-folder.md, "events.jsonl")."""
        return self._records("events")

    @property
    def metrics(self) -> dict[str, np.ndarray]:
        """The evaluations: an array for each number of metrics.jsonl, NaN where an evaluation does not have it.

        `epoch`, `seconds`, `objective`, `per_item`, `valid`, `items_per_second`, ...; terms and figures of the schedule
        under their own names, or as "terms.NAME" if another number has that name.
        """
        rows = [_numbers(line) for line in self._records("metrics")]
        names: dict[str, None] = {}
        for row in rows:
            names.update(dict.fromkeys(row))
        columns = {name: np.array([row.get(name, math.nan) for row in rows]) for name in names}
        for name in ("epoch", "epochs", "workers"):
            if name in columns and np.isfinite(columns[name]).all():
                columns[name] = columns[name].astype(np.int64)
        return columns

    def metrics_frame(self) -> Any:
        """`metrics` as a data frame of pandas, by epoch.

        Raises
        ------
        ImportError
            If pandas is not installed.
        """
        pandas = _needs("pandas", "metrics_frame()")
        columns = self.metrics
        frame = pandas.DataFrame(columns)
        return frame.set_index("epoch") if "epoch" in columns else frame

    @property
    def model(self) -> Any:
        """The model, or while there is none that of the newest checkpoint: `.model_hash`, `.table(name)`, ...

        Raises
        ------
        rota.NoInput
            If there is no checkpoint yet.
        rota.Error
            With exit code 78 if the model is of another version of Rota or of its app, 74 if it is damaged.
        """
        return _rota.load_model(str(self.folder))

    def estimator(self) -> Any:
        """The fitted estimator with this model.

        Its classes are those that the data names: for a fit of an array `y`, 0 to the number of classes - 1.

        Raises
        ------
        rota.Error
            If no estimator is of this app with these options; and as `model`.
        """
        found = ESTIMATORS.get(self.app)
        name = found(self.options) if callable(found) else found
        if name is None:
            raise Error(f"no estimator has models of the app {self.app!r}; Run.model has its tables")
        module, _, kind = name.rpartition(".")
        made = getattr(importlib.import_module("." + module, __package__), kind)
        return made._from_model(self.model)

    def plot(self, names: Any = None, ax: Any = None) -> Any:
        """Draws scores over the epochs.

        Parameters
        ----------
        names : list of str or None
            Names of `metrics`.  None: the objective (per item, if there is that), and the score of held-out data.
        ax : matplotlib.axes.Axes or None
            Where to draw one name; None: new axes, one below the other.

        Returns
        -------
        matplotlib.axes.Axes, or an array of them for several names

        Raises
        ------
        ImportError
            If Matplotlib is not installed.
        rota.DataError
            If the run has no evaluation with such a name.
        """
        pyplot = _needs("matplotlib.pyplot", "plot()")
        columns = self.metrics
        if names is None:
            names = ["per_item" if "per_item" in columns else "objective"]
            names += ["valid"] if "valid" in columns else []
        names = [names] if isinstance(names, str) else list(names)
        for name in names:
            if name not in columns:
                raise DataError(f"{self.folder}: no evaluation has {name!r}; there are: "
                                f"{', '.join(columns) or 'none yet'}")
        axes = np.array([ax])
        if ax is None:
            _, axes = pyplot.subplots(len(names), sharex=True, squeeze=False, layout="constrained")
            axes = axes[:, 0]
        for name, one in zip(names, axes):
            one.plot(columns["epoch"], columns[name], marker="." if len(columns["epoch"]) < 50 else "")
            one.set_ylabel({"per_item": "objective per item"}.get(name, name))
        axes[-1].set_xlabel("epoch")
        axes[0].set_title(f"{self.app}: {self.folder.name}")
        return axes[0] if len(names) == 1 else axes

    def _records(self, name: str) -> list[dict[str, Any]]:
        return _lines(self.folder / f"{name}.jsonl")

    def _is_held(self) -> bool:
        """Whether a coordinator or `rota` of this machine holds the folder, as /proc/locks has it."""
        held = set()
        for line in _text(pathlib.Path("/proc/locks")).splitlines():
            words = line.split()
            if "FLOCK" in words and "WRITE" in words:
                held.add(words[words.index("WRITE") + 2].rpartition(":"))
        for file in (self.folder / "checkpoint/lock", self.folder):
            try:
                facts = file.stat()
            except OSError:
                continue
            device = f"{os.major(facts.st_dev):02x}:{os.minor(facts.st_dev):02x}"
            # Some file systems (overlay, btrfs) have several numbers of devices, with major number 0.
            if any(inode == str(facts.st_ino) and (on == device or os.major(facts.st_dev) == 0) for on, _, inode in held):
                return True
        return False

    def _is_elsewhere(self) -> bool:
        if not _text(self.folder / "address").startswith("tcp://"):
            return False
        changed = [(self.folder / name).stat().st_mtime for name in ("events.jsonl", "metrics.jsonl")
                   if (self.folder / name).exists()]
        return bool(changed) and time.time() - max(changed) < _SIGN_SECONDS


def _text(file: pathlib.Path) -> str:
    """The text of a file; "" if it cannot be read."""
    try:
        return file.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""


def _numbers(line: dict[str, Any]) -> dict[str, float]:
    """The numbers of an evaluation; those of `terms` and `schedule` are taken out of their objects."""
    flat = {name: value for name, value in line.items() if isinstance(value, (int, float))}
    for group in ("terms", "schedule", "best"):
        inner = line.get(group)
        for name, value in (inner.items() if isinstance(inner, dict) else ()):
            if isinstance(value, (int, float)):
                flat[f"{group}.{name}" if name in line or group == "best" else name] = value
    return {name: float(value) for name, value in flat.items()}


def _needs(module: str, what: str) -> Any:
    try:
        return importlib.import_module(module)
    except ImportError as error:
        package = module.partition(".")[0]
        raise ImportError(f"{what} needs {package}, which is not installed: apt install python3-{package}") from error
