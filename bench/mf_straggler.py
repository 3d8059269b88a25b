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
import json
import os
import pathlib
import shutil
import signal
import subprocess
import threading
import time

from bench_run import arguments, plots, records, rota, save_plot, scratch_folder

RUNNING, SLOWER = 0.001, 10


def workers_of(out):
    """Process ids of the run's workers, by their number, once all have loaded their data; the run records them."""
    pids, loaded = {}, False
    events = out / "events.jsonl"
    for line in events.read_text().splitlines() if events.exists() else []:
        event = json.loads(line)
        loaded = loaded or event.get("event") == "loaded"
        if event.get("event") == "joined" and event.get("pid") and event["role"].startswith("worker-"):
            pids[int(event["role"].split("-")[1])] = int(event["pid"])
    return pids if loaded else {}


class Straggler(threading.Thread):
    """Slows the last worker of a run down, until it ends or is left alone."""

    def __init__(self, out, number):
        super().__init__()
        self.out, self.number, self.over = out, number, threading.Event()

    def run(self):
        pid = None
        while pid is None and not self.over.is_set():
            pid = workers_of(self.out).get(self.number)
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
        pid = workers_of(self.out).get(self.number)
        try:
            os.kill(pid, signal.SIGCONT)
        except (ProcessLookupError, TypeError):
            pass


def run(args, folder, name, workers, straggles, *flags):
    out = folder / name
    command = [str(pathlib.Path(args.bin) / "rota"), "train", "mf", f"--input={folder}/parts/train.txt",
               f"--valid={folder}/parts/valid.txt", f"--out={out}", f"--workers={workers}", "--threads=1", "--seed=1",
               f"--shards={workers}",
               "--rank=32", "--lambda=0.05", "--checkpoint_every=0", f"--eval_every={args.eval_every}", *flags]
    straggler = Straggler(out, workers - 1) if straggles else None
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    if straggler:
        straggler.start()
    _, errors = process.communicate()
    if straggler:
        straggler.leave()
    if process.returncode != 0:
        raise SystemExit(errors)
    metrics = records(out / "metrics.jsonl")
    result = json.loads((out / "result.json").read_text())
    points = [(line["seconds"], line["valid"], line["epoch"], line["items"]) for line in metrics if "valid" in line]
    shutil.rmtree(out)
    return points, result["model_hash"]


def seconds_to(points, wanted):
    return next((seconds for seconds, valid, *_ in points if valid <= wanted), None)


def plot(file, courses):
    figure, axes = plots(1, len(courses), 5 * len(courses), 4, sharey=True)
    for axis, (workers, runs) in zip(axes[0], courses.items()):
        for name, points in runs.items():
            axis.plot([p[0] for p in points], [p[1] for p in points], label=name, marker=".", markersize=3)
        axis.set_xscale("log")
        axis.set_xlabel("seconds of training")
        axis.set_title(f"{workers} workers")
    axes[0][0].set_ylabel("held-out RMSE")
    axes[0][0].legend()
    save_plot(figure, file)


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
        rota(args, "generate", "mf", f"--output={folder}/all.txt", "--users=50000", "--items=10000", "--rank=16",
             f"--ratings={args.ratings}")
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
            plot(args.plot, courses)


if __name__ == "__main__":
    main()
