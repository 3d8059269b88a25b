#!/usr/bin/env python3
"""Lasso: seconds of training to a duality gap, Rota and its peers in turn.

usage: lasso_speed.py DATA.libsvm [--lambda_ratio=0.1] [--repeat=3] [--bin=build/release/bin] [--peers=FOLDER]
                      [--with=rota,celer,blitz,sklearn,glmnet] [--gap=1e-6]

Every program runs on the same cores, one after the other, REPEAT times; medians are printed.  The gap of each solution
is computed here, in units of the objective with no coefficient.  FOLDER holds peers built by hand from
their own sources: celer (celer/, with its extension built in place) and BlitzL1 (BlitzL1/, with lib/libblitzl1.so).
scikit-learn and glmnet are Debian's packages.  Loading is not counted, but printed separately.
"""
import pathlib
import subprocess
import sys
import time

import numpy as np
import scipy.io
import scipy.sparse

from bench_run import arguments, in_turn, on_two_cores, scratch_folder, spread, train

GLMNET = """
suppressMessages({library(Matrix); library(glmnet)})
a <- commandArgs(TRUE)
x <- as(readMM(file.path(a[1], "x.mtx")), "CsparseMatrix"); y <- scan(file.path(a[1], "y.txt"), quiet = TRUE)
t <- system.time(fit <- glmnet(x, y, lambda = as.numeric(a[2]), standardize = FALSE, intercept = FALSE,
                               thresh = as.numeric(a[3]), maxit = 1e6))
cat(t["elapsed"], "\\n"); b <- fit$beta
writeMM(b, file.path(a[1], "beta.mtx"))
"""


def load(file):
    cache = pathlib.Path(str(file) + ".npz")
    if not cache.exists():
        from sklearn.datasets import load_svmlight_file
        x, y = load_svmlight_file(str(file))
        scipy.sparse.save_npz(cache, x.tocsc(), compressed=False)
        np.save(str(file) + ".y.npy", y)
    return scipy.sparse.load_npz(cache), np.load(str(file) + ".y.npy")


class Bench:
    def __init__(self, args, folder):
        self.args, self.folder = args, folder
        self.x, self.y = load(args.data)
        self.n = len(self.y)
        self.lambda_max = np.abs(self.x.T @ self.y).max() / self.n
        self.lam = args.lambda_ratio * self.lambda_max
        self.null = self.y @ self.y / (2 * self.n)

    def gap(self, b):
        r = self.y - self.x @ b
        primal = r @ r / (2 * self.n) + self.lam * np.abs(b).sum()
        theta = r / max(1.0, np.abs(self.x.T @ r).max() / (self.n * self.lam))
        dual = (self.y @ self.y - (self.y - theta) @ (self.y - theta)) / (2 * self.n)
        return primal, (primal - dual) / self.null

    def rota(self, workers, threads):
        out = self.folder / "rota"
        begin = time.monotonic()
        result = train(self.args, out, "lasso", f"--input={self.args.data}", f"--lambda={self.lam!r}",
                       f"--tolerance={self.args.gap}", f"--workers={workers}", f"--threads={threads}", "--nointercept",
                       *self.args.rota_flags)
        whole = time.monotonic() - begin
        b = scipy.io.mmread(out / "model/coefficients.mtx").tocsc()[:, -1].toarray().ravel()
        b = np.concatenate([b, np.zeros(self.x.shape[1] - len(b))])
        note = f"{result['epochs']} epochs, {whole:.2f} s with starting, reading and writing"
        return result["seconds"], b, note

    def celer(self):
        sys.path.insert(0, str(pathlib.Path(self.args.peers) / "celer"))
        from celer import Lasso
        model = Lasso(alpha=self.lam, fit_intercept=False, tol=self.args.gap / 2, max_iter=100)
        begin = time.monotonic()
        model.fit(self.x, self.y)
        return time.monotonic() - begin, model.coef_, ""

    def blitz(self):
        sys.path.insert(0, str(pathlib.Path(self.args.peers) / "BlitzL1/python"))
        import blitzl1
        blitzl1.set_tolerance(self.args.gap)
        blitzl1.set_use_intercept(False)
        problem = blitzl1.LassoProblem(self.x, self.y)
        begin = time.monotonic()
        solution = problem.solve(self.lam * self.n)
        return time.monotonic() - begin, solution.x, ""

    def sklearn(self):
        from sklearn.linear_model import Lasso
        model = Lasso(alpha=self.lam, fit_intercept=False, tol=self.args.gap / 2, max_iter=100000)
        begin = time.monotonic()
        model.fit(self.x, self.y)
        return time.monotonic() - begin, np.asarray(model.coef_).ravel(), ""

    def glmnet(self):
        if not (self.folder / "x.mtx").exists():
            scipy.io.mmwrite(self.folder / "x.mtx", self.x.tocoo())
            np.savetxt(self.folder / "y.txt", self.y, fmt="%.17g")
            (self.folder / "fit.R").write_text(GLMNET)
        done = subprocess.run(["Rscript", "--vanilla", self.folder / "fit.R", self.folder, repr(self.lam), "1e-9"],
                              check=True, capture_output=True, text=True)
        return float(done.stdout.split()[0]), scipy.io.mmread(self.folder / "beta.mtx").toarray().ravel(), ""

    def run(self):
        programs = {"rota": on_two_cores(self.rota), "celer": {"celer": self.celer}, "blitz": {"BlitzL1": self.blitz},
                    "sklearn": {"scikit-learn": self.sklearn}, "glmnet": {"glmnet": self.glmnet}}
        print(f"{self.args.data}: {self.n} x {self.x.shape[1]}, {self.x.nnz} entries, lambda {self.lam:.6g} = "
              f"{self.args.lambda_ratio} lambda_max, gap {self.args.gap} of the objective at zero", flush=True)
        rows = in_turn({n: p for name in self.args.with_.split(",") for n, p in programs[name].items()}, self.args.repeat)
        for name, runs in rows.items():
            runs.sort(key=lambda run: run[0])
            _, b, note = runs[len(runs) // 2]
            objective, gap = self.gap(b)
            print(f"  {name:30s} {spread([run[0] for run in runs])}  objective {objective:.10f}  gap {gap:.1e}  "
                  f"{np.count_nonzero(b)} non-zero  {note}", flush=True)


def main():
    parser = arguments(__doc__, "data", lambda_ratio=0.1, repeat=3, gap=1e-6, peers="", with_="rota")
    args, args.rota_flags = parser.parse_known_args()
    with scratch_folder() as folder:
        Bench(args, folder).run()


if __name__ == "__main__":
    main()
