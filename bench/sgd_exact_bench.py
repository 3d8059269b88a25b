#!/usr/bin/env python3
"""The exact solvers against LIBLINEAR's: seconds until the objective is within 1e-3 and 1e-6 of the least, in turn.

usage: sgd_exact_bench.py TRAIN [--bin=build/release/bin] [--repeat=3] [--c=1] [--jobs=logistic,squared_hinge,hinge]

Both penalise the intercept (-B 1, --penalize_intercept).  LIBLINEAR's seconds are processor seconds of the whole
program less those of a run that ends at once (-e 1e30), for each tolerance -e 0.1, 0.01, ... 1e-8; Rota's are those of
the training (metrics.jsonl), two workers of one thread.  The least objective is the least that any program found.
"""
import math
import resource
import statistics
import subprocess

import numpy as np
from sklearn.datasets import load_svmlight_file

from bench_run import arguments, in_turn, records, scratch_folder, spread, train

SOLVERS = {"logistic": (0, 7), "squared_hinge": (2, 1), "hinge": (3,)}
OPTIMIZERS = {"logistic": ("newton", "svrg"), "squared_hinge": ("newton", "svrg"), "hinge": ("svm",)}
TOLERANCES = [10.0 ** -e for e in range(1, 9)]


class Bench:
    def __init__(self, args, folder):
        self.args, self.folder = args, folder
        self.x, y = load_svmlight_file(args.train)
        self.y = np.where(y == y.max(), 1, -1)

    def objective(self, loss):
        head, numbers = (self.folder / "model").read_text(encoding="ascii").split("\nw\n")
        labels = [float(v) for v in head.split("label ")[1].split("\n")[0].split()]
        w = np.array(numbers.split(), float) * (1 if labels[0] == max(labels) else -1)
        margin = self.y * (self.x @ w[:-1] + w[-1])
        short = np.maximum(0, 1 - margin)
        losses = np.logaddexp(0, -margin) if loss == "logistic" else short if loss == "hinge" else short**2
        return losses.mean() + w @ w / (2 * len(self.y) * self.args.c)

    def liblinear(self, solver, tolerance):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(["liblinear-train", "-s", str(solver), "-c", str(self.args.c), "-B", "1", "-e", repr(tolerance),
                        "-q", self.args.train, self.folder / "model"], check=True, capture_output=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

    def theirs(self, loss, solver):
        """(seconds, objective) of each tolerance."""
        reading = statistics.median(self.liblinear(solver, 1e30) for _ in range(3))
        return [(max(self.liblinear(solver, e) - reading, 0), self.objective(loss)) for e in TOLERANCES]

    def mine(self, loss, optimizer):
        out = self.folder / "rota"
        train(self.args, out, "sgd", f"--input={self.args.train}", f"--loss={loss}", f"--optimizer={optimizer}",
              f"--tolerance={1e-6 if optimizer == 'svrg' else 1e-8}", f"--l2={1 / (len(self.y) * self.args.c)!r}",
              "--penalize_intercept", "--checkpoint_every=0")
        return [(r["seconds"], r["objective"]) for r in records(out / "metrics.jsonl")]

    def run(self):
        for loss in self.args.jobs.split(","):
            programs = {f"Rota {o}": (lambda o=o: self.mine(loss, o)) for o in OPTIMIZERS[loss]}
            programs |= {f"LIBLINEAR -s {s}": (lambda s=s: self.theirs(loss, s)) for s in SOLVERS[loss]}
            runs = in_turn(programs, self.args.repeat)
            least = min(objective for each in runs.values() for one in each for _, objective in one)
            print(f"{loss}: least objective {least:.9g}")
            for name, each in runs.items():
                printed = []
                for near in (1e-3, 1e-6):
                    seconds = [min((s for s, o in one if o <= least * (1 + near)), default=math.inf) for one in each]
                    printed.append(f"{near:g}: {spread(seconds)}")
                best = min(o for one in each for _, o in one)
                print(f"  {name:15} {'   '.join(printed)}   nearest {best / least - 1:.1e}")


if __name__ == "__main__":
    parser = arguments(__doc__, "train", repeat=3, c=1.0, jobs=",".join(SOLVERS))
    with scratch_folder() as scratch:
        Bench(parser.parse_args(), scratch).run()
