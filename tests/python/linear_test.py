"""Linear models from Python: the same models as scikit-learn's and LIBLINEAR's, from data of every form and scale."""
import os
import pathlib
import pickle
import shutil
import subprocess
import tempfile
import unittest
import warnings
from functools import partial

import joblib
import numpy as np
import rota
import scipy.io
import scipy.linalg
import scipy.sparse as sparse
import sklearn.exceptions
import sklearn.linear_model as theirs
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris, load_svmlight_file
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler, scale
from sklearn.svm import LinearSVC

ROOT = pathlib.Path(__file__).resolve().parents[2]
A9A = ROOT / "apps/sgd/sample/a9a.libsvm.gz"
SINGLE = 1e-5  # share of the largest coefficient: the apps linear and sgd store values in single precision


def numbers():
    X, y = load_diabetes(return_X_y=True)
    return 20 * X, y


def classes():
    X, y = load_breast_cancer(return_X_y=True)
    return scale(X), y


def weights_of(y):
    return np.random.RandomState(0).randint(0, 3, len(y)).astype(float)  # some are 0


GLMNET = """
suppressMessages({library(Matrix); library(glmnet)})
a <- commandArgs(TRUE)
x <- readMM(file.path(a[1], "x.mtx")); y <- scan(file.path(a[1], "y"), quiet = TRUE)
fit <- glmnet(as(x, "CsparseMatrix"), y, family = a[2], alpha = as.numeric(a[3]), lambda = as.numeric(a[4]) * c(8, 4, 2, 1),
              standardize = FALSE, thresh = 1e-14, maxit = 1e7)
cat(format(as.numeric(coef(fit)[, 4]), digits = 17), sep = "\\n")
"""


def glmnet(X, y, family, l1_ratio, penalty):
    """The intercept and the coefficients that glmnet finds, by a path that ends with this penalty."""
    with tempfile.TemporaryDirectory() as folder:
        scipy.io.mmwrite(f"{folder}/x.mtx", sparse.csr_matrix(X))
        np.savetxt(f"{folder}/y", y, fmt="%.17g")
        pathlib.Path(folder, "fit.R").write_text(GLMNET, encoding="ascii")
        found = subprocess.run(["Rscript", "--vanilla", f"{folder}/fit.R", folder, family, str(l1_ratio), repr(penalty)],
                               check=True, capture_output=True, text=True, timeout=120)
    return np.array(found.stdout.split(), dtype=float)


def independent(X):
    """The columns of a sparse matrix without those that depend on others and the intercept: the optimum is unique."""
    dense = X.toarray()
    _, r, order = scipy.linalg.qr(dense - dense.mean(axis=0), mode="economic", pivoting=True)
    sizes = np.abs(np.diag(r))
    return X[:, np.sort(order[sizes > 1e-8 * sizes[0]])]


def quiet(estimator, *data):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return estimator.fit(*data)


class LinearTest(unittest.TestCase):
    def assert_same(self, own, other, tolerance):
        largest = np.abs(other.coef_).max()
        np.testing.assert_allclose(own.coef_, other.coef_, rtol=0, atol=tolerance * largest)
        np.testing.assert_allclose(own.intercept_, other.intercept_, rtol=0,
                                   atol=tolerance * max(largest, np.abs(other.intercept_).max()))
        self.assertEqual(np.shape(own.coef_), np.shape(other.coef_))
        self.assertEqual(np.shape(own.intercept_), np.shape(other.intercept_))


@unittest.skipUnless(shutil.which("Rscript"), "R is not installed")
class Glmnet(unittest.TestCase):
    def check(self, model, X, y, *arguments):
        model.fit(X, y)
        theirs = glmnet(X, y, *arguments)
        self.assertGreater(np.count_nonzero(theirs[1:]), 3)
        self.assertGreater(np.count_nonzero(theirs[1:] == 0), 3)
        np.testing.assert_allclose(np.append(model.intercept_, model.coef_), theirs, rtol=0,
                                   atol=1e-5 * np.abs(theirs).max())

    def test_lasso_and_elastic_net(self):
        X, y = load_svmlight_file(str(ROOT / "apps/lasso/sample/blogfeedback_train.libsvm.gz"))
        X = independent(StandardScaler(with_mean=False).fit_transform(X[:4000]))
        y = y[:4000] / y[:4000].std()  # glmnet divides y by its deviation, and with it the L2 penalty
        self.check(rota.Lasso(0.01, tol=1e-13), X, y, "gaussian", 1, 0.01)
        self.check(rota.ElasticNet(0.01, l1_ratio=0.6, tol=1e-13), X, y, "gaussian", 0.6, 0.01)

    def test_sparse_logistic_regression(self):
        X, y = load_svmlight_file(str(A9A))
        X, y = independent(X[:6000]), y[:6000] > 0
        self.check(rota.LogisticRegression(penalty="l1", C=1 / (0.003 * len(y)), tol=1e-13), X, y, "binomial", 1, 0.003)


class Paths(unittest.TestCase):
    def test_files_are_read_as_the_options_say(self):
        X, y = classes()
        with tempfile.TemporaryDirectory() as folder:
            file = f"{folder}/rows.csv"
            names = ";".join([*(f"x{i}" for i in range(X.shape[1])), "kind"])
            np.savetxt(file, np.column_stack([X, y]), fmt="%.17g", delimiter=";", header=names, comments="")
            for make in (rota.LogisticRegression, rota.LinearSVC, partial(rota.SGDClassifier, random_state=1)):
                expected = make().fit(X, y)
                for path in (file, [file]):
                    model = make().fit(path, separator=";", target="kind")
                    np.testing.assert_array_equal(model.coef_, expected.coef_)
                np.testing.assert_array_equal(make().fit(file, "kind", separator=";").coef_, expected.coef_)
        with self.assertRaisesRegex(TypeError, "unexpected keyword argument 'header'"):
            rota.Ridge().fit(file, header="yes")
        with self.assertRaisesRegex(ValueError, "only with a path"):
            rota.Ridge().fit(X, y, target="1")


class LeastSquares(LinearTest):
    def test_lasso_and_elastic_net_are_scikit_learns(self):
        X, y = numbers()
        for weights in (None, weights_of(y)):
            for intercept in (True, False):
                for alpha, ratio in ((1.0, 1.0), (0.1, 0.5), (1e-3, 0.05)):
                    same = {"l1_ratio": ratio, "fit_intercept": intercept}
                    own = rota.ElasticNet(alpha, tol=1e-13, **same).fit(X, y, weights)
                    other = theirs.ElasticNet(alpha, tol=1e-14, max_iter=10**6, **same).fit(X, y, weights)
                    self.assert_same(own, other, 1e-6)
                    self.assertLess(own.dual_gap_, 1e-12 * np.var(y))
        own, other = rota.Lasso(1.0, tol=1e-13).fit(X, y), theirs.Lasso(1.0, tol=1e-14, max_iter=10**6).fit(X, y)
        self.assert_same(own, other, 1e-8)
        self.assertEqual((own.coef_ != 0).sum(), own.sparse_coef_.nnz)
        self.assertAlmostEqual(own.score(X, y), other.score(X, y), 12)

    def test_path_and_its_penalties_are_scikit_learns(self):
        X, y = numbers()
        X, y = X - X.mean(axis=0), y - y.mean()
        alphas, coefs, gaps = rota.lasso_path(X, y, n_alphas=20, tol=1e-12)
        for one, other in zip((alphas, coefs), theirs.lasso_path(X, y, n_alphas=20, tol=1e-12, max_iter=10**6)):
            np.testing.assert_allclose(one, other, rtol=1e-9, atol=1e-6 * np.abs(coefs).max())
        self.assertEqual(gaps.shape, (20,))
        for own, kind in ((rota.LassoCV(n_alphas=30, random_state=0), rota.Lasso),
                          (rota.ElasticNetCV(n_alphas=30, l1_ratio=0.9, random_state=0),
                           lambda alpha: rota.ElasticNet(alpha, l1_ratio=0.9))):
            own.set_params(tol=1e-10).fit(X, y)
            self.assertEqual(own.alpha_, own.alphas_[own.mse_path_.mean(axis=1).argmin()])
            self.assert_same(own, kind(own.alpha_).set_params(tol=1e-12).fit(X, y), 1e-4)
            best = theirs.LassoCV(n_alphas=30, cv=5).fit(X, y).mse_path_.mean(axis=1).min()
            self.assertAlmostEqual(own.mse_path_.mean(axis=1).min() / best, 1, 1)

    def test_ridge_and_least_squares_are_scikit_learns(self):
        X, y = numbers()
        for weights in (None, weights_of(y)):
            for intercept in (True, False):
                own = rota.Ridge(3.0, fit_intercept=intercept).fit(X, y, weights)
                self.assert_same(own, theirs.Ridge(3.0, fit_intercept=intercept).fit(X, y, weights), SINGLE)
        self.assert_same(rota.LinearRegression().fit(X, y), theirs.LinearRegression().fit(X, y), SINGLE)

    def test_sgd_predicts_almost_as_well_as_the_optimum(self):
        X, y = numbers()
        best = theirs.LinearRegression().fit(X, y).score(X, y)
        self.assertGreater(rota.SGDRegressor(random_state=0).fit(X, y).score(X, y), best - 0.02)


class Classes(LinearTest):
    def test_logistic_regression_is_scikit_learns(self):
        X, y = classes()
        exact = {"tol": 1e-12, "max_iter": 10**5}
        for weights in (None, weights_of(y)):
            for weight in (None, {0: 2.0, 1: 0.3}):
                same = {"C": 0.7, "class_weight": weight}
                other = theirs.LogisticRegression(solver="newton-cholesky", **same, **exact).fit(X, y, weights)
                self.assert_same(rota.LogisticRegression(tol=1e-10, **same).fit(X, y, weights), other, SINGLE)
            for ratio in (1.0, 0.4):
                same = {"penalty": "elasticnet", "l1_ratio": ratio, "C": 0.1}
                own = rota.LogisticRegression(tol=1e-12, **same).fit(X, y, weights)
                self.assert_same(own, quiet(theirs.LogisticRegression(solver="saga", tol=1e-8, max_iter=10**4, **same),
                                            X, y, weights), 1e-4)
        own = rota.LogisticRegression(class_weight="balanced", tol=1e-10).fit(X, y)
        other = theirs.LogisticRegression(class_weight="balanced", solver="newton-cholesky", **exact).fit(X, y)
        self.assert_same(own, other, SINGLE)
        np.testing.assert_allclose(own.predict_proba(X), other.predict_proba(X), atol=1e-6)
        np.testing.assert_allclose(own.predict_log_proba(X), other.predict_log_proba(X), atol=1e-3)

    def test_many_classes_are_scikit_learns(self):
        X, y = load_iris(return_X_y=True)
        X = scale(X)
        for how, tolerance in (("multinomial", 1e-3), ("ovr", 1e-4)):
            own = rota.LogisticRegression(multi_class=how, tol=1e-8, random_state=0).fit(X, y)
            other = theirs.LogisticRegression(multi_class=how, tol=1e-10, max_iter=10**5).fit(X, y)
            self.assert_same(own, other, tolerance)
            np.testing.assert_allclose(own.predict_proba(X), other.predict_proba(X), atol=1e-4)

    def test_svm_with_an_l1_penalty_is_liblinears(self):
        X, y = classes()
        for more in ({}, {"fit_intercept": False}, {"intercept_scaling": 4.0}):
            other = LinearSVC(penalty="l1", dual=False, C=0.05, tol=1e-9, max_iter=10**6, **more).fit(X, y)
            own = rota.LinearSVC(penalty="l1", C=0.05, tol=1e-9, max_iter=10_000, **more).fit(X, y)
            other.intercept_ = np.reshape(other.intercept_, 1)
            self.assert_same(own, other, 1e-4)
        with self.assertRaisesRegex(ValueError, "requires loss='squared_hinge'"):
            rota.LinearSVC("hinge", penalty="l1").fit(X, y)

    def test_svm_is_liblinears(self):
        X, y = classes()
        for loss in ("squared_hinge", "hinge"):
            for more in ({}, {"intercept_scaling": 3.0}, {"fit_intercept": False}, {"class_weight": {0: 3.0}}):
                other = LinearSVC(loss=loss, C=0.05, tol=1e-9, max_iter=10**6, random_state=0, **more).fit(X, y)
                own = rota.LinearSVC(loss=loss, C=0.05, tol=1e-11, **more).fit(X, y)
                if not own.fit_intercept:
                    other.intercept_ = np.zeros(1)
                self.assert_same(own, other, 1e-4 if loss == "hinge" else SINGLE)
        X, y = load_iris(return_X_y=True)
        self.assert_same(rota.LinearSVC(tol=1e-10).fit(scale(X), y), LinearSVC(dual=False, tol=1e-10).fit(scale(X), y),
                         SINGLE)

    def test_sgd_has_probabilities_where_the_loss_has_them(self):
        X, y = load_iris(return_X_y=True)
        for loss in ("hinge", "squared_hinge", "log_loss", "softmax"):
            model = rota.SGDClassifier(loss, random_state=0).fit(X, y)
            self.assertGreater(model.score(X, y), 0.8)
            self.assertEqual(hasattr(model, "predict_proba"), loss in ("log_loss", "softmax"))
        np.testing.assert_allclose(model.predict_proba(X).sum(axis=1), 1)

    def test_labels_are_of_any_kind(self):
        X, y = classes()
        expected = rota.LogisticRegression().fit(X, y)
        for labels in (np.array(["no", "yes"])[y], np.array(["no", "ja"], dtype=object)[y], y.astype(bool),
                       y.astype(np.int8), 1.0 * y, np.array([-(2**60), 2**60])[y]):
            model = rota.LogisticRegression().fit(X, labels)
            self.assertEqual(model.classes_.dtype, labels.dtype)
            self.assertEqual(list(model.classes_), sorted(set(labels)))
            sign = 1 if model.classes_[1] == labels[y == 1][0] else -1
            np.testing.assert_allclose(model.coef_, sign * expected.coef_, rtol=1e-6, atol=1e-9)
            self.assertEqual(model.score(X, labels), expected.score(X, y))
        with self.assertRaisesRegex(ValueError, "only one class"):
            rota.LogisticRegression().fit(X, np.zeros(len(X), dtype=int))
        with self.assertRaisesRegex(ValueError, "only one class"):
            rota.LinearSVC().fit(X, y, sample_weight=y)
        rare = np.arange(len(X)) == 7
        np.testing.assert_array_equal(rota.LogisticRegression(C=1e3).fit(X, rare).predict(X), rare)


class Forms(LinearTest):
    KINDS = (rota.Lasso(0.1, tol=1e-10), rota.Ridge(), rota.LogisticRegression(), rota.SGDClassifier(random_state=3))

    def test_the_form_of_rows_does_not_change_the_model(self):
        X, labels = classes()
        X = np.where(np.abs(X) < 0.3, 0.0, X).astype(np.float32).astype(np.float64)
        X[:, 3] = 0
        rows = sparse.csr_matrix(X)
        large = rows.copy()
        large.indices, large.indptr = large.indices.astype(np.int64), large.indptr.astype(np.int64)
        zeros = sparse.csr_matrix((np.append(rows.data, 0.0), np.append(rows.indices, 3),
                                   np.append(rows.indptr[:-1], rows.nnz + 1)), rows.shape)  # out of order, and a zero
        halves = sparse.csr_matrix((np.repeat(rows.data / 2, 2), np.repeat(rows.indices, 2), 2 * rows.indptr),
                                   rows.shape)  # each entry twice
        with tempfile.TemporaryDirectory(prefix="rota test ") as folder:
            np.save(os.path.join(folder, "X.npy"), X)
            mapped = np.load(os.path.join(folder, "X.npy"), mmap_mode="r")
            forms = {"Fortran order": np.asfortranarray(X), "every second": np.repeat(X, 2, axis=0)[::2],
                     "big endian": X.astype(">f8"), "mapped": mapped, "list": X.tolist(),
                     "single": X.astype(np.float32), "csr": rows, "int64": large, "csc": rows.tocsc(),
                     "coo": rows.tocoo(), "zero": zeros,
                     "halves": halves, "array": sparse.csr_array(rows)}
            for kind in self.KINDS:
                y = labels.astype(float) if kind._estimator_type == "regressor" else labels
                expected = clone(kind).fit(X, y)
                self.assertEqual(expected.coef_.ravel()[3], 0, "an empty column")
                for name, form in forms.items():
                    with self.subTest(kind=kind, form=name):
                        model = clone(kind).fit(form, y)
                        np.testing.assert_allclose(model.coef_, expected.coef_, rtol=1e-6, atol=1e-9)
                        np.testing.assert_allclose(model.predict(form), expected.predict(X), rtol=1e-6)
            self.assertEqual(halves.nnz, 2 * rows.nnz, "the user's matrix stays as it is")

    def test_scales_do_not_change_predictions(self):
        X, y = numbers()
        labels = y > 140
        for factor, shift in ((1e-12, 0), (1e12, 0), (-1.0, 0), (1.0, 1e9), (1.0, -1e6)):
            changed = factor * X + shift
            with self.subTest(factor=factor, shift=shift):
                links = rota.LogisticRegression(None, tol=1e-9).fit(X, labels).decision_function(X)
                model = rota.LogisticRegression(None, tol=1e-9).fit(changed, labels)
                np.testing.assert_allclose(model.decision_function(changed), links, atol=2e-3)
                links = rota.LinearRegression().fit(X, y).predict(X)
                np.testing.assert_allclose(rota.LinearRegression().fit(changed, y).predict(changed), links, rtol=1e-3)
                model = rota.Lasso(0.5 * abs(factor), tol=1e-11).fit(changed, y)
                expected = rota.Lasso(0.5, tol=1e-11).fit(X, y)
                np.testing.assert_allclose(factor * model.coef_, expected.coef_, atol=1e-4)

    def test_small_data(self):
        one = rota.Lasso(0.1).fit([[1.0], [2.0], [4.0]], [1.0, 2.0, 4.0])
        np.testing.assert_allclose(one.coef_, theirs.Lasso(0.1, tol=1e-12).fit([[1], [2], [4]], [1, 2, 4]).coef_,
                                   atol=1e-3)
        for kind in (rota.Lasso, rota.Ridge, rota.LinearRegression, rota.SGDRegressor):
            np.testing.assert_allclose(kind().fit([[1.0, 2.0]], [3.0]).predict([[5.0, 5.0]]), [3.0], atol=1e-6)
        X, y = classes()
        twice = np.hstack([X, X])
        expected = theirs.Ridge(2.0).fit(twice, y)
        self.assert_same(rota.Ridge(2.0).fit(twice, y), expected, SINGLE)

    def test_files_make_the_models_of_arrays(self):
        X, y = load_svmlight_file(str(A9A))
        expected = rota.LogisticRegression(C=0.1).fit(X, y)
        model = rota.LogisticRegression(C=0.1).fit(A9A)
        np.testing.assert_array_equal(model.classes_, [-1, 1])
        self.assertEqual(model.model_hash_, expected.model_hash_)
        np.testing.assert_array_equal(model.coef_, expected.coef_)
        np.testing.assert_array_equal(model.predict(X[:100]), expected.predict(X[:100]))
        X, y = load_iris(return_X_y=True)
        with tempfile.TemporaryDirectory(prefix="rota test ") as folder:
            path = os.path.join(folder, "Blüten 1.csv")
            with open(path, "w", encoding="utf-8") as file:
                file.write("a,b,c,d,kind\n")
                for row, k in zip(X, y):
                    file.write(",".join(map(repr, row)) + ",\"" + ("setosa, die", "virginica", "andere")[k] + "\"\n")
            model = rota.LogisticRegression(random_state=0).fit(path, "kind")
            self.assertEqual(list(model.classes_), ["andere", "setosa, die", "virginica"])
            self.assertGreater((model.predict(X) == np.array(["setosa, die", "virginica", "andere"])[y]).mean(), 0.95)
            with self.assertRaises(rota.NoInput):
                rota.Lasso().fit(os.path.join(folder, "none.csv"), "kind")


class Shape(unittest.TestCase):
    def test_models_are_copied_by_pickle_and_joblib(self):
        X, y = classes()
        model = rota.LogisticRegression().fit(X, y)
        with tempfile.TemporaryDirectory() as folder:
            joblib.dump(model, os.path.join(folder, "model"))
            for copy in (pickle.loads(pickle.dumps(model)), joblib.load(os.path.join(folder, "model"))):
                np.testing.assert_array_equal(copy.predict_proba(X), model.predict_proba(X))
                self.assertEqual(copy.model_hash_, model.model_hash_)

    def test_processes_fit_the_same_models_and_runs_make_estimators_again(self):
        X, y = load_breast_cancer(return_X_y=True, as_frame=True)
        with tempfile.TemporaryDirectory(prefix="rota test ") as folder:
            for model, kind in ((rota.LogisticRegression(), rota.LogisticRegression), (rota.Ridge(), rota.Ridge),
                                (rota.Lasso(0.1), rota.ElasticNet),
                                (rota.SGDRegressor(random_state=1), rota.SGDRegressor),
                                (rota.LassoCV(n_alphas=5, random_state=2), rota.ElasticNetCV)):
                expected = model.fit(X, y).model_hash_
                model.set_params(workers=2, out=os.path.join(folder, type(model).__name__)).fit(X, y)
                self.assertEqual(model.model_hash_, expected)
                loaded = rota.load(model.run_).estimator()
                self.assertIs(type(loaded), kind)
                np.testing.assert_array_equal(loaded.predict(X.to_numpy()), model.predict(X))

    def test_estimators_work_in_pipelines_and_searches(self):
        X, y = load_breast_cancer(return_X_y=True)
        search = GridSearchCV(make_pipeline(StandardScaler(), rota.LogisticRegression()),
                              {"logisticregression__C": [1e-3, 1.0]}, cv=3, scoring="roc_auc").fit(X, y)
        self.assertEqual(search.best_params_, {"logisticregression__C": 1.0})
        self.assertGreater(search.best_score_, 0.99)

    def test_errors_say_what_to_do(self):
        X, y = classes()
        for kind in (rota.NotFittedError, sklearn.exceptions.NotFittedError, ValueError, AttributeError):
            with self.assertRaisesRegex(kind, "Call 'fit'"):
                rota.Lasso().predict(X)
        error = None
        try:
            rota.Lasso().predict(X)
        except rota.NotFittedError as caught:
            error = pickle.loads(pickle.dumps(caught))
        self.assertIsInstance(error, sklearn.exceptions.NotFittedError)
        for model, text in ((rota.Lasso(0), r"'alpha' parameter of Lasso must be a number in the range \(0"),
                            (rota.LogisticRegression(C=-1), "'C' parameter"),
                            (rota.LogisticRegression("l3"), "'penalty' .* one of 'l2', 'l1'"),
                            (rota.LogisticRegression("elasticnet"), "requires l1_ratio"),
                            (rota.LogisticRegression(class_weight={5: 1}), "not in y"),
                            (rota.SGDClassifier(max_iter=0.5), "whole number"),
                            (rota.SGDClassifier(random_state="x"), "cannot be used to seed")):
            with self.assertRaisesRegex(ValueError, text):
                model.fit(X, y)
        for category in (rota.ConvergenceWarning, sklearn.exceptions.ConvergenceWarning):
            with self.assertWarnsRegex(category, "Raise max_iter or tol"):
                rota.LogisticRegression(max_iter=1, tol=1e-12).fit(X, y)
        with self.assertWarnsRegex(rota.ConvergenceWarning, "Raise max_iter or tol"):
            model = rota.Lasso(1e-4, max_iter=1).fit(X, y)
        self.assertEqual((model.n_iter_, model.dual_gap_), (1, np.inf))


if __name__ == "__main__":
    unittest.main()
