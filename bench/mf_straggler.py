#!/usr/bin/env python3
"""Matrix factorisation by SGD with a straggler: one of the workers runs a tenth of the time.

usage: mf_straggler.py [--workers=2,4] [--ratings=N] [--epochs=N] [--budget_ms=MS] [--plot=FILE.svg]
                       [--bin=build/release/bin]

The straggler is stopped and continued (SIGSTOP, SIGCONT) in turn once the data is loaded: it runs for a millisecond, or
however long that really takes, and is then stopped for nine times that.  A visit to a slice must take longer than
such a turn, so there are as many shards as workers.  Each shape trains four times: without and with a straggler, each
with --step_budget_ms and without.  The held-out error is that of an evaluation after the epochs that --eval_every
selects; its time is not counted, as in metrics.jsonl.  Without time control the model of the straggler's run must have
the hash of the other one.  Needs python3-matplotlib for the plot.
"""
import os
import shutil
import signal
import threading
import time

from bench_run import arguments, draw_ratings, plot, records, rota, scratch_folder, train

RUNNING, SLOWER = 0.001, 10


class Straggler(threading.Thread):
    """Slows the last worker of a run down from when the data is loaded, until it ends or is left alone."""

    def __init__(self, out, number):
        super().__init__(daemon=True)
        self.out, self.number, self.over = out, number, threading.Event()

    def pid(self):
        """As the run records it; None before all workers have loaded their data."""
        file = self.out / "events.jsonl"
        events = records(file) if file.exists() else []
        pids = {event["role"]: int(event["pid"]) for event in events if event["event"] == "joined" and "pid" in event}
        loaded = any(event["event"] == "loaded" for event in events)
        return pids.get(f"worker-{self.number}") if loaded else None

    def run(self):
        pid = None
        while pid is None and not self.over.is_set():
            pid = self.pid()
            time.sleep(0.01)
        try:
            began = time.monotonic()
            while not self.over.is_set():
                os.kill(pid, signal.SIGSTOP)
                time.sleep((SLOWER - 1) * (time.monotonic() - began))
                os.kill(pid, signal.SIGCONT)
                began = time.monotonic()
                time.sleep(RUNNING)
        except ProcessLookupError:
            pass

    def leave(self):
        self.over.set()
        self.join()
        try:
            os.kill(self.pid(), signal.SIGCONT)
        except (ProcessLookupError, TypeError):
            pass


def run(args, folder, name, workers, straggles, *flags):
    out = folder / name
    straggler = Straggler(out, workers - 1)
    if straggles:
        straggler.start()
    result = train(args, out, "mf", f"--input={folder}/parts/train.txt", f"--valid={folder}/parts/valid.txt",
                   f"--workers={workers}", "--threads=1", "--seed=1", f"--shards={workers}", "--rank=32",
                   "--lambda=0.05", "--checkpoint_every=0", f"--eval_every={args.eval_every}", *flags)
    if straggles:
        straggler.leave()
    metrics = records(out / "metrics.jsonl")
    points = [(line["seconds"], line["valid"], line["epoch"], line["items"]) for line in metrics if "valid" in line]
    shutil.rmtree(out)
    return points, result["model_hash"]


def seconds_to(points, wanted):
    return next((seconds for seconds, valid, *_ in points if valid <= wanted), None)


def report(workers, runs, hashes):
    wanted = max(min(p[1] for p in points) for points in runs.values()) * 1.002
    print(f"{workers} workers, seconds to {wanted:.4f}:")
    for name, points in runs.items():
        took, last = seconds_to(points, wanted), points[-1]
        print(f"  {name:34s} {took:8.2f} s; at the end {last[1]:.4f} after {last[2]} epochs, {last[0]:.2f} s, "
              f"{last[0] / last[2]:.3f} s an epoch, {last[3] / 1e6:.2f} M ratings in the last", flush=True)
    same = hashes["whole"] == hashes["straggler"]
    print(f"  without time control the straggler's model is {'the same, late' if same else 'ANOTHER ONE'}", flush=True)


def main():
    parser = arguments(__doc__, workers="2,4", ratings=8_000_000, epochs=20, eval_every=1, budget_ms=0.0, plot="")
    args = parser.parse_args()
    courses = {}
    with scratch_folder() as folder:
        draw_ratings(folder / "all.txt", 50_000, 10_000, args.ratings, rank=16)
        rota(args, "split", "mf", f"--input={folder}/all.txt", f"--output={folder}/parts")
        for workers in map(int, args.workers.split(",")):
            runs, hashes = {}, {}
            epochs = f"--epochs={args.epochs}"
            for name, straggles in (("whole", False), ("straggler", True)):
                runs[name], hashes[name] = run(args, folder, name, workers, straggles, epochs)
            # A shard visits two slices for each worker.
            visit = runs["whole"][-1][0] / runs["whole"][-1][2] / (2 * workers)
            budget = args.budget_ms or round(1500 * visit, 2)
            for name, straggles in (("whole", False), ("straggler", True)):
                key = f"{name}, time control of {budget:g} ms"
                runs[key], _ = run(args, folder, name, workers, straggles, f"--epochs={3 * args.epochs}",
                                     f"--step_budget_ms={budget}")
            courses[workers] = runs
            report(workers, runs, hashes)
        if args.plot:
            panels = [(f"{workers} workers", "seconds of training", {name: [p[:2] for p in points]
                                                                     for name, points in runs.items()})
                      for workers, runs in courses.items()]
            plot(args.plot, [panels], "held-out RMSE", xscale="log")


if __name__ == "__main__":
    main()
