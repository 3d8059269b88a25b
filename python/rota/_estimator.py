"""Base classes of the estimators: parameters, tags, names of features, and scores, as scikit-learn has them.

scikit-learn is not imported.  An estimator is a data class whose fields are its parameters:

    @dataclass(eq=False, repr=False)
    class Lasso(Regressor):
        alpha: float = 1.0
        _: KW_ONLY
        fit_intercept: bool = True

`fit` sets attributes that end with an underscore, and changes no parameter.
"""
from __future__ import annotations

import functools
import warnings
from dataclasses import KW_ONLY, dataclass, fields
from typing import Any, Callable

import numpy as np

from . import _validation
from ._validation import NotFittedError, as_rows, as_weights, frame_names, shared

_TAGS = {
    "non_deterministic": False, "requires_positive_X": False, "requires_positive_y": False, "X_types": ["2darray"],
    "poor_score": False, "no_validation": False, "multioutput": False, "allow_nan": False, "stateless": False,
    "multilabel": False, "_skip_test": False, "_xfail_checks": False, "multioutput_only": False, "binary_only": False,
    "requires_fit": True, "preserves_dtype": [np.float64], "requires_y": False, "pairwise": False,
}


def _whole(fit: Callable[..., Any]) -> Callable[..., Any]:
    """A `fit` that leaves the estimator as it was if it fails or is interrupted."""
    @functools.wraps(fit)
    def whole(self: Any, *args: Any, **named: Any) -> Any:
        before = dict(vars(self))
        try:
            return fit(self, *args, **named)
        except BaseException:
            vars(self).clear()
            vars(self).update(before)
            raise
    return whole


@dataclass(eq=False, repr=False)
class Estimator:
    """What all estimators have in common: how a fit runs.

    Parameters
    ----------
    workers : int or None
        Worker processes.  None: small data are fitted in this process, with the same result.
    threads : int
        Threads of each worker.
    hosts : str, list of str or None
        Machines to run the workers on, as of `rota train --hosts`.
    slurm : bool or None
        Whether a fit within a job of Slurm runs on the nodes of that job.  None: as `hosts` and `workers` say.
    out : path or None
        The folder of the run: model, metrics, checkpoints and logs.  None: nothing is kept.
    verbose : int
        0: quiet; 1: progress is shown.
    """

    _: KW_ONLY
    workers: int | None = None
    threads: int = 1
    hosts: Any = None
    slurm: bool | None = None
    out: Any = None
    verbose: int = 0

    def __init_subclass__(cls, **named: Any) -> None:
        super().__init_subclass__(**named)
        if "fit" in vars(cls):
            cls.fit = _whole(vars(cls)["fit"])  # type: ignore[attr-defined]

    @classmethod
    def _parameter_names(cls) -> list[str]:
        """The names of all parameters, those of how a fit runs last."""
        shared_names = [field.name for field in fields(Estimator)]
        return [field.name for field in fields(cls) if field.name not in shared_names] + shared_names

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The parameters by name.  `deep` has no effect: no parameter is an estimator."""
        return {name: getattr(self, name) for name in self._parameter_names()}

    def set_params(self, **params: Any) -> Estimator:
        """Sets parameters by name.

        Raises
        ------
        ValueError
            If the estimator has no parameter of that name; then none is set.
        """
        names = self._parameter_names()
        for name in params:
            if name not in names:
                raise ValueError(f"Invalid parameter {name!r} for estimator {self}. Valid parameters are: {names!r}.")
        for name, value in params.items():
            setattr(self, name, value)
        return self

    def __repr__(self) -> str:
        defaults = {field.name: field.default for field in fields(self)}
        changed = []
        for name, value in self.get_params().items():
            default = defaults[name]
            if value is not default and repr(value) != repr(default):
                changed.append(f"{name}={value!r}")
        return f"{type(self).__name__}({', '.join(changed)})"

    def _more_tags(self) -> dict[str, Any]:
        return {}

    def _get_tags(self) -> dict[str, Any]:
        """The tags of scikit-learn 1.2: the defaults, changed by `_more_tags` of every class."""
        tags = dict(_TAGS)
        for base in reversed(type(self).__mro__):
            if "_more_tags" in vars(base):
                tags.update(vars(base)["_more_tags"](self))
        return tags

    def _process_params(self) -> dict[str, Any]:
        """The parameters of how a fit runs, for `_training.train`."""
        return {field.name: getattr(self, field.name) for field in fields(Estimator)}

    def _check_is_fitted(self) -> None:
        """Raises NotFittedError before the first fit."""
        if not any(name.endswith("_") and not name.startswith("__") for name in vars(self)):
            raise shared(NotFittedError)(f"This {type(self).__name__} instance is not fitted yet. Call 'fit' with "
                                         "appropriate arguments before using this estimator.")

    def _check_rows(self, X: Any, *, fitting: bool, **rules: Any) -> Any:
        """X as `_validation.as_rows` returns it with these rules.

        With `fitting`, its names and number of columns are kept as `feature_names_in_` and `n_features_in_`; else they
        must be equal to those, and the estimator be fitted.
        """
        if not fitting:
            self._check_is_fitted()
        names = frame_names(X)
        if fitting:
            vars(self).pop("feature_names_in_", None)
            if names is not None:
                self.feature_names_in_ = names
        else:
            self._check_names(names)
        rows = as_rows(X, estimator=type(self).__name__, **rules)
        if fitting:
            self.n_features_in_ = rows.shape[1]
        elif rows.shape[1] != self.n_features_in_:
            raise ValueError(f"X has {rows.shape[1]} features, but {type(self).__name__} is expecting "
                             f"{self.n_features_in_} features as input.")
        return rows

    def _check_names(self, names: np.ndarray | None) -> None:
        fitted = getattr(self, "feature_names_in_", None)
        if fitted is None and names is None:
            return
        if fitted is None or names is None:
            message = ("X has feature names, but {} was fitted without feature names" if fitted is None else
                       "X does not have valid feature names, but {} was fitted with feature names")
            warnings.warn(message.format(type(self).__name__), stacklevel=4)
            return
        if len(fitted) == len(names) and (fitted == names).all():
            return
        message = "The feature names should match those that were passed during fit.\n"
        new, missing = sorted(set(names) - set(fitted)), sorted(set(fitted) - set(names))
        for title, some in (("Feature names unseen at fit time:\n", new),
                            ("Feature names seen at fit time, yet now missing:\n", missing)):
            if some:
                message += title + "".join(f"- {name}\n" for name in some[:5]) + ("- ...\n" if len(some) > 5 else "")
        if not new and not missing:
            message += "Feature names must be in the same order as they were in fit.\n"
        raise ValueError(message)


class _Supervised(Estimator):
    def _more_tags(self) -> dict[str, Any]:
        return {"requires_y": True}


class Classifier(_Supervised):
    """An estimator that predicts classes: `classes_`, `predict` and `score`."""

    _estimator_type = "classifier"
    predict: Any

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """The share of rows whose class is predicted.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
            The true labels.
        sample_weight : array-like of shape (n_samples,) or None

        Returns
        -------
        float
            From 0 to 1.
        """
        predicted = self.predict(X)
        truth = _validation._as_column(y, len(predicted), type(self).__name__)
        return float(np.average(truth == predicted, weights=as_weights(sample_weight, len(predicted))))


class Regressor(_Supervised):
    """An estimator that predicts numbers: `predict` and `score`."""

    _estimator_type = "regressor"
    predict: Any

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """The coefficient of determination R^2 of the prediction.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
            The true numbers.
        sample_weight : array-like of shape (n_samples,) or None

        Returns
        -------
        float
            1 for a perfect prediction, 0 for one that is as good as the mean of y; NaN for fewer than two rows.
        """
        predicted = self.predict(X)
        truth = _validation.as_numbers(y, len(predicted), estimator=type(self).__name__)
        if len(truth) < 2:
            return float("nan")
        weights = as_weights(sample_weight, len(truth))
        residual = np.average((truth - predicted) ** 2, weights=weights)
        total = np.average((truth - np.average(truth, weights=weights)) ** 2, weights=weights)
        if total == 0:
            return 1.0 if residual == 0 else 0.0
        return float(1 - residual / total)
