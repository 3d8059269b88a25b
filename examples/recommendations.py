#!/usr/bin/env python3
"""Recommendations from implicit feedback: which areas of a web site a visitor will like, from those of other visitors.

usage: recommendations.py [FILE] [--factors=N] [--epochs=N] [--plot=PICTURE]

FILE has lines "user item", numbered from 1, plain or as .gz.  Without it: visits to 285 areas of www.microsoft.com by
32,710 people (UCI Anonymous Microsoft Web Data, CC BY 4.0), which is in Rota's source tree.
"""
import argparse
import pathlib

import numpy as np
import scipy.sparse

import rota

SAMPLE = pathlib.Path(__file__).resolve().parents[1] / "apps/mf/sample/msweb.txt.gz"
MOST = 10  # recommendations for each user


def read_visits(path):
    """Users by items, 1 for each visit."""
    users, items = np.loadtxt(path, dtype=int, usecols=(0, 1), unpack=True) - 1
    visits = scipy.sparse.csr_matrix((np.ones(len(users)), (users, items)))
    visits.data[:] = 1  # also where a line comes twice
    return visits


def hold_out(visits, random):
    """The visits without one of each user who has several, and the item that was taken away; -1: none."""
    kept, taken = visits.copy(), np.full(visits.shape[0], -1)
    for user in np.flatnonzero(np.diff(visits.indptr) > 1):
        place = random.integers(visits.indptr[user], visits.indptr[user + 1])
        taken[user] = visits.indices[place]
        kept.data[place] = 0
    kept.eliminate_zeros()
    return kept, taken


def hits(recommended, taken):
    """The share of users whose item is among the first 1, 2, ... recommended ones."""
    asked = taken >= 0
    found = recommended[asked] == taken[asked, None]
    return found.cumsum(axis=1).mean(axis=0)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file", nargs="?", default=SAMPLE)
    parser.add_argument("--factors", type=int, default=32)
    parser.add_argument("--epochs", type=int, default=15)
    parser.add_argument("--plot", default="recommendations.png")
    options = parser.parse_args()

    visits = read_visits(options.file)
    kept, taken = hold_out(visits, np.random.default_rng(1))
    print(f"{visits.shape[0]} users, {visits.shape[1]} items, {visits.nnz} visits; {(taken >= 0).sum()} are held out")
    model = rota.ALS(n_components=options.factors, implicit=True, alpha=10, max_iter=options.epochs, random_state=1)
    model.fit(kept)
    recommended, _ = model.recommend(n=MOST)
    personal = hits(recommended, taken)
    # What everybody likes, without what each user has seen.
    popular = np.tile(np.asarray(kept.sum(axis=0), dtype=float), (kept.shape[0], 1))
    popular[kept.nonzero()] = -1
    general = hits(np.argsort(-popular, axis=1)[:, :MOST], taken)
    print(f"held-out item among the first {MOST}: {personal[-1]:.1%}; of the most popular ones: {general[-1]:.1%}")
    item = int(np.argmax(np.asarray(kept.sum(axis=0))))
    similar, cosines = model.similar_items(item, n=5)
    print(f"most similar to item {item + 1}:", *(f"{other + 1} ({cosine:.2f})" for other, cosine in zip(similar, cosines)))
    print(f"model_hash {model.model_hash_}")

    import matplotlib
    matplotlib.use("Agg")
    from matplotlib import pyplot
    figure, axes = pyplot.subplots(layout="constrained")
    numbers = np.arange(1, MOST + 1)
    axes.plot(numbers, 100 * personal, marker="o", label="ALS")
    axes.plot(numbers, 100 * general, marker="s", label="most popular")
    axes.set_xlabel("recommendations")
    axes.set_ylabel("users whose held-out item is among them, %")
    axes.set_ylim(bottom=0)
    axes.legend()
    figure.savefig(options.plot)
    print(f"plot: {options.plot}")


if __name__ == "__main__":
    main()
