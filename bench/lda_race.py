#!/usr/bin/env python3
"""LDA against other programs, or cut into several numbers of shards, in turn on the same cores: seconds of training to
a joint log-likelihood per token.

usage: lda_race.py --bin=FOLDER --corpus=NAME:INPUT[:VOCAB] --topics=K [--peer=NAME:COMMAND ...] [--reference=NAME]
                   [--iterations=100] [--iterations_of=NAME:N ...] [--looks=5] [--repeats=3] [--limit=SECONDS]
                   [--limit_of=NAME:SECONDS ...] [-- FLAGS FOR rota train]
       lda_race.py --bin=FOLDER --corpus=NAME:INPUT[:VOCAB] --topics=K --shards=4,8,16,32 [--iterations=100]
                   [--repeats=3] [-- FLAGS FOR rota train]

A peer is any program that takes --input= (UCI bag of words) --topics= --threads=2 --iterations= --alpha=0.1
--beta=0.01 --seed= --every= and prints "iteration seconds joint ..." lines: seconds of training so far, without
reading and without evaluation, and the collapsed joint log-likelihood per token of its topics.  The qualities are
those of the reference (an exact Gibbs sampler) after 5, 10, 20, 50 and 100 iterations with every seed, or the part of
them that it reached within its limit; --looks must divide these numbers.  A peer that needs more iterations for the
same quality has its own number and limit, and its last line gives its end.  Rota gets 1.3 times the iterations of the
reference, and its default options except for the flags given; its seconds are those from the beginning of training to
its end, with evaluations and commits, spread over the epochs in proportion to their own.  Seconds between two lines are
interpolated.  Rota's starting pass is counted; the work of a peer before its first iteration (random topics) is not.
No program is warmed up: each process is new, reads its own data, and touches its memory for the first time in its first
iteration.  Medians of the repeats are printed; ratios are the best peer's seconds over Rota's.  A peer that fails ends
the race.

With --shards the quality is the worst that any of the runs has after all of its epochs, so that every run reaches it;
printed is also how much longer each took than the fastest.
"""
import os
import shlex
import statistics
import subprocess

from bench_run import arguments, phases, records, scratch_folder, train

LAYOUTS = (("2 workers", 2, 1), ("1 worker x 2 threads", 1, 2))
QUALITIES = (5, 10, 20, 50, 100)


def run(args, flags, seed, epochs, workers, threads):
    """(epoch, seconds with evaluation and commits, joint per token) of every epoch; the starting pass is epoch 0."""
    _, data, *vocab = args.corpus.split(":")
    with scratch_folder() as folder:
        out = folder / "run"
        train(args, out, "lda", f"--input={data}", *(f"--vocab={v}" for v in vocab), f"--topics={args.topics}",
              f"--epochs={epochs}", f"--seed={seed}", f"--workers={workers}", f"--threads={threads}", "--alpha=0.1",
              "--beta=0.01", *flags)
        metrics, began = records(out / "metrics.jsonl"), phases(out)
        share = (began["finishing"] - began["training"]) / metrics[-1]["seconds"]
        return [(m["epoch"], m["seconds"] * share, m["per_item"]) for m in metrics]


def of(pairs, name, default):
    """The value for this name in NAME:NUMBER pairs."""
    return next((float(number) for key, number in (pair.rsplit(":", 1) for pair in pairs) if key == name), default)


def peer(args, name, command, seed):
    data, iterations = args.corpus.split(":")[1], int(of(args.iterations_of, name, args.iterations))
    limit, points, stopped = of(args.limit_of, name, args.limit), [], False
    with subprocess.Popen([*shlex.split(command), f"--input={data}", f"--topics={args.topics}", "--threads=2",
                           f"--iterations={iterations}", "--alpha=0.1", "--beta=0.01", f"--seed={seed}",
                           f"--every={args.looks}"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                          env={**os.environ, "OMP_WAIT_POLICY": "passive"}) as process:
        for line in process.stdout:
            iteration, seconds, joint = line.split()[:3]
            points.append((int(iteration), float(seconds), float(joint)))
            if points[-1][1] > limit:
                process.kill()
                stopped = True
                break
    if not stopped and (process.returncode != 0 or not points or points[-1][0] != iterations):
        raise SystemExit(f"{name} ended with {process.returncode} after {points[-1:] or 'no look'}")
    return points


def seconds_to(points, joint):
    """Linear between looks; None if it was not reached."""
    before = None
    for _, seconds, value in points:
        if value >= joint:
            if before is None or value == before[1]:
                return seconds
            return before[0] + (seconds - before[0]) * (joint - before[1]) / (value - before[1])
        before = seconds, value
    return None


def median_to(runs, joint):
    seconds = [seconds_to(points, joint) for points in runs]
    return None if None in seconds else statistics.median(seconds)


def shown(seconds):
    return "not reached" if seconds is None else f"{seconds:.2f}"


def compare_shards(args):
    counts, runs = args.shards.split(","), {}
    for seed in range(1, args.repeats + 1):
        for shards in counts:
            for name, workers, threads in LAYOUTS:
                runs.setdefault((shards, name), []).append(
                    run(args, [f"--shards={shards}", *args.flags], seed, args.iterations, workers, threads))
    joint = min(points[-1][2] for repeats in runs.values() for points in repeats)
    seconds = {key: median_to(repeats, joint) for key, repeats in runs.items()}
    least = {name: min(seconds[shards, name] for shards in counts) for name, _, _ in LAYOUTS}
    print(f"{args.corpus.split(':')[0]}, K = {args.topics}, medians of {args.repeats}, to {joint:.3f} a token\n")
    print("| shards | " + " | ".join(least) + " | over the fastest | joint after the last epoch |")
    print("|---" * (len(LAYOUTS) + 3) + "|")
    for shards in counts:
        over = " / ".join(f"{seconds[shards, name] / least[name] - 1:.0%}" for name in least)
        last = statistics.median(points[-1][2] for points in runs[shards, LAYOUTS[0][0]])
        print(f"| {shards} | " + " | ".join(f"{seconds[shards, name]:.2f}" for name in least) +
              f" | {over} | {last:.3f} |", flush=True)


def main():
    parser = arguments(__doc__, "flags*", corpus=str, topics=int, peer=[], reference="", iterations=100,
                       iterations_of=[], limit_of=[], looks=5, repeats=3, limit=600.0, shards="")
    args = parser.parse_args()
    if args.shards:
        return compare_shards(args)
    peers = dict(p.split(":", 1) for p in args.peer)
    reference, runs = args.reference or next(iter(peers)), {}
    for seed in range(1, args.repeats + 1):
        for name, command in peers.items():
            runs.setdefault(name, []).append(peer(args, name, command, seed))
        epochs = round(1.3 * runs[reference][-1][-1][0]) + 5
        for name, workers, threads in LAYOUTS:
            runs.setdefault(name, []).append(run(args, args.flags, seed, epochs, workers, threads))
    print(f"{args.corpus.split(':')[0]}, K = {args.topics}, medians of {args.repeats}; last looks:")
    for name, its in runs.items():
        iteration, seconds, joint = its[0][-1]
        print(f"  {name}: {iteration} iterations, {statistics.median(r[-1][1] for r in its):.2f} s, {joint:.3f}")
    print(f"\n| joint per token (iterations of {reference}) | " + " | ".join(runs) + " | best peer / Rota |")
    print("|---" * (len(runs) + 2) + "|")
    for quality in QUALITIES:
        joints = [p[2] for r in runs[reference] for p in r if p[0] == quality]
        if len(joints) < args.repeats:
            continue
        seconds = {name: median_to(its, min(joints)) for name, its in runs.items()}
        best = min((seconds[name] for name in peers if seconds[name] is not None), default=None)
        ratios = " / ".join(shown(None if best is None or not seconds[name] else best / seconds[name])
                            for name, _, _ in LAYOUTS)
        print(f"| {min(joints):.3f} ({quality}) | " + " | ".join(shown(s) for s in seconds.values()) + f" | {ratios} |",
              flush=True)


if __name__ == "__main__":
    main()
