#!/usr/bin/env python3
"""The cost of checkpoints: the same training with one after every epoch, with the default spacing, and with none but
the last, in turn; medians of the seconds from the first round to the last commit, and of all processes' processor time.

usage: checkpoint_cost.py FOLDER [--repeat=5] [--bin=build/release/bin]
"""
import pathlib
import resource
import statistics

from bench_run import arguments, in_turn, phases, records, spread, train

APPS = pathlib.Path(__file__).resolve().parents[1] / "apps"
JOBS = {
    "lda, KOS, K=100, 60 epochs": ["lda", f"--input={APPS}/lda/sample/docword.kos.txt.gz",
                                   f"--vocab={APPS}/lda/sample/vocab.kos.txt", "--topics=100", "--epochs=60"],
    "lasso, blogfeedback, path of 50": ["lasso", f"--input={APPS}/lasso/sample/blogfeedback_train.libsvm.gz",
                                        "--nointercept", "--path=50"],
    "lasso_rows, blogfeedback, 40 epochs": ["lasso_rows", f"--input={APPS}/lasso/sample/blogfeedback_train.libsvm.gz",
                                            "--nointercept",
                                            "--lambda_ratio=0.01", "--tolerance=1e-9", "--epochs=40"],
}
KINDS = {"none": ["--checkpoint_every=0"], "default": [], "every": ["--checkpoint_seconds=0"]}


def run(args, job, flags):
    """Seconds of training, processor seconds, and how many checkpoints of how many bytes were committed."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    out = pathlib.Path(args.folder) / "run"
    train(args, out, *job, "--workers=2", "--threads=1", "--eval_every=0", "--seed=1", *flags)
    at, events = phases(out), records(out / "events.jsonl")
    size = sum(file.stat().st_size for file in (out / "model").glob("*.sst"))
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    processor = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return at["finishing"] - at["training"], processor, sum(event["event"] == "checkpoint" for event in events), size


def main():
    args = arguments(__doc__, "folder", repeat=5).parse_args()
    pathlib.Path(args.folder).mkdir(parents=True, exist_ok=True)
    for name, job in JOBS.items():
        kinds = {kind: (lambda flags=flags: run(args, job, flags)) for kind, flags in KINDS.items()}
        for kind, runs in in_turn(kinds, args.repeat).items():
            seconds, processor, checkpoints, sizes = zip(*runs)
            print(f"{name}: {kind}: {spread(seconds)}, processor {statistics.median(processor):.2f} s, "
                  f"{checkpoints[-1]} checkpoints of {sizes[-1] / 1e6:.1f} MB", flush=True)


if __name__ == "__main__":
    main()
