#!/usr/bin/env python3
"""The exchanges of the sgd app: held-out loss against bytes sent and against seconds, at several numbers of replicas.

usage: sgd_exchanges.py TRAIN.libsvm VALID.libsvm [--replicas=2,4,8,16] [--rows=256] [--epochs=10] [--plot=FILE.svg]
                        [--bin=build/release/bin] [flags for rota train]

Every replica takes --rows rows of its own between two exchanges.  "periodic" is an allreduce at every log2 S-th of
these, which sends as much as butterfly mixing.  Bytes are those between as many workers as replicas, seconds those of
two workers, which train the same model.  Needs python3-matplotlib for the plot.
"""
import math
import pathlib

from bench_run import arguments, plot, records, scratch_folder, train


def exchanges(replicas, rows):
    """Name, --exchange and --sync_rows, which counts the rows of all replicas."""
    every = rows * replicas
    periodic = every * max(1, math.ceil(math.log2(replicas)))
    return [("store", "store", every), ("allreduce", "allreduce", every), ("periodic", "allreduce", periodic),
            ("butterfly", "butterfly", every), ("alltoall", "alltoall", every), ("halton", "halton", every)]


def run(args, folder, flags, workers):
    out = folder / "run"
    result = train(args, out, "sgd", f"--input={args.train}", f"--valid={args.valid}", f"--epochs={args.epochs}",
                   f"--workers={workers}", "--checkpoint_every=0", *flags)
    return records(out / "metrics.jsonl"), result["model_hash"]


def course(args, folder, replicas, exchange, batch, flags):
    """(megabytes a replica so far, seconds, held-out loss) at the end of every epoch."""
    shape = [f"--shards={replicas}", f"--exchange={exchange}", f"--sync_rows={batch}", *flags]
    wide, of_wide = run(args, folder, shape, replicas)
    fast, of_fast = run(args, folder, shape, min(2, replicas))
    if of_wide != of_fast:
        raise SystemExit(f"{shape}: another model on {replicas} workers than on 2")
    points, sent = [], 0
    for bytes_of, seconds_of in zip(wide, fast):
        sent += bytes_of["bytes_sent"]
        points.append((sent / 1e6 / replicas, seconds_of["seconds"], seconds_of["valid"]))
    return points


def main():
    parser = arguments(__doc__, "train", "valid", replicas="2,4,8,16", rows=256, epochs=10, plot="")
    args, flags = parser.parse_known_args()
    courses = {}
    with scratch_folder() as folder:
        print("| replicas | exchange | held-out loss after 1, 3 and the last epoch | MB sent a replica and epoch | "
              "ms an epoch |")
        print("|---|---|---|---|---|")
        for replicas in map(int, args.replicas.split(",")):
            for name, exchange, batch in exchanges(replicas, args.rows):
                points = course(args, folder, replicas, exchange, batch, flags)
                courses.setdefault(replicas, {})[name] = points
                losses = ", ".join(f"{points[i][2]:.5f}" for i in sorted({0, min(2, len(points) - 1), len(points) - 1}))
                print(f"| {replicas} | {name} | {losses} | {points[-1][0] / len(points):.4f} | "
                      f"{points[-1][1] / len(points) * 1e3:.1f} |", flush=True)
        if args.plot:
            grid = [[(f"{replicas} replicas", label, {exchange: [(p[row], p[2]) for p in points]
                                                      for exchange, points in exchanged.items()})
                     for replicas, exchanged in courses.items()]
                    for row, label in enumerate(("MB sent a replica", "seconds on two workers"))]
            plot(args.plot, grid, "held-out loss",
                 f"{pathlib.Path(args.train).name}: {args.rows} rows of each replica between exchanges", xscale="log")


if __name__ == "__main__":
    main()
