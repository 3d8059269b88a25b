#!/usr/bin/env python3
"""LDA cut into several numbers of shards: seconds of training to the same joint log-likelihood per token.

usage: lda_shards.py --bin=FOLDER --corpus=NAME:INPUT:VOCAB --topics=K [--shards=4,8,16,32] [--epochs=100] [--repeats=3]
                     [-- FLAGS FOR rota train]

The quality is the worst that any of the runs has after all of its epochs, so that every run reaches it; seconds
between two epochs are interpolated.  Printed are medians of the repeats, two workers and one worker of two threads,
and how much longer each took than the fastest.
"""
import statistics

from lda_race import LAYOUTS, run, seconds_to

from bench_run import arguments

def main():
    parser = arguments(__doc__, "flags*", corpus=str, topics=int, shards="4,8,16,32", epochs=100, repeats=3)
    args = parser.parse_args()
    runs = {}
    for seed in range(1, args.repeats + 1):
        for shards in args.shards.split(","):
            for name, workers, threads in LAYOUTS:
                runs.setdefault((shards, name), []).append(
                    run(args, [f"--shards={shards}", *args.flags], seed, args.epochs, workers, threads))
    joint = min(points[-1][2] for repeats in runs.values() for points in repeats)
    seconds = {key: statistics.median(seconds_to(points, joint) for points in repeats)
               for key, repeats in runs.items()}
    least = {name: min(seconds[shards, name] for shards in args.shards.split(",")) for name, _, _ in LAYOUTS}
    print(f"{args.corpus.split(':')[0]}, K = {args.topics}, medians of {args.repeats}, to {joint:.3f} a token\n")
    print("| shards | " + " | ".join(name for name, _, _ in LAYOUTS) +
          " | over the fastest | joint after the last epoch |")
    print("|---" * (len(LAYOUTS) + 3) + "|")
    for shards in args.shards.split(","):
        over = " / ".join(f"{seconds[shards, name] / least[name] - 1:.0%}" for name, _, _ in LAYOUTS)
        last = statistics.median(points[-1][2] for points in runs[shards, LAYOUTS[0][0]])
        print(f"| {shards} | " + " | ".join(f"{seconds[shards, name]:.2f}" for name, _, _ in LAYOUTS) +
              f" | {over} | {last:.3f} |", flush=True)


if __name__ == "__main__":
    main()
