#!/usr/bin/env python3
"""Lasso and sparse logistic regression, of one penalty or of a path: seconds of training to a duality gap, Rota and its
peers in turn.

usage: lasso_race.py [DATA.libsvm ...] [--sets=msweb,pages300,...] [--data_folder=FOLDER] [--keep=FOLDER]
                     [--loss=squared] [--lambda_ratio=0.1] [--path=1] [--gap=1e-6] [--repeat=3]
                     [--workers=2x1,1x1,1x2] [--with=celer,blitz,sklearn,glmnet] [--peers=FOLDER]
                     [--bin=build/release/bin] [FLAGS FOR rota train]

Data are LIBSVM files, or sets of lasso_sets.py, which it makes of the files in --data_folder; --keep keeps them for the
next time.  --peers holds those built by hand from their own sources: celer (celer/, with its extension built in place)
and BlitzL1 (Johnson and Guestrin; BlitzL1/, with lib/libblitzl1.so).  scikit-learn and glmnet are Debian's packages.
All but BlitzL1 are for one penalty and the squared loss.

Every program runs on the same cores, one after the other, REPEAT times; medians are printed.  Loading is not counted,
nor the time in which a peer finds lambda_max, which Rota's seconds include.  Objectives and gaps are computed here from
the coefficients, in units of the objective with no coefficient.  BlitzL1's gap is a share of the dual objective, so it
is given the share that makes both gaps the same.  A path has equal ratios from lambda_max down.
"""
import pathlib
import statistics
import subprocess
import sys
import time

import numpy as np
import scipy.io

import lasso_sets
from bench_run import arguments, in_turn, scratch_folder, spread, train

GLMNET = """
suppressMessages({library(Matrix); library(glmnet)})
a <- commandArgs(TRUE)
x <- as(readMM(file.path(a[1], "x.mtx")), "CsparseMatrix"); y <- scan(file.path(a[1], "y.txt"), quiet = TRUE)
t <- system.time(fit <- glmnet(x, y, lambda = as.numeric(a[2]), standardize = FALSE, intercept = FALSE,
                               thresh = as.numeric(a[3]), maxit = 1e6))
cat(t["elapsed"], "\\n"); b <- fit$beta
writeMM(b, file.path(a[1], "beta.mtx"))
"""


def made(name, args, folder):
    file = folder / f"{name}.libsvm"
    if not file.exists():
        from sklearn.datasets import dump_svmlight_file
        x, y = lasso_sets.Sets(pathlib.Path(args.data_folder)).make(name)
        x.sort_indices()
        dump_svmlight_file(x, y, str(file), zero_based=False)
    return file


class Race:
    """Each program returns its seconds, the coefficients of each penalty, and a note."""

    def __init__(self, args, file, folder):
        from sklearn.datasets import load_svmlight_file
        self.args, self.file, self.folder = args, file, folder
        self.x, y = load_svmlight_file(str(file), zero_based=False)
        self.x = self.x.tocsc()
        self.y = np.where(y == y.max(), 1.0, -1.0) if args.loss == "logistic" else y
        self.n = len(self.y)
        self.null = np.log(2) if args.loss == "logistic" else self.y @ self.y / (2 * self.n)
        self.lambda_max = np.abs(self.x.T @ self.gradient(np.zeros(self.n))).max()

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
        begin = time.monotonic()
        result = train(self.args, out, "lasso", "--nointercept", f"--input={self.file}", f"--loss={self.args.loss}",
                       f"--lambda={penalties[-1]!r}", *path, f"--tolerance={self.args.gap}", f"--workers={workers}",
                       f"--threads={threads}", *self.args.rota_flags)
        whole = time.monotonic() - begin
        b = scipy.io.mmread(out / "model/coefficients.mtx").tocsc()
        b = [b[:, k].toarray().ravel() for k in range(len(penalties))]
        return (result["seconds"], [np.pad(one, (0, self.x.shape[1] - len(one))) for one in b],
                f"{result['epochs']} epochs, {whole:.2f} s with starting, reading and writing")

    def blitz(self, penalties, objectives):
        sys.path.insert(0, str(pathlib.Path(self.args.peers) / "BlitzL1/python"))
        import blitzl1
        problem = (blitzl1.LogRegProblem if self.args.loss == "logistic" else blitzl1.LassoProblem)(self.x, self.y)
        blitzl1.set_use_intercept(False)
        b, fits, rounds, seconds = np.zeros(self.x.shape[1]), [], 0, 0
        for lam, objective in zip(penalties, objectives):
            blitzl1.set_tolerance(self.args.gap * self.null / objective)
            begin = time.monotonic()
            solution = problem.solve(lam * self.n, initial_x=b.copy(), max_iter=1000)
            seconds += time.monotonic() - begin
            b = solution.x
            rounds += solution._num_iterations
            fits.append(b.copy())
        return seconds, fits, f"{rounds} rounds"

    def estimator(self, kind, lam, passes):
        model = kind(alpha=lam, fit_intercept=False, tol=self.args.gap / 2, max_iter=passes)
        begin = time.monotonic()
        model.fit(self.x, self.y)
        return time.monotonic() - begin, [np.asarray(model.coef_).ravel()], ""

    def celer(self, lam):
        sys.path.insert(0, str(pathlib.Path(self.args.peers) / "celer"))
        from celer import Lasso
        return self.estimator(Lasso, lam, 100)

    def sklearn(self, lam):
        from sklearn.linear_model import Lasso
        return self.estimator(Lasso, lam, 100000)

    def glmnet(self, lam):
        scipy.io.mmwrite(self.folder / "x.mtx", self.x.tocoo())
        np.savetxt(self.folder / "y.txt", self.y, fmt="%.17g")
        (self.folder / "fit.R").write_text(GLMNET)
        done = subprocess.run(["Rscript", "--vanilla", self.folder / "fit.R", self.folder, repr(lam), "1e-9"],
                              check=True, capture_output=True, text=True)
        return float(done.stdout.split()[0]), [scipy.io.mmread(self.folder / "beta.mtx").toarray().ravel()], ""

    def run(self, what, penalties):
        programs = {f"Rota {shape}": (lambda shape=shape: self.rota(shape, penalties))
                    for shape in self.args.workers.split(",")}
        objectives = [self.gap(lam, b)[0] for lam, b in zip(penalties, next(iter(programs.values()))()[1])]
        for name in filter(None, self.args.with_.split(",")):
            fit = getattr(self, name)
            if name == "blitz":
                programs["BlitzL1"] = lambda: self.blitz(penalties, objectives)
            elif len(penalties) == 1 and self.args.loss == "squared":
                programs[name] = lambda fit=fit: fit(penalties[0])
        runs = in_turn(programs, self.args.repeat)
        middle = {name: statistics.median(seconds for seconds, *_ in its) for name, its in runs.items()}
        peer = min((seconds for name, seconds in middle.items() if not name.startswith("Rota")), default=None)
        for name, its in runs.items():
            _, b, note = its[-1]
            looked = [self.gap(lam, one) for lam, one in zip(penalties, b)]
            apart = max(abs(found - objective) for (found, _), objective in zip(looked, objectives)) / self.null
            if apart > 2 * self.args.gap and (name == "BlitzL1" or name.startswith("Rota")):
                raise SystemExit(f"{name}: the objectives are {apart:.1e} apart")
            ratio = f"best peer / it {peer / middle[name]:5.2f}  " if peer else ""
            print(f"  {what:4s} {name:10s} {spread([seconds for seconds, *_ in its])}  {ratio}objective "
                  f"{looked[-1][0]:.10f}  gap {max(gap for _, gap in looked):.1e}  {np.count_nonzero(b[-1])} non-zero  "
                  f"{note}", flush=True)

    def race(self):
        print(f"{self.file}: {self.n} x {self.x.shape[1]}, {self.x.nnz} entries, {self.args.loss}, "
              f"{self.args.lambda_ratio} lambda_max = {self.args.lambda_ratio * self.lambda_max:.6g}", flush=True)
        self.run("one", [self.args.lambda_ratio * self.lambda_max])
        if self.args.path > 1:
            shares = np.arange(self.args.path) / (self.args.path - 1)
            self.run("path", [self.lambda_max * self.args.lambda_ratio**share for share in shares])


def main():
    parser = arguments(__doc__, "data*", sets="", data_folder="", keep="", loss="squared", lambda_ratio=0.1, path=1, gap=1e-6,
                       repeat=3, workers="2x1,1x1,1x2", with_="", peers="")
    args, args.rota_flags = parser.parse_known_args()
    with scratch_folder() as folder:
        sets = [made(name, args, pathlib.Path(args.keep or folder)) for name in filter(None, args.sets.split(","))]
        for file in args.data + sets:
            Race(args, file, folder).race()


if __name__ == "__main__":
    main()
