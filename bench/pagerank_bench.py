#!/usr/bin/env python3
"""PageRank: seconds of power iteration, Rota and SciPy in turn.

usage: pagerank_bench.py [GRAPH.txt | --nodes=1000000 --edges=10000000] [--epochs=50] [--repeat=5]
                         [--bin=build/release/bin] [--with=rota,scipy]

Every program makes EPOCHS steps (no tolerance), on the same cores, one after the other, REPEAT times; medians are
printed.  Without a file the graph is drawn first; nodes must be numbers for SciPy's reader here.  Rota's seconds are
those of the training in result.json; SciPy's those of a loop of sparse products (CSR, one thread).  Loading is not
counted.  The script checks that the ranks agree.
"""
import statistics
import time

import numpy as np
import scipy.sparse

from bench_run import arguments, chosen, in_turn, on_two_cores, scratch_folder, spread, train

DAMPING = 0.85


def write_web(file, nodes, edges):
    """A graph like that of the web: both ends of an edge are drawn independently, so that the numbers of edges out and in
    have power laws with the exponents 2.72 and 2.1 (Broder et al., "Graph structure in the web", Computer Networks
    2000)."""
    dice = np.random.default_rng(1)
    powers = [1 / (1 - 1 / (exponent - 1)) for exponent in (2.72, 2.1)]
    ends = [dice.permutation(nodes)[(nodes * dice.random(edges) ** power).astype(int)] for power in powers]
    np.savetxt(file, np.column_stack(ends), fmt="%d")


class Bench:
    def __init__(self, args, folder):
        self.args, self.folder, self.graph = args, folder, None
        if args.data is None:
            args.data = folder / "graph.txt"
            write_web(args.data, args.nodes, args.edges)

    def rota(self, workers, threads):
        out = self.folder / "rota"
        result = train(self.args, out, "pagerank", f"--input={self.args.data}", f"--damping={DAMPING}",
                       f"--epochs={self.args.epochs}", "--tolerance=0", f"--workers={workers}", f"--threads={threads}",
                       "--eval_every=0", "--checkpoint_every=0", *self.args.rota_flags)
        with open(out / "model/ranks.csv", encoding="utf-8") as file:
            table = np.loadtxt(file, delimiter=",", skiprows=1)
        ranks = np.zeros(int(table[:, 0].max()) + 1)
        ranks[table[:, 0].astype(int)] = table[:, 1]
        return result["seconds"], ranks

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
        programs = {"rota": on_two_cores(self.rota), "scipy": {"SciPy": self.scipy}}
        print(f"{self.args.data}: {self.args.epochs} epochs", flush=True)
        rows = in_turn(chosen(self.args, programs), self.args.repeat)
        reference = next(iter(rows.values()))[0][1]
        for name, runs in rows.items():
            for _, ranks in runs:
                np.testing.assert_allclose(ranks, reference, rtol=1e-10, atol=0)
            seconds = [each for each, _ in runs]
            each = statistics.median(seconds) / self.args.epochs
            print(f"  {name:30s} {spread(seconds)}  {1000 * each:9.2f} ms an epoch", flush=True)


def main():
    parser = arguments(__doc__, "data?", nodes=1_000_000, edges=10_000_000, epochs=50, repeat=5, with_="rota,scipy")
    args, args.rota_flags = parser.parse_known_args()
    with scratch_folder() as folder:
        Bench(args, folder).run()


if __name__ == "__main__":
    main()
