#!/usr/bin/env python3
"""k-means: seconds of Lloyd's steps, Rota and scikit-learn in turn; or the inertia that each finds from one start.

usage: kmeans_bench.py DATA.libsvm [--clusters=100] [--epochs=20] [--repeat=5] [--bin=build/release/bin] [--dense]
                       [--with=rota,sklearn]
       kmeans_bench.py --quality [DATA.libsvm --clusters=K] [--seeds=20] [--bin=build/release/bin]

Every program makes EPOCHS steps (no tolerance; fewer if it converges) from its own k-means++ start, on the same cores,
one after the other, REPEAT times; medians are printed.  Rota's seconds are those of the training in result.json,
scikit-learn's those of fit(); both include the start.  Loading is not counted, nor is Rota's one evaluation at the
end.  --dense passes scikit-learn a dense array.

--quality trains from as many seeds, to the end, by both programs' defaults (one start), on points around centres, on
generated text, on times, and on DATA if it is given.  It prints the median and the largest inertia of both over
scikit-learn's median.
"""
import statistics
import time

from bench_run import arguments, chosen, in_turn, on_two_cores, scratch_folder, spread, train


def points(dice):
    """Around 12 centres of 30 columns."""
    return dice.uniform(-10, 10, size=(12, 30))[dice.integers(12, size=6000)] + dice.normal(size=(6000, 30)), 12


def text(dice):
    """Documents of 20 groups: words as frequent as in text, tf-idf, rows of unit length."""
    import numpy as np
    from scipy.sparse import csr_matrix
    from sklearn.feature_extraction.text import TfidfTransformer
    words, documents, groups = 5000, 3000, 20
    usual = 1 / np.arange(1, words + 1)
    of_group = usual * dice.gamma(0.3, size=(groups, words))
    of_group /= of_group.sum(axis=1, keepdims=True)
    of_all = usual / usual.sum()
    rows, columns = [], []
    for i in range(documents):
        length = int(dice.lognormal(4, 0.7)) + 5
        chances = 0.5 * of_all + 0.5 * of_group[dice.integers(groups)]
        columns.append(dice.choice(words, size=length, p=chances))
        rows.append(np.full(length, i))
    counts = csr_matrix((np.ones(sum(map(len, rows))), (np.concatenate(rows), np.concatenate(columns))),
                        shape=(documents, words))
    return TfidfTransformer(sublinear_tf=True).fit_transform(counts), groups


def times(dice):
    """Seconds since 1970, in a session of some hours on each of ten days."""
    import numpy as np
    sessions = 1.7e9 + 86400 * np.arange(10) + dice.uniform(0, 20000, size=10)
    return (sessions[dice.integers(10, size=4000)] + dice.normal(scale=1800, size=4000)).round()[:, None], 10


class Bench:
    def __init__(self, args, folder):
        self.args, self.folder, self.x = args, folder, None

    def train(self, data, clusters, *flags):
        return train(self.args, self.folder / "rota", "kmeans", f"--input={data}", f"--clusters={clusters}",
                     "--eval_every=0", "--checkpoint_every=0", *flags, *self.args.rota_flags)

    def rota(self, workers, threads):
        result = self.train(self.args.data, self.args.clusters, f"--epochs={self.args.epochs}", "--tolerance=0",
                            f"--workers={workers}", f"--threads={threads}")
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

    def quality(self):
        import numpy as np
        from sklearn.cluster import KMeans
        from sklearn.datasets import dump_svmlight_file, load_svmlight_file
        made = [(make.__name__, *make(np.random.default_rng(1))) for make in (points, text, times)]
        if self.args.data is not None:
            made.append((self.args.data, load_svmlight_file(str(self.args.data))[0], self.args.clusters))
        for name, x, clusters in made:
            file = self.folder / "data.libsvm"
            dump_svmlight_file(x, np.zeros(x.shape[0]), str(file), zero_based=False)
            ours = [self.train(file, clusters, f"--seed={seed}")["objective"] for seed in range(self.args.seeds)]
            theirs = [KMeans(n_clusters=clusters, init="k-means++", n_init=1, algorithm="lloyd",
                             random_state=seed).fit(x).inertia_ for seed in range(self.args.seeds)]
            base = statistics.median(theirs)
            print(f"  {name:10s} {x.shape[0]} x {x.shape[1]}, {clusters} clusters, {self.args.seeds} seeds: "
                  f"scikit-learn's median {base:.6g}; median and largest over it: Rota "
                  f"{statistics.median(ours) / base:.5f} {max(ours) / base:.5f}, "
                  f"scikit-learn 1 {max(theirs) / base:.5f}", flush=True)

    def run(self):
        programs = {"rota": on_two_cores(self.rota), "sklearn": {"scikit-learn": self.sklearn}}
        print(f"{self.args.data}: {self.args.clusters} clusters, {self.args.epochs} epochs", flush=True)
        rows = in_turn(chosen(self.args, programs), self.args.repeat)
        for name, runs in rows.items():
            runs.sort()
            each = statistics.median(run[0] / run[1] for run in runs)
            inertia = statistics.median(run[2] for run in runs)
            print(f"  {name:30s} {spread([run[0] for run in runs])}  {1000 * each:9.2f} ms an epoch  "
                  f"{runs[0][1]} epochs  inertia {inertia:.6g}", flush=True)


def main():
    parser = arguments(__doc__, "data?", quality=False, seeds=20, clusters=100, epochs=20, repeat=5, dense=False,
                       with_="rota,sklearn")
    args, args.rota_flags = parser.parse_known_args()
    if args.data is None and not args.quality:
        parser.error("DATA is missing")
    with scratch_folder() as folder:
        bench = Bench(args, folder)
        bench.quality() if args.quality else bench.run()


if __name__ == "__main__":
    main()
