"""Common to the benchmarks: arguments, scratch folders, runs of `rota`, tables of programs in turn, plots."""
import argparse
import contextlib
import json
import pathlib
import shutil
import statistics
import subprocess
import tempfile


def arguments(doc, *positional, **options):
    """A parser of positional arguments (`NAME?`, `NAME*`, `NAME+`), --bin, and options with their defaults.  A default
    that is a type means that the option must be given, False that it is a flag, and [] that it may come again."""
    parser = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in positional:
        parser.add_argument(name.rstrip("?*+"), nargs=name[-1] if name[-1] in "?*+" else None)
    for name, default in {"bin": "build/release/bin", **options}.items():
        how = {"type": type(default), "default": default}
        if default is False:
            how = {"action": "store_true"}
        elif isinstance(default, list):
            how = {"action": "append", "default": default}
        elif isinstance(default, type):
            how = {"type": default, "required": True}
        parser.add_argument("--" + name.rstrip("_"), dest=name, **how)
    return parser


@contextlib.contextmanager
def scratch_folder():
    with tempfile.TemporaryDirectory(prefix="rota-bench-", ignore_cleanup_errors=True) as folder:
        yield pathlib.Path(folder)


def rota(args, *words):
    """The output of `rota`; an error ends the benchmark."""
    done = subprocess.run([str(pathlib.Path(args.bin) / "rota"), *map(str, words)], capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(done.stderr)
    return done.stdout


def train(args, out, app, *flags):
    """Trains into a new folder; returns the result."""
    shutil.rmtree(out, ignore_errors=True)
    rota(args, "train", app, f"--out={out}", *flags)
    return json.loads((out / "result.json").read_text())


def draw_ratings(file, users, items, ratings, rank, noise=0.3):
    """Ratings of low rank with noise, of mean 3, more of some users and items than of others."""
    import numpy as np
    dice = np.random.default_rng(1)
    p, q = (dice.normal(size=(rows, rank)) * rank ** -0.25 for rows in (users, items))
    with open(file, "w", encoding="utf-8") as out:
        for first in range(0, ratings, 1_000_000):
            count = min(1_000_000, ratings - first)
            u, i = (dice.random(count) ** 2 * users).astype(int), (dice.random(count) ** 3 * items).astype(int)
            values = 3 + (p[u] * q[i]).sum(axis=1) + noise * dice.normal(size=count)
            np.savetxt(out, np.column_stack((u, i, values)), "%d %d %.3f")


def records(file):
    return [json.loads(line) for line in file.read_text().splitlines()]


def phases(out):
    """When each phase of the run began last."""
    return {event["phase"]: event["time"] for event in records(out / "events.jsonl") if event["event"] == "phase"}


def in_turn(programs, repeat):
    """What each program returned, `repeat` times, one after the other."""
    runs = {name: [] for name in programs}
    for _ in range(repeat):
        for name, program in programs.items():
            runs[name].append(program())
    return runs


def chosen(args, programs):
    """The programs that --with names."""
    return {name: program for group in args.with_.split(",") for name, program in programs[group].items()}


def on_two_cores(run):
    """The programs for `run(workers, threads)`."""
    return {"Rota, 1 worker": lambda: run(1, 1), "Rota, 2 workers": lambda: run(2, 1),
            "Rota, 1 worker of 2 threads": lambda: run(1, 2)}


def spread(seconds):
    return f"{statistics.median(seconds):8.3f} s  ({min(seconds):.3f} - {max(seconds):.3f})"


def plot(file, grid, ylabel, title=None, **scales):
    """Draws rows of panels: (title, label of x, {name of a line: [(x, y), ...]}) each."""
    import matplotlib
    matplotlib.use("svg")
    from matplotlib import pyplot
    figure, axes = pyplot.subplots(len(grid), len(grid[0]), figsize=(4.5 * len(grid[0]), 4 * len(grid)), squeeze=False,
                                   sharey=True, subplot_kw=scales)
    for row, panels in zip(axes, grid):
        row[0].set_ylabel(ylabel)
        for axis, (name, label, lines) in zip(row, panels):
            for line, points in lines.items():
                axis.plot(*zip(*points), label=line, marker=".")
            axis.set(title=name, xlabel=label)
    axes[0][0].legend()
    figure.suptitle(title or "")
    figure.tight_layout()
    figure.savefig(file, metadata={"Date": None})
