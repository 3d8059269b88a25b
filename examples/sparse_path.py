#!/usr/bin/env python3
"""A path of sparse logistic models: from no coefficient to many, and which is best on rows that were not trained on.

usage: sparse_path.py [FILE [HELD_OUT]] [--steps=N] [--plot=PICTURE]

The files are LIBSVM text with labels -1 and +1, plain or as .gz.  Without them: a9a and its test set (census income,
UCI Adult, CC BY 4.0), which are in Rota's source tree.
"""
import argparse
import gzip
import pathlib

import numpy as np
import scipy.sparse

import rota

SAMPLE = pathlib.Path(__file__).resolve().parents[1] / "apps/sgd/sample"


def read_libsvm(path, columns=0):
    """Rows as a sparse matrix of at least this number of columns, and labels."""
    labels, row_ends, indices, values = [], [0], [], []
    with (gzip.open if str(path).endswith(".gz") else open)(path, "rt", encoding="ascii") as lines:
        for line in lines:
            label, *entries = line.split()
            labels.append(float(label))
            for entry in entries:
                column, _, value = entry.partition(":")
                indices.append(int(column) - 1)
                values.append(float(value))
            row_ends.append(len(indices))
    shape = (len(labels), max(columns, max(indices) + 1))
    return scipy.sparse.csr_matrix((values, indices, row_ends), shape=shape), np.array(labels)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file", nargs="?", default=SAMPLE / "a9a.libsvm.gz")
    parser.add_argument("held_out", nargs="?", default=SAMPLE / "a9a_test.libsvm.gz")
    parser.add_argument("--steps", type=int, default=20)
    parser.add_argument("--plot", default="sparse_path.png")
    options = parser.parse_args()

    X, y = read_libsvm(options.file)
    held_out, truth = read_libsvm(options.held_out, X.shape[1])
    held_out = held_out[:, :X.shape[1]]
    # With a smaller C than this, all coefficients are zero.
    smallest = 1 / np.abs(X.T @ ((y > 0) - (y > 0).mean())).max()
    path, coefficients, scores = smallest * np.logspace(0.05, 3, options.steps), [], []
    for C in path:
        model = rota.LogisticRegression(penalty="l1", C=C).fit(X, y)
        coefficients.append(model.coef_[0])
        scores.append(model.score(held_out, truth))
        print(f"C {C:9.3g}  {np.count_nonzero(model.coef_):4d} coefficients  {scores[-1]:.4f} right")
    best = int(np.argmax(scores))
    print(f"best: C = {path[best]:.3g}, {np.count_nonzero(coefficients[best])} of {X.shape[1]} coefficients")

    import matplotlib
    matplotlib.use("Agg")
    from matplotlib import pyplot
    figure, (upper, lower) = pyplot.subplots(2, sharex=True, layout="constrained")
    upper.semilogx(path, coefficients, linewidth=0.8)
    upper.set_ylabel("coefficients")
    lower.semilogx(path, scores, marker=".")
    lower.axvline(path[best], color="grey", linewidth=0.8)
    lower.set_ylabel("held-out rows that are right")
    lower.set_xlabel("C, the inverse of the penalty")
    figure.savefig(options.plot)
    print(f"plot: {options.plot}")


if __name__ == "__main__":
    main()
