#!/usr/bin/env python3
"""Lasso by rows: the priority schedule against round robin and random draws; updates and seconds to the optimum.

usage: lasso_schedules.py DATA.libsvm [--lambda_ratio=0.1] [--bin=build/release/bin] [--plot=FILE.svg] [--coordinates=N]
                          [--limit=SECONDS] [flags for rota train]

The optimum is that of the working set (columns) at a tolerance of 1e-9.  "Within 1e-3" is (F - F*) <= 1e-3 (F(0) - F*),
as seen at the ends of epochs.  Needs python3-matplotlib for the plot.
"""
import pathlib
import subprocess

from bench_run import arguments, plot, records, scratch_folder

ORDERS = ("priority", "round_robin", "random")


def train(args, out, app, *flags):
    """Trains; a run that takes too long is stopped at the end of an epoch, which is no failure here."""
    done = subprocess.run(["timeout", "--preserve-status", str(args.limit), pathlib.Path(args.bin) / "rota", "train",
                           app, "--nointercept", f"--input={args.data}", f"--out={out}", "--workers=2",
                           f"--lambda_ratio={args.lambda_ratio}", "--checkpoint_every=0", *flags],
                          capture_output=True, text=True)
    if done.returncode not in (0, 143):
        raise SystemExit(done.stderr)
    return records(out / "metrics.jsonl")


def course(metrics):
    """(updates so far, seconds, objective) at the end of every epoch that updated something."""
    points, updates = [], 0
    for epoch in metrics:
        updates += epoch["schedule"].get("kept", 0)
        points.append((updates, epoch["seconds"], epoch["objective"]))
    return points


def main():
    parser = arguments(__doc__, "data", lambda_ratio=0.1, plot="", limit=120.0)
    args, flags = parser.parse_known_args()
    with scratch_folder() as folder:
        exact = train(args, folder / "optimum", "lasso", "--tolerance=1e-9")[-1]
        optimum, courses = exact["objective"], {}
        for order in ORDERS:
            metrics = train(args, folder / order, "lasso_rows", f"--order={order}", "--tolerance=1e-5", *flags)
            courses[order] = course(metrics)
        zero = courses["priority"][0][2]
        print(f"{args.data}, {args.lambda_ratio} lambda_max: optimum {optimum:.10g}, at zero {zero:.10g}; the working "
              f"set needs {exact['seconds']:.3f} s to 1e-9")
        for order, points in courses.items():
            within = next((p for p in points if p[2] - optimum <= 1e-3 * (zero - optimum)), None)
            last = points[-1]
            reached = f"{within[0]:12.0f} updates, {within[1]:8.3f} s to 1e-3" if within else "1e-3 not reached"
            print(f"  {order:12s} {reached}; at the end {(last[2] - optimum) / (zero - optimum):.1e} after "
                  f"{last[0]:.0f} updates, {last[1]:.2f} s", flush=True)
        if args.plot:
            panels = [("", name, {order: [(p[column], max((p[2] - optimum) / (zero - optimum), 1e-9)) for p in points]
                                  for order, points in courses.items()})
                      for column, name in enumerate(("updates of a coefficient", "seconds of training"))]
            plot(args.plot, [panels], "(F - F*) / (F(0) - F*)",
                 f"Lasso by rows, lambda = {args.lambda_ratio} lambda_max", yscale="log")


if __name__ == "__main__":
    main()
