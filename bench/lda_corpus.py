#!/usr/bin/env python3
"""Draws a corpus from the model itself, with word frequencies as in text, as a UCI bag of words.

usage: lda_corpus.py --documents=D --words=V --topics=K --length=N [--alpha=0.1] [--zipf=1.05] [--share=0.1] [--seed=1]

Over the whole corpus, word r has a frequency of about r^-zipf.  The ranks are cut into octaves [2^j, 2^(j+1)); in each a
topic has its own share of the words, which get the octave's whole frequency.  So no table of words by topics is needed.
"""
import argparse
import sys

import numpy as np


def main():
    parser = argparse.ArgumentParser()
    for name, value in (("documents", 10000), ("words", 10000), ("topics", 100), ("length", 200), ("seed", 1)):
        parser.add_argument(f"--{name}", type=int, default=value)
    for name, value in (("alpha", 0.1), ("zipf", 1.05), ("share", 0.1)):
        parser.add_argument(f"--{name}", type=float, default=value)
    args = parser.parse_args()
    dice = np.random.default_rng(args.seed)
    upto = np.cumsum(np.arange(1, args.words + 1, dtype=float) ** -args.zipf)
    octaves = args.words.bit_length()
    first = 2 ** np.arange(octaves) - 1
    sizes = np.minimum(2 ** np.arange(octaves), args.words - first)
    shares = np.maximum(1, np.ceil(sizes * args.share).astype(int))
    begins = dice.integers(0, sizes, size=(args.topics, octaves))
    documents, pairs = [], 0
    for _ in range(args.documents):
        length = dice.integers(args.length - args.length // 2, args.length + args.length // 2 + 1)
        topics = dice.choice(args.topics, size=length, p=dice.dirichlet(np.full(args.topics, args.alpha)))
        ranks = np.searchsorted(upto, dice.random(length) * upto[-1], side="right").clip(max=args.words - 1)
        octave = np.frexp(ranks + 1)[1] - 1
        places = (begins[topics, octave] + (ranks - first[octave]) % shares[octave]) % sizes[octave]
        documents.append(np.unique(first[octave] + places, return_counts=True))
        pairs += len(documents[-1][0])
    sys.stdout.write(f"{args.documents}\n{args.words}\n{pairs}\n")
    for number, (words, counts) in enumerate(documents, 1):
        sys.stdout.write("".join(f"{number} {word + 1} {count}\n" for word, count in zip(words, counts)))


if __name__ == "__main__":
    main()
