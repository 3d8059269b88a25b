#!/usr/bin/env python3
"""Linear models beside LIBLINEAR, in turn: seconds until the held-out log loss is within 1 % of LIBLINEAR's; or,
without a test set, until the objective is within 1e-3 and 1e-6 of the least that any program found.

usage: sgd_bench.py TRAIN [TEST|-] [--c=1] [--repeat=5] [--jobs=logistic,squared_hinge,hinge] [--epochs=20]
                    [--bin=build/release/bin] [FLAGS FOR rota train]

With - in place of TEST every fifth row is held out; LIBLINEAR is then Debian's liblinear-train -s 0 -B 1 with its own
tolerance.  To the optimum it is run with each tolerance -e 0.1, 0.01, ... 1e-8, and Rota by the solvers of its app linear; both
penalise the intercept.  LIBLINEAR's seconds are processor seconds of the whole program less those of a run that ends at
once (-e 1e30).  Rota has the same penalty and two workers of one thread; its seconds are those of the training
(metrics.jsonl), without loading and evaluation.
"""
import gzip
import math
import pathlib
import resource
import statistics
import subprocess

from bench_run import arguments, in_turn, records, scratch_folder, spread, train

SOLVERS = {"logistic": (0, 7), "squared_hinge": (2, 1), "hinge": (3,)}
CHOSEN = {"logistic": ("newton", "svrg"), "squared_hinge": ("newton", "svrg"), "hinge": ("svm",)}
TOLERANCES = [10.0 ** -e for e in range(1, 9)]


class Bench:
    def __init__(self, args, flags, folder):
        self.args, self.flags, self.folder = args, flags, folder

    def liblinear(self, file, solver, *flags):
        """Processor seconds; the model is in the folder."""
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(["liblinear-train", "-s", str(solver), "-c", str(self.args.c), "-B", "1", "-q", *flags, file,
                        self.folder / "model"], check=True, capture_output=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

    def rota(self, app, file, rows, *flags):
        """The records of the epochs."""
        out = self.folder / "rota"
        train(self.args, out, app, f"--input={file}", f"--l2={1 / (rows * self.args.c)!r}", "--workers=2",
              "--checkpoint_every=0", *flags, *self.flags)
        return records(out / "metrics.jsonl")


class HeldOut(Bench):
    def run(self):
        rows, self.test = lines_of(self.args.train), []
        if self.args.test == "-":
            rows, self.test = [line for i, line in enumerate(rows) if i % 5 != 4], rows[4::5]
        else:
            self.test = lines_of(self.args.test)
        file = self.folder / "train"
        file.write_text("".join(rows))
        (self.folder / "test").write_text("".join(self.test))
        theirs, mine = [], []
        for _ in range(self.args.repeat):
            reading = self.liblinear(file, 0, "-e", "1e30")
            theirs.append(max(self.liblinear(file, 0) - reading, 0))
            loss = self.loss_of_liblinear()
            epochs = self.rota("sgd", file, len(rows), f"--valid={self.folder / 'test'}", f"--epochs={self.args.epochs}")
            there = next((r for r in epochs if r["valid"] <= 1.01 * loss), {"seconds": math.inf, "epoch": math.inf})
            mine.append((there["seconds"], there["epoch"], epochs[-1]["seconds"] / epochs[-1]["epoch"]))
        seconds, epochs, each = zip(*mine)
        print(f"{len(rows)} rows, LIBLINEAR's held-out log loss {loss:.6f}; Rota is there after {epochs[0]} epochs")
        for name, times in (("LIBLINEAR", theirs), ("Rota", seconds), ("Rota, an epoch", each)):
            print(f"{name:15} {spread(times)}")

    def loss_of_liblinear(self):
        predicted = self.folder / "predicted"
        subprocess.run(["liblinear-predict", "-b", "1", self.folder / "test", self.folder / "model", predicted],
                       check=True, capture_output=True)
        # A line of labels, then the label and the probabilities of each row.
        head, *rows = predicted.read_text().splitlines()
        place = {float(label): i + 1 for i, label in enumerate(head.split()[1:])}
        chosen = [float(row.split()[place[float(y.split()[0])]]) for row, y in zip(rows, self.test)]
        return -sum(math.log(max(p, 1e-300)) for p in chosen) / len(chosen)


def lines_of(path):
    with (gzip.open if str(path).endswith(".gz") else open)(path, "rt") as file:
        return [line for line in file if line.strip()]


class Optimum(Bench):
    """Programs return (seconds, objective) of each tolerance or epoch."""

    def objective(self, loss):
        import numpy as np
        head, numbers = (self.folder / "model").read_text(encoding="ascii").split("\nw\n")
        labels = [float(v) for v in head.split("label ")[1].split("\n")[0].split()]
        w = np.array(numbers.split(), float) * (1 if labels[0] == max(labels) else -1)
        margin = self.y * (self.x @ w[:-1] + w[-1])
        short = np.maximum(0, 1 - margin)
        losses = np.logaddexp(0, -margin) if loss == "logistic" else short if loss == "hinge" else short**2
        return losses.mean() + w @ w / (2 * len(self.y) * self.args.c)

    def theirs(self, loss, solver):
        reading = statistics.median(self.liblinear(self.args.train, solver, "-e", "1e30") for _ in range(3))
        return [(max(self.liblinear(self.args.train, solver, "-e", repr(e)) - reading, 0), self.objective(loss))
                for e in TOLERANCES]

    def mine(self, loss, solver):
        tolerance = 1e-6 if solver == "svrg" else 1e-8
        epochs = self.rota("linear", self.args.train, len(self.y), f"--loss={loss}", f"--solver={solver}",
                           f"--tolerance={tolerance}", "--penalize_intercept")
        return [(r["seconds"], r["objective"]) for r in epochs]

    def run(self):
        import numpy as np
        from sklearn.datasets import load_svmlight_file
        self.x, y = load_svmlight_file(self.args.train)
        self.y = np.where(y == y.max(), 1, -1)
        for loss in self.args.jobs.split(","):
            programs = {f"Rota {o}": (lambda o=o: self.mine(loss, o)) for o in CHOSEN[loss]}
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
    parser = arguments(__doc__, "train", "test?", c=1.0, repeat=5, jobs=",".join(SOLVERS), epochs=20)
    args, flags = parser.parse_known_args()
    with scratch_folder() as scratch:
        (HeldOut if args.test else Optimum)(args, flags, scratch).run()
