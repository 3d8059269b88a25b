#!/usr/bin/env python3
"""Topics of 20,000 posts: what the people who make Debian's packages write about.

usage: topics.py [FILE] [--posts=N] [--topics=N] [--epochs=N] [--plot=PICTURE]

FILE has a post on each line.  Without one, the posts are the entries of the changelogs in /usr/share/doc, which every
Debian with documentation has.
"""
import argparse
import collections
import gzip
import pathlib
import re

import numpy as np
import scipy.sparse

import rota

FEWEST = 10         # posts that have a word
MOST_SHARE = 0.2    # of the posts, or the word says nothing
LETTERS = re.compile(r"[a-z]{3,}")


def changelog_entries(most):
    """The texts of the newest changes, package by package."""
    posts = []
    for file in sorted(pathlib.Path("/usr/share/doc").glob("*/changelog.Debian.gz")):
        with gzip.open(file, "rt", encoding="utf-8", errors="replace") as lines:
            for entry in re.split(r"^ -- .*$", lines.read(), flags=re.M):
                text = "\n".join(line for line in entry.splitlines() if line.startswith("  "))
                if len(LETTERS.findall(text.lower())) >= 5:
                    posts.append(text)
                if len(posts) == most:
                    return posts
    return posts


def count_words(posts):
    """A sparse matrix of counts, posts by words, and the words."""
    bags = [collections.Counter(LETTERS.findall(post.lower())) for post in posts]
    in_posts = collections.Counter(word for bag in bags for word in bag)
    words = sorted(word for word, posts_with in in_posts.items() if FEWEST <= posts_with <= MOST_SHARE * len(posts))
    number = {word: column for column, word in enumerate(words)}
    entries = [(row, number[word], count) for row, bag in enumerate(bags) for word, count in bag.items() if word in number]
    rows, columns, counts = np.array(entries).T
    return scipy.sparse.csr_matrix((counts.astype(float), (rows, columns)), shape=(len(posts), len(words))), words


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file", nargs="?", type=pathlib.Path)
    parser.add_argument("--posts", type=int, default=20_000)
    parser.add_argument("--topics", type=int, default=20)
    parser.add_argument("--epochs", type=int, default=200)
    parser.add_argument("--plot", default="topics.png")
    options = parser.parse_args()

    posts = options.file.read_text(encoding="utf-8").splitlines()[:options.posts] if options.file else \
        changelog_entries(options.posts)
    if len(posts) < 100:
        parser.error(f"only {len(posts)} posts were found; name a file with a post on each line")
    counts, words = count_words(posts)
    print(f"{len(posts)} posts, {len(words)} words, {int(counts.sum())} tokens")

    model = rota.LDA(n_components=options.topics, max_iter=options.epochs, random_state=1, verbose=1).fit(counts)
    shares = model.components_ / model.components_.sum(axis=1, keepdims=True)
    sizes = model.transform(counts).mean(axis=0)
    order = np.argsort(-sizes)
    for topic in order:
        best = np.argsort(-shares[topic])[:8]
        print(f"{sizes[topic]:5.1%}  {' '.join(words[column] for column in best)}")
    print(f"model_hash {model.model_hash_}")

    import matplotlib
    matplotlib.use("Agg")
    from matplotlib import pyplot
    labels = [" ".join(words[column] for column in np.argsort(-shares[topic])[:4]) for topic in order]
    figure, axes = pyplot.subplots(figsize=(8, 0.3 * len(order) + 1), layout="constrained")
    axes.barh(labels[::-1], 100 * sizes[order][::-1])
    axes.set_xlabel("share of the posts, %")
    axes.set_title(f"Topics of {len(posts)} posts")
    figure.savefig(options.plot)
    print(f"plot: {options.plot}")


if __name__ == "__main__":
    main()
