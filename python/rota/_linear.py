"""What the linear models have in common: the data of a fit, the model that it made, and its predictions."""
from __future__ import annotations

import csv
import itertools
import pathlib
import tempfile
import warnings
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Callable

import numpy as np

from . import _rota, _validation
from ._estimator import Classifier, Estimator, Regressor
from ._training import train
from ._validation import ConvergenceWarning, as_seed, choice, is_path, shared

CLASS_WEIGHT = choice(None, "balanced") | _validation.Rule("a dict of weights by label", lambda v: isinstance(v, dict))
PENALTY = choice("l2", "l1", "elasticnet", None, "none")


# ---- the data of a fit

@dataclass
class Data:
    """What a fit reads."""

    X: Any                         # an array, a CSR matrix, or a path
    target: np.ndarray | None      # the number of each row's class, or numbers; None with a path
    weights: np.ndarray | None
    total: float                   # the sum of the weights
    columns: int
    classes: np.ndarray | None     # of a classifier
    options: dict[str, Any]        # how a path is read

    @property
    def many(self) -> bool:
        """Whether there are more than two classes."""
        return self.classes is not None and len(self.classes) > 2

    def weighed(self, factors: np.ndarray) -> Data:
        """The same, with weights multiplied by a factor for each class."""
        weights = factors[self.target] * (1.0 if self.weights is None else self.weights)
        return replace(self, weights=weights, total=float(weights.sum()))


def _class_factors(class_weight: Any, data: Data) -> np.ndarray:
    """The factor of each class, as scikit-learn's compute_class_weight."""
    assert data.classes is not None and data.target is not None
    if isinstance(class_weight, str):
        counts = np.bincount(data.target, minlength=len(data.classes))
        return len(data.target) / (len(data.classes) * counts)
    labels = list(data.classes)
    unknown = [label for label in class_weight if label not in labels]
    if unknown:
        raise ValueError(f"class_weight has classes that are not in y: {unknown!r}")
    factors = np.array([class_weight.get(label, 1.0) for label in labels], dtype=np.float64)
    if not (np.isfinite(factors) & (factors > 0)).all():
        raise ValueError(f"class_weight must have numbers above 0, got {class_weight!r}")
    return factors


def _numbers_of(data: Data) -> np.ndarray:
    """The labels as a run has them: themselves if they are numbers that a double holds, else numbers of classes."""
    assert data.classes is not None and data.target is not None
    exact = data.classes.dtype.kind in "iuf" and (np.abs(data.classes.astype(np.float64)) <= 1 << 53).all()
    return (data.classes if exact else np.arange(len(data.classes)))[data.target].astype(np.float64)


# ---- a trained model

def _plain_labels(texts: list[str]) -> np.ndarray:
    """Labels as whole numbers if all are, else as numbers, else as texts."""
    try:
        numbers = np.array([float(text) for text in texts])
    except ValueError:
        return np.array(texts)
    return numbers.astype(np.int64) if (numbers == np.trunc(numbers)).all() else numbers


@dataclass
class Path:
    """The fits of the apps lasso and lasso_rows on all rows, the largest penalty first."""

    chosen: int                    # the one of `Weights`: the best of a cross-validation, else the last
    alphas: np.ndarray
    gaps: np.ndarray
    errors: np.ndarray             # (n_alphas, n_folds): mean losses of held-out rows
    entries: tuple[np.ndarray, np.ndarray, np.ndarray]  # fit, column and coefficient


@dataclass
class Weights:
    """A trained model."""

    coef: np.ndarray               # (n_outputs, n_features)
    intercept: np.ndarray          # (n_outputs,)
    labels: np.ndarray | None = None  # as the model has them
    path: Path | None = None       # of the app lasso


def _read_weights(model: Any, folder: pathlib.Path) -> Weights:
    """Of the apps linear and sgd: weights from their table, labels and intercepts from their text."""
    texts: list[str] = []
    if (folder / "labels.csv").exists():
        with open(folder / "labels.csv", encoding="utf-8", newline="") as lines:
            texts = [row[0] for row in csv.reader(lines)][1:]
    softmax = model.options.get("loss") == "softmax"
    outputs = len(texts) if softmax or len(texts) > 2 else 1
    keys, rows = model.table("weights")
    width = rows.shape[1] // outputs  # numbers of a weight: itself, what steps need, and its average
    weights = np.zeros((outputs, int(model.facts["keys"])))
    weights[:, keys.astype(np.intp)] = rows[:, width - 1 if model.options.get("average") == "true" else 0::width][:, :outputs].T
    weights[:, 0] = 0
    with open(folder / "weights.csv", encoding="utf-8", newline="") as lines:
        for feature, label, weight, *_ in itertools.islice(csv.reader(lines), 1, outputs + 1):
            if feature == "0":
                weights[texts.index(label) if outputs > 1 else 0, 0] = float(weight)
    if softmax:
        weights[:, 0] -= weights[:, 0].mean()  # no probability depends on that
        if outputs == 2:
            weights = weights[1:] - weights[:1]
    return Weights(np.ascontiguousarray(weights[:, 1:]), weights[:, 0].copy(),
                   _plain_labels(texts) if texts else None)


_FIT = ("lambda", "objective", "gap", "nonzeros", "loss", "null_loss", "held_out", "held_out_weight", "rows", "columns",
        "smaller", "larger")  # the columns of the table `fits`
_LASSO_INTERCEPT = (1 << 32) - 1  # its column in the tables `path` and `coefficients`


def _read_lasso(model: Any, columns: int | None) -> Weights:
    """Of the apps lasso and lasso_rows, from their tables (apps/lasso/tables.h)."""
    keys, rows = model.table("fits")
    order = np.argsort(keys)
    fold, fits = keys[order] >> 16, rows[order]
    of_all = dict(zip(_FIT, fits[fold == 0].T))
    found = int((fold == 0).sum())
    if found == 0:  # max_iter has ended the first fit: what there is of it
        keys, values = model.table("coefficients")
        path = None
        chosen, columns = 0, columns or 0
    else:
        keys, values = model.table("path")
        held = fits[fold > 0][:, 6:8].reshape(-1, found, 2)  # loss and weight by fold and penalty
        means = (held[:, :, 0] * held[:, :, 1]).sum(axis=0) / held[:, :, 1].sum(axis=0) if len(held) else None
        chosen = found - 1 if means is None else int(means.argmin())
        columns = int(of_all["columns"][0])
    fit, column = (keys >> np.uint64(32)).astype(np.intp), (keys & np.uint64(_LASSO_INTERCEPT)).astype(np.intp)
    is_column = column != _LASSO_INTERCEPT
    coef, own = np.zeros((1, columns)), is_column & (fit == chosen)
    coef[0, column[own]] = values[own, 0]
    intercept = values[~is_column & (fit == chosen), 0]
    if found:
        path = Path(chosen, of_all["lambda"], of_all["gap"], held[:, :, 0].T,
                    (fit[is_column], column[is_column], values[is_column, 0]))
    labels = None
    if found and model.options.get("loss") == "logistic":
        labels = _plain_labels([str(of_all[name][0]) for name in ("smaller", "larger")])
    return Weights(coef, intercept if len(intercept) else np.zeros(1), labels, path)


def _read(model: Any, columns: int | None = None) -> Weights:
    if model.app.startswith("lasso"):
        return _read_lasso(model, columns)
    with tempfile.TemporaryDirectory(prefix="rota-model-") as name:
        model.export_text(name)
        return _read_weights(model, pathlib.Path(name))


# ---- what all linear models have in common

class Linear(Estimator):
    """Fits and applies a linear model.

    A class has `_rules`, what its parameters may be, and `_job`, the table that makes options of them.
    """

    fit_intercept: bool
    max_iter: int
    coef_: Any
    classes_: Any
    intercept_: Any
    n_iter_: Any

    _rules: dict[str, Any] = {}
    _draws = False   # whether random numbers decide which model is found; else the seed is that of `rota train`

    def _job(self, data: Data) -> tuple[str, dict[str, Any]]:
        """The app and its options."""
        raise NotImplementedError

    def _scale(self) -> float:
        """What rows are divided by before they are fitted."""
        return 1.0

    def _fit(self, X: Any, y: Any, sample_weight: Any, reading: dict[str, Any]) -> Any:
        _validation.check_params(self, self._rules)
        reading = _validation.as_reading(X, reading, _validation.READING_ROWS)
        data = self._files(X, y, sample_weight, reading) if is_path(X) else self._arrays(X, y, sample_weight)
        class_weight = getattr(self, "class_weight", None)
        if class_weight is not None:
            if is_path(X):
                raise ValueError("class_weight requires arrays, not a path")
            data = data.weighed(_class_factors(class_weight, data))
        app, options = self._job(data)
        scale = self._scale()
        if scale != 1:
            if is_path(X):
                raise ValueError("intercept_scaling other than 1 requires arrays, not a path")
            data = replace(data, X=data.X / scale)
        trained = self._train(app, {**data.options, **options}, data)
        self._keep(trained.model, data.classes, scale, data.columns)
        self.n_features_in_ = data.columns
        self.history_, self.run_ = trained.history, trained.folder
        if trained.model.converged is False:
            warnings.warn(f"{type(self).__name__} ended after {trained.epochs} epochs before it reached its tolerance. "
                          "Raise max_iter or tol.", shared(ConvergenceWarning), stacklevel=4)
        return self

    def _train(self, app: str, options: dict[str, Any], data: Data, **changes: Any) -> Any:
        options = {"intercept": self.fit_intercept, "epochs": self.max_iter, **options}
        random_state = getattr(self, "random_state", None)
        if random_state is not None or self._draws:
            options.setdefault("seed", as_seed(random_state))
        target = data.target if data.classes is None or data.target is None else _numbers_of(data)
        data = replace(data, target=target)
        return train(app, options, self._named(data), target, sample_weight=data.weights,
                     **{**self._process_params(), **changes})

    def _named(self, data: Data) -> Any:
        """The rows with the names of their columns, which the model then keeps for `rota show` and the like."""
        if is_path(data.X) or not hasattr(self, "feature_names_in_"):
            return data.X
        names = [str(name) for name in self.feature_names_in_]
        if isinstance(data.X, np.ndarray):
            return _rota.Dense(data.X, data.target, names)
        return _rota.Rows(data.X.indptr, data.X.indices, data.X.data, data.X.shape, data.target, names)

    def _arrays(self, X: Any, y: Any, sample_weight: Any) -> Data:
        rows = self._check_rows(X, fitting=True)
        name, count = type(self).__name__, rows.shape[0]
        weights = _validation.as_weights(sample_weight, count)
        classes = None
        if isinstance(self, Classifier):
            classes, target = _validation.as_classes(y, count, estimator=name)
        else:
            target = _validation.as_numbers(y, count, estimator=name)
        if weights is not None and not weights.all():
            kept = weights > 0
            rows, target, weights = rows[kept], target[kept], weights[kept]
            if classes is not None:
                present, target = np.unique(target, return_inverse=True)
                classes = classes[present]
        if classes is not None and len(classes) < 2:
            raise ValueError(f"{name} needs rows of at least 2 classes, but the data contains only one class: "
                             f"{classes[0]!r}")
        total = float(count if weights is None else weights.sum())
        if weights is not None and (weights == weights[0]).all():
            weights = None
        return Data(rows, target, weights, total, rows.shape[1], classes, {})

    def _files(self, X: Any, y: Any, sample_weight: Any, reading: dict[str, Any]) -> Data:
        """y is the name or number of the column of the labels, where a format needs it.

        Classes and, if options depend on it, rows are counted by a job of one epoch.
        """
        vars(self).pop("feature_names_in_", None)
        if y is not None and not isinstance(y, (str, int)):
            raise ValueError("With a path, y is None or the column of the labels: its name, or its number from 1.")
        options = reading if y is None else {**reading, "target": str(y)}
        if sample_weight is not None and not is_path(sample_weight):
            sample_weight = np.ravel(np.asarray(sample_weight, dtype=np.float64))
        if is_path(sample_weight):
            raise ValueError("sample_weight must be an array or None.")
        data = Data(X, None, sample_weight, np.nan, 0, None, options)
        is_classifier = isinstance(self, Classifier)
        loss = "softmax" if is_classifier else "squared"
        first = self._train("linear", {**options, "loss": loss, "epochs": 1, "seed": 1}, data, out=None).model
        total = float(first.facts["rows"] if sample_weight is None else sample_weight.sum())
        labels = _read(first).labels if is_classifier else None
        return replace(data, total=total, columns=int(first.facts["keys"]) - 1, classes=labels)

    def _keep(self, model: Any, classes: np.ndarray | None, scale: float = 1.0, columns: int | None = None) -> None:
        """Takes the coefficients and classes of a model.  `classes` are those of arrays: labels are their positions."""
        read = _read(model, columns)
        self.coef_, self.intercept_ = read.coef / scale, read.intercept
        if isinstance(self, Classifier):
            self.classes_ = read.labels if classes is None else classes
        self.n_iter_ = int(model.epochs)
        self.model_hash_ = model.model_hash
        self._model = model
        self._keep_more(read)

    def _keep_more(self, read: Weights) -> None:
        """Attributes of the class, from the text of the model."""

    @classmethod
    def _from_model(cls, model: Any, y_classes: Any = None) -> Any:
        """The fitted estimator of a model that was trained elsewhere; its parameters are the defaults."""
        self = cls()
        self._keep(model, None if y_classes is None else np.asarray(y_classes))
        self.n_features_in_ = self.coef_.shape[-1]
        self.history_, self.run_ = model.history, None
        return self

    def _links(self, X: Any) -> np.ndarray:
        """f of each row and output, of shape (n_samples, n_outputs)."""
        rows = self._check_rows(X, fitting=False)
        return np.asarray(rows @ np.atleast_2d(self.coef_).T) + self.intercept_


class LinearRegressor(Linear, Regressor):
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None, **reading: Any) -> Any:
        """Fits the model.

        Parameters
        ----------
        X : array-like, data frame or sparse matrix of shape (n_samples, n_features), or path
            The rows, or files that have them.
        y : array-like of shape (n_samples,), str, int or None
            The numbers to predict.  With a path: the column that has them, by its name or number from 1; None if the
            format says it.
        sample_weight : array-like of shape (n_samples,), number or None
            The weights s_i, 0 or more.
        **reading
            How the files of a path are read: `format`, `target`, `separator`, `missing`, `index_from`, as of
            `rota train`.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            If a parameter, a shape or a number is not allowed.  rota.DataError, for data that an app refuses, is one.
        rota.Error
            If the fit fails otherwise, with `exit_code`.
        """
        return self._fit(X, y, sample_weight, reading)

    def _keep_more(self, read: Weights) -> None:
        self.coef_, self.intercept_ = self.coef_[0], float(self.intercept_[0])

    def predict(self, X: Any) -> np.ndarray:
        """The linear predictions f.

        Parameters
        ----------
        X : array-like, data frame or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,)

        Raises
        ------
        rota.NotFittedError
            Before `fit`.
        ValueError
            If X has other columns than the data of `fit`, or what is not a finite number.
        """
        return self._links(X)[:, 0]


class LinearClassifier(Linear, Classifier):
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None, **reading: Any) -> Any:
        """Fits the model.

        Parameters
        ----------
        X : array-like, data frame or sparse matrix of shape (n_samples, n_features), or path
            The rows, or files that have them.
        y : array-like of shape (n_samples,), str, int or None
            The labels: strings, whole numbers or bools.  With a path: the column that has them, by its name or number
            from 1; None if the format says it.
        sample_weight : array-like of shape (n_samples,), number or None
            The weights s_i, 0 or more.
        **reading
            How the files of a path are read: `format`, `target`, `separator`, `missing`, `index_from`, as of
            `rota train`.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            If a parameter, a shape or a number is not allowed, or there is only one class.  rota.DataError, for data
            that an app refuses, is one.
        rota.Error
            If the fit fails otherwise, with `exit_code`.
        """
        return self._fit(X, y, sample_weight, reading)

    def decision_function(self, X: Any) -> np.ndarray:
        """The linear predictions f: of two classes, positive for the second one; else one for each class.

        Parameters
        ----------
        X : array-like, data frame or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_classes)

        Raises
        ------
        rota.NotFittedError
            Before `fit`.
        ValueError
            If X has other columns than the data of `fit`, or what is not a finite number.
        """
        links = self._links(X)
        return links[:, 0] if links.shape[1] == 1 else links

    def predict(self, X: Any) -> np.ndarray:
        """The classes of rows; parameters and errors are those of `decision_function`.

        Returns
        -------
        ndarray of shape (n_samples,)
            Labels of `classes_`.
        """
        links = self.decision_function(X)
        return self.classes_[(links > 0).astype(np.intp) if links.ndim == 1 else links.argmax(axis=1)]


# ---- classes

def _only_if(condition: Callable[[Any], bool]) -> Callable[[Any], Any]:
    """A method that exists only for some parameters, as hasattr() sees it."""
    def decorate(method: Any) -> Any:
        def bound(self: Any) -> Any:
            if not condition(self):
                raise AttributeError(f"{self!r} has no {method.__name__}")
            return method.__get__(self)
        return property(bound, doc=method.__doc__)
    return decorate


class Probabilities(LinearClassifier):
    """Classes with probabilities."""

    def _has_probabilities(self) -> bool:
        return True

    @_only_if(lambda self: self._has_probabilities())
    def predict_log_proba(self, X: Any) -> np.ndarray:
        """The logarithms of `predict_proba(X)`, exact where that is almost 0."""
        links = self.decision_function(X)
        if links.ndim == 1:
            return -np.logaddexp(0.0, np.column_stack([links, -links]))
        if not self._is_softmax:
            links = -np.logaddexp(0.0, -links)
        return links - np.logaddexp.reduce(links, axis=1, keepdims=True)

    @_only_if(lambda self: self._has_probabilities())
    def predict_proba(self, X: Any) -> np.ndarray:
        """The probabilities of the classes, in the order of `classes_`; errors are those of `decision_function`.

        Of several classes each against the rest, they are scaled to add up to 1.

        Parameters
        ----------
        X : array-like, data frame or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
        """
        return np.exp(self.predict_log_proba(X))

    def _keep_more(self, read: Weights) -> None:
        self._is_softmax = self._model.options.get("loss") == "softmax"




def penalties(penalty: str | None, l1_ratio: float | None, size: float) -> dict[str, float]:
    """The options of the apps linear and sgd."""
    share = {"l1": 1.0, "elasticnet": l1_ratio}.get(str(penalty), 0.0)
    if share is None:
        raise ValueError("penalty='elasticnet' requires l1_ratio")
    if penalty in (None, "none"):
        size = 0.0
    return {"l1": size * share, "l2": size * (1 - share)}


def estimator_name(app: str, options: dict[str, str]) -> str:
    """Of the class whose `_from_model` takes a model of an app that was trained with these options."""
    loss = options.get("loss")
    if app == "sgd":
        return "sgd.SGDRegressor" if loss == "squared" else "sgd.SGDClassifier"
    if app in ("lasso", "lasso_rows") and loss != "logistic":
        return "linear.ElasticNetCV" if int(options.get("folds") or 0) > 0 else "linear.ElasticNet"
    return {"squared": "linear.Ridge", "hinge": "linear.LinearSVC",
            "squared_hinge": "linear.LinearSVC"}.get(str(loss), "linear.LogisticRegression")


ESTIMATORS = {app: partial(estimator_name, app) for app in ("lasso", "lasso_rows", "linear", "sgd")}
