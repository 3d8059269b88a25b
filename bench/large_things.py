#!/usr/bin/env python3
"""A run with a slice, shards' states or a table of any size: trained, a worker killed after the first commit, resumed.
Prints seconds and the peak memory of every process of both runs, and the model's hash, which must not depend on them.

usage: ROTA_BIN=build/release/bin large_things.py PLUGIN FOLDER [FLAG ...]
       PLUGIN: build/release/tests/system/plugins/large.so    FLAG: --slice_mb=3072, --state_mb=3072, ...
"""
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import time

BIN = pathlib.Path(os.environ["ROTA_BIN"])


def roles(out):
    """Process ids of the run in this folder, by role."""
    pids = {}
    for entry in pathlib.Path("/proc").iterdir():
        try:
            words = (entry / "cmdline").read_bytes().decode().split("\0") if entry.name.isdigit() else []
        except OSError:
            continue
        if f"--flagfile={out}/flags.txt" in words:
            index = next((w.split("=")[1] for w in words if w.startswith("--index=")), "0")
            pids[f"{pathlib.Path(words[0]).name}-{index}"] = int(entry.name)
    return pids


def peak_mb(pid):
    try:
        lines = pathlib.Path(f"/proc/{pid}/status").read_text().splitlines()
    except OSError:
        return 0
    return next((int(line.split()[1]) >> 10 for line in lines if line.startswith("VmHWM")), 0)


def watch(process, out, kill_after_commit):
    """Until the run ends; the peaks of its processes."""
    peaks, killed = {}, False
    while process.poll() is None:
        for name, pid in roles(out).items():
            peaks[name] = max(peaks.get(name, 0), peak_mb(pid))
            committed = kill_after_commit and list((out / "checkpoint").glob("epoch-*/commit.json"))
            if committed and not killed and name == "rota-worker-1":
                os.kill(pid, signal.SIGKILL)
                killed = True
        time.sleep(0.05)
    return peaks


def run(name, command, out, kill_after_commit):
    began = time.monotonic()
    process = subprocess.Popen(command, stderr=subprocess.DEVNULL)
    peaks = watch(process, out, kill_after_commit)
    took = time.monotonic() - began
    print(f"{name}: exit {process.returncode}, {took:.1f} s, peak MB {json.dumps(peaks, sort_keys=True)}", flush=True)
    return process.returncode


def main():
    plugin, folder = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "input").write_text("nothing\n")
    out = folder / "run"
    shutil.rmtree(out, ignore_errors=True)
    command = [BIN / "rota", "train", plugin, f"--input={folder}/input", f"--out={out}", "--workers=2", "--stores=1",
               "--partitions=1", "--shards=2", "--eval_every=0", "--checkpoint_seconds=0", "--epochs=3", *sys.argv[3:]]
    killed = run("killed", command, out, True)
    if killed != 75:
        sys.exit(f"the run was to end with 75 when a worker was killed, and did with {killed}")
    resumed = run("resumed", [BIN / "rota", "resume", out], out, False)
    if resumed != 0:
        sys.exit(f"the run could not be resumed: exit {resumed}")
    result = json.loads((out / "result.json").read_text())
    print("model_hash", result["model_hash"], "epochs", result["epochs"])
    shutil.rmtree(out)


if __name__ == "__main__":
    main()
