#!/usr/bin/env python3
"""A model of how LDA scales with machines: the rotation's schedule simulated with measured costs of tasks.

usage: lda_scaling.py --bin=FOLDER --corpus=NAME:INPUT[:VOCAB] [--topics=100] [--shards=64] [--few=8] [--epochs=3]
                      [--latency_us=50] [--plot=FILE.svg]

Measured, on this machine: the compute time of an epoch of one worker with --shards and with --few shards, which gives
the seconds a token and the seconds a task; the tokens of each cell (every S-th document is a shard's; words are dealt
heaviest first to the lightest slice, as the framework does it but without replicated words); the bytes of the model
as its slices travel. Simulated: shard s takes slice (2 s + t) mod 2 S at step t, if its visit before is done and the
slice has come; neighbouring shards share a machine of one thread, which takes the visit with the least step of those
that are ready; a slice that crosses to another machine takes the link's latency and its bytes at the link's rate, one
after another; at the epoch's end the topics' totals go to the coordinator and back.  Two real runs, of one and of two
workers, are put beside it.

The model leaves out: packing and unpacking of slices, differences between machines and other load on them, the time
to plan an epoch and the coordinator's handling of each worker, checkpoints, evaluation, and all contention but a
sender's own. Needs python3-matplotlib for the plot.
"""
import argparse
import gzip
import heapq
import json
import pathlib
import shutil
import subprocess
import tempfile

from lda_speed import model_bytes

RATES = (("1 Gbit/s", 1e9 / 8), ("10 Gbit/s", 1e10 / 8))
SLICES_PER_SHARD = 2  # the default


def measured(args, shards, workers):
    """Of the last epoch: compute seconds of all workers, seconds, and the bytes of the model."""
    _, data, *vocab = args.corpus.split(":")
    folder = pathlib.Path(tempfile.mkdtemp(prefix="rota-bench-"))
    try:
        out = folder / "run"
        subprocess.run([pathlib.Path(args.bin) / "rota", "train", "lda", f"--input={data}",
                        *(f"--vocab={v}" for v in vocab), f"--topics={args.topics}", f"--epochs={args.epochs}",
                        f"--shards={shards}", f"--workers={workers}",
                        "--checkpoint_every=0", f"--out={out}"], check=True, capture_output=True)
        epochs = [json.loads(line) for line in (out / "metrics.jsonl").read_text().splitlines()]
        result = json.loads((out / "result.json").read_text())
        return (sum(epochs[-1]["compute_seconds"]), epochs[-1]["seconds"] - epochs[-2]["seconds"],
                model_bytes(out / "model"), result["items"])
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def entries(path):
    with (gzip.open if path.endswith(".gz") else open)(path, "rt") as file:
        for _ in range(3):
            next(file)
        for line in file:
            document, word, count = line.split()
            yield int(document), int(word), int(count)


def dealt(weights, parts):
    """The part of each key: heaviest first, to the lightest part."""
    heap = [(0, part) for part in range(parts)]
    part_of = {}
    for key in sorted(weights, key=lambda k: (-weights[k], k)):
        load, part = heap[0]
        heapq.heapreplace(heap, (load + weights[key], part))
        part_of[key] = part
    return part_of


def cells(path, shards):
    """Tokens of each shard in each slice."""
    words = {}
    for _, word, count in entries(path):
        words[word] = words.get(word, 0) + count
    slice_of = dealt(words, SLICES_PER_SHARD * shards)
    tokens = [[0] * (SLICES_PER_SHARD * shards) for _ in range(shards)]
    for document, word, count in entries(path):
        tokens[(document - 1) % shards][slice_of[word]] += count
    return tokens


def epoch_seconds(costs, workers, slice_bytes, rate, latency, end_bytes):
    """Of the schedule on so many machines; costs[shard][slice] in seconds."""
    shards, slices = len(costs), SLICES_PER_SHARD * len(costs)
    home = [shard * workers // shards for shard in range(shards)]
    step, here = [0] * shards, {}  # each shard's next step; when a slice arrives for a step of a shard
    for shard in range(shards):
        for first in range(SLICES_PER_SHARD):
            here[shard, first] = 0.0
    free, link = [0.0] * workers, [0.0] * workers
    events = [(0.0, worker) for worker in range(workers)]
    while events:
        now, worker = heapq.heappop(events)
        if free[worker] > now:
            continue
        ready = [(step[s], s) for s in range(shards) if home[s] == worker and step[s] < slices
                 and here.get((s, step[s]), float("inf")) <= now]
        if not ready:
            continue
        at, shard = min(ready)
        end = now + costs[shard][(SLICES_PER_SHARD * shard + at) % slices]
        step[shard] += 1
        free[worker] = end
        heapq.heappush(events, (end, worker))
        following, then = (shard - 1) % shards, at + SLICES_PER_SHARD
        arrival = end
        if home[following] != worker:
            link[worker] = max(link[worker], end) + slice_bytes / rate
            arrival = link[worker] + latency
        if then < slices:
            here[following, then] = arrival
            heapq.heappush(events, (arrival, home[following]))
    # What left last is still on its way when the next epoch begins; the totals go to the coordinator and back.
    assert all(s == slices for s in step)
    return max(free) + (2 * latency + 2 * workers * end_bytes / rate if workers > 1 else 0.0)


def plot(file, counts, lines, title):
    import matplotlib
    matplotlib.use("svg")
    from matplotlib import pyplot
    figure, axis = pyplot.subplots(figsize=(6, 4))
    axis.plot(counts, counts, color="grey", linewidth=0.5, label="linear")
    for name, seconds in lines.items():
        axis.plot(counts, [seconds[0] / s for s in seconds], marker="o", label=name)
    axis.set_xscale("log", base=2)
    axis.set_yscale("log", base=2)
    axis.set_xlabel("machines of one thread (modelled)")
    axis.set_ylabel("one machine's seconds over these")
    axis.legend()
    figure.suptitle(title)
    figure.tight_layout()
    figure.savefig(file, metadata={"Date": None})


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", required=True)
    parser.add_argument("--corpus", required=True)
    parser.add_argument("--topics", type=int, default=100)
    parser.add_argument("--shards", type=int, default=64)
    parser.add_argument("--few", type=int, default=8)
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--latency_us", type=float, default=50)
    parser.add_argument("--plot", default="")
    args = parser.parse_args()
    many, few, two = measured(args, args.shards, 1), measured(args, args.few, 1), measured(args, args.shards, 2)
    tasks = [SLICES_PER_SHARD * shards * shards for shards in (args.shards, args.few)]
    task = max(0.0, (many[0] - few[0]) / (tasks[0] - tasks[1]))
    token = (many[0] - tasks[0] * task) / many[3]
    costs = [[task + token * n for n in row] for row in cells(args.corpus.split(":")[1], args.shards)]
    slice_bytes = many[2] / (SLICES_PER_SHARD * args.shards)
    counts = [n for n in (1, 2, 4, 8, 16, 32, 64) if n <= args.shards]
    lines = {name: [epoch_seconds(costs, n, slice_bytes, rate, args.latency_us * 1e-6, 8 * args.topics) for n in counts]
             for name, rate in RATES}
    name = f"{args.corpus.split(':')[0]}, K = {args.topics}, {args.shards} shards"
    print(f"{name}: {token * 1e9:.1f} ns a token, {task * 1e6:.1f} us a task, {slice_bytes / 1e3:.1f} kB a slice; "
          f"real epochs: {many[1]:.3f} s with 1 worker, {two[1]:.3f} s with 2 (computing {many[0]:.3f} s, "
          f"{two[0]:.3f} s)\n")
    print("| machines | " + " | ".join(f"{link}: s an epoch | times faster" for link, _ in RATES) + " |")
    print("|---" * (2 * len(RATES) + 1) + "|")
    for i, count in enumerate(counts):
        print(f"| {count} | " + " | ".join(f"{lines[link][i]:.4f} | {lines[link][0] / lines[link][i]:.1f}"
                                           for link, _ in RATES) + " |", flush=True)
    if args.plot:
        plot(args.plot, counts, lines, name)


if __name__ == "__main__":
    main()
