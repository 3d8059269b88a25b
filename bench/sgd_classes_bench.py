#!/usr/bin/env python3
"""Accuracy of many classes beside LIBLINEAR's: softmax and one against the rest, on rows that were held out.

usage: sgd_classes_bench.py [TRAIN TEST] [--bin=build/release/bin] [--c=1] [--seed=1] [--classes=26] [--rows=20000]

Without files, rows like those of the letters of UCI: `classes` classes of three clusters each that overlap, 16 features
of whole numbers from 0 to 15, scaled to -1 .. 1; every fifth row is held out.  Both penalise the intercept (-B 1).
"""
import subprocess
import time

import numpy as np
from sklearn.datasets import dump_svmlight_file

from bench_run import arguments, scratch_folder, train

CLUSTERS, FEATURES = 3, 16
LIBLINEAR = {"-s 0, logistic, one against the rest": 0, "-s 7, the same in the dual": 7, "-s 4, Crammer and Singer": 4,
             "-s 2, squared hinge, one against the rest": 2}
ROTA = {"logistic, one against the rest, newton": ["--one_against_rest", "--solver=newton"],
        "logistic, one against the rest, svrg": ["--one_against_rest", "--solver=svrg", "--tolerance=1e-4"],
        "logistic, one against the rest, adagrad": ["--one_against_rest"],
        "squared hinge, one against the rest, newton": ["--one_against_rest", "--loss=squared_hinge",
                                                        "--solver=newton"],
        "softmax, svrg": ["--loss=softmax", "--solver=svrg", "--tolerance=1e-4"],
        "softmax, adagrad": ["--loss=softmax"]}


def letters(rows, classes, seed):
    """Rows and their classes, from 1."""
    dice = np.random.default_rng(seed)
    centres = dice.normal(7.5, 2.2, size=(classes, CLUSTERS, FEATURES))
    y = dice.integers(classes, size=rows)
    x = centres[y, dice.integers(CLUSTERS, size=rows)] + dice.normal(0, 1.6, size=(rows, FEATURES))
    return np.clip(np.round(x), 0, 15) / 7.5 - 1, y + 1


def write_letters(folder, args):
    x, y = letters(args.rows, args.classes, args.seed)
    held_out = np.arange(args.rows) % 5 == 0
    for name, part in (("train", ~held_out), ("test", held_out)):
        dump_svmlight_file(x[part], y[part], str(folder / name), zero_based=False)
    return folder / "train", folder / "test"


def liblinear(solver, train, test, folder, args):
    subprocess.run(["liblinear-train", "-s", str(solver), "-c", str(args.c), "-B", "1", "-q", train, folder / "model"],
                   check=True, capture_output=True)
    result = subprocess.run(["liblinear-predict", test, folder / "model", folder / "predicted"], check=True,
                            capture_output=True, text=True)
    return float(result.stdout.split("=")[1].split("%")[0])


def trained(flags, file, test, folder, args, rows):
    app = "linear" if any("--solver" in flag for flag in flags) else "sgd"
    result = train(args, folder / "rota", app, f"--input={file}", f"--valid={test}", f"--l2={1 / (rows * args.c)!r}",
                   "--penalize_intercept", "--eval_every=0", *flags)
    return 100 * result["terms"]["valid_accuracy"], f"{result['epochs']} epochs, {result['seconds']:.2f} s of training"


def main():
    parser = arguments(__doc__, "files*", c=1.0, seed=1, classes=26, rows=20000)
    args = parser.parse_args()
    with scratch_folder() as folder:
        file, test = args.files or write_letters(folder, args)
        with open(file, encoding="ascii") as text:
            rows = sum(1 for _ in text)
        for name, solver in LIBLINEAR.items():
            begin = time.monotonic()
            print(f"LIBLINEAR {name}: {liblinear(solver, file, test, folder, args):.2f} %  "
                  f"({time.monotonic() - begin:.2f} s with reading and predicting)", flush=True)
        for name, flags in ROTA.items():
            accuracy, result = trained(flags, file, test, folder, args, rows)
            print(f"Rota {name}: {accuracy:.2f} %  ({result})", flush=True)


if __name__ == "__main__":
    main()
