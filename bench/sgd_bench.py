#!/usr/bin/env python3
"""Logistic regression: seconds until the held-out log loss is within 1 % of LIBLINEAR's, Rota and LIBLINEAR in turn.

usage: sgd_bench.py TRAIN TEST|- [--repeat=5] [--bin=build/release/bin] [--epochs=20] [--workers=2]
                    [FLAGS FOR rota train]

With - in place of TEST every fifth row is held out.  LIBLINEAR is Debian's liblinear-train -s 0 -B 1 with C = 1 and its
own tolerance; its seconds are those of the whole program without those of reading, which are taken from a run that ends
at once (-e 1e30).  Rota has the same penalty, and its seconds are those of the training (metrics.jsonl), without
loading and evaluation.  Medians, minima and maxima are printed.
"""
import gzip
import math
import pathlib
import subprocess
import time

from bench_run import arguments, records, scratch_folder, spread, train

def lines_of(path):
    with (gzip.open if str(path).endswith(".gz") else open)(path, "rt") as file:
        return [line for line in file if line.strip()]


def log_loss(predicted, truth):
    """Of what liblinear-predict -b 1 writes: a line of labels, then the label and the probabilities of each row."""
    head, *rows = pathlib.Path(predicted).read_text().splitlines()
    place = {float(label): i + 1 for i, label in enumerate(head.split()[1:])}
    chosen = [float(row.split()[place[float(y.split()[0])]]) for row, y in zip(rows, truth)]
    return -sum(math.log(max(p, 1e-300)) for p in chosen) / len(chosen)


class Bench:
    def __init__(self, folder, args, flags):
        self.folder, self.args, self.flags = folder, args, flags
        rows = lines_of(args.train)
        self.truth = rows[4::5] if args.test == "-" else lines_of(args.test)
        if args.test == "-":
            rows = [line for i, line in enumerate(rows) if i % 5 != 4]
        self.rows = len(rows)
        (self.folder / "train").write_text("".join(rows))
        (self.folder / "test").write_text("".join(self.truth))

    def timed(self, *flags):
        begin = time.monotonic()
        subprocess.run(["liblinear-train", "-s", "0", "-B", "1", "-q", *flags, self.folder / "train",
                        self.folder / "model"], check=True)
        return time.monotonic() - begin

    def liblinear(self):
        reading = self.timed("-e", "1e30")
        return max(self.timed() - reading, 0)

    def liblinear_loss(self):
        subprocess.run(["liblinear-predict", "-b", "1", self.folder / "test", self.folder / "model",
                        self.folder / "predicted"], check=True, capture_output=True)
        return log_loss(self.folder / "predicted", self.truth)

    def rota(self, wanted):
        """Seconds and epochs to that loss, and the seconds of an epoch."""
        out = self.folder / "rota"
        train(self.args, out, "sgd", f"--input={self.folder / 'train'}", f"--valid={self.folder / 'test'}",
              f"--l2={1 / self.rows}", "--checkpoint_every=0", f"--epochs={self.args.epochs}",
              f"--workers={self.args.workers}", *self.flags)
        epochs = records(out / "metrics.jsonl")
        there = [r for r in epochs if r["valid"] <= wanted]
        each = epochs[-1]["seconds"] / epochs[-1]["epoch"]
        return (there[0]["seconds"], there[0]["epoch"], each) if there else (math.inf, math.inf, each)

    def run(self):
        theirs, mine = [], []
        for _ in range(self.args.repeat):
            theirs.append(self.liblinear())
            loss = self.liblinear_loss()
            mine.append(self.rota(1.01 * loss))
        seconds, epochs, each = zip(*mine)
        print(f"{self.rows} rows, LIBLINEAR's held-out log loss {loss:.6f}; Rota is there after {epochs[0]} epochs")
        for name, times in (("LIBLINEAR", theirs), ("Rota", seconds), ("Rota, an epoch", each)):
            print(f"{name:15} {spread(times)}")


if __name__ == "__main__":
    parser = arguments(__doc__, "train", "test", repeat=5, epochs=20, workers=2)
    with scratch_folder() as scratch:
        Bench(scratch, *parser.parse_known_args()).run()
