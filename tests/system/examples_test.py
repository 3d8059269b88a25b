"""The example apps of one file against SciPy and scikit-learn, and one model for any processes."""
import csv
import gzip
import os
import pathlib

import numpy as np
from scipy.sparse import csr_matrix
from scipy.sparse.csgraph import connected_components, dijkstra
from sklearn.datasets import load_svmlight_file
from sklearn.linear_model import LogisticRegression
from sklearn.svm import LinearSVC

from app_run import AppTest
from rota_run import A9A

EXAMPLES = pathlib.Path(os.environ["ROTA_EXAMPLES"])


class ExampleTest(AppTest):
    def use(self, app, lines):
        self.app = EXAMPLES / f"{app}.so"
        file = self.folder / f"{app}.txt"
        file.write_text("".join(line + "\n" for line in lines))
        return file

    def table(self, out, name):
        with open(out / f"model/{name}.csv", encoding="utf-8", newline="") as file:
            return {int(row[0]): [float(x) for x in row[1:]] for row in list(csv.reader(file))[1:]}

    def last(self, name, file, *flags):
        """The folder of a run whose model is that of other numbers of workers and threads, too."""
        reference = self.train_shapes(name, file, *flags)
        result, out = self.train(name, file, *flags, "--stores=2")
        self.assertEqual(result["model_hash"], reference["model_hash"])
        return result, out

    def graph(self, nodes, edges):
        dice = np.random.default_rng(4)
        return dice.integers(nodes, size=edges), dice.integers(nodes, size=edges), dice.integers(1, 100, size=edges) / 8

    def a9a(self, rows):
        with gzip.open(A9A, "rt") as file:
            lines = [line.strip() for _, line in zip(range(rows), file)]
        return lines

    def test_components(self):
        a, b, _ = self.graph(3000, 2500)
        file = self.use("components", (f"{x} {y}" for x, y in zip(a, b)))
        result, out = self.last("components", file)
        self.assertTrue(result["converged"])
        labels = self.table(out, "labels")
        nodes = max(a.max(), b.max()) + 1
        count, peer = connected_components(csr_matrix((np.ones(len(a)), (a, b)), (nodes, nodes)), directed=False)
        self.assertEqual(len({label for label, in labels.values()}), count)
        least = {part: int(np.flatnonzero(peer == part)[0]) for part in range(count)}
        self.assertEqual([labels[node][0] for node in range(nodes)], [least[part] for part in peer])

    def test_shortest_paths(self):
        a, b, length = self.graph(2000, 6000)
        file = self.use("shortest_paths", (f"{x} {y} {d}" for x, y, d in zip(a, b, length)))
        result, out = self.last("paths", file, "--source=7")
        self.assertTrue(result["converged"])
        nodes = max(a.max(), b.max()) + 1
        # Of several edges between two nodes, the shortest: csr_matrix would add them up.
        edges = {}
        for x, y, d in zip(a, b, length):
            edges[x, y] = min(d, edges.get((x, y), d))
        matrix = csr_matrix((list(edges.values()), tuple(zip(*edges))), (nodes, nodes))
        found = np.array([row[0] for row in self.table(out, "distances").values()])
        found[found == 1e100] = np.inf
        np.testing.assert_array_equal(found, dijkstra(matrix, indices=7))

    def test_lbfgs(self):
        file = self.use("lbfgs", self.a9a(4000))
        result, out = self.last("lbfgs", file, "--l2=1", "--tolerance=1e-6")
        self.assertTrue(result["converged"])
        x, y = load_svmlight_file(str(file))
        peer = LogisticRegression(C=1, tol=1e-10, max_iter=10000).fit(x, y)
        weights = self.table(out, "weights")[0]
        np.testing.assert_allclose(weights[:-1], peer.coef_[0], atol=1e-5)
        np.testing.assert_allclose(weights[-1], peer.intercept_[0], atol=1e-5)

    def test_svm(self):
        file = self.use("svm", self.a9a(2000))
        result, out = self.last("svm", file, "--cost=0.1", "--tolerance=1e-7", "--epochs=3000")
        self.assertTrue(result["converged"])
        x, y = load_svmlight_file(str(file))
        peer = LinearSVC(C=0.1, loss="hinge", fit_intercept=False, tol=1e-9, max_iter=1000000).fit(x, y)
        weights = np.array([row[0] for row in self.table(out, "weights").values()])
        np.testing.assert_allclose(weights, peer.coef_[0], atol=1e-4)
        objective = 0.1 * np.maximum(0, 1 - y * (x @ weights)).sum() + weights @ weights / 2
        self.assertAlmostEqual(result["objective"] / objective, 1, delta=1e-12)

    def test_bad_lines(self):
        for app, line, words in (("components", "1 x", "expected two nodes, found '1 x'"),
                                 ("shortest_paths", "1 2 -1", "expected FROM TO LENGTH, found '1 2 -1'"),
                                 ("lbfgs", "1 2:x", "expected LABEL INDEX:VALUE ..., found '1 2:x'"),
                                 ("svm", "1 2:1 1:1", "expected LABEL INDEX:VALUE ..., found '1 2:1 1:1'")):
            with self.subTest(app=app):
                file = self.use(app, [line])
                self.rota(*self.command_line(self.folder / app, file), code=65, error=f"{file}:1: {words}")
