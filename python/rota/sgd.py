"""Linear models by stochastic gradient descent.  `rota.linear` has what names mean in the objectives."""
from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Any

import numpy as np

from ._linear import CLASS_WEIGHT, PENALTY, Data, Linear, LinearRegressor, Probabilities, Weights, penalties
from ._validation import FLAG, choice, number, whole

__all__ = ["SGDClassifier", "SGDRegressor"]


@dataclass(eq=False, repr=False)
class _Descent(Linear):
    """What both have in common."""

    _: KW_ONLY
    penalty: str | None = "l2"
    alpha: float = 1e-4
    l1_ratio: float = 0.15
    fit_intercept: bool = True
    max_iter: int = 20
    random_state: Any = None
    optimizer: str = "adagrad"
    eta0: float = 0.0
    normalized: bool = True
    average: bool = False

    _draws = True
    _common_rules = {"penalty": PENALTY, "alpha": number(), "l1_ratio": number(0, 1), "fit_intercept": FLAG,
                     "max_iter": whole(1), "optimizer": choice("adagrad", "ftrl", "sgd"), "eta0": number(0, 1e6),
                     "normalized": FLAG, "average": FLAG}

    def fit(self, X: Any, y: Any = None, **reading: Any) -> Any:  # type: ignore[override]
        """Fits the model.  Parameters and errors are those of `LogisticRegression.fit`, without weights of rows."""
        return self._fit(X, y, None, reading)

    def _sgd(self, loss: str) -> tuple[str, dict[str, Any]]:
        return "sgd", {"loss": loss, "optimizer": self.optimizer, "learning_rate": self.eta0,
                       "normalized": self.normalized, "average": self.average,
                       **penalties(self.penalty, self.l1_ratio, self.alpha)}


@dataclass(eq=False, repr=False)
class SGDClassifier(_Descent, Probabilities):  # type: ignore[misc]
    """Linear classification by stochastic gradient descent.

    Minimises the mean of s_i loss_i over the sum of s_i, + alpha times the penalty |w|^2 / 2, |w|_1, or both in the
    shares 1 - l1_ratio and l1_ratio.  `LogisticRegression` and `LinearSVC` find the optimum; this is faster where one
    pass over the rows is almost enough.  Rows have no weights: steps in another order are another model, so a row of
    weight 0 would not be the same as no row.

    Parameters
    ----------
    loss : {"hinge", "squared_hinge", "log_loss", "softmax"}
        More than two classes are fitted each against the rest, by softmax together.
    penalty : {"l2", "l1", "elasticnet", None}
    alpha : float
    l1_ratio : float
    fit_intercept : bool
    max_iter : int
        Passes over the rows; all of them are made.
    random_state : int, RandomState or None
        Orders the rows.
    optimizer : {"adagrad", "ftrl", "sgd"}
        How a gradient becomes a step.  Steps fit the sizes of the features, so data need no scaling.
    eta0 : float
        The size of the first steps; 0: 3 of "adagrad" with probabilities, 2 of it with "hinge", else 1; 2 of "ftrl"; of
        "sgd" 16 for classes, but 2 of "squared_hinge".
    normalized : bool
        Whether steps are in units of the features.
    class_weight : dict, "balanced" or None
        As of `LogisticRegression`.
    average : bool
        Whether the model is the mean of the weights over the steps of the last round.
    workers, threads, hosts, slurm, out, verbose
        How a fit runs: see `rota.Estimator`.

    Attributes
    ----------
    classes_, coef_, intercept_, n_features_in_, feature_names_in_, model_hash_, history_, run_
        As of `LogisticRegression`.
    n_iter_ : int
        Passes.
    """

    loss: str = "hinge"
    _: KW_ONLY
    class_weight: Any = None

    _losses = {"hinge": "hinge", "squared_hinge": "squared_hinge", "log_loss": "logistic", "softmax": "softmax"}
    _rules = {"loss": choice(*_losses), "class_weight": CLASS_WEIGHT, **_Descent._common_rules}

    def _has_probabilities(self) -> bool:
        return self.loss in ("log_loss", "softmax")

    def _job(self, data: Data) -> tuple[str, dict[str, Any]]:
        loss = "logistic" if self.loss == "softmax" and not data.many else self._losses[self.loss]
        app, options = self._sgd(loss)
        return app, {"one_against_rest": data.many and loss != "softmax", **options}


@dataclass(eq=False, repr=False)
class SGDRegressor(_Descent, LinearRegressor):  # type: ignore[misc]
    """Least squares by stochastic gradient descent.

    Minimises the mean of (y_i - f_i)^2 / 2, + alpha times the penalty of `SGDClassifier`.

    Parameters
    ----------
    loss : {"squared_error"}
    penalty, alpha, l1_ratio, fit_intercept, max_iter, random_state, optimizer, eta0, normalized, average
        As of `SGDClassifier`.
    workers, threads, hosts, slurm, out, verbose
        How a fit runs: see `rota.Estimator`.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,)
    intercept_ : ndarray of shape (1,)
    n_iter_, n_features_in_, feature_names_in_, model_hash_, history_, run_
        As of `SGDClassifier`.
    """

    loss: str = "squared_error"

    _rules = {"loss": choice("squared_error"), **_Descent._common_rules}

    def _job(self, data: Data) -> tuple[str, dict[str, Any]]:
        return self._sgd("squared")

    def _keep_more(self, read: Weights) -> None:
        super()._keep_more(read)
        self.intercept_ = np.array([self.intercept_])
