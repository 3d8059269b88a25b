#!/usr/bin/env python3
"""Sparse logistic regression beside BlitzL1, in turn: seconds to a duality gap, of one penalty and of a path.

usage: lasso_race.py --blitz=FOLDER [--data=FILE,...] [--shapes=w300,text8k,...] [--keep=FOLDER] [--bin=build/release/bin]
                     [--lambda_ratio=0.01] [--path=20] [--repeat=5] [--gap=1e-6] [--loss=logistic] [--workers=2x1,1x1]

FOLDER has BlitzL1 (Johnson and Guestrin), built from its own sources with its own flags, as python/blitzl1 with
libblitzl1.so in it.  Data are LIBSVM files of two labels, or shapes that are generated here after those of well-known
sets: rows, columns and entries of text with power-law words, of sparse 0/1 attributes, of a few dense columns.

Every program runs REPEAT times, in turn, on the same cores; medians are printed.  Reading is not counted, nor the time
in which BlitzL1 finds lambda_max, which Rota's seconds include.  Objectives and gaps are computed here
from the coefficients, in units of the objective with no coefficient.  BlitzL1's gap is a share of the dual objective,
so it is given the share that makes both gaps the same.  A path has equal ratios from lambda_max down.
"""
import pathlib
import statistics
import sys
import time

import numpy as np
import scipy.io
import scipy.sparse

from bench_run import arguments, in_turn, scratch_folder, train

def text(random, rows, columns, words, counts, tilt):
    """Documents of two classes and 20 topics; word k is drawn in proportion to (k + 3)^-1.05, tilted by class and topic."""
    base = (np.arange(columns) + 3.0)**-1.05
    lean = np.where(random.random(columns) < 0.1, random.normal(size=columns) * tilt, 0)
    topics = np.where(random.random((20, columns)) < 0.05, random.normal(size=(20, columns)), 0)
    y = np.where(random.random(rows) < 0.5, 1.0, -1.0)
    topic = random.integers(0, 20, rows)
    length = np.maximum(5, random.lognormal(np.log(words), 0.5, rows)).astype(int)
    row, word = [], []
    for label in (-1, 1):
        for t in range(20):
            chosen = np.flatnonzero((y == label) & (topic == t))
            share = np.cumsum(base * np.exp(label * lean + topics[t]))
            row.append(np.repeat(chosen, length[chosen]))
            word.append(np.searchsorted(share, random.random(len(row[-1])) * share[-1]))
    x = scipy.sparse.coo_matrix((np.ones(sum(map(len, row))), (np.concatenate(row), np.concatenate(word))),
                                (rows, columns)).tocsr()
    if not counts:
        weight = 1 + np.log(rows / (1 + np.bincount(x.indices, minlength=columns)))
        x = scipy.sparse.csr_matrix((np.log1p(x.data) * weight[x.indices], x.indices, x.indptr), x.shape)
        x = scipy.sparse.diags(1 / np.sqrt(np.maximum(x.multiply(x).sum(axis=1).A1, 1e-9))) @ x
    return x, y


def attributes(random, rows, columns, per_row, positive):
    """0/1 attributes of power-law frequency, with labels of a logistic model, of which few are positive."""
    share = np.minimum(0.9, (np.arange(columns) + 2.0)**-0.7)
    share *= per_row / share.sum()
    x = scipy.sparse.csr_matrix(random.random((rows, columns)) < share, dtype=float)
    f = x @ (random.normal(size=columns) * 1.5)
    f += random.logistic(size=rows)
    return x, np.where(f > np.quantile(f, 1 - positive), 1.0, -1.0)


def few(random, rows, columns):
    """Ten of the columns encode which of ten states a row is in, the others are numbers that depend on one another."""
    state = random.integers(0, 10, rows)
    numbers = random.normal(size=(rows, columns - 10)) @ (np.eye(columns - 10) + 0.3 * random.normal(size=(columns - 10,) * 2))
    x = np.concatenate([np.eye(10)[state], numbers], axis=1)
    f = x @ random.normal(size=columns) + 2 * random.logistic(size=rows)
    return scipy.sparse.csr_matrix(x), np.where(f > np.quantile(f, 0.9), 1.0, -1.0)


SHAPES = {
    "w300": lambda r: attributes(r, 39_799, 300, 11.6, 0.03),
    "text8k": lambda r: text(r, 7_770, 8_315, 75, False, 0.7),
    "text62k": lambda r: text(r, 12_748, 62_061, 130, False, 0.7),
    "text90k": lambda r: text(r, 25_000, 89_527, 230, True, 0.35),
    "few22": lambda r: few(r, 49_990, 22),
}


def generated(name, folder):
    file = folder / f"{name}.libsvm"
    if not file.exists():
        from sklearn.datasets import dump_svmlight_file
        x, y = SHAPES[name](np.random.default_rng(7))
        dump_svmlight_file(x, y, str(file), zero_based=False)
    return file


class Race:
    def __init__(self, args, file, folder):
        from sklearn.datasets import load_svmlight_file
        self.args, self.file, self.folder = args, file, folder
        self.x, y = load_svmlight_file(str(file), zero_based=False)
        self.x = self.x.tocsc()
        self.y = np.where(y == y.max(), 1.0, -1.0) if args.loss == "logistic" else y
        self.n = len(self.y)
        self.null = np.log(2) if args.loss == "logistic" else self.y @ self.y / (2 * self.n)
        self.lambda_max = np.abs(self.x.T @ self.gradient(np.zeros(self.n))).max()
        import blitzl1
        self.blitz = blitzl1
        self.problem = (blitzl1.LogRegProblem if args.loss == "logistic" else blitzl1.LassoProblem)(self.x, self.y)

    def gradient(self, f):
        return (self.y / (1 + np.exp(self.y * f)) if self.args.loss == "logistic" else self.y - f) / self.n

    def gap(self, lam, b):
        f = self.x @ b
        g = self.gradient(f)
        a = min(1.0, lam / np.abs(self.x.T @ g).max())
        penalty = lam * np.abs(b).sum()
        if self.args.loss == "logistic":
            primal = np.logaddexp(0, -self.y * f).mean() + penalty
            u = np.clip(a * g * self.y * self.n, 1e-300, 1 - 1e-16)
            dual = -(u * np.log(u) + (1 - u) * np.log1p(-u)).mean()
        else:
            primal = ((self.y - f)**2).mean() / 2 + penalty
            dual = ((self.y**2).mean() - ((self.y - a * g * self.n)**2).mean()) / 2
        return primal, (primal - dual) / self.null

    def rota(self, shape, penalties):
        out = self.folder / "rota"
        workers, threads = shape.split("x")
        path = [f"--path={len(penalties)}"] if len(penalties) > 1 else []
        result = train(self.args, out, "lasso", "--nointercept", f"--input={self.file}", f"--loss={self.args.loss}",
                       f"--lambda={penalties[-1]!r}", *path, f"--tolerance={self.args.gap}", f"--workers={workers}",
                       f"--threads={threads}", *self.args.rota_flags)
        b = scipy.io.mmread(out / "model/coefficients.mtx").tocsc()
        b = [b[:, k].toarray().ravel() for k in range(len(penalties))]
        return result["seconds"], [np.pad(one, (0, self.x.shape[1] - len(one))) for one in b], result["epochs"]

    def blitz_fits(self, penalties, objectives):
        self.blitz.set_use_intercept(False)
        b, fits, rounds = np.zeros(self.x.shape[1]), [], 0
        seconds = 0
        for lam, objective in zip(penalties, objectives):
            self.blitz.set_tolerance(self.args.gap * self.null / objective)
            begin = time.monotonic()
            solution = self.problem.solve(lam * self.n, initial_x=b.copy(), max_iter=1000)
            seconds += time.monotonic() - begin
            b = solution.x
            rounds += solution._num_iterations
            fits.append(b.copy())
        return seconds, fits, rounds

    def run(self, what, penalties):
        programs = {f"Rota {shape}": (lambda shape=shape: self.rota(shape, penalties))
                    for shape in self.args.workers.split(",")}
        objectives = [self.gap(lam, b)[0] for lam, b in zip(penalties, programs[next(iter(programs))]()[1])]
        programs["BlitzL1"] = lambda: self.blitz_fits(penalties, objectives)
        runs = in_turn(programs, self.args.repeat)
        seconds = {name: [each[0] for each in its] for name, its in runs.items()}
        last = {name: its[-1] for name, its in runs.items()}
        peer = statistics.median(seconds["BlitzL1"])
        best = None
        for name, times in seconds.items():
            looked = [self.gap(lam, b) for lam, b in zip(penalties, last[name][1])]
            worst = max(gap for _, gap in looked)
            best = best or [objective for objective, _ in looked]
            apart = max(abs(objective - other) for (objective, _), other in zip(looked, best)) / self.null
            if apart > 2 * self.args.gap:
                raise SystemExit(f"{name}: the objectives are {apart:.1e} apart")
            middle = statistics.median(times)
            print(f"  {what:6s} {name:10s} {middle:8.4f} s ({min(times):.4f} - {max(times):.4f})  BlitzL1 / it {peer / middle:5.2f}"
                  f"  gap {worst:.1e}  {np.count_nonzero(last[name][1][-1]):6d} non-zero  {last[name][2]} rounds", flush=True)

    def race(self):
        print(f"{self.file.name}: {self.n} x {self.x.shape[1]}, {self.x.nnz} entries, {self.args.loss}, "
              f"{self.args.lambda_ratio} lambda_max", flush=True)
        last = self.args.lambda_ratio * self.lambda_max
        self.run("one", [last])
        if self.args.path > 1:
            shares = np.arange(self.args.path) / (self.args.path - 1)
            self.run("path", [self.lambda_max * self.args.lambda_ratio**share for share in shares])


def main():
    parser = arguments(__doc__, blitz=str, data="", shapes="", keep="", loss="logistic", lambda_ratio=0.01, path=20,
                       repeat=5, gap=1e-6, workers="2x1,1x1")
    args, args.rota_flags = parser.parse_known_args()
    sys.path.insert(0, str(pathlib.Path(args.blitz) / "python"))
    with scratch_folder() as folder:
        files = [pathlib.Path(name) for name in args.data.split(",") if name]
        files += [generated(name, pathlib.Path(args.keep or folder)) for name in args.shapes.split(",") if name]
        for file in files:
            Race(args, file, folder).race()


if __name__ == "__main__":
    main()
