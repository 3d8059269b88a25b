"""k-means against NumPy and scikit-learn (Debian's python3-sklearn), one model for any processes, and bad input."""
import csv
import json

import numpy as np
from sklearn.cluster import KMeans
from sklearn.datasets import dump_svmlight_file, load_svmlight_file

from app_run import AppTest
from rota_run import DOROTHEA


def groups(rows=1500, columns=20, clusters=9, seed=3):
    """Rows around some centres, a third of their numbers 0."""
    dice = np.random.default_rng(seed)
    x = dice.normal(size=(clusters, columns))[dice.integers(clusters, size=rows)] + dice.normal(size=(rows, columns))
    return np.where(dice.random(x.shape) < 1 / 3, 0, np.round(x, 6))


class KmeansOracle(AppTest):
    app = "kmeans"

    def data(self, x, name="data.libsvm"):
        file = self.folder / name
        dump_svmlight_file(x, np.zeros(len(x)), str(file), zero_based=False)
        return file

    def kmeans(self, name, file, *flags):
        return self.train(name, file, "--seed=7", *flags)

    def centres(self, out, clusters, columns):
        c = np.zeros((clusters, columns))
        with open(out / "model/centres.csv", encoding="utf-8", newline="") as file:
            for row in csv.DictReader(file):
                c[int(row["cluster"]), int(row["column"]) - 1] = float(row["value"])
        counts = np.loadtxt(out / "model/clusters.csv", delimiter=",", skiprows=1, ndmin=2)
        self.assertEqual(list(counts[:, 0]), list(range(clusters)))
        return c, counts[:, 1].astype(int)

    @staticmethod
    def distances(x, c):
        return ((x[:, None, :] - c[None, :, :])**2).sum(axis=2)

    def test_scikit_learn_ends_at_the_same_inertia(self):
        x = groups()
        file = self.data(x)
        _, first = self.kmeans("first", file, "--clusters=9", "--epochs=1")
        c, _ = self.centres(first, 9, x.shape[1])
        result, _ = self.kmeans("all", file, "--clusters=9", "--tolerance=0")
        peer = KMeans(n_clusters=9, init=c, n_init=1, algorithm="lloyd", tol=0, max_iter=1000).fit(x)
        self.assertAlmostEqual(result["objective"] / peer.inertia_, 1, delta=1e-12)

    def test_one_start_is_no_worse_than_scikit_learns(self):
        """From seeds of either, on points in the plane of all columns and on times that count from 1970."""
        dice = np.random.default_rng(1)
        points = dice.uniform(-10, 10, size=(12, 8))[dice.integers(12, size=1500)] + dice.normal(size=(1500, 8))
        sessions = 1.7e9 + 86400 * np.arange(6) + dice.uniform(0, 20000, size=6)
        times = (sessions[dice.integers(6, size=600)] + dice.normal(scale=1800, size=600)).round()[:, None]
        for name, x, clusters in (("points", points, 12), ("times", times, 6)):
            file = self.data(x, name)
            ours = [self.train(f"{name}-{seed}", file, f"--seed={seed}", f"--clusters={clusters}", "--shards=8")[0]["objective"]
                    for seed in range(5)]
            base = np.median([KMeans(n_clusters=clusters, n_init=1, random_state=seed).fit(x).inertia_ for seed in range(20)])
            self.assertLess(np.median(ours), 1.001 * base, name)
            self.assertLess(max(ours), 1.05 * base, name)

    def test_every_row_has_its_cluster_and_distance(self):
        x = groups(rows=301)
        files = [self.data(x[:100], "one.libsvm"), self.data(x[100:], "two.libsvm")]
        flags = ("--clusters=5", "--shards=3", "--epochs=4")  # not converged: the nearest centre is what counts
        _, out = self.kmeans("rows", f"{files[0]},{files[1]}", *flags)
        shards = self.folder / "shards"
        self.rota("shard", "kmeans", f"--input={files[0]},{files[1]}", "--shards=3", f"--output={shards}")
        _, sharded = self.kmeans("sharded", shards, "--clusters=5", "--epochs=4")
        c, _ = self.centres(out, 5, x.shape[1])
        rows = np.loadtxt(out / "model/assignments.csv", delimiter=",", skiprows=1)
        distances = self.distances(x, c)
        np.testing.assert_array_equal(rows[:, 0], np.arange(1, 302))
        np.testing.assert_array_equal(rows[:, 1], distances.argmin(axis=1))
        np.testing.assert_allclose(rows[:, 2], np.sqrt(distances.min(axis=1)), rtol=1e-12)
        self.assertEqual((out / "model/assignments.csv").read_bytes(), (sharded / "model/assignments.csv").read_bytes())
        done = self.rota("evaluate", "kmeans", f"--model={out}", f"--input={files[1]}")
        scores = json.loads(done.stdout)
        self.assertEqual(scores["rows"], 201)
        self.assertEqual(scores["cluster_sizes"], np.bincount(distances[100:].argmin(axis=1), minlength=5).tolist())
        self.assertAlmostEqual(scores["inertia"] / distances[100:].min(axis=1).sum(), 1, delta=1e-12)

    def test_sparse_data_and_a_tolerance(self):
        x = load_svmlight_file(str(DOROTHEA))[0]
        result, out = self.kmeans("dorothea", DOROTHEA, "--clusters=5", "--tolerance=0.001")
        self.assertTrue(result["converged"])
        c, counts = self.centres(out, 5, x.shape[1])
        self.assertEqual(counts.sum(), x.shape[0])
        distances = (c**2).sum(axis=1) - 2 * (x @ c.T) + np.asarray(x.multiply(x).sum(axis=1))
        self.assertAlmostEqual(result["objective"] / distances.min(axis=1).sum(), 1, delta=1e-10)
        last, before = [m["objective"] for m in self.metrics(out)][-1:-3:-1]
        self.assertLess(before - last, 0.001 * before)

    def test_one_model_on_any_workers_and_threads(self):
        file = self.data(groups())
        for name, flags in (("plusplus", ["--restarts=3"]), ("random", ["--init=random"])):
            self.expect_one_model(name, file, "--seed=7", "--clusters=9", *flags)

    def test_show_and_predict(self):
        x = groups(rows=300)
        file = self.data(x)
        _, out = self.kmeans("shown", file, "--clusters=4", "--tolerance=0")
        c, counts = self.centres(out, 4, x.shape[1])
        shown = self.rota("show", "kmeans", f"--model={out}", "--top=3").stdout
        self.assertIn("4 clusters, 20 columns", shown)
        self.assertIn(f" {counts[0]} ", shown)
        wider = np.hstack([x, np.ones((len(x), 1))])  # a column that the model has not seen
        for data in (file, self.data(wider, "wider.libsvm")):
            predicted = self.rota("predict", "kmeans", f"--model={out}", f"--input={data}")
            np.testing.assert_array_equal(np.array(predicted.stdout.split(), int), self.distances(x, c).argmin(axis=1))

    def test_errors_are_reported(self):
        good = b"1 1:2 2:3\n-1 2:1\n"
        two = "--clusters=2"
        self.expect_errors("bad.libsvm", ((good.replace(b"2:1", b"2:x"), [two], 65, "bad.libsvm:2:"),
                                          (good, ["--clusters=3"], 2, "fewer than --clusters=3"),
                                          (good, [two, "--restarts=3", "--epochs=3"], 2, "--epochs of at least 4"),
                                          (None, [two], 66, "bad.libsvm")))
