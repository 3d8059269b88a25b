"""The example apps of one file against SciPy and scikit-learn, and one model for any processes."""
import csv
import gzip
import os
import pathlib

import numpy as np
from scipy.sparse import csr_matrix
from scipy.sparse.csgraph import connected_components, dijkstra
from sklearn.cluster import KMeans
from sklearn.datasets import load_svmlight_file
from sklearn.linear_model import LogisticRegression
from sklearn.neural_network import MLPClassifier
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

    def test_kmeans(self):
        dice = np.random.default_rng(7)
        x = (dice.normal(size=(12, 5)) * 3)[dice.integers(12, size=3000)] + dice.normal(size=(3000, 5))
        file = self.use("kmeans", [",".join("abcde"), *(",".join(map(repr, row)) for row in x.tolist())])
        result, out = self.last("kmeans", file, "--clusters=12", "--format=csv")
        self.assertTrue(result["converged"])
        peer = KMeans(12, init=x[:12], n_init=1, algorithm="lloyd", tol=0, max_iter=1000).fit(x)
        np.testing.assert_allclose(list(self.table(out, "centres").values()), peer.cluster_centers_, rtol=1e-10)
        self.assertAlmostEqual(result["objective"] / peer.inertia_, 1, delta=1e-12)

    def test_lbfgs(self):
        file = self.use("lbfgs", self.a9a(4000))
        result, out = self.last("lbfgs", file, "--l2=1", "--tolerance=1e-6")
        self.assertTrue(result["converged"])
        x, y = load_svmlight_file(str(file))
        peer = LogisticRegression(C=1, tol=1e-8, solver="newton-cg", fit_intercept=False).fit(x, y)
        np.testing.assert_allclose(self.table(out, "weights")[0], peer.coef_[0], atol=1e-5)

    def test_svm(self):
        file = self.use("svm", self.a9a(2000))
        result, out = self.last("svm", file, "--cost=0.1", "--tolerance=1e-5", "--epochs=20000", "--shards=4",
                                "--checkpoint_every=0", "--eval_every=1000")
        self.assertTrue(result["converged"])
        x, y = load_svmlight_file(str(file))
        peer = LinearSVC(C=0.1, loss="hinge", fit_intercept=False, tol=1e-9, max_iter=1000000).fit(x, y)
        weights = np.zeros(x.shape[1])
        for column, (weight, ) in self.table(out, "weights").items():
            weights[column] = weight
        objective = lambda w: 0.1 * np.maximum(0, 1 - y * (x @ w)).sum() + w @ w / 2
        self.assertAlmostEqual(result["objective"] / objective(weights), 1, delta=1e-12)
        self.assertLess(objective(weights), objective(peer.coef_[0]) * (1 + 1e-4))
        np.testing.assert_allclose(weights, peer.coef_[0], atol=0.01)

    def labelled(self, rows, columns, density=0.4):
        dice = np.random.default_rng(6)
        x = np.where(dice.random((rows, columns)) < density, dice.integers(-8, 9, (rows, columns)) / 4, 0)
        return x, x[:, 0] * x[:, 1] - x[:, 2] + dice.normal(size=rows)

    def libsvm(self, app, x, y):
        return self.use(app, (" ".join([repr(float(label)), *(f"{j + 1}:{row[j]}" for j in np.flatnonzero(row))])
                              for row, label in zip(x, y)))

    def two_epochs(self, table, file, *flags):
        """The table after one epoch and after two."""
        return [np.array(list(self.table(self.train(f"{flags[0]}-{epochs}", file, *flags, f"--epochs={epochs}")[1],
                                         table).values())) for epochs in (1, 2)]

    @staticmethod
    def slope(loss, at, step=1e-5):
        slope = np.zeros_like(at)
        for i in np.ndindex(at.shape):
            for sign in (1, -1):
                moved = at.copy()
                moved[i] += sign * step
                slope[i] += sign * loss(moved) / (2 * step)
        return slope

    @staticmethod
    def machine(x, model):
        """Predictions of a factorisation machine, pair by pair."""
        f = model[0, 0] + x @ model[1:, 0]
        for i in range(x.shape[1]):
            for j in range(i):
                f += x[:, i] * x[:, j] * (model[1 + i, 1:] @ model[1 + j, 1:])
        return f

    def test_fm_gradient(self):
        x, y = self.labelled(120, 6)
        for loss_name in ("squared", "logistic"):
            with self.subTest(loss=loss_name):
                file = self.libsvm("fm", x, y if loss_name == "squared" else np.sign(y))
                before, after = self.two_epochs("model", file, f"--loss={loss_name}", "--rounds=1", "--factors=2",
                                                "--l2=0.1", "--learning_rate=0.3")

                def loss(model):
                    f = self.machine(x, model)
                    each = (f - y)**2 / 2 if loss_name == "squared" else np.logaddexp(0, -np.where(y > 0, f, -f))
                    return each.sum() + 0.05 * ((x != 0) @ (model[1:]**2).sum(axis=1)).sum()

                # A step is -rate g / root of the sum of the squares of all g.
                gradient = (before - after)[:, :3] * np.sqrt(after[:, 3:]) / 0.3
                np.testing.assert_allclose(gradient, self.slope(loss, before[:, :3]), rtol=1e-6, atol=1e-5)

    def test_fm_finds_interactions(self):
        dice = np.random.default_rng(5)
        users, items = dice.integers(40, size=6000), dice.integers(30, size=6000)
        x = np.zeros((6000, 70))
        x[np.arange(6000), users] = x[np.arange(6000), 40 + items] = 1
        y = ((dice.normal(size=(40, 3)) @ dice.normal(size=(3, 30)))[users, items] + 2 +
             0.1 * dice.normal(size=6000)).round(4)
        file = self.libsvm("fm", x[:4000], y[:4000])
        errors = {}
        for factors in (0, 4):
            flags = ("--loss=squared", f"--factors={factors}", "--learning_rate=0.3", "--rounds=8", "--epochs=10")
            result, out = (self.last if factors else self.train)(f"fm-{factors}", file, *flags)
            model = np.array(list(self.table(out, "model").values()))[:, :factors + 1]
            rmse = [np.sqrt(np.mean((self.machine(x[part], model) - y[part])**2))
                    for part in (slice(4000), slice(4000, None))]
            self.assertAlmostEqual(result["terms"]["rmse"], rmse[0], delta=1e-9)
            errors[factors] = rmse[1]
        self.assertLess(errors[4], 0.2)  # the noise has 0.1
        self.assertGreater(errors[0], 1)
        self.expect_resumed(file, *flags)

    def test_gibbs(self):
        parents = {"A": "", "B": "", "C": "AB", "D": "C", "E": "C", "F": "DE"}
        names, values = list(parents), dict(zip(parents, (2, 3, 3, 2, 3, 2)))
        dice = np.random.default_rng(8)
        truth = {}
        for node, its in parents.items():
            table = dice.dirichlet(np.full(values[node], 0.3), size=[values[p] for p in its])
            rows = table[tuple(truth[p] for p in its)] if its else np.tile(table, (500, 1))
            truth[node] = (rows.cumsum(axis=1) < dice.random((500, 1))).sum(axis=1)
        blank = {node: dice.random(500) < 0.15 for node in names}
        file = self.use("gibbs", [",".join(names)] + [",".join(
            dice.choice(["", "NA"]) if blank[node][i] else f"{node}{truth[node][i]}" for node in names)
            for i in range(500)])
        network = self.folder / "network"
        network.write_text("".join(f"{node} {' '.join(its)}\n" for node, its in parents.items()))
        flags = (f"--network={network}", "--burn_in=20")

        _, out = self.train("long", file, *flags, "--epochs=220", "--eval_every=0", "--checkpoint_every=0")
        for row in self.table(out, "probabilities").values():
            self.assertAlmostEqual(sum(row), 1, delta=1e-12)
        imputed = csv.DictReader(self.rota("impute", self.app, f"--model={out}").stdout.splitlines())
        found = {(int(line["row"]) - 1, line["column"]): (int(line["value"][1:]), int(line["votes"]) / 200)
                 for line in imputed}
        self.assertEqual(set(found), {(i, node) for node in names for i in np.flatnonzero(blank[node])})
        shares = self.plain_gibbs(parents, values, truth, blank, sweeps=220, burn_in=20)
        ours = np.mean([found[cell][0] == truth[cell[1]][cell[0]] for cell in found])
        peers = np.mean([shares[node][i].argmax() == truth[node][i] for i, node in found])
        self.assertAlmostEqual(ours, peers, delta=0.03)
        # Each share is a mean of 200 draws, which are hardly correlated.
        apart = [share - shares[node][i][value] for (i, node), (value, share) in found.items()]
        self.assertLess(np.mean(np.abs(apart)), 0.06)
        self.assertLess(abs(np.mean(apart)), 0.03)
        self.last("gibbs", file, *flags, "--epochs=30")
        self.expect_resumed(file, *flags, "--epochs=100")

    @staticmethod
    def plain_gibbs(parents, values, truth, blank, sweeps, burn_in):
        """The shares of the values drawn for each cell, node by node."""
        dice = np.random.default_rng(9)
        state = {node: np.where(blank[node], dice.integers(values[node], size=500), truth[node]) for node in parents}
        votes = {node: np.zeros((500, values[node])) for node in parents}
        for sweep in range(sweeps):
            tables = {}
            for node, its in parents.items():
                counts = np.ones([values[p] for p in its] + [values[node]])
                np.add.at(counts, tuple(state[p] for p in its + node), 1)
                draws = dice.gamma(counts)
                tables[node] = draws / draws.sum(axis=-1, keepdims=True)
            for node in parents:
                weights = np.ones((500, values[node]))
                for value in range(values[node]):
                    at = {**state, node: np.full(500, value)}
                    for family, its in parents.items():
                        if node in its + family:
                            weights[:, value] *= tables[family][tuple(at[p] for p in its + family)]
                weights /= weights.sum(axis=1, keepdims=True)
                drawn = (weights.cumsum(axis=1)[:, :-1] < dice.random((500, 1))).sum(axis=1)
                state[node] = np.where(blank[node], drawn, truth[node])
                if sweep >= burn_in:
                    votes[node][np.arange(500), drawn] += 1
        return {node: its / its.sum(axis=1, keepdims=True) for node, its in votes.items()}

    @staticmethod
    def network(x, weights):
        """The linear predictions of a network of three layers."""
        return weights[-1, 0] + np.maximum(0, x @ weights[:-3] + weights[-3]) @ weights[-2]

    def test_network_gradient(self):
        x, y = self.labelled(1, 9, density=0.8)
        file = self.libsvm("network", x, np.sign(y))
        before, after = self.two_epochs("weights", file, "--hidden=5", "--shards=1", "--workers=1",
                                        "--rounds=1", "--learning_rate=0.5")
        gradient = (before - after) / (0.5 / np.sqrt(2))
        slope = self.slope(lambda weights: np.logaddexp(0, -np.sign(y) * self.network(x, weights)).sum(), before)
        np.testing.assert_allclose(gradient[:-1], slope[:-1], rtol=0, atol=1e-8)
        self.assertAlmostEqual(gradient[-1, 0], slope[-1, 0], delta=1e-8)
        self.assertFalse(gradient[-1, 1:].any())

    def test_labels_of_two_classes_only(self):
        for app in ("fm", "lbfgs", "network", "svm"):
            self.rota(*self.command_line(self.folder / app, self.use(app, ("1 1:1", "2 1:2"))), code=65,
                      error=f"{app}.txt:2: expected a label of 1, and 0 or -1, found 2")

    def test_network_learns(self):
        lines = self.a9a(12000)
        file = self.use("network", lines[:6000])
        x, y = load_svmlight_file(str(self.use("test", lines)), n_features=123)
        self.app = EXAMPLES / "network.so"
        peer = MLPClassifier((16,), tol=1, random_state=1)  # which ends after some 10 epochs
        accuracy = peer.fit(x[:6000], y[:6000]).score(x[6000:], y[6000:])
        for dataflow in ("all", "halton"):
            flags = (f"--dataflow={dataflow}", "--hidden=16", "--epochs=10")
            result, out = (self.last if dataflow == "halton" else self.train)(dataflow, file, *flags)
            weights = np.array(list(self.table(out, "weights").values()))
            right = self.network(x.toarray()[:, :len(weights) - 3], weights) * y > 0
            self.assertAlmostEqual(result["terms"]["error_rate"], 1 - right[:6000].mean(), delta=1e-12)
            self.assertAlmostEqual(right[6000:].mean(), accuracy, delta=0.01)
        self.expect_resumed(file, *flags)

    def test_bad_lines(self):
        for app, line, words in (("components", "1 x", "expected two nodes, found '1 x'"),
                                 ("shortest_paths", "1 2 -1", "a length must be between 0 and 1e90"),
                                 ("svm", "1 2:x", "expected a finite number, found 'x' in '2:x'")):
            with self.subTest(app=app):
                file = self.use(app, [line])
                self.rota(*self.command_line(self.folder / app, file), code=65, error=f"{file}:1: {words}")

    def test_bad_cases(self):
        for lines, network, code, words in (
                (["a,b", "1,2", "3"], "a b", 65, "gibbs.txt:3: expected 2 fields, found 1"),
                (["a,b", "1,NA"], "a b", 65, "gibbs.txt:1: no value of column 'b'"),
                (["a,b", "1,2"], "a c", 65, "network:1: no column is named 'c'"),
                (["a,b", "1,2"], "a b\nb a", 65, "network:2: expected a node not named before, and its parents"),
                (["a,b", "1,2"], None, 2, "--network=FILE is missing")):
            with self.subTest(words=words):
                file = self.use("gibbs", lines)
                (self.folder / "network").write_text(network or "")
                flags = [f"--network={self.folder / 'network'}"] if network else []
                self.rota(*self.command_line(self.folder / "bad", file, *flags), code=code, error=words)
