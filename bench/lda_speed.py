#!/usr/bin/env python3
"""How fast LDA trains, and where the time goes.

usage: lda_speed.py --bin=FOLDER [--repeats=N] [--epochs=N] [--shards=N] CORPUS:INPUT:VOCAB ...

Runs every setting (topics x workers x threads) of every corpus in turn, N times, and prints for each the medians:
tokens a second, by core, the shares of computing and waiting, how long a thread waits between two tasks, bytes on the
wire an epoch against the least possible (each slice once to each process that hosts a shard), peak memory of a worker,
and the joint log-likelihood per token that was reached.
"""
import os
import statistics

from bench_run import arguments, records, scratch_folder, train

SLICES_PER_SHARD = 2  # the default
SETTINGS = [(100, 1, 1), (100, 2, 1), (100, 1, 2), (1000, 1, 1), (1000, 2, 1), (1000, 1, 2)]


def varint(value):
    return max(1, (value.bit_length() + 6) // 7)


def model_bytes(model):
    """The slices as they are sent: for each word its number of topics, then (topics skipped, count) pairs."""
    size = 0
    for line in (model / "word_topic.txt").open():
        pairs = [pair.split(":") for pair in line.rstrip("\n").split(" ")[1:]]
        size += varint(len(pairs))
        following = 0
        for topic, count in ((int(t), int(c)) for t, c in pairs):
            size += varint(topic - following) + varint(count)
            following = topic + 1
    return size


def run(options, corpus, topics, workers, threads):
    name, data, vocab = corpus
    with scratch_folder() as folder:
        out = folder / "run"
        result = train(options, out, "lda", f"--input={data}", f"--vocab={vocab}", f"--topics={topics}",
                       f"--epochs={options.epochs}", f"--shards={options.shards}", "--seed=1", f"--workers={workers}",
                       f"--threads={threads}", "--eval_every=0", "--checkpoint_every=0")
        last = records(out / "metrics.jsonl")[-1]
        compute, wait = sum(last["compute_seconds"]), sum(last["wait_seconds"])
        # Epoch 0 puts the starting topics in; it visits every token like the others.
        tokens = result["items"] * (options.epochs + 1)
        memory = max(b for p, b in result["peak_memory_bytes"].items() if p.startswith("worker"))
        return {"tokens_per_second": tokens / result["seconds"], "seconds": result["seconds"],
                "computing": compute / (compute + wait),
                "between": 1e6 * wait / (options.shards * SLICES_PER_SHARD * options.shards),
                "sent": last["bytes_sent"], "least": model_bytes(out / "model") * workers if workers > 1 else 0,
                "memory": memory, "per_token": result["per_item"]}


def main():
    parser = arguments(__doc__, "corpora+", repeats=3, epochs=20, shards=8)
    options = parser.parse_args()
    cores = os.cpu_count()
    runs = {}
    for _ in range(options.repeats):
        for corpus in (c.split(":") for c in options.corpora):
            for setting in SETTINGS:
                runs.setdefault((corpus[0], *setting), []).append(run(options, corpus, *setting))
    print(f"{options.epochs} epochs, {options.shards} shards, {cores} cores, medians of {options.repeats} runs")
    print("| corpus | K | workers x threads | seconds | M tokens/s | of them a core | computing | us between tasks | "
          "wire / epoch | least | worker's memory | joint per token |")
    print("|---|---|---|---|---|---|---|---|---|---|---|---|")
    for (name, topics, workers, threads), results in runs.items():
        median = {what: statistics.median(r[what] for r in results) for what in results[0]}
        used = min(cores, workers * threads)
        speed = median["tokens_per_second"] / 1e6
        print(f"| {name} | {topics} | {workers}x{threads} | {median['seconds']:.2f} | {speed:.1f} | "
              f"{speed / used:.1f} | {median['computing']:.1%} | {median['between']:.1f} | "
              f"{median['sent'] / 1e6:.2f} MB | {median['least'] / 1e6:.2f} MB | "
              f"{median['memory'] / 1e6:.0f} MB | {median['per_token']:.3f} |")


if __name__ == "__main__":
    main()
