"""Apps in Python: a model with its own update rule, trained by `rota train my_app.py` or in this process.

An app file has one class derived from `App`. Its classes mirror those of the C++ headers in include/rota, which state
the contracts; docs/writing-an-app-in-python.md is the guide. Arrays that a hook is given are views of Rota's memory:
they are valid until the hook returns, and read-only where Rota only lends them for reading. A hook that keeps one is
an error. Copy what you want to keep.
"""
import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from ._errors import DataError, Error, NoInput, UsageError
from ._plugin import Lines, Random, numbers_of, rows_of

__all__ = [
    "AddPull", "App", "AssignPull", "DataError", "Error", "Lines", "NoInput", "OpenSchedule", "Option", "Pull", "Push",
    "Random", "RandomSchedule", "RotationSchedule", "Round", "RoundRobinSchedule", "RowPull", "Schedule", "Score",
    "Share", "StopBelow", "Table", "Term", "UsageError", "read_numbers", "read_rows", "sum_in_order",
]


class Option:
    """An option of an app: its name, its default, and what --help says.

    The type of the default is that of the option: int, float, bool or str. `choices` are the words that are allowed.
    `default=None` with `kind` (int, float or str) declares an option that has no value unless the user gives one.
    """

    def __init__(self, name, default, unit="", least=None, most=None, meaning="", *, kind=None, choices=None,
                 path=False):
        self.name, self.default, self.unit, self.meaning = name, default, unit, meaning
        self.least = -np.inf if least is None else float(least)
        self.most = np.inf if most is None else float(most)
        self.type = kind or type(default)
        self.kind = {bool: "flag", int: "integer", float: "real", str: "text"}.get(self.type)
        if choices is not None:
            self.kind, self.unit = "choice", "|".join(choices)
        elif path:
            self.kind = "path"
        if self.kind is None:
            raise TypeError(f"option '{name}': the default must be an int, a float, a bool or a str")

    @property
    def text(self):
        if self.default is None:
            return ""
        if isinstance(self.default, bool):
            return "true" if self.default else "false"
        return repr(self.default) if isinstance(self.default, float) else str(self.default)

    def value(self, text):
        if self.kind == "flag":
            return text == "true"
        return None if text == "" and self.kind not in ("text", "path") else self.type(text)


class Options(dict):
    """The values of the job's options by name, also as attributes: `options.rank`.

    Those of the app have the types of their declarations; those of the framework are texts, "" without a value.
    """

    def __getattr__(self, name):
        try:
            return self[name]
        except KeyError:
            raise AttributeError(f"there is no option '{name}'") from None


@dataclass
class Job:
    """What all hooks know of the job: equal in every process of it."""

    options: Options
    input: list
    valid: list
    seed: int
    shards: int
    slices: int
    schedulers: int
    staleness: int
    pipeline: int


@dataclass
class Table:
    """A named set of rows of numbers (rota/job.h): `keys` rows of `row_width` numbers, parts of `part_width`."""

    name: str
    keys: int = 0
    row_width: int = 0
    part_width: int = 0
    sliced: bool = False
    dense: bool = False
    started: bool = False
    single_partition: bool = False
    block_width: int = 0
    combine: str = "sum"  # or "min", "max"


@dataclass
class Term:
    name: str
    kind: str = "report"  # or "objective", "conserved", "normalised"


@dataclass
class Score:
    name: str
    term: str
    count: str = ""
    scale: str = "mean"  # or "sum", "root_mean", "exp_mean"
    better: str = "smaller"  # or "larger"
    held_out: bool = False


class Share(NamedTuple):
    index: int  # type: ignore[assignment]
    count: int  # type: ignore[assignment]


class Shape(NamedTuple):
    """What a shard is told before its first task."""

    facts: object
    cut: list  # of each slice, its keys
    views: list  # of each table; None if it is not dense
    speaks_for_all: bool


@dataclass
class StopBelow:
    """Ends the job when an epoch changes the rows by less than the tolerance (rota/schedules/sweep.h)."""

    tolerance: float = 0.0
    norm: str = "l1"  # or "l2", "largest"
    by_pull: bool = False  # the last pull of the epoch replied b"\\1"


@dataclass
class Round:
    """What may change at once (rota/round.h). `argument`: None, a number or several, for every push and pull."""

    table: int = 0
    shared: Sequence = ()
    blocks: Sequence = ()
    argument: object = None
    owned: Sequence = ()
    last_visits: bool = False
    ends_epoch: bool = False
    ends_job: bool = False
    open: bool = False


# Schedules of Rota: what App.schedule() returns in place of a Schedule of one's own.
@dataclass
class OpenSchedule:
    table: int
    argument: object = None
    stop: StopBelow = field(default_factory=StopBelow)
    rounds: int = 1


@dataclass
class RoundRobinSchedule:
    table: int
    keys: int
    batch: int = 1
    argument: object = None
    stop: StopBelow = field(default_factory=StopBelow)


@dataclass
class RandomSchedule(RoundRobinSchedule):
    pass


@dataclass
class RotationSchedule:
    pass


class AddPull:
    """value += sum."""


class AssignPull:
    """value = sum."""


@dataclass
class RowPull:
    """A pull that rewrites every row by itself: `function(sum, value)` writes into `value`.

    With `random`, it is `function(key, sum, value, random)` with the row's own generator.
    """

    function: object
    random: bool = False


class Stateful:
    """`state` names the attributes that are saved with a checkpoint, and restored into a new object.

    Each is a NumPy array of numbers (restored with its type; the first dimension may differ), an int, a float, a bool
    or a str, and has a value of that type when the object is new.
    """

    state = ()


class Schedule(Stateful):
    """Chooses the rounds; in a scheduler process (rota/schedule.h)."""

    wish = "changes"  # what feedback() is given: or "norms", "reply"
    may_end_job = False

    def cut(self, census, slices):
        return []

    def pipeline(self, wish):
        return wish if wish > 0 else 1

    def next(self, random):
        raise NotImplementedError(f"{type(self).__name__} has no next(random) that returns a rota.Round")

    def feedback(self, commit):
        pass

    def figures(self):
        return {}

    def converged(self):
        return None

    def ends_job(self):
        return False


class Push(Stateful):
    """A data shard; in the worker that hosts it (rota/push.h)."""

    restores_in_place = False
    table = None  # the view of the first dense table
    tables = ()

    def items(self):
        raise NotImplementedError(f"{type(self).__name__} has no items() that returns the number of its data items")

    def facts(self, facts):
        pass

    def attach(self, shape):
        pass

    def start(self, own, common):
        pass

    def refresh(self, commit):
        pass

    def push(self, task, random):
        """The parts of shared rows: fill task.parts[key]. Returns the number of items visited."""
        raise NotImplementedError(f"{type(self).__name__} has no push(task, random), and the schedule chose shared rows")

    def push_slice(self, task, rows, random):
        """Updates a leased slice in place. Returns the number of items visited."""
        raise NotImplementedError(f"{type(self).__name__} has no push_slice(task, rows, random), and the schedule "
                                  "chose slices")

    def census(self):
        """The work that each row of the sliced table costs here."""
        return ()

    def evaluate(self, terms):
        pass

    def evaluate_slice(self, number, rows, terms):
        pass

    def evaluate_visit(self, number, rows, terms):
        pass


class Pull(Stateful):
    """Folds the summed parts into the rows; in the store (rota/pull.h)."""

    def pull(self, task):
        """`for key, sum, value in task:` write into `value`; task.runs() has many rows at once, if they adjoin."""
        raise NotImplementedError(f"{type(self).__name__} has no pull(task)")

    def evaluate(self, table, key, value, terms):
        pass


class App:
    """An app in one process of a job: it makes the objects of the three steps (rota/app.h).

    A class may have a value in place of the methods tables, terms, scores, schedule, stop and pull.
    """

    # Of the whole app (rota/plugin.h).
    name = ""  # "": that of the file
    summary = ""
    items = "items"
    epochs = 20
    options = ()
    takes_rows = False  # adds the options of rows: --format, --target, ...; see read_rows()
    synchronous = False  # its rounds must have seen all commits before them
    starting_pass = False
    several_schedulers = False
    evaluating_pass = False
    commands: dict = {}  # `rota NAME my_app.py --model=DIR`: name -> function(model) that returns text

    def __init__(self, job):
        self.job = job

    def load(self, hosted, common):
        raise NotImplementedError(f"{type(self).__name__} has no load(hosted, common) that returns a rota.Push for "
                                  "each shard")

    def facts(self, facts):
        pass

    def tables(self, facts):
        raise NotImplementedError(f"{type(self).__name__} has no tables(facts) that returns a list of rota.Table")

    def terms(self):
        return []

    def scores(self):
        return []

    def schedule(self, facts, share):
        """The default: an open round of the only dense table an epoch, until stop()."""
        tables = self.tables(facts) if callable(self.tables) else self.tables
        dense = [number for number, table in enumerate(tables) if table.dense]
        if len(dense) != 1:
            raise NotImplementedError("an app without exactly one dense table has to write schedule(facts, share)")
        return OpenSchedule(dense[0], stop=self.stop() if callable(self.stop) else self.stop)

    def stop(self):
        return StopBelow()

    def pull(self, facts):
        """The default combines the parts with the rows as Table.combine says."""
        return None

    def slice(self, keys):
        """An array with a row for each key; written by an app with a sliced table."""
        raise NotImplementedError(f"{type(self).__name__} has no slice(keys)")

    def start(self, facts, number, rows, keys, random):
        pass

    def start_row(self, facts, table, key, row, random):
        pass

    def save_common(self):
        return b""


class Rows(NamedTuple):
    """The rows of files: row r has the entries indptr[r] .. indptr[r + 1] of `indices` (from 0) and `values`."""

    labels: np.ndarray
    indptr: np.ndarray
    indices: np.ndarray
    values: np.ndarray
    columns: int
    names: list

    def __len__(self):
        return len(self.labels)

    def row(self, number):
        part = slice(self.indptr[number], self.indptr[number + 1])
        return self.indices[part], self.values[part]

    def csr(self):
        from scipy.sparse import csr_matrix
        return csr_matrix((self.values, self.indices, self.indptr), (len(self), self.columns))


def read_rows(paths, options=None):
    """All rows of these files, of any format: LIBSVM, CSV, TSV, Matrix Market, .npy, .npz.

    `options`: of the job, if the app declares `takes_rows`; or a dict as {"format": "csv", "target": "y"}.
    """
    return Rows(*rows_of([os.fspath(path) for path in paths], {k: str(v) for k, v in (options or {}).items()}))


def read_numbers(paths, count, form="numbers", whole=0):
    """The numbers of text files, plain or compressed: a row for each line, which has `count` numbers.

    The first `whole` of them are whole numbers, from 0. Raises DataError with file and line for a line of another
    form, which is named by `form`, and NoInput if a file is missing.
    """
    return numbers_of([os.fspath(path) for path in paths], count, form, whole)


def sum_in_order(numbers):
    """The sum over the first axis, added one after the other, as a loop in C++ does: the same bits.

    numpy.sum adds in pairs and numpy.dot in the order of its BLAS library, which may differ between machines.
    """
    numbers = np.asarray(numbers, dtype=np.float64)
    return np.add.accumulate(numbers, axis=0)[-1] if len(numbers) else np.zeros(numbers.shape[1:])


# For rota._plugin.
def _class_of(module, file):
    """The class of the app that a module has."""
    found = [value for value in vars(module).values()
             if isinstance(value, type) and issubclass(value, App) and value.__module__ == module.__name__]
    found = list(dict.fromkeys(found))
    # One that others derive from is their base.
    found = [one for one in found if not any(other is not one and issubclass(other, one) for other in found)]
    if not found:
        raise UsageError(f"{file} has no class derived from rota.App")
    if len(found) > 1:
        raise UsageError(f"{file} has several classes derived from rota.App: "
                         + ", ".join(one.__name__ for one in found) + "; keep one in a file")
    return found[0]


def _load(file):
    """Imports the file, once a process; returns its class and the files beside it that were imported too."""
    import importlib.util
    import sys
    folder, stem = os.path.dirname(file), os.path.splitext(os.path.basename(file))[0]
    if folder not in sys.path:
        sys.path.insert(0, folder)
    module = sys.modules.get(stem)
    if module is None or os.path.realpath(getattr(module, "__file__", None) or "") != file:
        # By its own name, so that objects of its classes can be pickled; never in place of another module.
        name = stem if stem.isidentifier() and module is None else f"rota_app_{stem}"
        spec = importlib.util.spec_from_file_location(name, file)
        module = importlib.util.module_from_spec(spec)
        sys.modules[name] = module
        try:
            spec.loader.exec_module(module)
        except BaseException:
            del sys.modules[name]
            raise
    # What was found in this folder, and not in another one of sys.path that lies in it.
    beside = []
    for name, one in list(sys.modules.items()):
        path = os.path.join(folder, *name.split("."))
        if getattr(one, "__file__", None) in (path + ".py", os.path.join(path, "__init__.py")) and one is not module:
            beside.append(one.__file__)
    beside.sort()
    return _class_of(module, file), beside


def _job_of(cls, texts, numbers):
    kinds = {option.name: option for option in cls.options}
    values = {name: kinds[name].value(text) if name in kinds else text for name, text in texts.items()}
    return Job(Options(values), *numbers)


def _overrides(object_, base, name):
    """The bound method, or None if its class has only that of the base."""
    return getattr(object_, name) if getattr(type(object_), name) is not getattr(base, name) else None


def _report(error):
    """What a log and a terminal show of an exception: a summary, its place, and the traceback."""
    import traceback
    shown = traceback.TracebackException.from_exception(error)
    for one in (shown, shown.__context__, shown.__cause__):
        if one is not None:
            one.stack = traceback.StackSummary.from_list(
                [frame for frame in one.stack if frame.filename != __file__ and not frame.filename.startswith("<frozen")])
    summary = list(shown.format_exception_only())[-1].strip()
    if isinstance(error, SystemExit):
        summary = f"sys.exit({error.code!r}) was called; a hook fails by an exception"
    place = f"{shown.stack[-1].filename}:{shown.stack[-1].lineno}" if shown.stack else ""
    if isinstance(error, SyntaxError):
        place = f"{error.filename}:{error.lineno}"
    return summary, place, "".join(shown.format()).rstrip()
