"""Checks of what a user passes to an estimator: rows, targets, weights, seeds and parameters.

The rules and messages are scikit-learn's, so that its checks and users' handlers work; scikit-learn is not imported.
Arrays and sparse matrices that can be read as they are, are returned as they are, without a copy.
"""
from __future__ import annotations

import numbers
import os
import sys
import warnings
from typing import Any, Callable

import numpy as np

FLOATS = (np.dtype(np.float64), np.dtype(np.float32))


class NotFittedError(ValueError, AttributeError):
    """The estimator has not been fitted yet."""


class DataConversionWarning(UserWarning):
    """Data were converted in a way that may not be meant."""


class ConvergenceWarning(UserWarning):
    """A fit ended before it reached its tolerance."""


def _from_arguments(own: type, arguments: tuple[Any, ...]) -> Any:
    return shared(own)(*arguments)


def shared(own: type) -> type:
    """An exception or warning of this module, which is scikit-learn's class of that name too if that is imported.

    Handlers and filters for either class then apply.
    """
    exceptions = sys.modules.get("sklearn.exceptions")
    theirs = getattr(exceptions, own.__name__, None)
    if theirs is None:
        return own
    members = {"__reduce__": lambda self: (_from_arguments, (own, self.args)), "__module__": own.__module__}
    return type(own.__name__, (own, theirs), members)


READING_ROWS = ("format", "target", "separator", "missing", "index_from")  # options of files, of `rota train`
READING_ENTRIES = ("format", "separator", "header", "columns")


def is_path(X: Any) -> bool:
    """Whether X is a path, a URL or a list of them, instead of data."""
    if isinstance(X, list) and X:
        return all(isinstance(one, (str, os.PathLike)) for one in X)
    return isinstance(X, (str, os.PathLike))


def as_reading(X: Any, reading: dict[str, Any], names: tuple[str, ...]) -> dict[str, Any]:
    """Options that say how the files of a path are read, checked: others are no arguments of `fit`."""
    for name in reading:
        if name not in names:
            raise TypeError(f"fit() got an unexpected keyword argument {name!r}; those of a path are {', '.join(names)}")
    if reading and not is_path(X):
        raise ValueError(f"{', '.join(reading)}: only with a path")
    return reading


def is_sparse(X: Any) -> bool:
    """Whether X is a matrix or array of scipy.sparse, which is not imported for this."""
    sparse = sys.modules.get("scipy.sparse")
    return sparse is not None and sparse.issparse(X)


def frame_names(X: Any) -> np.ndarray | None:
    """The names of a data frame's columns, as an array of objects; None if X has none or they are not strings.

    Raises
    ------
    TypeError
        If only some of the names are strings.
    """
    columns = getattr(X, "columns", None)
    if columns is None or is_sparse(X) or isinstance(X, np.ndarray):
        return None
    names = np.asarray(columns, dtype=object)
    if names.ndim != 1 or not names.size:
        return None
    texts = [isinstance(name, str) for name in names]
    if all(texts):
        return names
    if any(texts):
        raise TypeError("Feature names are only supported if all input features have string names, but your input has "
                        f"{sorted({type(name).__name__ for name in names})} as feature name / column name types.")
    return None


def _check_shape(array: np.ndarray, least_rows: int, name: str, estimator: str) -> None:
    if array.ndim < 2:
        what = "scalar" if array.ndim == 0 else "1D"
        raise ValueError(f"Expected 2D array, got {what} array instead:\narray={array}.\nReshape your data either "
                         "using array.reshape(-1, 1) if your data has a single feature or array.reshape(1, -1) if it "
                         "contains a single sample.")
    if array.ndim > 2:
        raise ValueError(f"Found array with dim {array.ndim}. {estimator} expected <= 2.")
    for count, least, what in ((array.shape[0], least_rows, "sample"), (array.shape[1], 1, "feature")):
        if count < least:
            raise ValueError(f"Found array with {count} {what}(s) (shape={tuple(array.shape)}) while a minimum of "
                             f"{least} is required by {estimator}.")


def _check_finite(values: np.ndarray, name: str) -> None:
    # A sum that is finite shows that all values are, without memory for each.
    with np.errstate(over="ignore", invalid="ignore"):
        if values.dtype.kind != "f" or np.isfinite(values.sum()) or np.isfinite(values).all():
            return
    if np.isnan(values).any():
        raise ValueError(f"Input {name} contains NaN.")
    raise ValueError(f"Input {name} contains infinity or a value too large for {values.dtype!r}.")


def _refuse_complex(dtype: np.dtype | None, X: Any) -> None:
    if dtype is not None and getattr(dtype, "kind", "") == "c":
        raise ValueError(f"Complex data not supported\n{X}\n")


def _float_type(dtype: np.dtype, dtypes: tuple[np.dtype, ...]) -> np.dtype:
    """The type to convert to: the same if it is one of those, single precision for half, else double."""
    if dtype in dtypes and dtype.isnative:
        return dtype
    return np.dtype(np.float32) if dtype == np.float16 and FLOATS[1] in dtypes else dtypes[0]


def _sparse_rows(X: Any, dtypes: tuple[np.dtype, ...]) -> Any:
    _refuse_complex(X.dtype, X)
    rows = X.tocsr()
    rows = rows.astype(_float_type(rows.dtype, dtypes), copy=False)
    if not rows.has_canonical_format:
        # Indices out of order or repeated: they are sorted and added up in a copy, as X is the user's.
        rows = rows.copy() if rows is X or np.shares_memory(rows.data, X.data) else rows
        rows.sum_duplicates()
    return rows


def _dense_rows(X: Any, dtypes: tuple[np.dtype, ...]) -> np.ndarray:
    if hasattr(X, "to_numpy") and hasattr(X, "dtypes") and not isinstance(X, np.ndarray):
        # A frame of pandas: its own missing value becomes NaN, which _check_finite reports.
        kinds = list(getattr(X.dtypes, "values", X.dtypes))
        if any(not isinstance(kind, np.dtype) for kind in kinds) and "pandas" in type(X).__module__:
            X = X.to_numpy(dtype=np.float64, na_value=np.nan)
    array = np.asarray(X)
    _refuse_complex(array.dtype, X)
    array = np.asarray(array, dtype=_float_type(array.dtype, dtypes))
    if array.ndim == 2 and not (array.flags.c_contiguous or array.flags.f_contiguous):
        array = np.ascontiguousarray(array)
    if not array.flags.aligned:
        array = array.copy()
    return array.view(np.ndarray)


def as_rows(X: Any, *, estimator: str, dtypes: tuple[np.dtype, ...] = FLOATS, least_rows: int = 1,
            nonnegative: bool = False) -> Any:
    """X as a dense array or a CSR matrix of finite numbers.

    Parameters
    ----------
    X : array-like, data frame or sparse matrix of shape (n_samples, n_features)
        Arrays of a type in `dtypes` in the order of C or Fortran, and CSR matrices of such a type whose indices
        ascend within each row, are not copied.
    estimator : str
        The name for messages.
    dtypes : tuple of dtype
        The types that are kept; others become the first one.
    least_rows : int
        The least number of rows.
    nonnegative : bool
        Whether numbers below 0 are refused.

    Returns
    -------
    ndarray or csr_matrix of shape (n_samples, n_features)

    Raises
    ------
    ValueError
        If the shape is wrong, or a number is not finite, complex, or below 0 where that is refused.
    TypeError
        If an entry is not a number.
    """
    if is_path(X):
        raise ValueError(f"Expected an array, a data frame or a sparse matrix, got {X!r}.")
    if is_sparse(X):
        rows = _sparse_rows(X, dtypes)
        values = rows.data
    else:
        rows = values = _dense_rows(X, dtypes)
    _check_shape(rows, least_rows, "X", estimator)
    _check_finite(values, "X")
    if nonnegative and values.size and values.min() < 0:
        raise ValueError(f"Negative values in data passed to {estimator}")
    return rows


def _as_column(y: Any, rows: int | None, estimator: str) -> np.ndarray:
    if y is None:
        raise ValueError(f"This {estimator} estimator requires y to be passed, but the target y is None.")
    if is_sparse(y):
        raise TypeError("y is sparse; dense data is required.")
    if getattr(getattr(y, "dtype", None), "kind", "O") == "O" and hasattr(y, "to_numpy"):
        y = y.to_numpy()  # pandas' own types have their own missing value
    column = np.asarray(y)
    _refuse_complex(column.dtype, y)
    if column.ndim == 2 and column.shape[1] == 1:
        warnings.warn("A column-vector y was passed when a 1d array was expected. Please change the shape of y to "
                      "(n_samples, ), for example using ravel().", shared(DataConversionWarning), stacklevel=4)
        column = column.ravel()
    if column.ndim != 1:
        raise ValueError(f"y should be a 1d array, got an array of shape {column.shape} instead.")
    if rows is not None and len(column) != rows:
        raise ValueError(f"Found input variables with inconsistent numbers of samples: [{rows}, {len(column)}]")
    return column


def as_numbers(y: Any, rows: int | None, *, estimator: str) -> np.ndarray:
    """y as a contiguous array of finite numbers in double precision, one for each of `rows` rows.

    Raises
    ------
    ValueError
        If y is None, has another shape or length, or has what is not a finite number.
    """
    column = np.ascontiguousarray(_as_column(y, rows, estimator), dtype=np.float64)
    _check_finite(column, "y")
    return column


def as_classes(y: Any, rows: int | None, *, estimator: str) -> tuple[np.ndarray, np.ndarray]:
    """The classes in y and the number of each row's class.

    Returns
    -------
    classes : ndarray of shape (n_classes,)
        The different labels, ascending, in the type that y has.
    codes : ndarray of shape (n_samples,), of the smallest type of whole numbers >= 0
        The position of each row's label in `classes`.

    Raises
    ------
    ValueError
        If y is None, has another shape or length, or has labels that are not of one kind, not finite, or numbers with
        a fraction.
    """
    column = _as_column(y, rows, estimator)
    if column.dtype.kind == "f":
        _check_finite(column, "y")
        if (column != np.trunc(column)).any():
            raise ValueError("Unknown label type: 'continuous'. Classes are strings or whole numbers.")
    try:
        classes, codes = np.unique(column, return_inverse=True)
    except TypeError as error:
        raise ValueError(f"Unknown label type: 'unknown'. Labels cannot be ordered: {error}.") from error
    if column.dtype.kind == "O" and not all(type(label) is type(classes[0]) for label in classes):
        raise ValueError("Unknown label type: 'unknown'. Labels are of several types.")
    return classes, codes.astype(np.min_scalar_type(len(classes)))


def as_weights(sample_weight: Any, rows: int) -> np.ndarray | None:
    """The weights of the rows in double precision; None if there are none.

    Parameters
    ----------
    sample_weight : array-like of shape (n_samples,), number or None
        A number is the weight of every row.

    Raises
    ------
    ValueError
        If a weight is not finite or below 0, none is above 0, or the shape is wrong.
    """
    if sample_weight is None:
        return None
    weights = np.asarray(sample_weight, dtype=np.float64)
    if weights.ndim == 0:
        weights = np.full(rows, weights)
    if weights.ndim != 1:
        raise ValueError("Sample weights must be 1D array or scalar")
    if weights.shape != (rows,):
        raise ValueError(f"sample_weight.shape == {weights.shape}, expected {(rows,)}!")
    _check_finite(weights, "sample_weight")
    if (weights < 0).any():
        raise ValueError("Negative values in data passed to `sample_weight`")
    if rows and not weights.any():
        raise ValueError("Sample weights must have a value above 0")
    return np.ascontiguousarray(weights)


def as_seed(random_state: Any) -> int:
    """The seed of a fit: random_state itself if it is a whole number, else a number drawn from it.

    Parameters
    ----------
    random_state : int, numpy.random.RandomState, numpy.random.Generator or None
        None draws from NumPy's global state.

    Raises
    ------
    ValueError
        If it is none of these, or a number below 0 or above 2^53.
    """
    if isinstance(random_state, (int, np.integer)) and not isinstance(random_state, bool):
        if 0 <= random_state <= 1 << 53:
            return int(random_state)
    elif isinstance(random_state, np.random.Generator):
        return int(random_state.integers(1 << 31))
    elif isinstance(random_state, np.random.RandomState):
        return int(random_state.randint(1 << 31))
    elif random_state is None or random_state is np.random:
        return int(np.random.randint(1 << 31))
    raise ValueError(f"{random_state!r} cannot be used to seed a fit: it is no whole number from 0 to 2^53, "
                     "numpy.random.RandomState, numpy.random.Generator or None.")


# ---- parameters of estimators

class Rule:
    """What a parameter may be: `accepts` a value, and says what it is by str()."""

    def __init__(self, text: str, accepts: Callable[[Any], bool]) -> None:
        self._text = text
        self.accepts = accepts

    def __str__(self) -> str:
        return self._text

    def __or__(self, other: Rule) -> Rule:
        return Rule(f"{self} or {other}", lambda value: self.accepts(value) or other.accepts(value))


def choice(*values: Any) -> Rule:
    """One of these texts, True, False or None."""
    listed = ", ".join(repr(value) for value in values)
    return Rule(f"one of {listed}" if len(values) > 1 else listed,
                lambda value: isinstance(value, (str, bool, np.bool_, type(None))) and value in values)


def number(least: float = 0.0, most: float = np.inf, *, above: bool = False) -> Rule:
    """A number from `least` to `most`, without `least` itself if it must be `above` it, and never infinite."""
    def accepts(value: Any) -> bool:
        if not isinstance(value, numbers.Real) or isinstance(value, (bool, np.bool_)):
            return False
        size = float(value)
        return (least < size if above else least <= size) and size <= most and bool(np.isfinite(size))
    end = "inf)" if most == np.inf else f"{most}]"
    return Rule(f"a number in the range {'(' if above else '['}{least}, {end}", accepts)


def whole(least: int = 0, most: int = 1_000_000_000) -> Rule:
    """A whole number from `least` to `most`."""
    return Rule(f"a whole number from {least} to {most}",
                lambda value: isinstance(value, numbers.Integral) and not isinstance(value, (bool, np.bool_))
                and least <= int(value) <= most)


FLAG = choice(True, False)


def check_params(estimator: Any, rules: dict[str, Rule]) -> None:
    """Checks the parameters that have a rule.

    Raises
    ------
    ValueError
        With the parameter's name, what it may be, and what it is.
    """
    for name, value in estimator.get_params().items():
        rule = rules.get(name)
        if rule is not None and not rule.accepts(value):
            raise ValueError(f"The {name!r} parameter of {type(estimator).__name__} must be {rule}. Got {value!r} "
                             "instead.")
