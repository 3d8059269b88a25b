#!/usr/bin/env python3
"""How LDA scales with machines: the real nodes and links in a simulated network, with work that is done and timed here.

usage: lda_scaling.py --bin=FOLDER --simulation=PROGRAM --corpus=NAME:INPUT[:VOCAB] [--topics=100] [--shards=64]
                      [--machines=1,2,4,8,16,32,64] [--epochs=4] [--latency_us=50] [--message_us=10] [--plot=FILE.svg]

PROGRAM is tests/cluster_scaling of the build: cluster_scaling.cc describes what it simulates and what it leaves out.
The data is cut with `rota shard`, so that each simulated worker reads its own.  Two real runs over local sockets, of
one worker and of two, are put beside the simulation of the same over a network without latency; the seconds of an epoch
are the last epoch's of the simulation, and the median of a real run's but for the first two.  Needs python3-matplotlib
for the plot.
"""
import pathlib
import statistics
import subprocess

from bench_run import arguments, plot, records, rota, scratch_folder, train

RATES = (1, 10)  # Gbit/s
LOCAL = (1000, 5)  # Gbit/s and microseconds, close to those of local sockets


def real(args, data, out, workers):
    """Seconds of an epoch of a real run."""
    train(args, out, "lda", f"--input={data}", f"--topics={args.topics}", f"--epochs={args.epochs + 2}",
          f"--workers={workers}", "--checkpoint_every=0")
    seconds = [record["seconds"] for record in records(out / "metrics.jsonl")]
    return statistics.median(after - before for before, after in zip(seconds[2:], seconds[3:]))


def simulated(args, data, machines, gbits, latency_us):
    """Of each number of machines: seconds of an epoch, the longest computing in it, bytes sent in it."""
    plugin = pathlib.Path(args.bin).parent / "lib" / "rota" / "plugins" / "lda.so"
    text = subprocess.run([args.simulation, plugin, data, ",".join(map(str, machines)), str(gbits), str(latency_us),
                           str(args.message_us), f"topics={args.topics}", f"shards={args.shards}",
                           f"epochs={args.epochs}", *args.reading], check=True, capture_output=True, text=True).stdout
    return [tuple(float(number) for number in line.split()[1:]) for line in text.splitlines()]


def main():
    parser = arguments(__doc__, simulation=str, corpus=str, topics=100, shards=64, machines="1,2,4,8,16,32,64",
                       epochs=4, latency_us=50.0, message_us=10.0, plot="")
    args = parser.parse_args()
    name, corpus, *vocab = args.corpus.split(":")
    args.reading = [f"vocab={v}" for v in vocab]
    machines = [int(number) for number in args.machines.split(",")]
    with scratch_folder() as folder:
        data = folder / "data"
        rota(args, "shard", "lda", f"--input={corpus}", *(f"--vocab={v}" for v in vocab), f"--shards={args.shards}",
             f"--output={data}")
        local = simulated(args, data, [1, 2], *LOCAL)
        runs = [real(args, data, folder / f"run-{workers}", workers) for workers in (1, 2)]
        lines = {f"{rate} Gbit/s": simulated(args, data, machines, rate, args.latency_us) for rate in RATES}
    title = f"{name}, K = {args.topics}, {args.shards} shards"
    print(f"{title}, links of {args.latency_us:.0f} us; an epoch over local sockets, real / simulated: 1 worker "
          f"{runs[0]:.3f} / {local[0][0]:.3f} s, 2 workers {runs[1]:.3f} / {local[1][0]:.3f} s\n")
    print("| machines | " + " | ".join(f"{link}: s an epoch | times faster | longest computing | MB sent"
                                       for link in lines) + " |")
    print("|---" * (4 * len(lines) + 1) + "|")
    for i, count in enumerate(machines):
        print(f"| {count} | " + " | ".join(
            f"{points[i][0]:.4f} | {points[0][0] / points[i][0]:.1f} | {points[i][1]:.4f} | {points[i][2] / 1e6:.2f}"
            for points in lines.values()) + " |", flush=True)
    if args.plot:
        speeds = {link: [(count, points[0][0] / p[0]) for count, p in zip(machines, points)]
                  for link, points in lines.items()}
        panel = ("", "machines of one core (simulated)", {"linear": list(zip(machines, machines)), **speeds})
        plot(args.plot, [[panel]], "one machine's seconds over these", title, xscale="log", yscale="log")


if __name__ == "__main__":
    main()
