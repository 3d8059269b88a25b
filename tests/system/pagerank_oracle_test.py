"""PageRank against power iteration in SciPy and a dense solution in NumPy; one model for any processes; bad input."""
import csv
import math

import numpy as np
import scipy.sparse

from app_run import AppTest


def read_edges(file):
    nodes, edges = {}, []
    for line in file.read_text(encoding="utf-8").splitlines():
        fields = line.split()
        if not fields or fields[0].startswith("#"):
            continue
        ends = [nodes.setdefault(name, len(nodes)) for name in fields[:2]]
        edges.append((*ends, float(fields[2]) if len(fields) > 2 else 1.0))
    return list(nodes), edges


class Oracle:
    def __init__(self, file):
        self.names, edges = read_edges(file)
        source, target, weight = map(np.array, zip(*edges))
        self.n = len(self.names)
        a = scipy.sparse.csr_matrix((weight, (target, source)), shape=(self.n, self.n))  # repeated edges add up
        out = np.asarray(a.sum(axis=0)).ravel()
        self.dangling = out == 0
        self.steps = a @ scipy.sparse.diags(np.divide(1, out, out=np.zeros(self.n), where=out > 0))

    def step(self, r, d):
        return (1 - d) / self.n + d * (r[self.dangling].sum() / self.n + self.steps @ r)

    def iterate(self, d, steps):
        r = np.full(self.n, 1 / self.n)
        for _ in range(steps):
            r = self.step(r, d)
        return r

    def solve(self, d):
        """(I - d P) r = (1 - d) / N, where a dangling node's column of P is 1 / N."""
        p = self.steps.toarray()
        p[:, self.dangling] = 1 / self.n
        return np.linalg.solve(np.eye(self.n) - d * p, np.full(self.n, (1 - d) / self.n))


class PagerankOracle(AppTest):
    app = "pagerank"

    def generated(self, *flags):
        file = self.folder / "graph.txt"
        self.rota("generate", "pagerank", f"--output={file}", *flags)
        return file

    def ranks(self, out, names):
        with open(out / "model/ranks.csv", encoding="utf-8", newline="") as file:
            rows = list(csv.reader(file))
        self.assertEqual(rows[0], ["node", "rank"])
        self.assertEqual([row[0] for row in rows[1:]], names)
        ranks = np.array([float(row[1]) for row in rows[1:]])
        self.assertAlmostEqual(math.fsum(ranks), 1, delta=1e-12)
        return ranks

    def test_every_step_is_that_of_scipy(self):
        file = self.generated("--nodes=3000", "--edges=20000")
        oracle = Oracle(file)
        self.assertGreater(oracle.dangling.sum(), 0)
        for d in (0.85, 0.5):
            with self.subTest(damping=d):
                result, out = self.train(f"steps-{d}", file, f"--damping={d}", "--epochs=20", "--tolerance=0")
                expected = oracle.iterate(d, 20)
                ranks = self.ranks(out, oracle.names)
                np.testing.assert_allclose(ranks, expected, rtol=1e-12, atol=0)
                residual = np.abs(oracle.step(ranks, d) - ranks).sum()
                self.assertAlmostEqual(result["objective"], residual, delta=1e-14)

    def test_ends_at_the_fixed_point(self):
        file = self.generated("--nodes=500", "--edges=3000")
        oracle = Oracle(file)
        result, out = self.train("fixed", file, "--tolerance=1e-13")
        self.assertTrue(result["converged"])
        np.testing.assert_allclose(self.ranks(out, oracle.names), oracle.solve(0.85), rtol=0, atol=1e-12)
        result, out = self.train("default", file)
        self.assertTrue(result["converged"])
        self.assertLess(np.abs(self.ranks(out, oracle.names) - oracle.solve(0.85)).sum(), 1e-9 * 0.85 / 0.15)

    def test_names_and_weights(self):
        file = self.folder / "named.txt"
        file.write_text("# who follows whom\n\nStraße caf\u00e9 2\n  a,b\t\"q\" 0.25\ncaf\u00e9 Straße\ncaf\u00e9 a,b 3\n"
                        "Straße caf\u00e9 .5\n\"q\" \"q\" 7\n12 007\r\n12 12 1e-3\n", encoding="utf-8")
        oracle = Oracle(file)
        result, out = self.train("named", file, "--tolerance=1e-14", "--shards=3")
        self.assertTrue(result["converged"])
        ranks = self.ranks(out, oracle.names)
        np.testing.assert_allclose(ranks, oracle.solve(0.85), rtol=0, atol=1e-13)
        shown = self.rota("show", "pagerank", f"--model={out}", "--top=2").stdout
        self.assertIn(f"{len(oracle.names)} nodes", shown)
        top = [line.split()[1] for line in shown.splitlines()[3:]]
        self.assertEqual(top, [oracle.names[v] for v in np.argsort(-ranks, kind="stable")[:2]])

    def test_one_model_on_any_workers_and_threads(self):
        self.expect_one_model("any", self.generated("--nodes=2000", "--edges=15000"))

    def test_errors_are_reported(self):
        self.expect_errors("bad.txt", ((b"a b\na\n", [], 65, "bad.txt:2:"), (b"a b\n", ["--damping=1"], 2, "damping"),
                                       (None, [], 66, "bad.txt")))
