"""PageRank against power iteration in SciPy and a dense solution in NumPy; one model for any processes and from any format
of the graph; bad input."""
import csv
import gzip
import math

import numpy as np
import scipy.io
import scipy.sparse

from app_run import AppTest
from rota_run import write_graph


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

    def generated(self, nodes, edges):
        file = self.folder / "graph.txt"
        write_graph(file, nodes, edges)
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
        file = self.generated(3000, 20000)
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
        file = self.generated(500, 3000)
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
        self.expect_one_model("any", self.generated(2000, 15000))

    def write(self, name, content):
        file = self.folder / name
        file.write_bytes(content if isinstance(content, bytes) else content.encode())
        return file

    def test_every_format_is_the_same_graph(self):
        dice = np.random.default_rng(3)
        dense = np.where(dice.random((60, 60)) < 0.1, dice.integers(1, 40, (60, 60)) / 8, 0)
        coo = scipy.sparse.coo_matrix(dense)
        edges = np.column_stack((coo.row, coo.col, coo.data))
        lines = lambda mark, order=(0, 1, 2): "".join(
            mark.join((str(int(u)), str(int(v)), repr(float(w)))[i] for i in order) + "\n" for u, v, w in edges)
        names = "from,to,weight\n"
        for name, content in (("edges.txt", lines(" ")), ("colons.txt", lines("::")), ("no_header.csv", lines(",")),
                              ("edges.csv", names + lines(",")), ("edges.tsv", names.replace(",", "\t") + lines("\t")),
                              ("german.csv", "\ufeff" + (names + lines(",")).replace(",", ";").replace("\n", "\r\n")),
                              ("turned.csv", "weight,to,from\n" + lines(",", (2, 1, 0))),
                              ("packed.csv.gz", gzip.compress((names + lines(",")).encode()))):
            self.write(name, content)
        np.save(self.folder / "edges.npy", edges)
        scipy.sparse.save_npz(self.folder / "edges.npz", coo.tocsr())
        scipy.io.mmwrite(self.folder / "edges.mtx", coo, symmetry="general")
        hashes = {}
        for name, flags in (("edges.txt", ()), ("colons.txt", ()), ("no_header.csv", ()), ("edges.csv", ()),
                            ("edges.tsv", ()), ("german.csv", ()), ("packed.csv.gz", ()), ("edges.npy", ()),
                            ("edges.npz", ()), ("edges.mtx", ()), ("turned.csv", ("--columns=from,to,weight",))):
            with self.subTest(file=name):
                result, out = self.train(f"of-{name}", self.folder / name, "--epochs=5", *flags)
                hashes[name] = result["model_hash"]
                self.assertEqual(hashes[name], hashes["edges.txt"])
                first = (out / "model/ranks.csv").read_text().splitlines()[1].split(",")[0]
                self.assertEqual(int(first), int(edges[0, 0]) + (name == "edges.mtx"))  # which counts from 1

    def test_a_symmetric_matrix_has_both_directions(self):
        mtx = self.write("half.mtx", "%%MatrixMarket matrix coordinate pattern symmetric\n3 3 3\n2 1\n3 2\n3 3\n")
        text = self.write("whole.txt", "2 1\n1 2\n3 2\n2 3\n3 3\n")
        self.assertEqual(self.train("half", mtx)[0]["model_hash"], self.train("whole", text)[0]["model_hash"])

    def test_errors_are_reported(self):
        self.expect_errors("bad.txt", ((b"a b\na\n", [], 65, "bad.txt:2:"), (b"a b\n", ["--damping=1"], 2, "damping"),
                                       (b"a,b\n", ["--columns=u,v"], 65, "bad.txt:1: there is no column 'u'"),
                                       (b"a b\n", ["--format=npy"], 65, "bad.txt: it is no array"),
                                       (b"%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 -1\n", [], 65,
                                        "bad.txt:3: a weight must be between"), (None, [], 66, "bad.txt")))
        np.save(self.folder / "pairs.npy", np.array([[0, 1], [2, 0.5]]))
        scipy.sparse.save_npz(self.folder / "negative.npz", scipy.sparse.csr_matrix([[0, -1.0]]))
        for name, flags, code, words in (("pairs.npy", [], 65, "pairs.npy: row 2: '0.5' is not a whole number"),
                                         ("pairs.npy", ["--columns=1,3"], 65, "there is no column '3'; there are 2"),
                                         ("pairs.npy", ["--header=yes"], 2, "--separator and --header are for text"),
                                         ("negative.npz", [], 65, "negative.npz: the entry of 0 and 1: a weight must be"),
                                         ("negative.npz", ["--columns=1,2"], 2, "--columns is for text, Parquet and .npy")):
            with self.subTest(file=name, flags=flags):
                self.rota(*self.command_line(self.folder / "bad", self.folder / name, *flags), code=code, error=words)
