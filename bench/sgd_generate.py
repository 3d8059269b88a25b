#!/usr/bin/env python3
"""Rows of two classes from a known sparse logistic model, as LIBSVM text with values 1.

usage: sgd_generate.py OUT [--rows=10000000] [--features=1000000] [--entries=30] [--seed=1] [--model_seed=1]

The frequency of feature j falls with its number as j^-0.8; its weight is drawn from a normal distribution.  Files of
one --model_seed have the same weights, so one can be held out from another of another --seed.
"""
import numpy as np

from bench_run import arguments

CHUNK = 20000  # rows


def main():
    parser = arguments(__doc__, "out", rows=10_000_000, features=1_000_000, entries=30, seed=1, model_seed=1)
    args = parser.parse_args()
    weights = np.random.default_rng([args.model_seed, 0]).normal(size=args.features)
    share = np.cumsum(np.arange(1, args.features + 1) ** -0.8)
    share /= share[-1]
    dice = np.random.default_rng([args.seed, 1])
    with open(args.out, "w", encoding="ascii") as out:
        for begin in range(0, args.rows, CHUNK):
            count = min(CHUNK, args.rows - begin)
            columns = np.sort(np.searchsorted(share, dice.random((count, args.entries))), axis=1)
            first = np.ones_like(columns, dtype=bool)  # a feature that is drawn twice is there once
            first[:, 1:] = columns[:, 1:] != columns[:, :-1]
            link = (weights[columns] * first).sum(axis=1) * 0.5
            label = dice.random(count) < 1 / (1 + np.exp(-link))
            out.write("".join(f"{1 if y else -1} {':1 '.join(map(str, c[f].tolist()))}:1\n"
                              for y, c, f in zip(label, columns + 1, first)))


if __name__ == "__main__":
    main()
