#!/usr/bin/env python3
"""sgd --stream where each worker has a hard limit of memory: a share of the file's size, by cgroup v1's controller.

usage: sgd_stream_limit.py FILE [--share=0.25] [--bin=build/release/bin] [--epochs=2] [--workers=2]
                           [FLAGS FOR rota train]

Requires root and /sys/fs/cgroup/memory.  A worker that needs more is killed by the kernel, and the run ends with 75.
The kernel's cache of the file counts, too, so the file cannot come from memory.  Megabytes a second are those of text,
read in training.
"""
import json
import os
import pathlib
import shutil
import subprocess

from bench_run import arguments, scratch_folder

GROUPS = pathlib.Path("/sys/fs/cgroup/memory")
WRAPPER = """#!/bin/sh
mkdir {group}/$$ && echo {limit} > {group}/$$/memory.limit_in_bytes && echo $$ > {group}/$$/cgroup.procs || exit 1
exec {program} "$@"
"""


def programs(folder, args, group, limit):
    """The programs in a folder of their own, where a worker puts itself into a group first."""
    real = pathlib.Path(args.bin).resolve()
    for name in ("rota", "rota-coordinator", "rota-scheduler"):
        shutil.copy(real / name, folder / name)
    wrapper = folder / "rota-worker"
    wrapper.write_text(WRAPPER.format(group=group, limit=limit, program=real / "rota-worker"), encoding="ascii")
    wrapper.chmod(0o755)
    return real.parent / "lib/rota/plugins"


def main():
    parser = arguments(__doc__, "file", share=0.25, epochs=2, workers=2)
    args, flags = parser.parse_known_args()
    size = pathlib.Path(args.file).stat().st_size
    limit = int(size * args.share)
    group = GROUPS / f"rota-stream-{os.getpid()}"
    group.mkdir()
    try:
        with scratch_folder() as folder:
            plugins, out = programs(folder, args, group, limit), folder / "run"
            done = subprocess.run([str(folder / "rota"), "train", "sgd", f"--input={args.file}", f"--out={out}",
                                   "--stream", "--eval_every=0", f"--epochs={args.epochs}",
                                   f"--workers={args.workers}", f"--plugin_dir={plugins}", *flags],
                                  capture_output=True, text=True, check=False)
            result = json.loads((out / "result.json").read_text()) if done.returncode == 0 else None
        print(f"file {size / 1e6:.0f} MB, limit {limit / 1e6:.0f} MB a worker, exit {done.returncode}: "
              f"{(done.stdout + done.stderr).strip()}")
        for usage in sorted(group.glob("*/memory.max_usage_in_bytes")):
            failed = usage.with_name("memory.failcnt").read_text().strip()
            print(f"  worker: at most {int(usage.read_text()) / 1e6:.0f} MB with what the kernel keeps of the file; "
                  f"the limit was met {failed} times")
        if result is not None:
            peaks = {name: round(value / 1e6) for name, value in result["peak_memory_bytes"].items()}
            speed = size * result["epochs"] / result["seconds"] / 1e6
            print(f"  {result['seconds']:.1f} s of training, {speed:.1f} MB/s; peaks in MB: {peaks}; "
                  f"objective {result['objective']:.6g}")
    finally:
        for one in [*filter(pathlib.Path.is_dir, group.iterdir()), group]:
            one.rmdir()


if __name__ == "__main__":
    main()
