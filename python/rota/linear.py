"""Linear models, fitted to the optimum: least squares, Lasso and elastic net, logistic regression, SVM.

Names, parameters and objectives are scikit-learn's.  Each class says what it minimises, with s_i the weight of row i (1
unless `sample_weight` or `class_weight` says otherwise), f_i = b + x_i' w, and b the intercept, which is not penalised
unless that is said.  y_i is 1 for the class in question, else -1.  A row of weight 0 counts as if it were not there.

Rows that are dense arrays or CSR matrices in single or double precision are read as they are, without a copy.
"""
from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Any

import numpy as np

from ._linear import (CLASS_WEIGHT, PENALTY, Data, LinearClassifier, LinearRegressor, Path, Probabilities, Weights,
                      penalties)
from ._validation import FLAG, choice, number, whole

__all__ = ["ElasticNet", "ElasticNetCV", "Lasso", "LassoCV", "LinearRegression", "LinearSVC", "LogisticRegression",
           "Ridge", "lasso_path"]

_LEAST_RATIO = 1e-3  # l1_ratio of the app lasso


# ---- least squares

@dataclass(eq=False, repr=False)
class LinearRegression(LinearRegressor):
    """Least squares.

    Minimises sum_i s_i (y_i - f_i)^2.  If columns depend on each other, one of many solutions is found.

    Parameters
    ----------
    fit_intercept : bool
    tol : float
        The fit ends when the gradient is this share of that at the beginning.
    max_iter : int
        Most steps of Newton's method.
    workers, threads, hosts, slurm, out, verbose
        How a fit runs: see `rota.Estimator`.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,)
    intercept_ : float
    n_iter_ : int
        Epochs.
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features_in_,)
        If X was a frame with names.
    model_hash_ : str
        The hash of the model: equal wherever and on however many workers it was fitted.
    history_ : list of dict
        The evaluations.
    run_ : pathlib.Path or None
        The run folder, if it was kept.
    """

    _: KW_ONLY
    fit_intercept: bool = True
    tol: float = 1e-10
    max_iter: int = 1000

    _rules = {"fit_intercept": FLAG, "tol": number(1e-15, 1), "max_iter": whole(1)}

    def _job(self, data: Data) -> tuple[str, dict[str, Any]]:
        return "linear", {"loss": "squared", "tolerance": self.tol}


@dataclass(eq=False, repr=False)
class Ridge(LinearRegressor):
    """Least squares with an L2 penalty.

    Minimises sum_i s_i (y_i - f_i)^2 + alpha |w|^2.

    Parameters
    ----------
    alpha : float
        The penalty.
    fit_intercept, tol, max_iter, workers, threads, hosts, slurm, out, verbose
        As of `LinearRegression`.

    Attributes
    ----------
    coef_, intercept_, n_iter_, n_features_in_, feature_names_in_, model_hash_, history_, run_
        As of `LinearRegression`.
    """

    alpha: float = 1.0
    _: KW_ONLY
    fit_intercept: bool = True
    tol: float = 1e-10
    max_iter: int = 1000

    _rules = {"alpha": number(), **LinearRegression._rules}

    def _job(self, data: Data) -> tuple[str, dict[str, Any]]:
        return "linear", {"loss": "squared", "l2": self.alpha / data.total, "tolerance": self.tol}


class _Sparse(LinearRegressor):
    """By the app lasso."""

    tol: float

    _rules = {"alpha": number(above=True), "l1_ratio": number(_LEAST_RATIO, 1), "fit_intercept": FLAG,
              "max_iter": whole(1), "tol": number(1e-14, 1), "cv": whole(2, 1000), "eps": number(1e-9, 1, above=True),
              "n_alphas": whole(1, 65535)}

    def _job(self, data: Data) -> tuple[str, dict[str, Any]]:
        values = self.get_params()
        # scikit-learn's tolerance is a share of |y|^2 / n; the app's one of the objective, half of that.
        options = {"lambda": values.get("alpha"), "l1_ratio": values.get("l1_ratio", 1.0),
                   "tolerance": min(1.0, 2 * self.tol), "folds": values.get("cv"), "path": values.get("n_alphas"),
                   "lambda_ratio": values.get("eps")}
        return "lasso", {name: value for name, value in options.items() if value is not None}

    def _keep_more(self, read: Weights) -> None:
        super()._keep_more(read)
        self.dual_gap_ = np.inf if read.path is None else float(read.path.gaps[read.path.chosen])

    @property
    def sparse_coef_(self) -> Any:
        """`coef_` as a sparse matrix of shape (1, n_features)."""
        from scipy.sparse import csr_matrix
        self._check_is_fitted()
        return csr_matrix(self.coef_)


@dataclass(eq=False, repr=False)
class ElasticNet(_Sparse):
    """Least squares with L1 and L2 penalties.

    Minimises sum_i s_i (y_i - f_i)^2 / (2 sum_i s_i) + alpha (l1_ratio |w|_1 + (1 - l1_ratio) / 2 |w|^2).

    Parameters
    ----------
    alpha : float
        The penalty, above 0.
    l1_ratio : float
        The share of the L1 penalty, from 0.001 to 1.
    fit_intercept : bool
    max_iter : int
        Most epochs.  An epoch solves the problem of the columns that are likely to matter, and checks all others.
    tol : float
        The fit ends when the duality gap is at most this times |y - mean(y)|^2 / n, as scikit-learn's.
    workers, threads, hosts, slurm, out, verbose
        How a fit runs: see `rota.Estimator`.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,)
    sparse_coef_ : csr_matrix of shape (1, n_features)
    intercept_ : float
    dual_gap_ : float
        The duality gap of the objective above.
    n_iter_, n_features_in_, feature_names_in_, model_hash_, history_, run_
        As of `LinearRegression`.
    """

    alpha: float = 1.0
    _: KW_ONLY
    l1_ratio: float = 0.5
    fit_intercept: bool = True
    max_iter: int = 1000
    tol: float = 1e-4


@dataclass(eq=False, repr=False)
class Lasso(_Sparse):
    """Least squares with an L1 penalty.

    Minimises sum_i s_i (y_i - f_i)^2 / (2 sum_i s_i) + alpha |w|_1.

    Parameters
    ----------
    alpha : float
        The penalty, above 0.
    fit_intercept, max_iter, tol, workers, threads, hosts, slurm, out, verbose
        As of `ElasticNet`.

    Attributes
    ----------
    coef_, sparse_coef_, intercept_, dual_gap_, n_iter_, n_features_in_, feature_names_in_, model_hash_, history_, run_
        As of `ElasticNet`.
    """

    alpha: float = 1.0
    _: KW_ONLY
    fit_intercept: bool = True
    max_iter: int = 1000
    tol: float = 1e-4


def _complete(read: Weights) -> Path:
    if read.path is None:
        raise RuntimeError("No penalty is fitted yet: raise max_iter.")
    return read.path


class _SparseCV(_Sparse):
    cv: int
    _draws = True

    def _job(self, data: Data) -> tuple[str, dict[str, Any]]:
        if data.target is not None and len(data.target) < self.cv:
            raise ValueError(f"cv={self.cv} folds are more than the rows: n_samples = {len(data.target)}")
        return super()._job(data)

    def _keep_more(self, read: Weights) -> None:
        super()._keep_more(read)
        path = _complete(read)
        self.alphas_, self.mse_path_ = path.alphas, 2 * path.errors
        self.alpha_ = float(path.alphas[path.chosen])


@dataclass(eq=False, repr=False)
class ElasticNetCV(_SparseCV):
    """`ElasticNet` with the penalty that predicts held-out rows best.

    The penalties are a path in equal ratios down from the smallest one that leaves no coefficient.

    Parameters
    ----------
    l1_ratio : float
    eps : float
        The last penalty as a share of the first.
    n_alphas : int
        The number of penalties.
    fit_intercept, max_iter, tol
        As of `ElasticNet`; `max_iter` counts the epochs of all fits together.
    cv : int
        Folds of rows, drawn at random, that are held out in turn.
    random_state : int, RandomState or None
        Draws the folds.
    workers, threads, hosts, slurm, out, verbose
        How a fit runs: see `rota.Estimator`.

    Attributes
    ----------
    alpha_ : float
        The penalty with the least mean squared error.
    alphas_ : ndarray of shape (n_alphas,)
        The penalties, descending.
    mse_path_ : ndarray of shape (n_alphas, n_folds)
        The mean squared errors of the rows that were held out.
    coef_, sparse_coef_, intercept_, dual_gap_, n_iter_, n_features_in_, feature_names_in_, model_hash_, history_, run_
        As of `ElasticNet`.
    """

    _: KW_ONLY
    l1_ratio: float = 0.5
    eps: float = 1e-3
    n_alphas: int = 100
    fit_intercept: bool = True
    max_iter: int = 1_000_000
    tol: float = 1e-4
    cv: int = 5
    random_state: Any = None


@dataclass(eq=False, repr=False)
class LassoCV(_SparseCV):
    """`Lasso` with the penalty that predicts held-out rows best.

    Parameters
    ----------
    eps, n_alphas, fit_intercept, max_iter, tol, cv, random_state, workers, threads, hosts, slurm, out, verbose
        As of `ElasticNetCV`.

    Attributes
    ----------
    alpha_, alphas_, mse_path_, coef_, sparse_coef_, intercept_, dual_gap_, n_iter_, \
    n_features_in_, feature_names_in_, model_hash_, history_, run_
        As of `ElasticNetCV`.
    """

    _: KW_ONLY
    eps: float = 1e-3
    n_alphas: int = 100
    fit_intercept: bool = True
    max_iter: int = 1_000_000
    tol: float = 1e-4
    cv: int = 5
    random_state: Any = None


def lasso_path(X: Any, y: Any, *, l1_ratio: float = 1.0, eps: float = 1e-3, n_alphas: int = 100, tol: float = 1e-4,
               max_iter: int = 1_000_000, **processes: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The coefficients of a path of penalties, without an intercept.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n_samples, n_features)
    y : array-like of shape (n_samples,)
    l1_ratio, eps, n_alphas, tol, max_iter, **processes
        As of `ElasticNetCV`.

    Returns
    -------
    alphas : ndarray of shape (n_alphas,)
        Descending.
    coefs : ndarray of shape (n_features, n_alphas)
    dual_gaps : ndarray of shape (n_alphas,)

    Raises
    ------
    ValueError
        As of `ElasticNet.fit`.
    """
    path = _Path(l1_ratio=l1_ratio, eps=eps, n_alphas=n_alphas, tol=tol, max_iter=max_iter, fit_intercept=False,
                 **processes)
    path.fit(X, y)
    return path.alphas_, path.coefs_, path.dual_gaps_


@dataclass(eq=False, repr=False)
class _Path(_Sparse):
    _: KW_ONLY
    l1_ratio: float = 1.0
    eps: float = 1e-3
    n_alphas: int = 100
    fit_intercept: bool = True
    max_iter: int = 1_000_000
    tol: float = 1e-4

    def _keep_more(self, read: Weights) -> None:
        super()._keep_more(read)
        path = _complete(read)
        self.alphas_, self.dual_gaps_ = path.alphas, path.gaps
        self.coefs_ = np.zeros((len(self.coef_), len(self.alphas_)))
        fit, column, value = path.entries
        self.coefs_[column, fit] = value


# ---- classes

@dataclass(eq=False, repr=False)
class LogisticRegression(Probabilities):
    """Logistic regression, of more than two classes by softmax.

    Minimises C sum_i s_i loss_i + |w|^2 / 2, with the loss log(1 + exp(-y_i f_i)), or of several classes the negative
    logarithm of the softmax probability.  Other penalties are |w|_1, and l1_ratio |w|_1 + (1 - l1_ratio) |w|^2 / 2.

    Parameters
    ----------
    penalty : {"l2", "l1", "elasticnet", None}
    tol : float
        The fit ends when the gradient is this share of that at the beginning; with an L1 penalty and two classes, when
        the duality gap is this share of the objective without coefficients.
    C : float
        The inverse of the penalty, above 0.
    fit_intercept : bool
    class_weight : dict, "balanced" or None
        Factors of the weights s_i by label; "balanced": n / (number of classes * rows of the class), without rows of
        weight 0.
    random_state : int, RandomState or None
        Orders the rows.  The optimum does not depend on it, but the last digits do; None: 1, as of `rota train`.
    max_iter : int
        Most epochs.
    multi_class : {"auto", "multinomial", "ovr"}
        More than two classes: by softmax, or each class against the rest.
    l1_ratio : float or None
        The share of the L1 penalty, for "elasticnet".
    workers, threads, hosts, slurm, out, verbose
        How a fit runs: see `rota.Estimator`.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels, ascending.
    coef_ : ndarray of shape (1, n_features) or (n_classes, n_features)
    intercept_ : ndarray of shape (1,) or (n_classes,)
    n_iter_ : ndarray of shape (1,)
        Epochs.
    n_features_in_, feature_names_in_, model_hash_, history_, run_
        As of `LinearRegression`.
    """

    penalty: str | None = "l2"
    _: KW_ONLY
    tol: float = 1e-6
    C: float = 1.0
    fit_intercept: bool = True
    class_weight: Any = None
    random_state: Any = None
    max_iter: int = 1000
    multi_class: str = "auto"
    l1_ratio: float | None = None

    _rules = {"penalty": PENALTY, "tol": number(1e-14, 1), "C": number(above=True), "fit_intercept": FLAG,
              "class_weight": CLASS_WEIGHT, "max_iter": whole(1), "multi_class": choice("auto", "multinomial", "ovr"),
              "l1_ratio": number(0, 1) | choice(None)}

    def _job(self, data: Data) -> tuple[str, dict[str, Any]]:
        sizes = penalties(self.penalty, self.l1_ratio, 1 / (self.C * data.total))
        size = sizes["l1"] + sizes["l2"]
        if not data.many and sizes["l1"] > 0 and sizes["l1"] / size >= _LEAST_RATIO:
            return "lasso", {"loss": "logistic", "lambda": size, "l1_ratio": sizes["l1"] / size, "tolerance": self.tol}
        one_by_one = data.many and self.multi_class == "ovr"
        return "linear", {"loss": "softmax" if data.many and not one_by_one else "logistic",
                          "one_against_rest": one_by_one, **sizes, "tolerance": self.tol}

    def _keep_more(self, read: Weights) -> None:
        super()._keep_more(read)
        self.n_iter_ = np.array([self.n_iter_], dtype=np.int32)


@dataclass(eq=False, repr=False)
class LinearSVC(LinearClassifier):
    """A linear support vector machine; more than two classes each against the rest.

    Minimises C sum_i s_i loss_i + |w|^2 / 2, with the loss max(0, 1 - y_i f_i), squared or not; or with |w|_1 in place
    of |w|^2 / 2.  The intercept is penalised as LIBLINEAR does, with |b / intercept_scaling|^2 / 2, or without the
    square.

    Parameters
    ----------
    loss : {"squared_hinge", "hinge"}
    penalty : {"l2", "l1"}
        "l1" is for the squared hinge loss.
    tol : float
        The fit ends when the duality gap is this share of the objective; with an L1 penalty, as of
        `LogisticRegression`.
    C : float
        The inverse of the penalty, above 0.
    fit_intercept : bool
    intercept_scaling : float
        Above 0.  Others than 1 need a copy of the data.
    class_weight, random_state, max_iter, workers, threads, hosts, slurm, out, verbose
        As of `LogisticRegression`.

    Attributes
    ----------
    n_iter_ : int
        Epochs.
    classes_, coef_, intercept_, n_features_in_, feature_names_in_, model_hash_, history_, run_
        As of `LogisticRegression`.
    """

    loss: str = "squared_hinge"
    _: KW_ONLY
    penalty: str = "l2"
    tol: float = 1e-6
    C: float = 1.0
    fit_intercept: bool = True
    intercept_scaling: float = 1.0
    class_weight: Any = None
    random_state: Any = None
    max_iter: int = 1000

    _rules = {"loss": choice("squared_hinge", "hinge"), "penalty": choice("l2", "l1"), "tol": number(1e-14, 1),
              "C": number(above=True), "fit_intercept": FLAG, "intercept_scaling": number(above=True),
              "class_weight": CLASS_WEIGHT, "max_iter": whole(1)}

    def _scale(self) -> float:
        return float(self.intercept_scaling) if self.fit_intercept else 1.0

    def _job(self, data: Data) -> tuple[str, dict[str, Any]]:
        # With rows x / scale and f = x' (scale w) / scale + b, weights and intercept are scale times LIBLINEAR's.
        options = {"loss": self.loss, "one_against_rest": data.many, "tolerance": self.tol,
                   "penalize_intercept": self.fit_intercept}
        size = 1 / (self.C * data.total * self._scale())
        if self.penalty == "l2":
            return "linear", {**options, "solver": "svm", "l2": size / self._scale()}
        if self.loss == "hinge":
            raise ValueError("LinearSVC: penalty='l1' requires loss='squared_hinge'; "
                             "SGDClassifier(loss='hinge', penalty='l1') has both")
        return "linear", {**options, "l1": size}
