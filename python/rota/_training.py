"""Training, the same for all estimators: in this process, or by the processes of `rota train`.

Small data are trained in this process, by Rota's serial host.  For everything else `rota train` is started, as a child
that stops when this process ends.  Arrays are packed for it into a temporary folder; paths are passed on.
"""
from __future__ import annotations

import fcntl
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np

from . import _rota
from ._errors import DataError, Error, NoInput, UsageError
from ._progress import Progress, progress_line

# What is fitted in this process unless the user says otherwise.
SMALL_VALUES = 1_000_000    # stored numbers of arrays and matrices
SMALL_BYTES = 16 << 20      # size of files on this machine
_WORKERS_MOST = 8           # that are started unless the user says otherwise
_PACKED_INDEX = "rota-shards.json"  # of the data that are packed for processes
_ERROR_BYTES = 1 << 16      # of stderr that an exception shows
_END_SECONDS = 60.0         # for a process whose output has ended
_NOT_PACKED = ("centres",)  # options with numbers that a job reads even if its data are packed
_TEMPORARY = "rota-fit-"
_LOCK = "lock"


class Interrupted(KeyboardInterrupt):
    """A fit by processes was interrupted, after a checkpoint.

    Attributes
    ----------
    folder : pathlib.Path or None
        The run folder, for `rota.resume` and `rota.load`.  None: there is no checkpoint, and nothing to resume.
    epoch : int
        The epoch of the newest checkpoint; 0 if there is none.
    """

    def __init__(self, message: str, folder: pathlib.Path | None = None, epoch: int = 0) -> None:
        super().__init__(message)
        self.folder = folder
        self.epoch = epoch

    def __reduce__(self) -> Any:
        return type(self), (*self.args, self.folder, self.epoch)


@dataclass
class Trained:
    """What a fit has made."""

    model: Any                    # _rota.Model
    model_hash: str
    epochs: int
    history: list[dict[str, Any]]
    folder: pathlib.Path | None   # the run folder, if it stays


def train(app: str, options: dict[str, Any], X: Any, y: Any = None, *, sample_weight: Any = None, valid: Any = None,
          workers: int | None = None, threads: int = 1, hosts: Any = None, slurm: bool | None = None, out: Any = None,
          verbose: int = 0) -> Trained:
    """Trains a model.

    Parameters
    ----------
    app : str
        An app of Rota, or the path of a plugin.
    options : dict
        Its options by name.  True, False, numbers, texts and paths are as on a command line; None is left out; a 1-d
        array stands for a file of numbers.
    X : array, sparse matrix, `_rota.Rows`, `_rota.Dense`, path or list of paths
        The data.
    y : array of shape (n_samples,) or None
        Labels, if X is an array or matrix.
    sample_weight : array of shape (n_samples,) or None
        The option `weights`.
    valid : as X, or a pair (X, y), or None
        Held-out data.
    workers : int or None
        Worker processes; 0: this process trains.  None: this process if the data are small and `threads`, `hosts`,
        `slurm` and `out` are not given; else at most 8, one for each processor.
    threads, hosts, slurm, out, verbose
        See `rota.Estimator`.

    Returns
    -------
    Trained

    Raises
    ------
    rota.Error
        With `exit_code`: DataError, UsageError and NoInput for the codes 65, 2 and 66.
    Interrupted
        After Ctrl-C, if processes train: with the folder to resume.
    """
    texts, numbers = _split(options)
    if sample_weight is not None:
        numbers["weights"] = np.asarray(sample_weight, dtype=np.float64)
    inputs = _inputs(X, y)
    held_out = [] if valid is None else _inputs(*valid) if isinstance(valid, tuple) else _inputs(valid, None)
    where = _Where(workers, threads, hosts, slurm, out)
    if where.in_process(inputs):
        return _train_here(app, texts, numbers, inputs, held_out, verbose)
    return _train_by_processes(app, texts, numbers, inputs, held_out, where, verbose)


def resume(folder: Any, *, workers: int | None = None, threads: int | None = None, hosts: Any = None,
           slurm: bool | None = None, verbose: int = 0) -> Any:
    """Resumes a run that was interrupted or lost, until it is finished.

    Parameters
    ----------
    folder : path
        The run folder: `out` of the fit, or the folder that `Interrupted` names.
    workers, threads : int or None
        None: as before.
    hosts, slurm, verbose
        See `rota.Estimator`.

    Returns
    -------
    rota.Run
        The finished run; its `estimator()` is the fitted estimator.

    Raises
    ------
    rota.Error
        As of `fit`.  A folder without a run is NoInput.
    """
    from .runs import load
    folder = pathlib.Path(os.fspath(folder)).absolute()
    packed = _packed_for(folder)
    words = ["resume", str(folder), *_Where(workers, threads, hosts, slurm, folder).words()]
    with open(packed / _LOCK if packed else os.devnull, "rb") as lock:
        if packed:
            _take_lock(lock, packed)
        _run(words, folder, Progress(verbose), lock.fileno())
    if packed:
        shutil.rmtree(packed, ignore_errors=True)
    return load(folder)


# ---- what is trained, and where


def _split(options: dict[str, Any]) -> tuple[dict[str, str], dict[str, np.ndarray]]:
    texts: dict[str, str] = {}
    numbers: dict[str, np.ndarray] = {}
    for name, value in options.items():
        if value is None:
            continue
        if isinstance(value, np.ndarray) and value.ndim == 1:
            numbers[name] = np.ascontiguousarray(value, dtype=np.float64)
        elif isinstance(value, (bool, np.bool_)):
            texts[name] = "true" if value else "false"
        elif isinstance(value, (float, np.floating)):
            texts[name] = repr(float(value))
        elif isinstance(value, (int, np.integer)):
            texts[name] = str(int(value))
        else:
            texts[name] = os.fspath(value)
    return texts, numbers


def _inputs(X: Any, y: Any = None) -> list[Any]:
    """The data as `_rota` takes them: paths, Rows or Dense."""
    if isinstance(X, (list, tuple)) and X and all(isinstance(part, (str, os.PathLike)) for part in X):
        return [os.fspath(part) for part in X]
    if isinstance(X, (str, os.PathLike)):
        return [os.fspath(X)]
    if isinstance(X, (_rota.Rows, _rota.Dense)):
        return [X]
    if isinstance(X, np.ndarray):
        return [_rota.Dense(X, y)]
    rows = X.tocsr()
    return [_rota.Rows(rows.indptr, rows.indices, rows.data, rows.shape, y)]


def _values(data: Any) -> int:
    return int(getattr(data, "nnz", 0)) or int(np.prod(data.shape, dtype=np.int64))


def _is_small(inputs: list[Any]) -> bool:
    values = size = 0
    for data in inputs:
        if not isinstance(data, str):
            values += _values(data)
            continue
        try:
            path = pathlib.Path(data)
            files = [file for file in path.iterdir() if file.is_file()] if path.is_dir() else [path]
            size += sum(file.stat().st_size for file in files)
        except OSError:  # a pattern, an address, or nothing: `rota train` says what is wrong with it
            return False
    return values <= SMALL_VALUES and size <= SMALL_BYTES


@dataclass
class _Where:
    """The parameters of how a fit runs."""

    workers: int | None
    threads: int | None
    hosts: Any
    slurm: bool | None
    out: Any

    def in_process(self, inputs: list[Any]) -> bool:
        for name in ("workers", "threads"):
            value, least = getattr(self, name), 0 if name == "workers" else 1
            if value is not None and (isinstance(value, bool) or int(value) != value or value < least):
                raise _error(2, f"{name}={value!r}: a whole number, at least {least}")
        wanted = [name for name, given in (("threads", self.threads not in (None, 1)), ("out", self.out is not None),
                                           ("hosts", self.hosts is not None), ("slurm", bool(self.slurm))) if given]
        if self.workers == 0 and wanted:
            raise _error(2, f"workers=0 trains in this process, without {wanted[0]}=")
        return self.workers == 0 or (self.workers is None and not wanted and _is_small(inputs))

    def elsewhere(self) -> bool:
        return self.hosts is not None or bool(self.slurm)

    def check(self) -> None:
        if self.slurm and "SLURM_JOB_ID" not in os.environ:
            raise _error(2, "slurm=True: this is no job of Slurm; start Python by sbatch, salloc or srun")

    def words(self) -> list[str]:
        self.check()
        words = ["--slurm" if self.slurm else "--noslurm"]
        if self.workers is not None:
            words.append(f"--workers={int(self.workers)}")
        if self.threads is not None and not (self.elsewhere() and self.threads == 1):  # 1: as the nodes have them
            words.append(f"--threads={int(self.threads)}")
        if self.hosts is not None:
            hosts = self.hosts if isinstance(self.hosts, (str, os.PathLike)) else ",".join(self.hosts)
            words.append(f"--hosts={os.fspath(hosts)}")
        return words


def _train_here(app: str, texts: dict[str, str], numbers: dict[str, np.ndarray], inputs: list[Any],
                held_out: list[Any], verbose: int) -> Trained:
    progress = Progress(verbose)
    shown = None
    if verbose:
        def shown(epoch: int, items: int, seconds: float, scores: dict[str, Any]) -> None:
            progress.show(progress_line(epoch, seconds, scores))
    wrapped = {name: _rota.Numbers(values) for name, values in numbers.items()}
    model = _rota.fit(app, texts, inputs, held_out, wrapped, shown)
    progress.end()
    return Trained(model, model.model_hash, model.epochs, model.history, None)


# ---- by processes


def _train_by_processes(app: str, texts: dict[str, str], numbers: dict[str, np.ndarray], inputs: list[Any],
                        held_out: list[Any], where: _Where, verbose: int) -> Trained:
    in_memory = [data for data in inputs + held_out if not isinstance(data, str)]
    if (in_memory or numbers) and where.elsewhere() and where.out is None:
        raise _error(2, "hosts= and slurm= with arrays need out= in a folder that all machines share, or paths in "
                        "place of the arrays")
    where.check()
    if where.workers is None and not where.elsewhere():
        where.workers = min(len(os.sched_getaffinity(0)), _WORKERS_MOST)
    folder = None if where.out is None else pathlib.Path(os.fspath(where.out)).absolute()
    earlier = None if folder is None else _packed_for(folder)
    place = _Temporary.make(folder) if folder is None or in_memory or numbers else None
    here = pathlib.Path() if place is None else place.path  # only used with a place
    keep = False
    model = None
    try:
        run = here / "run" if folder is None else folder
        if in_memory:
            packed = here / "data"
            wrapped = {name: _rota.Numbers(values) for name, values in numbers.items()}
            _rota.pack(app, texts, inputs, held_out, wrapped, str(packed))
            if where.workers is not None:  # each has a shard
                where.workers = min(where.workers, len(json.loads((packed / _PACKED_INDEX).read_text())["shards"]))
            data = [f"--input={packed}"]
        else:
            data = [f"--{name}={','.join(paths)}" for name, paths in (("input", inputs), ("valid", held_out)) if paths]
        words = ["train", app, f"--out={run}", *where.words(), *(f"--{name}={value}" for name, value in texts.items()),
                 *data]
        for name, values in numbers.items():
            if not in_memory or name in _NOT_PACKED:
                np.savetxt(here / name, values, fmt="%.17g")
                words.append(f"--{name}={here / name}")
        if folder is not None and _is_unfinished(folder):
            words.append("--continue")
        try:
            _run(words, run, Progress(verbose), place.lock if place else None)
        except Interrupted as interrupted:
            keep = interrupted.folder is not None
            raise
        except BaseException:
            # A failed run in a folder of the user's may be resumed; then its data must be there.
            keep = folder is not None and _is_unfinished(folder)
            raise
        model = _rota.load_model(str(run))
        history = _lines(run / "metrics.jsonl")
    finally:
        if place is not None:
            place.end(keep)
        if folder is not None and earlier is not None and (model is not None or _packed_for(folder) != earlier):
            shutil.rmtree(earlier, ignore_errors=True)
    return Trained(model, model.model_hash, model.epochs, history, folder)


class _Temporary:
    """A folder of this process, with a lock that the processes which it starts hold too.

    For a run folder of the user's it is beside that, OUT.data-XXXXXXXX, because `rota resume OUT` needs the data.
    Otherwise it is in the folder for temporary files; there, those whose processes were killed are removed.
    """

    def __init__(self, path: pathlib.Path, lock: int) -> None:
        self.path = path
        self.lock = lock

    @classmethod
    def make(cls, run: pathlib.Path | None) -> _Temporary:
        if run is None:
            cls._remove_left()
            path = tempfile.mkdtemp(prefix=_TEMPORARY)
        else:
            run.parent.mkdir(parents=True, exist_ok=True)
            path = tempfile.mkdtemp(prefix=run.name + ".data-", dir=run.parent)
        lock = os.open(os.path.join(path, _LOCK), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        fcntl.flock(lock, fcntl.LOCK_EX)
        return cls(pathlib.Path(path), lock)

    @staticmethod
    def _remove_left() -> None:
        for path in pathlib.Path(tempfile.gettempdir()).glob(_TEMPORARY + "*"):
            try:
                if path.stat().st_uid != os.getuid():
                    continue
                with open(path / _LOCK, "rb") as lock:
                    fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    shutil.rmtree(path, ignore_errors=True)
            except OSError:  # in use, kept for a run to be resumed, or gone
                continue

    def end(self, keep: bool) -> None:
        """Removes the folder; or keeps it, and then it is not removed by later fits either."""
        if not keep:
            shutil.rmtree(self.path, ignore_errors=True)
        elif self.path.name.startswith(_TEMPORARY):
            (self.path / _LOCK).unlink(missing_ok=True)
        os.close(self.lock)


def _options_of(run: pathlib.Path) -> dict[str, str]:
    """The options of a run, from flags.txt; empty if there is no run."""
    try:
        lines = (run / "flags.txt").read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return {}
    return dict(line[2:].split("=", 1) for line in lines if line.startswith("--") and "=" in line)


def _is_unfinished(run: pathlib.Path) -> bool:
    return (run / "flags.txt").exists() and not (run / "result.json").exists() and bool(_newest_epoch(run))


def _newest_epoch(run: pathlib.Path) -> int:
    """The epoch of the newest valid checkpoint; 0: none."""
    commits = sorted((run / "checkpoint").glob("epoch-*/commit.json"))
    return int(commits[-1].parent.name.split("-")[1]) if commits else 0


def _packed_for(run: pathlib.Path) -> pathlib.Path | None:
    """The folder beside a run that an earlier fit packed its data into, or the temporary folder that it is in."""
    data = pathlib.Path(_options_of(run).get("input", ""))
    place = data.parent
    beside = place.parent == run.parent and place.name.startswith(run.name + ".data-")
    inside = place == run.parent and place.name.startswith(_TEMPORARY)
    return place if beside and not inside and (place / _LOCK).exists() else None


def _take_lock(lock: Any, packed: pathlib.Path) -> None:
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        raise _error(73, f"another fit uses {packed}") from None


def _lines(file: pathlib.Path) -> list[dict[str, Any]]:
    """The objects of a file of JSON lines; what a crash has cut off is left out."""
    found: list[dict[str, Any]] = []
    try:
        text = file.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return found
    for line in text.splitlines():
        try:
            value = json.loads(line)
        except ValueError:
            continue
        if isinstance(value, dict):
            found.append(value)
    return found


def program() -> str:
    """The path of `rota`: beside this package in a wheel or a build folder, else where Debian's package has it.

    Raises
    ------
    rota.Error
        If there is none.
    """
    package = pathlib.Path(_rota.__file__).absolute().parent  # in a build folder, the rest is links
    places = [package / "bin/rota", package.parent.parent / "bin/rota", pathlib.Path("/usr/bin/rota")]
    for place in places:
        if os.access(place, os.X_OK):
            return str(place)
    raise _error(66, "the program `rota` is missing: it was looked for at " + ", ".join(map(str, places)))


def _error(code: int, message: str) -> Exception:
    return {2: UsageError, 65: DataError, 66: NoInput}.get(code, Error)(message, exit_code=code)


def _run(words: list[str], run: pathlib.Path, progress: Progress, lock: int | None) -> None:
    """Runs `rota` with these words to its end, and shows the run's progress."""
    command = [program(), *words, "--progress=json", f"--parent={os.getpid()}"]
    with tempfile.TemporaryFile() as errors:
        # Ctrl-C reaches this process only, which asks for the checkpoint.
        with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=errors,
                              pass_fds=[] if lock is None else [lock], process_group=0) as process:
            try:
                for line in process.stdout or ():
                    _show(line, progress)
                code = process.wait(timeout=_END_SECONDS)
            except KeyboardInterrupt:
                _stop(process, signal.SIGINT, progress)
                raise _interrupted(run) from None
            except BaseException:
                _stop(process, signal.SIGTERM, progress)
                raise
        progress.end()
        if code == 0:
            return
        if code in (130, -signal.SIGINT):
            raise _interrupted(run)
        errors.seek(max(0, os.fstat(errors.fileno()).st_size - _ERROR_BYTES))
        text = errors.read().decode("utf-8", "replace").strip()
    said = "\n".join(line.removeprefix("rota: ") for line in text.splitlines())
    if code < 0:
        said += f"\n`rota` was ended by signal {-code}" if said else f"`rota` was ended by signal {-code}"
        code = 128 - code
    if code in (74, 75, 143) and _newest_epoch(run) and not run.parent.name.startswith(_TEMPORARY):
        said += f"\nthe checkpoint of epoch {_newest_epoch(run)} is there: rota.resume({str(run)!r}) continues"
    raise _error(code, said or f"`rota` ended with {code}")


def _show(line: bytes, progress: Progress) -> None:
    try:
        event = json.loads(line)
    except ValueError:
        return
    if event.get("event") == "epoch":
        progress.show(progress_line(event.get("epoch", 0), event.get("seconds", 0.0), event, event.get("epochs", 0)))
    elif event.get("event") in ("lost", "rollback", "paused", "warning"):
        said = event.get("why") or event.get("what") or f"going back to {event.get('to')}"
        if said.startswith("--"):  # an option that changes nothing
            warnings.warn(said, stacklevel=2)
        else:
            progress.say(f"rota: {said}")


def _stop(process: subprocess.Popen[bytes], number: int, progress: Progress) -> None:
    """Asks for the end, which comes after the epoch and its checkpoint; a second Ctrl-C does not wait for these."""
    while True:
        process.send_signal(number)
        try:
            # Its output is read, or it could not write its last lines.
            for _ in process.stdout or ():
                pass
            process.wait(timeout=_END_SECONDS)
            return
        except KeyboardInterrupt:
            progress.say("rota: stopping without a checkpoint")
        except subprocess.TimeoutExpired:
            process.kill()


def _interrupted(run: pathlib.Path) -> Interrupted:
    if (run / "result.json").exists():
        return Interrupted(f"the interrupt came when the run was finished: rota.load({str(run)!r}) has the model", run,
                           _newest_epoch(run))
    epoch = _newest_epoch(run)
    if not epoch:
        return Interrupted("training was interrupted before the first checkpoint")
    again = "" if run.parent.name.startswith(_TEMPORARY) else ", or fit again with the same out="
    return Interrupted(f"training was interrupted after epoch {epoch}; the run is in {run}: "
                       f"rota.resume({str(run)!r}) continues it{again}", run, epoch)
