#!/usr/bin/env python3
"""k-means: seconds of Lloyd's steps, Rota and scikit-learn in turn.

usage: kmeans_bench.py DATA.libsvm [--clusters=100] [--epochs=20] [--repeat=5] [--bin=build/release/bin] [--dense]
                       [--with=rota,sklearn]

Every program makes EPOCHS steps (no tolerance; fewer if it converges) from a k-means++ start of its own, on the same cores,
one after the other, REPEAT times over; what is printed are medians.  Rota's seconds are those of the training in
result.json, scikit-learn's those of fit(); both have the start in them.  Loading is not counted for anybody, nor is Rota's one
evaluation at the end.  --dense hands scikit-learn a dense array.
"""
import argparse
import json
import pathlib
import shutil
import statistics
import subprocess
import tempfile
import time


class Bench:
    def __init__(self, args):
        self.args = args
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="rota-bench-"))
        self.x = None

    def rota(self, workers, threads):
        out = self.folder / "rota"
        shutil.rmtree(out, ignore_errors=True)
        subprocess.run([str(pathlib.Path(self.args.bin) / "rota"), "train", "kmeans", f"--input={self.args.data}", f"--out={out}",
                        f"--clusters={self.args.clusters}", f"--epochs={self.args.epochs}", "--tolerance=0",
                        f"--workers={workers}", f"--threads={threads}", "--eval_every=0", "--checkpoint_every=0",
                        *self.args.rota_flags], check=True, capture_output=True)
        result = json.loads((out / "result.json").read_text())
        return result["seconds"], result["epochs"], result["objective"]

    def sklearn(self):
        from sklearn.cluster import KMeans
        from sklearn.datasets import load_svmlight_file
        if self.x is None:
            self.x = load_svmlight_file(str(self.args.data))[0]
            self.x = self.x.toarray() if self.args.dense else self.x
        model = KMeans(n_clusters=self.args.clusters, init="k-means++", n_init=1, algorithm="lloyd", tol=0,
                       max_iter=self.args.epochs, random_state=1)
        begin = time.monotonic()
        model.fit(self.x)
        return time.monotonic() - begin, model.n_iter_, model.inertia_

    def run(self):
        programs = {"rota": {"Rota, 1 worker": lambda: self.rota(1, 1), "Rota, 2 workers": lambda: self.rota(2, 1),
                             "Rota, 1 worker of 2 threads": lambda: self.rota(1, 2)},
                    "sklearn": {"scikit-learn": self.sklearn}}
        chosen = {}
        for name in self.args.programs.split(","):
            chosen.update(programs[name])
        print(f"{self.args.data}: {self.args.clusters} clusters, {self.args.epochs} epochs", flush=True)
        rows = {name: [] for name in chosen}
        for _ in range(self.args.repeat):
            for name, program in chosen.items():
                rows[name].append(program())
        for name, runs in rows.items():
            runs.sort()
            seconds = statistics.median(run[0] for run in runs)
            each = statistics.median(run[0] / run[1] for run in runs)
            inertia = statistics.median(run[2] for run in runs)
            print(f"  {name:30s} {seconds:8.3f} s  ({runs[0][0]:.3f} - {runs[-1][0]:.3f})  {1000 * each:9.2f} ms an epoch  "
                  f"{runs[0][1]} epochs  inertia {inertia:.6g}", flush=True)
        shutil.rmtree(self.folder, ignore_errors=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data")
    parser.add_argument("--clusters", type=int, default=100)
    parser.add_argument("--epochs", type=int, default=20)
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--bin", default="build/release/bin")
    parser.add_argument("--dense", action="store_true")
    parser.add_argument("--with", dest="programs", default="rota,sklearn")
    args, args.rota_flags = parser.parse_known_args()
    Bench(args).run()


if __name__ == "__main__":
    main()
