"""k-means from Python: scikit-learn's clusters and inertia, from data of every form and scale."""
import pathlib
import pickle
import tempfile
import unittest

import numpy as np
import rota
import scipy.sparse as sparse
from sklearn.base import clone
from sklearn.cluster import KMeans as Theirs
from sklearn.datasets import load_digits, load_iris, load_svmlight_file

ROOT = pathlib.Path(__file__).resolve().parents[2]


class ClusterTest(unittest.TestCase):
    def test_the_same_start_gives_the_labels_of_scikit_learn(self):
        X = load_digits().data
        start = X[:10]
        theirs = Theirs(10, init=start, n_init=1, tol=0, algorithm="lloyd").fit(X)
        for data in (X, sparse.csr_matrix(X), np.asfortranarray(X, dtype=np.float32), X.astype(np.int32)):
            ours = rota.KMeans(10, init=start, tol=0).fit(data)
            np.testing.assert_array_equal(ours.labels_, theirs.labels_)
            np.testing.assert_allclose(ours.cluster_centers_, theirs.cluster_centers_, rtol=1e-12, atol=1e-12)
            self.assertAlmostEqual(ours.inertia_ / theirs.inertia_, 1, places=12)

    def test_the_inertia_is_that_of_the_best_of_scikit_learns_starts(self):
        a9a = load_svmlight_file(str(ROOT / "apps/sgd/sample/a9a_test.libsvm.gz"))[0][:3000]
        for X, clusters in ((load_digits().data, 10), (load_iris().data, 3), (a9a, 5)):
            theirs = Theirs(clusters, n_init=10, random_state=0).fit(X).inertia_
            ours = rota.KMeans(clusters, n_init=10, random_state=0).fit(X)
            self.assertLessEqual(ours.inertia_, 1.01 * theirs)
            self.assertAlmostEqual(-ours.score(X) / ours.inertia_, 1, places=9)

    def test_predict_transform_and_labels_agree_at_every_scale(self):
        X = load_iris().data
        expected = rota.KMeans(3, random_state=1).fit(X)
        for data in (1e-12 * X, 1e12 * X, X + 1e9, 1e9 * (X + 1e3)):
            for form in (data, sparse.csr_matrix(data)):
                model = rota.KMeans(3, random_state=1).fit(form)
                np.testing.assert_array_equal(model.predict(form), model.labels_)
                np.testing.assert_array_equal(model.transform(form).argmin(axis=1), model.labels_)
                np.testing.assert_array_equal(model.fit_predict(form), model.labels_)
        np.testing.assert_array_equal(rota.KMeans(3, random_state=1).fit(1e-12 * X).labels_, expected.labels_)
        distances = np.linalg.norm(X[:, None] - expected.cluster_centers_, axis=2)
        np.testing.assert_allclose(expected.transform(X), distances, rtol=1e-12)
        self.assertEqual(list(expected.get_feature_names_out()), ["kmeans0", "kmeans1", "kmeans2"])

    def test_a_copy_by_pickle_or_from_a_run_folder_predicts_the_same(self):
        X = load_iris().data
        with tempfile.TemporaryDirectory() as folder:
            model = rota.KMeans(3, random_state=2).fit(X)
            run = rota.KMeans(3, random_state=2, workers=2, out=pathlib.Path(folder) / "a run").fit(X)
            self.assertEqual(run.model_hash_, model.model_hash_)
            loaded = rota.load(pathlib.Path(folder) / "a run").estimator()
            for copy in (pickle.loads(pickle.dumps(model)), run, loaded):
                np.testing.assert_array_equal(copy.predict(X), model.labels_)
            path = pathlib.Path(folder) / "data.npy"
            np.save(path, X)
            self.assertEqual(clone(model).fit(path).model_hash_, model.model_hash_)
            start = rota.KMeans(3, init=X[:3], workers=2).fit(X)  # the centres reach the processes
            self.assertEqual(start.model_hash_, rota.KMeans(3, init=X[:3]).fit(X).model_hash_)

    def test_unusual_data(self):
        self.assertEqual(rota.KMeans(1).fit([[1.0, 2.0]]).inertia_, 0)
        np.testing.assert_array_equal(rota.KMeans(1).fit([[1.0], [3.0]]).cluster_centers_, [[2.0]])
        with self.assertWarns(rota.ConvergenceWarning):
            same = rota.KMeans(3, random_state=0).fit(np.ones((9, 2)))
        self.assertEqual(len(set(same.labels_)), 1)
        self.assertEqual(np.isinf(same.transform(np.ones((1, 2)))).sum(), 2)
        zeros = sparse.csr_matrix(([5.0], ([3], [1])), shape=(12, 4))
        self.assertEqual(rota.KMeans(2, random_state=0).fit(zeros).inertia_, 0)
        unsorted = sparse.csr_matrix((np.array([1.0, 2.0, 3.0]), [2, 0, 1], [0, 2, 3]), shape=(2, 3))
        np.testing.assert_array_equal(rota.KMeans(1).fit(unsorted).cluster_centers_, [[1.0, 1.5, 0.5]])
        np.testing.assert_array_equal(rota.KMeans(1).fit(unsorted.tocsc()).cluster_centers_, [[1.0, 1.5, 0.5]])
        np.testing.assert_array_equal(rota.KMeans(1).fit(np.array([[True], [False]])).cluster_centers_, [[0.5]])

    def test_wrong_parameters_and_data_are_refused(self):
        X = load_iris().data
        for wrong in ({"init": "best"}, {"init": X[:2]}, {"init": X[:3] * np.nan}, {"max_iter": 0}, {"n_init": 0},
                      {"n_clusters": 0}, {"tol": -1.0}, {"n_clusters": 151}):
            with self.subTest(wrong), self.assertRaises(ValueError):
                rota.KMeans(**{"n_clusters": 3, **wrong}).fit(X)
        with self.assertRaisesRegex(ValueError, "NaN"):
            rota.KMeans(1).fit([[np.nan]])
        with self.assertRaises(rota.NotFittedError):
            rota.KMeans().predict(X)
        with self.assertRaises(FileNotFoundError):
            rota.KMeans().fit("/nowhere/data.npy")


if __name__ == "__main__":
    unittest.main()
