#!/usr/bin/env python3
"""sgd --stream where each worker has a hard limit of memory: a share of the file's size, by cgroup v1's memory controller.

usage: sgd_stream_limit.py FILE [--share=0.25] [--bin=build/release/bin] [--epochs=2] [--workers=2] [FLAGS of rota train]

Requires root and /sys/fs/cgroup/memory.  A worker that needs more is killed by the kernel, and the run ends with 75.  The
kernel's cache of the file counts, too, so the file cannot come from memory.  Megabytes a second are those of text, read in training.
"""
import json
import os
import pathlib
import shutil
import subprocess
import tempfile

from bench_run import arguments

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
    folder = pathlib.Path(tempfile.mkdtemp(prefix="rota-bench-"))
    group = GROUPS / f"rota-stream-{os.getpid()}"
    group.mkdir()
    try:
        plugins = programs(folder, args, group, limit)
        out = folder / "run"
        done = subprocess.run([str(folder / "rota"), "train", "sgd", f"--input={args.file}", f"--out={out}", "--stream", "--eval_every=0",
                               f"--epochs={args.epochs}", f"--workers={args.workers}", f"--plugin_dir={plugins}", *flags],
                              capture_output=True, text=True, check=False)
        print(f"file {size / 1e6:.0f} MB, limit {limit / 1e6:.0f} MB a worker, exit {done.returncode}: {(done.stdout + done.stderr).strip()}")
        for one in sorted(group.iterdir()):
            if one.is_dir():
                most, failed = ((one / f"memory.{name}").read_text().strip() for name in ("max_usage_in_bytes", "failcnt"))
                print(f"  worker: at most {int(most) / 1e6:.0f} MB with what the kernel keeps of the file; the limit was met {failed} times")
        if done.returncode == 0:
            result = json.loads((out / "result.json").read_text(encoding="utf-8"))
            peaks = {name: round(value / 1e6) for name, value in result["peak_memory_bytes"].items()}
            print(f"  {result['seconds']:.1f} s of training, {size * result['epochs'] / result['seconds'] / 1e6:.1f} MB/s; peaks in MB: {peaks}; "
                  f"objective {result['objective']:.6g}")
    finally:
        for one in group.iterdir():
            if one.is_dir():
                one.rmdir()
        group.rmdir()
        shutil.rmtree(folder)


if __name__ == "__main__":
    main()
