"""Lasso against outside oracles: scikit-learn and glmnet (Debian's python3-sklearn and r-cran-glmnet).

The objective of a fit, computed here from the exported coefficients, must equal the oracles' to 1e-7, and the fit must
meet the optimality conditions (KKT).
"""
import csv
import math

import numpy as np
import scipy.io
import scipy.sparse
from sklearn.datasets import dump_svmlight_file, load_svmlight_file
from sklearn.linear_model import ElasticNet, Lasso, LogisticRegression

from rota_run import SOURCE, RotaTest

SAMPLE = SOURCE / "apps/lasso/sample"
CLOSE = 1e-7  # relative to the objective with no coefficient

GLMNET = """
suppressMessages({library(Matrix); library(glmnet)})
a <- commandArgs(TRUE); folder <- a[1]; family <- a[2]; alpha <- as.numeric(a[3])
x <- as(readMM(file.path(folder, "x.mtx")), "CsparseMatrix")
y <- scan(file.path(folder, "y.txt"), quiet = TRUE)
w <- scan(file.path(folder, "w.txt"), quiet = TRUE)
lambda <- scan(file.path(folder, "lambda.txt"), quiet = TRUE)
if (family == "binomial") y <- factor(y)
fit <- glmnet(x, y, family = family, weights = w, alpha = alpha, lambda = lambda, standardize = a[4] == "true",
              intercept = a[5] == "true", thresh = 1e-14, maxit = 1e7)
write.table(cbind(as.numeric(fit$a0), t(as.matrix(fit$beta))), file.path(folder, "beta.txt"), row.names = FALSE,
            col.names = FALSE)
"""

# The deviance of every row, a line, under the fits without it.
LEFT_OUT = """
suppressMessages(library(glmnet))
a <- commandArgs(TRUE); folder <- a[1]
x <- as.matrix(read.table(file.path(folder, "x.txt")))
y <- scan(file.path(folder, "y.txt"), quiet = TRUE)
lambda <- scan(file.path(folder, "lambda.txt"), quiet = TRUE)
left <- t(sapply(seq_along(y), function(i) {
  fit <- glmnet(x[-i, ], factor(y[-i]), family = "binomial", alpha = as.numeric(a[2]), lambda = lambda,
                standardize = FALSE, thresh = 1e-14, maxit = 1e7)
  2 * log1p(exp(-y[i] * predict(fit, x[i, , drop = FALSE])))
}))
write.table(left, file.path(folder, "left.txt"), row.names = FALSE, col.names = FALSE)
"""


class Problem:
    """sum_i w_i loss(y_i, f_i) + sum_j [l1 s_j |b_j| + l2/2 s_j^2 b_j^2], with weights that sum up to 1."""

    def __init__(self, x, y, loss="squared", l1_ratio=1.0, intercept=False, standardize=False, weights=None):
        self.x, self.y, self.loss, self.l1_ratio = scipy.sparse.csc_matrix(x), np.asarray(y, float), loss, l1_ratio
        self.intercept, self.standardize = intercept, standardize
        self.w = np.ones(len(y)) / len(y) if weights is None else weights / weights.sum()
        mean = self.x.T @ self.w
        square = self.x.multiply(self.x).T @ self.w
        self.s = np.sqrt(np.maximum(square - mean**2, 0)) if standardize else np.ones(self.x.shape[1])

    def margins(self, b0, b):
        return b0 + self.x @ b

    def objective(self, lam, b0, b):
        f = self.margins(b0, b)
        loss = 0.5 * (self.y - f)**2 if self.loss == "squared" else np.logaddexp(0, -self.y * f)
        l1, l2 = lam * self.l1_ratio, lam * (1 - self.l1_ratio)
        return self.w @ loss + l1 * (self.s @ np.abs(b)) + l2 / 2 * ((self.s * b) @ (self.s * b))

    def gradient(self, b0, b):
        f = self.margins(b0, b)
        g = self.y - f if self.loss == "squared" else self.y / (1 + np.exp(self.y * f))
        return self.w * g

    def kkt(self, lam, b0, b):
        """The largest violation of the optimality conditions, in units of lambda."""
        g = self.gradient(b0, b)
        l1, l2 = lam * self.l1_ratio, lam * (1 - self.l1_ratio)
        left = self.x.T @ g - l2 * self.s**2 * b
        at_zero = np.maximum(np.abs(left) - l1 * self.s, 0)
        off_zero = np.abs(left - l1 * self.s * np.sign(b))
        worst = np.where(b == 0, at_zero, off_zero)[self.s > 0].max(initial=0)
        return max(worst, abs(g.sum()) if self.intercept else 0) / lam


class LassoOracle(RotaTest):
    def fit(self, problem, file, *flags, tolerance="1e-10", app="lasso"):
        """Trains, and returns for every penalty of the path (lambda, intercept, coefficients)."""
        self.runs = getattr(self, "runs", 0) + 1
        out = self.folder / f"run-{self.runs}"
        flags = [*flags, f"--loss={problem.loss}", f"--l1_ratio={problem.l1_ratio}", f"--tolerance={tolerance}",
                 f"--intercept={str(problem.intercept).lower()}", f"--standardize={str(problem.standardize).lower()}"]
        self.rota("train", app, f"--input={file}", f"--out={out}", "--checkpoint_every=0", *flags)
        with open(out / "model/path.csv", encoding="utf-8") as text:
            path = list(csv.DictReader(text))
        b = scipy.io.mmread(out / "model/coefficients.mtx").tocsc()
        self.assertEqual(b.shape, (problem.x.shape[1], len(path)))
        fits = []
        for k, row in enumerate(path):
            lam, b0 = float(row["lambda"]), float(row["intercept"])
            coefficients = b[:, k].toarray().ravel()
            objective = problem.objective(lam, b0, coefficients)
            self.assertTrue(math.isclose(objective, float(row["objective"]), rel_tol=1e-7), "the objective that it reports")
            self.assertEqual(np.count_nonzero(coefficients), int(row["nonzeros"]))
            fits.append((lam, b0, coefficients))
        self.assertEqual(self.result(out)["app"], app)
        return fits

    def check(self, problem, fits, oracles, kkt=1e-3):
        null = problem.objective(fits[0][0], np.log(self.odds(problem)) if problem.loss == "logistic" and
                                 problem.intercept else (problem.w @ problem.y if problem.intercept else 0),
                                 np.zeros(problem.x.shape[1]))
        for k, (lam, b0, b) in enumerate(fits):
            mine = problem.objective(lam, b0, b)
            self.assertLess(problem.kkt(lam, b0, b), kkt, f"KKT at penalty {k + 1}")
            for name, theirs in oracles.items():
                other = problem.objective(lam, *theirs[k])
                self.assertLess(mine - other, CLOSE * null, f"{name} has less at penalty {k + 1}")
                self.assertLess(other - mine, CLOSE * null, f"{name} has more at penalty {k + 1}: is it converged?")

    @staticmethod
    def odds(problem):
        share = problem.w[problem.y > 0].sum()
        return share / (1 - share)

    def glmnet(self, problem, lambdas):
        scipy.io.mmwrite(self.folder / "x.mtx", problem.x.tocoo(), precision=17)
        np.savetxt(self.folder / "y.txt", problem.y, fmt="%.17g")
        np.savetxt(self.folder / "w.txt", problem.w * len(problem.y), fmt="%.17g")
        np.savetxt(self.folder / "lambda.txt", lambdas, fmt="%.17g")
        (self.folder / "fit.R").write_text(GLMNET)
        family = "gaussian" if problem.loss == "squared" else "binomial"
        self.program(["Rscript", "--vanilla", self.folder / "fit.R", self.folder, family, str(problem.l1_ratio),
                      str(problem.standardize).lower(), str(problem.intercept).lower()])
        rows = np.atleast_2d(np.loadtxt(self.folder / "beta.txt"))
        return [(row[0], row[1:]) for row in rows]

    @staticmethod
    def sklearn_squared(problem, lambdas):
        fits = []
        for lam in lambdas:
            model = Lasso(alpha=lam, fit_intercept=problem.intercept, tol=1e-13, max_iter=1000000)
            model.fit(problem.x, problem.y)
            coefficients = model.coef_.toarray().ravel() if scipy.sparse.issparse(model.coef_) else model.coef_
            fits.append((model.intercept_, coefficients))
        return fits

    def test_dorothea_one_penalty(self):
        file = SAMPLE / "dorothea_train.libsvm.gz"
        problem = Problem(*load_svmlight_file(str(file)))
        fits = self.fit(problem, file, "--lambda_ratio=0.02")
        lambdas = [lam for lam, _, _ in fits]
        self.assertEqual(np.count_nonzero(fits[0][2]), 385)
        self.check(problem, fits, {"scikit-learn": self.sklearn_squared(problem, lambdas)})

    def test_dorothea_logistic_path(self):
        file = SAMPLE / "dorothea_train.libsvm.gz"
        problem = Problem(*load_svmlight_file(str(file)), loss="logistic", intercept=True)
        fits = self.fit(problem, file, "--path=8", "--lambda_ratio=0.05")
        self.check(problem, fits, {"glmnet": self.glmnet(problem, [lam for lam, _, _ in fits])})

    def test_blogfeedback_whole_path(self):
        file = SAMPLE / "blogfeedback_train.libsvm.gz"
        problem = Problem(*load_svmlight_file(str(file)), intercept=True, standardize=True)
        fits = self.fit(problem, file, "--path=20", "--lambda_ratio=0.01")
        self.check(problem, fits, {"glmnet": self.glmnet(problem, [lam for lam, _, _ in fits])})

    def test_blogfeedback_by_rows(self):
        file = SAMPLE / "blogfeedback_train.libsvm.gz"
        problem = Problem(*load_svmlight_file(str(file)), intercept=True, standardize=True)
        fits = self.fit(problem, file, "--lambda_ratio=0.05", tolerance="1e-8", app="lasso_rows")
        self.check(problem, fits, {"glmnet": self.glmnet(problem, [lam for lam, _, _ in fits])}, kkt=1e-2)

    def test_logistic_elastic_net_path(self):
        """Sparse data whose classes are not even, weights, and columns of very different spread."""
        random = np.random.default_rng(8)
        x = scipy.sparse.random(260, 90, 0.15, random_state=8, data_rvs=lambda n: random.integers(1, 5, n)).toarray()
        x[:, :10] *= 20
        f = x[:, 10:16] @ [1, -1, 0.6, 1.4, -0.8, 1] - 1.5
        y = np.where(random.random(260) < 1 / (1 + np.exp(-f)), 1.0, -1.0)
        weights = np.round(random.uniform(0.1, 3, size=260), 6)
        file, weight_file = self.folder / "net.libsvm", self.folder / "weights.txt"
        dump_svmlight_file(x, y, str(file), zero_based=False)
        np.savetxt(weight_file, weights, fmt="%.6f")
        for standardize, intercept in ((True, True), (False, False)):
            with self.subTest(standardize=standardize, intercept=intercept):
                problem = Problem(x, y, loss="logistic", l1_ratio=0.4, intercept=intercept, standardize=standardize,
                                  weights=weights)
                fits = self.fit(problem, file, "--path=6", "--lambda_ratio=0.02", f"--weights={weight_file}")
                self.check(problem, fits, {"glmnet": self.glmnet(problem, [lam for lam, _, _ in fits])})
                self.assertGreater(np.count_nonzero(fits[-1][2]), 20)

    def test_logistic_cross_validation(self):
        """With a fold for each row it does not matter which row is in which fold."""
        random = np.random.default_rng(9)
        rows = 36
        x = np.round(random.normal(size=(rows, 12)), 4)
        y = np.where(x[:, 0] - x[:, 1] + random.logistic(size=rows) > 0, 1.0, -1.0)
        file = self.folder / "folds.libsvm"
        dump_svmlight_file(x, y, str(file), zero_based=False)
        problem = Problem(x, y, loss="logistic", l1_ratio=0.8, intercept=True)
        fits = self.fit(problem, file, "--path=4", "--lambda_ratio=0.1", f"--folds={rows}")
        with open(self.folder / f"run-{self.runs}" / "model/path.csv", encoding="utf-8") as text:
            reported = [(float(row["cv_error"]), float(row["cv_standard_error"])) for row in csv.DictReader(text)]
        lambdas = [lam for lam, _, _ in fits]
        for name, numbers in (("x", x), ("y", y), ("lambda", lambdas)):
            np.savetxt(self.folder / f"{name}.txt", numbers, fmt="%.17g")
        (self.folder / "left.R").write_text(LEFT_OUT)
        self.program(["Rscript", "--vanilla", self.folder / "left.R", self.folder, str(problem.l1_ratio)])
        deviance = np.loadtxt(self.folder / "left.txt")
        self.assertEqual(deviance.shape, (rows, len(lambdas)))
        np.testing.assert_allclose([mean for mean, _ in reported], deviance.mean(axis=0), rtol=1e-4)
        np.testing.assert_allclose([error for _, error in reported], deviance.std(axis=0) / np.sqrt(rows - 1), rtol=1e-4)

    def test_the_penalties_of_other_libraries(self):
        """As --help and the README say, with the defaults of both sides: an intercept."""
        random = np.random.default_rng(14)
        x = np.round(random.normal(size=(90, 8)) + 0.5, 4)
        f = x[:, :3] @ [1, -0.7, 0.4] + 0.3
        weights = np.round(random.uniform(0.1, 3, size=90), 4)
        np.savetxt(self.folder / "w.txt", weights, fmt="%.4f")
        lam, tight = 0.02, {"tol": 1e-12, "max_iter": 100000}
        for loss, y in (("squared", np.round(f + random.normal(size=90), 4)),
                        ("logistic", np.where(f + random.logistic(size=90) > 0, 1, 0))):
            file = self.folder / f"{loss}.libsvm"
            dump_svmlight_file(x, y, str(file), zero_based=False)
            for ratio, weighted, intercept in ((1, False, True), (1, True, True), (0.6, True, True), (1, False, False)):
                with self.subTest(loss=loss, ratio=ratio, weighted=weighted, intercept=intercept):
                    w = weights if weighted else np.ones(90)
                    if loss == "squared":
                        model = ElasticNet(alpha=lam, l1_ratio=ratio, fit_intercept=intercept, **tight)
                    elif intercept:
                        model = LogisticRegression(penalty="elasticnet", l1_ratio=ratio, C=1 / (w.sum() * lam),
                                                   solver="saga", **tight)
                    else:
                        model = LogisticRegression(penalty="l1", C=1 / (w.sum() * lam), solver="liblinear",
                                                   fit_intercept=False, random_state=1, **tight)
                    model.fit(x, y, sample_weight=w)
                    flags = [f"--l1_ratio={ratio}"] if ratio != 1 else []
                    flags += [f"--weights={self.folder / 'w.txt'}"] if weighted else []
                    flags += [] if intercept else ["--nointercept"]
                    out = self.folder / f"{len(list(self.folder.iterdir()))}"
                    self.rota("train", "lasso", f"--input={file}", f"--out={out}", f"--loss={loss}",
                              f"--lambda={lam}", "--tolerance=1e-12", *flags)
                    with open(out / "model/path.csv", encoding="utf-8") as text:
                        b0 = float(next(csv.DictReader(text))["intercept"])
                    b = scipy.io.mmread(out / "model/coefficients.mtx").toarray().ravel()
                    np.testing.assert_allclose(b, np.ravel(model.coef_), atol=2e-5)
                    self.assertAlmostEqual(b0, float(np.ravel(model.intercept_)[0]), delta=2e-5)
