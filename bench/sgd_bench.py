#!/usr/bin/env python3
"""Logistic regression: seconds until the held-out log loss is within 1 % of LIBLINEAR's, Rota and LIBLINEAR in turn.

usage: sgd_bench.py TRAIN TEST|- [--repeat=5] [--bin=build/release/bin] [--epochs=20] [--workers=2] [FLAGS FOR rota train ...]

With - in place of TEST every fifth row is held out.  LIBLINEAR is Debian's liblinear-train -s 0 -B 1 with C = 1 and its own
tolerance; its seconds are those of the whole program without those of reading, which are taken from a run that ends at once
(-e 1e30).  Rota has the same penalty, and its seconds are those of the training (metrics.jsonl), without loading and
evaluation.  What is printed are medians, and the least and the most.
"""
import argparse
import gzip
import json
import math
import pathlib
import shutil
import statistics
import subprocess
import tempfile
import time


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
    def __init__(self, args, flags):
        self.args, self.flags = args, flags
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="rota-bench-"))
        train = lines_of(args.train)
        self.truth = train[4::5] if args.test == "-" else lines_of(args.test)
        if args.test == "-":
            train = [line for i, line in enumerate(train) if i % 5 != 4]
        self.rows = len(train)
        (self.folder / "train").write_text("".join(train))
        (self.folder / "test").write_text("".join(self.truth))

    def timed(self, *flags):
        begin = time.monotonic()
        subprocess.run(["liblinear-train", "-s", "0", "-B", "1", "-q", *flags, self.folder / "train", self.folder / "model"],
                       check=True)
        return time.monotonic() - begin

    def liblinear(self):
        reading = self.timed("-e", "1e30")
        return max(self.timed() - reading, 0)

    def liblinear_loss(self):
        subprocess.run(["liblinear-predict", "-b", "1", self.folder / "test", self.folder / "model", self.folder / "told"],
                       check=True, capture_output=True)
        return log_loss(self.folder / "told", self.truth)

    def rota(self, wanted):
        """Seconds and epochs to that loss, and the seconds of an epoch."""
        out = self.folder / "rota"
        shutil.rmtree(out, ignore_errors=True)
        subprocess.run([str(pathlib.Path(self.args.bin) / "rota"), "train", "sgd", f"--input={self.folder / 'train'}",
                        f"--valid={self.folder / 'test'}", f"--out={out}", f"--l2={1 / self.rows}", "--checkpoint_every=0",
                        f"--epochs={self.args.epochs}", f"--workers={self.args.workers}", *self.flags],
                       check=True, capture_output=True)
        records = [json.loads(line) for line in (out / "metrics.jsonl").read_text().splitlines()]
        there = [r for r in records if r["valid"] <= wanted]
        each = records[-1]["seconds"] / records[-1]["epoch"]
        return (there[0]["seconds"], there[0]["epoch"], each) if there else (math.inf, math.inf, each)

    def run(self):
        theirs, mine = [], []
        for _ in range(self.args.repeat):
            theirs.append(self.liblinear())
            loss = self.liblinear_loss()
            mine.append(self.rota(1.01 * loss))
        told = [("LIBLINEAR", theirs), ("Rota", [seconds for seconds, _, _ in mine]), ("Rota, an epoch", [e for _, _, e in mine])]
        print(f"{self.rows} rows, LIBLINEAR's held-out log loss {loss:.6f}; Rota is there after {mine[0][1]} epochs")
        for name, seconds in told:
            print(f"{name:15} {statistics.median(seconds):8.4f} s ({min(seconds):.4f} to {max(seconds):.4f})")
        shutil.rmtree(self.folder)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("train")
    parser.add_argument("test")
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--bin", default="build/release/bin")
    parser.add_argument("--epochs", type=int, default=20)
    parser.add_argument("--workers", type=int, default=2)
    Bench(*parser.parse_known_args()).run()
