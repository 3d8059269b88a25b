"""Matrix factorisation from Python: normal equations, scikit-learn's NMF, recommendations, and data of every form."""
import csv
import gzip
import pathlib
import pickle
import tempfile
import unittest

import numpy as np
import rota
import scipy.sparse as sparse
from sklearn.base import clone
from sklearn.datasets import load_digits
from sklearn.decomposition import NMF as TheirNMF

SAMPLE = pathlib.Path(__file__).resolve().parents[2] / "apps/mf/sample"


def entries(name):
    with gzip.open(SAMPLE / name, "rt") as file:
        table = np.loadtxt(file)
    users, items = (np.unique(table[:, i], return_inverse=True)[1] for i in (0, 1))
    return sparse.csr_matrix((table[:, 2] if table.shape[1] > 2 else np.ones(len(table)), (users, items)))


def reviews():
    return entries("google_reviews.txt.gz")[:1500]


def visits():
    return entries("msweb.txt.gz")[:3000]


def loss(R, P, Q, penalty, alpha=None, by_rating=True):
    """The objective of ALS's docstring, without base and biases."""
    R = sparse.csr_matrix(R, dtype=np.float64)
    users, items = np.diff(R.indptr), np.diff(R.tocsc().indptr)
    if not by_rating:
        users, items = np.sign(users), np.sign(items)
    P, Q = P.astype(np.float64), Q.astype(np.float64)
    coo = R.tocoo()
    products = np.einsum("ij,ij->i", P[coo.row], Q[coo.col])
    if alpha is None:
        errors = ((coo.data - products) ** 2).sum()
    else:
        errors = ((P.T @ P) * (Q.T @ Q)).sum() - (products ** 2).sum()
        errors += ((1 + alpha * coo.data) * (1 - products) ** 2).sum()
    return errors + penalty * ((users * (P ** 2).sum(axis=1)).sum() + (items * (Q ** 2).sum(axis=1)).sum())


def solved(R, Q, penalty, alpha=None, by_rating=True):
    """The rows of all users that minimise the loss with the items' rows Q, by the normal equations."""
    Q = Q.astype(np.float64)
    found = np.zeros((R.shape[0], Q.shape[1]))
    for u in range(R.shape[0]):
        r, q = R[u].data, Q[R[u].indices]
        if not len(r):
            continue
        ridge = penalty * (len(r) if by_rating else 1) * np.eye(Q.shape[1])
        if alpha is None:
            found[u] = np.linalg.solve(q.T @ q + ridge, q.T @ r)
        else:
            found[u] = np.linalg.solve(Q.T @ Q + (q.T * (alpha * r)) @ q + ridge, q.T @ (1 + alpha * r))
    return found


def alternating(R, rank, penalty, steps, alpha=None, by_rating=True):
    Q = np.random.RandomState(0).rand(R.shape[1], rank) / np.sqrt(rank)
    for _ in range(steps):
        P = solved(R, Q, penalty, alpha, by_rating)
        Q = solved(sparse.csr_matrix(R.T), P, penalty, alpha, by_rating)
    return P, Q


class FactorsTest(unittest.TestCase):
    def test_als_solves_the_normal_equations(self):
        for R, penalty, alpha, by in ((reviews(), 0.1, None, "rating"), (reviews(), 5.0, None, "row"),
                                      (visits(), 1.0, 10.0, "rating"), (visits(), 20.0, 40.0, "row")):
            with self.subTest(alpha=alpha, by=by):
                extra = {} if alpha is None else {"implicit": True, "alpha": alpha}
                model = rota.ALS(8, regularization=penalty, penalty=by, max_iter=15, random_state=0, **extra).fit(R)
                items = solved(sparse.csr_matrix(R.T), model.user_factors_, penalty, alpha, by == "rating")
                np.testing.assert_allclose(model.item_factors_, items, atol=1e-5 * abs(items).max())
                theirs = loss(R, *alternating(R, 8, penalty, 15, alpha, by == "rating"), penalty, alpha, by == "rating")
                ours = loss(R, model.user_factors_, model.item_factors_, penalty, alpha, by == "rating")
                self.assertLess(ours, 1.01 * theirs)
                np.testing.assert_allclose(model.transform(R[:50]),
                                           solved(R[:50], model.item_factors_, penalty, alpha, by == "rating"),
                                           atol=1e-9)

    def test_ccd_and_mf_reach_the_loss_of_als(self):
        R = reviews()
        als = rota.ALS(8, regularization=0.1, max_iter=30, random_state=0).fit(R)
        ccd = rota.CCD(8, regularization=0.1, max_iter=30, random_state=0).fit(R)
        ours, theirs = (loss(R, m.user_factors_, m.item_factors_, 0.1) for m in (ccd, als))
        self.assertLess(ours, 1.02 * theirs)
        mf = rota.MF(8, random_state=0).fit(R)
        coo = R.tocoo()
        errors = coo.data - mf.predict_ratings(coo.row, coo.col)
        self.assertLess(np.sqrt((errors ** 2).mean()), 0.8 * coo.data.std())

    def test_nmf_of_a_full_matrix_is_that_of_scikit_learn(self):
        X = load_digits().data[:300]
        for penalty in (0.0, 0.01):
            theirs = TheirNMF(8, init="random", random_state=0, alpha_W=penalty, max_iter=1000, tol=1e-5).fit(X)
            ours = rota.NMF(8, alpha_W=penalty, max_iter=100, random_state=0).fit(X)
            self.assertGreaterEqual(min(ours.components_.min(), ours.user_factors_.min()), 0)

            def objective(P, Q):
                return ((X - P @ Q.T) ** 2).sum() + penalty * (X.shape[1] * (P ** 2).sum() + len(X) * (Q ** 2).sum())

            self.assertLess(objective(ours.user_factors_, ours.item_factors_),
                            1.02 * objective(theirs.transform(X), theirs.components_.T))
            self.assertEqual(ours.base_, 0)
            W = ours.transform(X)
            self.assertGreaterEqual(W.min(), 0)
            self.assertLessEqual(objective(W, ours.item_factors_),
                                 (1 + 1e-6) * objective(ours.user_factors_, ours.item_factors_))
            np.testing.assert_allclose(ours.inverse_transform(W), W @ ours.components_)

    def test_recommendations_are_those_of_the_command(self):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "visits.npz"
            R = sparse.csr_matrix(visits(), dtype=np.float64)
            sparse.save_npz(file, R)
            for model in (rota.ALS(8, implicit=True, random_state=0), rota.MF(8, random_state=0, loss="bpr"),
                          rota.ALS(8, biases=True, random_state=0)):
                model.fit(R)
                said = list(csv.reader(model._model.command(
                    "recommend", {"top": "5", "seen": str(file)}, []).splitlines()))[1:]
                items, scores = model.recommend(n=5)
                theirs = {}
                for user, _, score in said:
                    theirs.setdefault(int(user), []).append(float(score))
                for user, expected in theirs.items():
                    np.testing.assert_allclose(scores[user][:len(expected)], expected, rtol=1e-4, atol=1e-4)
                    self.assertFalse(set(items[user]) & set(R[user].indices))
                one, cosines = model.similar_items(3, n=4)
                said = list(csv.reader(model._model.command("similar", {"item": "3", "top": "4"}, []).splitlines()))[1:]
                np.testing.assert_allclose(cosines, [float(line[1]) for line in said], atol=1e-5)
                self.assertNotIn(3, one)
            self.assertEqual(clone(model).fit(file).model_hash_, model.model_hash_)
            loaded = clone(model).fit([file])
            with self.assertRaisesRegex(ValueError, "not in memory"):
                loaded.recommend(0)
            self.assertEqual(len(loaded.recommend(0, exclude_seen=False)[0]), 10)

    def test_recommendations_to_new_users(self):
        R = visits()
        model = rota.ALS(8, implicit=True, random_state=0).fit(R)
        items, scores = model.recommend(R[:20], n=6)
        for row, user in enumerate(R[:20]):
            expected = model.item_factors_.astype(float) @ model.transform(user)[0]
            expected[user.indices] = -np.inf
            expected[np.asarray(R.sum(axis=0)).ravel() == 0] = -np.inf
            np.testing.assert_allclose(scores[row], np.sort(expected)[::-1][:6], atol=1e-9)
        everything, best = model.recommend(5, n=R.shape[1] + 3)
        left = R.shape[1] - len(R[5].indices) - (np.asarray(R.sum(axis=0)).ravel() == 0).sum()
        self.assertEqual((everything >= 0).sum(), left)
        self.assertTrue((everything[left:] == -1).all() and np.isneginf(best[left:]).all())
        self.assertEqual(model.recommend([-1])[0].tolist(), model.recommend([R.shape[0] - 1])[0].tolist())
        with self.assertRaises(IndexError):
            model.recommend(R.shape[0])

    def test_seen_items_of_a_file_are_left_out(self):
        R = reviews()
        entries = R.tocoo()
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "ratings.txt"
            np.savetxt(file, np.column_stack([entries.data, entries.row, entries.col]), fmt="%g %d %d")
            whole = rota.ALS(4, random_state=1).fit(R)
            model = rota.ALS(4, random_state=1).fit(str(file), columns="2,3,1")
            self.assertEqual(model.model_hash_, whole.model_hash_)
            users = [3, 0, 3]
            items, scores = model.recommend(users, n=6)
            expected = whole.recommend(model.user_names_[users].astype(int), n=6)
            np.testing.assert_array_equal(model.item_names_[items].astype(int), expected[0])
            np.testing.assert_allclose(scores, expected[1], rtol=1e-6)
            self.assertEqual(model.recommend(3, n=6)[0].tolist(), items[0].tolist())
        with self.assertRaisesRegex(TypeError, "unexpected keyword argument 'target'"):
            model.fit("ratings.txt", target="1")
        with self.assertRaisesRegex(ValueError, "only with a path"):
            model.fit(R, columns="2,3,1")

    def test_copies_and_processes_have_the_same_model(self):
        R = reviews()
        with tempfile.TemporaryDirectory() as folder:
            for model in (rota.MF(4, random_state=1), rota.ALS(4, random_state=1), rota.CCD(4, random_state=1),
                          rota.NMF(4, random_state=1, max_iter=5)):
                model.fit(R)
                out = pathlib.Path(folder) / type(model).__name__
                run = clone(model).set_params(workers=2, out=out).fit(R)
                self.assertEqual(run.model_hash_, model.model_hash_)
                copy = pickle.loads(pickle.dumps(model))
                np.testing.assert_array_equal(copy.transform(R[:5]), model.transform(R[:5]))
                np.testing.assert_array_equal(copy.recommend(7)[0], model.recommend(7)[0])
                loaded = rota.load(out).estimator()
                places = loaded.item_names_.astype(int)
                np.testing.assert_array_equal(loaded.item_factors_, model.item_factors_[places])

    def test_data_of_every_form_and_scale(self):
        random = np.random.RandomState(0)
        X = random.rand(12, 2) @ random.rand(2, 9)
        for make in (rota.MF, rota.ALS, rota.CCD, rota.NMF):
            expected = make(3, random_state=0, max_iter=10).fit(X)
            self.assertEqual(expected.components_.shape, (3, 9))
            full = sparse.csr_matrix(X)
            for form in (full, full.tocsc(), full.tocoo(), np.asfortranarray(X)):
                self.assertEqual(clone(expected).fit(form).model_hash_, expected.model_hash_)
            for scale in (1e-12, 1e12):
                scaled = clone(expected).fit(scale * X)
                error = abs(scaled.predict_ratings(np.arange(9), np.arange(9)) / scale - np.diag(X)).max()
                self.assertLess(error, 0.5)
                self.assertTrue(np.isfinite(scaled.transform(scale * X)).all())
        holes = sparse.csr_matrix((np.array([3.0, 1.0, 2.0]), ([1, 1, 4], [3, 0, 3])), shape=(6, 5))
        for make in (rota.MF, rota.ALS, rota.CCD, rota.NMF):
            model = make(7, random_state=0).fit(holes)
            self.assertEqual((model.user_factors_.shape, model.item_factors_.shape), ((6, 7), (5, 7)))
            self.assertFalse(model.user_factors_[[0, 2, 3, 5]].any() or model.item_factors_[[1, 2, 4]].any())
            self.assertEqual(set(model.recommend(4)[0]) - {-1}, {0})
            model.fit([[2.0]]), model.fit([[1, 2, 3]]), model.fit([[True], [False]])

    def test_what_is_wrong_is_refused(self):
        for wrong in (np.zeros((0, 3)), [[np.nan]], sparse.csr_matrix((4, 3)), "nowhere.txt"):
            with self.subTest(str(wrong)), self.assertRaises((ValueError, FileNotFoundError)):
                rota.ALS(2).fit(wrong)
        with self.assertRaisesRegex(ValueError, "Negative"):
            rota.NMF(2).fit([[-1.0, 1.0]])
        with self.assertRaisesRegex(ValueError, "Negative"):
            rota.ALS(2, implicit=True).fit([[-1.0, 1.0]])
        for wrong in ({"n_components": 0}, {"regularization": -1.0}, {"max_iter": 0}, {"penalty": "none"},
                      {"implicit": True, "biases": True}):
            with self.subTest(wrong), self.assertRaises(ValueError):
                rota.ALS(**wrong).fit(np.ones((3, 3)))
        with self.assertRaisesRegex(ValueError, "least squares"):
            rota.MF(2, loss="bpr").fit(np.ones((9, 3))).transform(np.ones((1, 3)))
        with self.assertRaisesRegex(ValueError, "n_components"):
            rota.NMF().fit("ratings.txt")


if __name__ == "__main__":
    unittest.main()
