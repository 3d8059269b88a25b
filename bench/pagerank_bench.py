#!/usr/bin/env python3
"""PageRank: seconds of power iteration, Rota and SciPy in turn.

usage: pagerank_bench.py [GRAPH.txt | --nodes=1000000 --edges=10000000] [--epochs=50] [--repeat=5]
                         [--bin=build/release/bin] [--with=rota,scipy]

Every program makes EPOCHS steps (no tolerance), on the same cores, one after the other, REPEAT times over; what is printed are medians.
Without a file the graph is one of `rota generate pagerank`, made first; nodes must be numbers for SciPy's reader here.
Rota's seconds are those of the training in result.json; SciPy's those of a loop of sparse products (CSR, one thread).
Loading is not counted for anybody.  That the ranks agree is checked.
"""
import argparse
import json
import pathlib
import shutil
import statistics
import subprocess
import tempfile
import time

import numpy as np
import scipy.sparse

DAMPING = 0.85


class Bench:
    def __init__(self, args):
        self.args = args
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="rota-bench-"))
        self.binary = str(pathlib.Path(args.bin) / "rota")
        self.graph = None
        if args.data is None:
            args.data = self.folder / "graph.txt"
            subprocess.run([self.binary, "generate", "pagerank", f"--nodes={args.nodes}", f"--edges={args.edges}",
                            f"--output={args.data}"], check=True)

    def rota(self, workers, threads):
        out = self.folder / "rota"
        shutil.rmtree(out, ignore_errors=True)
        subprocess.run([self.binary, "train", "pagerank", f"--input={self.args.data}", f"--out={out}", f"--damping={DAMPING}",
                        f"--epochs={self.args.epochs}", "--tolerance=0", f"--workers={workers}", f"--threads={threads}",
                        "--eval_every=0", "--checkpoint_every=0", *self.args.rota_flags], check=True, capture_output=True)
        with open(out / "model/ranks.csv", encoding="utf-8") as file:
            table = np.loadtxt(file, delimiter=",", skiprows=1)
        ranks = np.zeros(int(table[:, 0].max()) + 1)
        ranks[table[:, 0].astype(int)] = table[:, 1]
        return json.loads((out / "result.json").read_text())["seconds"], ranks

    def load(self):
        """The steps as a sparse matrix, of the nodes that an edge touches."""
        edges = np.fromfile(self.args.data, dtype=np.int64, sep=" ").reshape(-1, 2)
        present, numbers = np.unique(edges, return_inverse=True)
        source, target = numbers.reshape(-1, 2).T
        n = len(present)
        a = scipy.sparse.csr_matrix((np.ones(len(source)), (target, source)), shape=(n, n))
        out = np.asarray(a.sum(axis=0)).ravel()
        share = np.divide(1, out, out=np.zeros(n), where=out > 0)
        self.graph = (a @ scipy.sparse.diags(share)).tocsr(), np.flatnonzero(out == 0), present

    def scipy(self):
        if self.graph is None:
            self.load()
        steps, dangling, present = self.graph
        n = len(present)
        begin = time.monotonic()
        r = np.full(n, 1 / n)
        for _ in range(self.args.epochs):
            r = steps @ r * DAMPING + ((1 - DAMPING) / n + DAMPING * r[dangling].sum() / n)
        seconds = time.monotonic() - begin
        ranks = np.zeros(present[-1] + 1)
        ranks[present] = r
        return seconds, ranks

    def run(self):
        programs = {"rota": {"Rota, 1 worker": lambda: self.rota(1, 1), "Rota, 2 workers": lambda: self.rota(2, 1),
                             "Rota, 1 worker of 2 threads": lambda: self.rota(1, 2)},
                    "scipy": {"SciPy": self.scipy}}
        chosen = {}
        for name in self.args.programs.split(","):
            chosen.update(programs[name])
        print(f"{self.args.data}: {self.args.epochs} epochs", flush=True)
        rows = {name: [] for name in chosen}
        reference = None
        for _ in range(self.args.repeat):
            for name, program in chosen.items():
                seconds, ranks = program()
                reference = ranks if reference is None else reference
                np.testing.assert_allclose(ranks, reference, rtol=1e-10, atol=0)
                rows[name].append(seconds)
        for name, runs in rows.items():
            seconds = statistics.median(runs)
            print(f"  {name:30s} {seconds:8.3f} s  ({min(runs):.3f} - {max(runs):.3f})  "
                  f"{1000 * seconds / self.args.epochs:9.2f} ms an epoch", flush=True)
        shutil.rmtree(self.folder, ignore_errors=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", nargs="?", type=pathlib.Path)
    parser.add_argument("--nodes", type=int, default=1_000_000)
    parser.add_argument("--edges", type=int, default=10_000_000)
    parser.add_argument("--epochs", type=int, default=50)
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--bin", default="build/release/bin")
    parser.add_argument("--with", dest="programs", default="rota,scipy")
    args, args.rota_flags = parser.parse_known_args()
    Bench(args).run()


if __name__ == "__main__":
    main()
