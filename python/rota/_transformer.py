"""What the estimators of topics, factors, clusters and graphs have in common: names of outputs, and models as text."""
from __future__ import annotations

import contextlib
import functools
import pathlib
import sys
import tempfile
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from ._estimator import Estimator
from ._validation import is_sparse


def _as_configured(transform: Callable[..., Any]) -> Callable[..., Any]:
    """A `transform` that returns a data frame if `set_output`, or else scikit-learn's own setting, says so."""
    @functools.wraps(transform)
    def configured(self: Any, X: Any) -> Any:
        values = transform(self, X)
        container = vars(self).get("_sklearn_output_config", {}).get("transform")
        if container is None and "sklearn" in sys.modules:
            container = sys.modules["sklearn"].get_config().get("transform_output")
        if container in (None, "default"):
            return values
        if container != "pandas":
            raise ValueError(f"output config must be 'default' or 'pandas' got {container}")
        from pandas import DataFrame
        index = X.index if isinstance(X, DataFrame) else None
        return DataFrame(values, index=index, columns=self.get_feature_names_out(), copy=False)
    return configured


class Transformer(Estimator):
    """An estimator with `transform`, which has `_n_features_out` columns."""

    fit: Any
    transform: Any
    _n_features_out: Any

    def __init_subclass__(cls, **named: Any) -> None:
        super().__init_subclass__(**named)
        if "transform" in vars(cls):
            cls.transform = _as_configured(vars(cls)["transform"])

    def set_output(self, *, transform: str | None = None) -> Any:
        """Sets what `transform` and `fit_transform` return.

        Parameters
        ----------
        transform : {"default", "pandas"} or None
            An array, or a data frame with the names of `get_feature_names_out`.  None: as before.

        Returns
        -------
        object
            Itself.
        """
        if transform is not None:
            self._sklearn_output_config = {"transform": transform}  # which scikit-learn's clone() copies
        return self

    def fit_transform(self, X: Any, y: Any = None) -> np.ndarray:
        """Fits the model to X and transforms X: `fit(X).transform(X)`.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        y : ignored

        Returns
        -------
        ndarray of shape (n_samples, n_features_out)
        """
        return self.fit(X, y).transform(X)

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:
        """The names of the columns that `transform` returns: the class in lower case, and a number from 0.

        Parameters
        ----------
        input_features : array-like of shape (n_features_in_,) or None
            Checked only.

        Returns
        -------
        ndarray of str objects of shape (n_features_out,)

        Raises
        ------
        ValueError
            If `input_features` are not those of `fit`.
        """
        self._check_is_fitted()
        if input_features is not None:
            given = np.asarray(input_features, dtype=object)
            fitted = getattr(self, "feature_names_in_", None)
            if fitted is not None and not np.array_equal(fitted, given):
                raise ValueError("input_features is not equal to feature_names_in_")
            if len(given) != self.n_features_in_:
                raise ValueError(f"input_features should have length equal to number of features "
                                 f"({self.n_features_in_}), got {len(given)}")
        return np.asarray([f"{type(self).__name__.lower()}{i}" for i in range(self._n_features_out)], dtype=object)


def shards_of(rows: int | None) -> int | None:
    """The option `shards` for this number of rows: each shard must have one.  None: as Rota chooses."""
    return rows if rows is not None and 0 < rows < 8 else None


def as_input(rows: Any) -> Any:
    """A checked array or CSR matrix as the commands of a model read it."""
    from . import _rota
    if is_sparse(rows):
        return _rota.Rows(rows.indptr, rows.indices, rows.data, rows.shape)
    return _rota.Dense(rows)


@contextlib.contextmanager
def exported(model: Any) -> Iterator[pathlib.Path]:
    """A folder with the model's text files, while it is used."""
    with tempfile.TemporaryDirectory(prefix="rota-model-") as folder:
        model.export_text(folder)
        yield pathlib.Path(folder)


def numbers_in(text: str, dtype: Any = np.float64) -> np.ndarray:
    """The numbers of a text, which are between blanks, tabs or the ends of lines."""
    return np.fromstring(text, dtype=dtype, sep=" ")
