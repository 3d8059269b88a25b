"""PageRank from Python: the scores of NetworkX's formula, for graphs of every form."""
import pathlib
import pickle
import tempfile
import unittest

import numpy as np
import rota
import scipy.sparse as sparse


def power_iteration(A, alpha=0.85, steps=300):
    """NetworkX's pagerank."""
    A = sparse.csr_matrix(A, dtype=np.float64)
    n = A.shape[0]
    out = np.asarray(A.sum(axis=1)).ravel()
    steps_out = sparse.diags(np.divide(1, out, out=np.zeros(n), where=out > 0)) @ A
    scores = np.full(n, 1 / n)
    for _ in range(steps):
        scores = alpha * (scores @ steps_out + scores[out == 0].sum() / n) + (1 - alpha) / n
    return scores


def random_graph(nodes, edges, seed):
    random = np.random.RandomState(seed)
    return sparse.csr_matrix((random.rand(edges) + 0.1, random.randint(0, nodes, (2, edges))), shape=(nodes, nodes))


class GraphTest(unittest.TestCase):
    def test_scores_are_those_of_a_power_iteration(self):
        for A in (random_graph(500, 3000, 0), random_graph(2000, 1500, 1), random_graph(300, 60, 2)):
            for alpha in (0.85, 0.5, 0.0):
                model = rota.PageRank(alpha, tol=1e-13).fit(A)
                np.testing.assert_allclose(model.scores_, power_iteration(A, alpha), rtol=0, atol=1e-10)
                self.assertAlmostEqual(model.scores_.sum(), 1, places=12)

    def test_every_form_of_a_matrix_has_the_same_scores(self):
        A = random_graph(40, 200, 3)
        expected = rota.PageRank().fit(A).scores_
        empty = np.argwhere(A.toarray() == 0)[0]
        row, column = np.r_[A.tocoo().row, empty[0]], np.r_[A.indices, empty[1]]
        with_zero = sparse.csr_matrix((np.r_[A.data, 0.0], (row, column)), shape=A.shape)
        self.assertEqual(with_zero.nnz, A.nnz + 1)
        for form in (A.toarray(), A.tocsc(), A.tocoo(), with_zero, 1e-12 * A, 1e12 * A, A.toarray(order="F")):
            np.testing.assert_allclose(rota.PageRank().fit(form).scores_, expected, rtol=0, atol=1e-12)
        np.testing.assert_allclose(rota.PageRank().fit(A.astype(np.float32)).scores_, expected, rtol=0, atol=1e-6)
        flags = A.toarray() > 0
        whole = rota.PageRank().fit(flags.astype(int))
        np.testing.assert_array_equal(rota.PageRank().fit(flags).scores_, whole.scores_)

    def test_a_file_of_edges_has_named_nodes(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "edges with blanks.txt"
            path.write_text("a b\nb c\nc a\nd a\ne d\nf \u00e9\n\u00e9 a\ng a\n", encoding="utf-8")
            model = rota.PageRank(tol=1e-13).fit(path)
            self.assertEqual(list(model.node_names_), ["a", "b", "c", "d", "e", "f", "\u00e9", "g"])
            numbers = np.array([[0, 1], [1, 2], [2, 0], [3, 0], [4, 3], [5, 6], [6, 0], [7, 0]]).T
            A = sparse.csr_matrix((np.ones(8), numbers), shape=(8, 8))
            np.testing.assert_allclose(model.scores_, power_iteration(A), rtol=0, atol=1e-12)
            sparse.save_npz(pathlib.Path(folder) / "graph.npz", random_graph(50, 300, 4))
            self.assertEqual(rota.PageRank().fit(pathlib.Path(folder) / "graph.npz").model_hash_,
                             rota.PageRank().fit(random_graph(50, 300, 4)).model_hash_)

    def test_small_graphs(self):
        for A in ([[1.0]], [[0.0]], [[0, 1], [0, 0]], np.zeros((5, 5)), np.eye(9), np.diag([1, 0, 0])):
            model = rota.PageRank(tol=1e-13).fit(A)
            np.testing.assert_allclose(model.scores_, power_iteration(A), rtol=0, atol=1e-12)
            np.testing.assert_array_equal(pickle.loads(pickle.dumps(model)).scores_, model.scores_)

    def test_the_end_before_the_tolerance_is_a_warning(self):
        with self.assertWarns(rota.ConvergenceWarning):
            self.assertEqual(rota.PageRank(max_iter=2).fit(random_graph(40, 200, 3)).n_iter_, 2)

    def test_what_is_no_graph_is_refused(self):
        for wrong in (np.ones((2, 3)), [[0, -1], [1, 0]], [[0, np.inf], [1, 0]], np.full((2, 2), 1e-200)):
            with self.subTest(wrong), self.assertRaises(ValueError):
                rota.PageRank().fit(wrong)
        for wrong in ({"alpha": 1.0}, {"alpha": -0.1}, {"tol": -1.0}, {"max_iter": 0}):
            with self.subTest(wrong), self.assertRaises(ValueError):
                rota.PageRank(**wrong).fit([[0, 1], [1, 0]])


if __name__ == "__main__":
    unittest.main()
