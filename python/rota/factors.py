"""Matrix factorisation: recommendations from ratings or from what was used, and non-negative factors.

Rows of the data are users, columns are items.  The entries that a sparse matrix stores are the ratings, also those of
0; what it does not store is unknown, and counts nowhere (except with `ALS(implicit=True)`).  In a dense array every
number is a rating.  Repeated entries of a sparse matrix add up, as in SciPy.
"""
from __future__ import annotations

import csv
import io
import os
import pathlib
import tempfile
from dataclasses import KW_ONLY, dataclass
from typing import Any

import numpy as np

from . import _training
from ._transformer import Transformer, exported, shards_of
from ._validation import READING_ENTRIES, as_reading, as_seed, is_path, is_sparse

__all__ = ["ALS", "CCD", "MF", "NMF"]

_LEAST_RIDGE = 1e-12  # of the mean of the diagonal, as of the app als: without a penalty, factors may not be determined
_TOGETHER = 1024      # users that are ranked at a time
_AT_A_TIME = 1 << 20  # entries that are looked at


class _Factorisation(Transformer):
    """What the factorisations have in common."""

    n_components: Any
    max_iter: int
    random_state: Any
    alpha: float
    _app = ""

    def _options(self) -> dict[str, Any]:
        """The options of the app, apart from number of factors, epochs and seed."""
        raise NotImplementedError

    def fit(self, X: Any, y: Any = None, **reading: Any) -> Any:
        """Computes the factors of users and items.

        Parameters
        ----------
        X : array-like, data frame or sparse matrix of shape (n_users, n_items), or path
            The ratings.  A path names a file with a rating a line, or several, as of `rota train --input`.
        y : ignored
        **reading
            How the files of a path are read: `format`, `separator`, `header`, `columns`, as of `rota train`.

        Returns
        -------
        object
            Itself.

        Raises
        ------
        ValueError
            If there are no ratings or numbers that are not finite, or a parameter is wrong.
        rota.Error
            If training fails; for wrong files rota.DataError, rota.NoInput.
        """
        if self.max_iter < 1:
            raise ValueError(f"max_iter={self.max_iter}: expected at least 1")
        if self.n_components is None and is_path(X):
            raise ValueError("n_components=None is for arrays: give the number of factors")
        options = {"rank": self.n_components, "epochs": self.max_iter, "seed": as_seed(self.random_state),
                   **self._options(), **as_reading(X, reading, READING_ENTRIES)}
        for name in ("_seen", "_seen_file"):
            vars(self).pop(name, None)
        if is_path(X):
            if not isinstance(X, list):
                self._seen_file = {**reading, "seen": os.path.abspath(X)}
            return self._take(_training.train(self._app, options, X, **self._process_params()).model)
        X = self._check_rows(X, fitting=True, nonnegative=self._get_tags()["requires_positive_X"])
        ratings = self._ratings(X)
        if self.n_components is None:
            options["rank"] = X.shape[1]
        if ratings.nnz == 0:
            raise ValueError(f"X of shape {X.shape} has no ratings")
        options["shards"] = shards_of(min(np.count_nonzero(np.diff(ratings.indptr)), np.count_nonzero(_rated(ratings))))
        self._take(_training.train(self._app, options, ratings, **self._process_params()).model, ratings)
        return self

    def _implicit(self) -> bool:
        return False

    def _ratings(self, rows: Any) -> Any:
        """The ratings as a CSR matrix."""
        from scipy.sparse import csr_matrix
        if is_sparse(rows):
            ratings = csr_matrix(rows)
        else:
            users, items = rows.shape
            ratings = csr_matrix((np.ascontiguousarray(rows).ravel(), np.tile(np.arange(items, dtype=np.int32), users),
                                  np.arange(0, users * items + 1, items)), shape=rows.shape)
        if self._implicit() and ratings.nnz and not ratings.data.all():
            ratings = ratings.copy()
            ratings.eliminate_zeros()
        return ratings

    @classmethod
    def _from_model(cls, model: Any, y_classes: Any = None) -> Any:
        options = model.options
        return cls._of_options(options, n_components=int(options["rank"]), random_state=int(options["seed"]),
                               max_iter=max(1, int(options["epochs"])))._take(model)

    @classmethod
    def _of_options(cls: Any, options: dict[str, str], **common: Any) -> Any:
        penalty = options.get("lambda") or None
        return cls(regularization=float(penalty) if penalty is not None else None, **common)

    def _take(self, model: Any, ratings: Any = None) -> Any:
        with exported(model) as folder:
            with open(folder / "model.csv", encoding="utf-8", newline="") as file:
                facts = dict(list(csv.reader(file))[1:])
            users, items = (_side(folder / name, ratings is not None) for name in ("users.csv", "items.csv"))
        if ratings is None:
            self.user_names_, self.item_names_ = users[0], items[0]
            shape = len(users[0]), len(items[0])
            self._known_items = np.ones(shape[1], dtype=bool)
        else:
            for name in ("user_names_", "item_names_"):
                vars(self).pop(name, None)
            shape = ratings.shape
            users, items = _in_place(users, shape[0]), _in_place(items, shape[1])
            self._known_items = _rated(ratings)
            self._seen = (ratings.indptr, ratings.indices)
        self.user_factors_, self.user_biases_ = users[1:]
        self.item_factors_, self.item_biases_ = items[1:]
        self.base_ = float(facts["base"])
        self._penalty = float(facts["lambda"])  # of factors; that of biases has no scale
        self._bias_penalty = float(model.options.get("lambda") or (5 if self._implicit() else 0.05))
        self._by_rating = facts["lambda_counts_for"] == "each rating"
        self.n_features_in_ = shape[1]
        self.n_iter_ = model.epochs
        self.model_hash_ = model.model_hash
        self._model = model
        return self

    @property
    def components_(self) -> np.ndarray:
        """The factors of the items, of shape (n_components, n_items): the transpose of `item_factors_`."""
        self._check_is_fitted()
        return self.item_factors_.T

    @property
    def _n_features_out(self) -> int:
        return self.item_factors_.shape[1]

    # ---- other rows

    def transform(self, X: Any) -> np.ndarray:
        """The factors of users from their ratings, with the items' as fitted (fold-in).

        Each row is solved exactly, as in a last half-step of alternating least squares.  For the users of the fit the
        result is `user_factors_` up to the distance from convergence.

        Parameters
        ----------
        X : array-like, data frame or sparse matrix of shape (n_users, n_items)

        Returns
        -------
        ndarray of shape (n_users, n_components)
            0 for a user without ratings.
        """
        return self._fold_in(self._check_rows(X, fitting=False,
                                              nonnegative=self._get_tags()["requires_positive_X"]))[0]

    def _fold_in(self, rows: Any) -> tuple[np.ndarray, np.ndarray]:
        """The factors and the biases."""
        ratings = self._ratings(rows)
        rank, biased = self.item_factors_.shape[1], bool(getattr(self, "biases", False))
        partners = self.item_factors_.astype(np.float64)
        if biased:
            partners = np.hstack([partners, np.ones((len(partners), 1))])
        apart = self.base_ + self.item_biases_
        penalties = np.full(partners.shape[1], self._penalty)
        penalties[rank:] = self._bias_penalty
        gram = partners.T @ partners if self._implicit() else np.zeros((partners.shape[1],) * 2)
        found = np.zeros((ratings.shape[0], partners.shape[1]))
        for u in range(ratings.shape[0]):
            some = slice(ratings.indptr[u], ratings.indptr[u + 1])
            items, values = ratings.indices[some], ratings.data[some].astype(np.float64)
            known = self._known_items[items]
            items, values = items[known], values[known]
            if not len(items):
                continue
            q = partners[items]
            if self._implicit():
                a, b = gram + (q.T * (self.alpha * values)) @ q, q.T @ (1 + self.alpha * values)
            else:
                a, b = q.T @ q, q.T @ (values - apart[items])
            ridge = np.concatenate([np.full(rank, a.trace() / len(a)), a.diagonal()[rank:]]) * _LEAST_RIDGE
            a[np.diag_indices_from(a)] += np.maximum(penalties * (len(items) if self._by_rating else 1), ridge)
            found[u] = self._solve(a, b)
        return found[:, :rank], found[:, rank] if biased else np.zeros(len(found))

    def _solve(self, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        """The x >= 0, or any, that minimises x' a x / 2 - b' x."""
        if not getattr(self, "nonnegative", False):
            try:
                return np.linalg.solve(a, b)
            except np.linalg.LinAlgError:  # all factors of the items are 0
                return np.zeros(len(b))
        x = np.zeros(len(b))
        diagonal = a.diagonal()
        for _ in range(1000):  # coordinate descent, as of the app als
            moved = 0.0
            for i in range(len(b)):
                wanted = max(0.0, x[i] + (b[i] - a[i] @ x) / diagonal[i]) if diagonal[i] > 0 else 0.0
                moved = max(moved, abs(wanted - x[i]))
                x[i] = wanted
            if moved <= 1e-10 * x.max():
                break
        return x

    def inverse_transform(self, W: Any) -> np.ndarray:
        """The ratings of all items that factors of users predict, without biases of the users.

        Parameters
        ----------
        W : array-like of shape (n_users, n_components)

        Returns
        -------
        ndarray of shape (n_users, n_items)
        """
        self._check_is_fitted()
        return np.asarray(W, dtype=np.float64) @ self.item_factors_.T + (self.base_ + self.item_biases_)

    # ---- ratings and recommendations

    def predict_ratings(self, user_ids: Any, item_ids: Any) -> np.ndarray:
        """The predicted rating of each pair of a user and an item.

        Parameters
        ----------
        user_ids, item_ids : int or array-like of int of shape (n_pairs,)
            Rows and columns of the data; of a fit from files, positions in `user_names_` and `item_names_`.

        Returns
        -------
        ndarray of shape (n_pairs,)
            Preferences between about 0 and 1 with `ALS(implicit=True)`; log-odds with loss='logistic'; with loss='bpr'
            only their order for a user has a meaning.
        """
        self._check_is_fitted()
        users, items = np.atleast_1d(user_ids), np.atleast_1d(item_ids)
        products = np.einsum("ij,ij->i", self.user_factors_[users], self.item_factors_[items], dtype=np.float64)
        return self.base_ + self.user_biases_[users] + self.item_biases_[items] + products

    def recommend(self, user_ids: Any = None, n: int = 10, exclude_seen: bool = True) -> tuple[np.ndarray, np.ndarray]:
        """The best items of each user.

        Parameters
        ----------
        user_ids : int, array-like of int, sparse matrix of shape (n_users, n_items) or None
            Users of the fit, by their rows; None: all of them.  A sparse matrix has the ratings of other users, whose
            factors are computed as by `transform`.
        n : int
            The number of items.
        exclude_seen : bool
            Whether items are left out that the user has rated in the data of the fit, or in that matrix.

        Returns
        -------
        items : ndarray of shape (n_users, n), or (n,) for a single user
            The best first.  -1 where a user has no more items.
        scores : ndarray of the same shape
            The predicted ratings; -inf where there is no item.

        Raises
        ------
        ValueError
            If seen items are to be left out, and the model was fitted to several files or loaded from a folder: its
            data is not in memory.  A single file of the fit is read again.
        IndexError
            If there is no such user.
        """
        self._check_is_fitted()
        if is_sparse(user_ids):
            rows = self._ratings(self._check_rows(user_ids, fitting=False))
            factors, biases = self._fold_in(rows)
            seen: Any
            seen, users = (rows.indptr, rows.indices), np.arange(rows.shape[0])
        else:
            factors, biases, seen = self.user_factors_, self.user_biases_, getattr(self, "_seen", None)
            users = np.arange(len(factors)) if user_ids is None else np.atleast_1d(np.asarray(user_ids))
            users = np.arange(len(factors))[users]  # negative ones count from the end
        n = int(n)
        if n < 1:
            raise ValueError(f"n={n}: expected at least 1")
        single = user_ids is not None and not is_sparse(user_ids) and np.ndim(user_ids) == 0
        if exclude_seen and seen is None:
            items, scores = self._recommend_by_file(users, n)
            return (items[0], scores[0]) if single else (items, scores)
        items = np.full((len(users), n), -1, dtype=np.int64)
        scores = np.full((len(users), n), -np.inf)
        for first in range(0, len(users), _TOGETHER):
            some = users[first:first + _TOGETHER]
            ranking = self.inverse_transform(factors[some]) + biases[some, np.newaxis]
            ranking[:, ~self._known_items] = -np.inf
            if exclude_seen:
                for row, user in zip(ranking, some):
                    row[seen[1][seen[0][user]:seen[0][user + 1]]] = -np.inf
            items[first:first + len(some)], scores[first:first + len(some)] = _largest(ranking, n)
        return (items[0], scores[0]) if single else (items, scores)

    def _recommend_by_file(self, users: np.ndarray, n: int) -> tuple[np.ndarray, np.ndarray]:
        """Without the items that the users have rated in the file of the fit, which `rota recommend` reads again."""
        if not hasattr(self, "_seen_file"):
            raise ValueError("the ratings of a model from a folder or several files are not in memory: pass "
                             "exclude_seen=False, or the users' ratings as a sparse matrix")
        asked, places = np.unique(users, return_inverse=True)
        with tempfile.TemporaryDirectory(prefix="rota-users-") as folder:
            file = pathlib.Path(folder) / "users"
            file.write_text("".join(f"{name}\n" for name in self.user_names_[asked]), "utf-8", "surrogateescape")
            text = self._model.command("recommend", {**self._seen_file, "top": str(n), "users": str(file)})
        numbers = [{name: i for i, name in enumerate(names)} for names in (self.user_names_[asked], self.item_names_)]
        items, found = np.full((len(asked), n), -1, dtype=np.int64), np.zeros(len(asked), dtype=np.int64)
        for user, item, _ in list(csv.reader(io.StringIO(text, newline="")))[1:]:
            row = numbers[0][user]
            items[row, found[row]] = numbers[1][item]
            found[row] += 1
        scores = self.predict_ratings(np.repeat(asked, n), items.ravel()).reshape(items.shape)
        scores[items < 0] = -np.inf
        return items[places], scores[places]

    def similar_items(self, item_ids: Any, n: int = 10) -> tuple[np.ndarray, np.ndarray]:
        """The items most similar to each item, without itself, by the cosine of their factors.

        Parameters
        ----------
        item_ids : int or array-like of int of shape (n_asked,)
        n : int

        Returns
        -------
        items : ndarray of shape (n_asked, n), or (n,) for a single item
            The most similar first.  -1 where there are no more.
        cosines : ndarray of the same shape
        """
        self._check_is_fitted()
        return _similar(self.item_factors_, self._known_items, item_ids, n)

    def similar_users(self, user_ids: Any, n: int = 10) -> tuple[np.ndarray, np.ndarray]:
        """The users most similar to each user, as `similar_items`."""
        self._check_is_fitted()
        return _similar(self.user_factors_, self.user_factors_.any(axis=1), user_ids, n)


def _side(file: Any, numbered: bool) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The names, factors and biases of users.csv or items.csv.  `numbered`: the names are numbers of rows or columns."""
    with open(file, encoding="utf-8", errors="surrogateescape", newline="") as lines:
        rank = len(lines.readline().split(",")) - 2
        if numbered:
            row = np.dtype([("name", np.int64), ("bias", np.float32), ("factors", np.float32, (rank,))])
            rows = np.loadtxt(lines, row, delimiter=",", comments=None, ndmin=1)
            return rows["name"], rows["factors"].copy(), rows["bias"].astype(np.float64)
        begin = lines.tell()
        names = np.array([cells[0] for cells in csv.reader(iter(lines.readline, ""))], dtype=object)
        lines.seek(begin)
        numbers = np.loadtxt(lines, np.float32, delimiter=",", comments=None, quotechar='"', ndmin=2,
                             usecols=range(1, rank + 2))
    return names, numbers[:, 1:].copy(), numbers[:, 0].astype(np.float64)


def _in_place(side: tuple[np.ndarray, np.ndarray, np.ndarray], count: int) -> tuple[Any, np.ndarray, np.ndarray]:
    """The same with a row for each row or column of a matrix, whose numbers are the names; 0 for those without."""
    places = side[0]
    factors, biases = np.zeros((count, side[1].shape[1]), dtype=np.float32), np.zeros(count)
    factors[places], biases[places] = side[1:]
    return side[0], factors, biases


def _rated(ratings: Any) -> np.ndarray:
    """Which columns of a CSR matrix have entries."""
    rated = np.zeros(ratings.shape[1], dtype=bool)
    for first in range(0, ratings.nnz, _AT_A_TIME):  # NumPy makes a larger copy of indices
        rated[ratings.indices[first:first + _AT_A_TIME]] = True
    return rated


def _largest(ranking: np.ndarray, n: int) -> tuple[np.ndarray, np.ndarray]:
    """The places of the n largest numbers of each row, and these; -1 and -inf where there are no more."""
    kept = min(n, ranking.shape[1])
    places = np.argpartition(-ranking, kept - 1, axis=1)[:, :kept] if kept < ranking.shape[1] else np.broadcast_to(
        np.arange(kept), ranking.shape)
    values = np.take_along_axis(ranking, places, axis=1)
    order = np.lexsort((places, -values), axis=1)
    places, values = np.take_along_axis(places, order, axis=1), np.take_along_axis(values, order, axis=1)
    padding = ((0, 0), (0, n - kept))
    return (np.pad(np.where(np.isneginf(values), -1, places), padding, constant_values=-1),
            np.pad(values, padding, constant_values=-np.inf))


def _similar(factors: np.ndarray, known: np.ndarray, asked: Any, n: int) -> tuple[np.ndarray, np.ndarray]:
    if n < 1:
        raise ValueError(f"n={n}: expected at least 1")
    lengths = np.linalg.norm(factors.astype(np.float64), axis=1)
    directions = factors / np.where(lengths > 0, lengths, 1)[:, np.newaxis]
    ids = np.arange(len(factors))[np.atleast_1d(np.asarray(asked))]
    cosines = directions[ids] @ directions.T
    cosines[:, ~known] = -np.inf
    cosines[np.arange(len(ids)), ids] = -np.inf
    items, values = _largest(cosines, int(n))
    return (items[0], values[0]) if np.ndim(asked) == 0 else (items, values)


_PARAMETERS = """
    max_iter : int
        The number of epochs.
    random_state : int, numpy.random.RandomState, numpy.random.Generator or None
        The seed.  Equal seeds give equal models.
    workers, threads, hosts, slurm, out, verbose
        How the fit runs: see `rota.Estimator`.

    Attributes
    ----------
    user_factors_ : ndarray of shape (n_users, n_components), float32
        0 for users without ratings, and so for items.
    item_factors_ : ndarray of shape (n_items, n_components), float32
    components_ : ndarray of shape (n_components, n_items), float32
        The transpose of `item_factors_`.
    user_biases_, item_biases_ : ndarray of shape (n_users,), (n_items,)
        0 in a model without.
    base_ : float
        What is added to every prediction: the mean of the ratings with biases, or if the ratings are far from 0 a
        number near it; else 0.
    user_names_, item_names_ : ndarray of str
        Of ratings from a file, in the order of their first occurrence there.
    n_iter_ : int
    n_features_in_ : int
        The number of items.
    feature_names_in_ : ndarray of str
        The columns of a data frame.
    model_hash_ : str
        Equal for equal models, however they were fitted.
"""


def _documented(cls: Any) -> Any:
    """Adds what all factorisations have in common to the docstring."""
    cls.__doc__ = cls.__doc__.rstrip() + _PARAMETERS
    return cls


@_documented
@dataclass(eq=False, repr=False)
class MF(_Factorisation):
    """Matrix factorisation by stochastic gradient descent.

    With n_u the number of ratings of user u, and n_i that of item i, it minimises

        sum over ratings of (r_ui - base - b_u - b_i - p_u . q_i)^2
            + regularization (sum_u n_u |p_u|^2 + sum_i n_i |q_i|^2)

    Parameters
    ----------
    n_components : int
        The number of factors.
    regularization : float or None
        None: 0.05, for factors times the ratings' deviation if that is not from 1/16 to 16.
    biases : bool
        Whether ratings are explained first by their mean and a bias of each user and item.
    loss : {'squared', 'logistic', 'bpr'}
        'logistic': ratings are labels, 1, and 0 or -1.  'bpr': they are how often an item was used, and an order of the
        items is learned for each user.  `transform` is for 'squared'.
    learning_rate : float
        The initial one.
    nonnegative : bool
        Whether no factor is below 0.
    """

    n_components: int = 32
    _: KW_ONLY
    regularization: float | None = None
    biases: bool = True
    loss: str = "squared"
    learning_rate: float = 0.1
    nonnegative: bool = False
    max_iter: int = 20
    random_state: Any = None

    _app = "mf"

    def _options(self) -> dict[str, Any]:
        return {"lambda": self.regularization, "biases": self.biases, "loss": self.loss,
                "learning_rate": float(self.learning_rate), "nonnegative": self.nonnegative}

    @classmethod
    def _of_options(cls, options: dict[str, str], **common: Any) -> MF:
        return super()._of_options(options, biases=options.get("biases") == "true", loss=options["loss"],
                                   learning_rate=float(options["learning_rate"]),
                                   nonnegative=options.get("nonnegative") == "true", **common)

    def _fold_in(self, rows: Any) -> tuple[np.ndarray, np.ndarray]:
        if self.loss != "squared":
            raise ValueError(f"factors of other users are computed by least squares: not with loss={self.loss!r}")
        return super()._fold_in(rows)


@_documented
@dataclass(eq=False, repr=False)
class ALS(_Factorisation):
    """Matrix factorisation by alternating least squares, of explicit ratings or implicit feedback.

    With n_u the number of ratings of user u, and n_i that of item i, or 1 for both with `penalty='row'`, it minimises

        sum over ratings of (r_ui - base - b_u - b_i - p_u . q_i)^2  +  penalty,      or with `implicit`
        sum over all pairs of (1 + alpha r_ui) (p_ui - p_u . q_i)^2  +  penalty,      p_ui = 1 if r_ui > 0, else 0
        penalty = regularization (sum_u n_u |p_u|^2 + sum_i n_i |q_i|^2)

    The second one is Hu, Koren and Volinsky's (2008).  The package `implicit` has alpha r_ui in place of
    1 + alpha r_ui, and penalty='row'.

    Parameters
    ----------
    n_components : int
        The number of factors.
    implicit : bool
        Whether ratings are how often something was used: above 0, or 0 for nothing.
    alpha : float
        The weight of what was used, with `implicit`.
    regularization : float or None
        None: 5 with `implicit`, else 0.05, for factors times the ratings' deviation if that is not from 1/16 to 16.
    penalty : {'rating', 'row'}
        How often the penalty of a user or an item counts.
    biases : bool
        Whether ratings are explained first by their mean and a bias of each user and item; not with `implicit`.
    nonnegative : bool
        Whether no factor is below 0.
    """

    n_components: int = 32
    _: KW_ONLY
    implicit: bool = False
    alpha: float = 40.0
    regularization: float | None = None
    penalty: str = "rating"
    biases: bool = False
    nonnegative: bool = False
    max_iter: int = 20
    random_state: Any = None

    _app = "als"

    def _more_tags(self) -> dict[str, Any]:
        return {"requires_positive_X": bool(self.implicit)}

    def _implicit(self) -> bool:
        return bool(self.implicit)

    def _options(self) -> dict[str, Any]:
        return {"lambda": self.regularization, "implicit": self.implicit, "lambda_by": self.penalty,
                "alpha": float(self.alpha) if self.implicit else None, "biases": self.biases,
                "nonnegative": self.nonnegative}

    @classmethod
    def _of_options(cls, options: dict[str, str], **common: Any) -> ALS:
        return super()._of_options(options, implicit=options.get("implicit") == "true",
                                   alpha=float(options.get("alpha", 40)), penalty=options["lambda_by"],
                                   biases=options.get("biases") == "true",
                                   nonnegative=options.get("nonnegative") == "true", **common)


@_documented
@dataclass(eq=False, repr=False)
class CCD(_Factorisation):
    """Matrix factorisation by cyclic coordinate descent (CCD++).

    It minimises what `ALS` does with explicit ratings, without biases.

    Parameters
    ----------
    n_components : int
        The number of factors.
    regularization : float or None
        None: 0.05, for factors times the ratings' deviation if that is not from 1/16 to 16.
    penalty : {'rating', 'row'}
        How often the penalty of a user or an item counts.
    nonnegative : bool
        Whether no factor is below 0.
    """

    n_components: int = 32
    _: KW_ONLY
    regularization: float | None = None
    penalty: str = "rating"
    nonnegative: bool = False
    max_iter: int = 20
    random_state: Any = None

    _app = "ccd"

    def _options(self) -> dict[str, Any]:
        return {"lambda": self.regularization, "lambda_by": self.penalty, "nonnegative": self.nonnegative}

    @classmethod
    def _of_options(cls, options: dict[str, str], **common: Any) -> CCD:
        by = options["lambda_by"]
        return super()._of_options(options, penalty="rating" if by == "auto" else by,
                                   nonnegative=options.get("nonnegative") == "true", **common)


@_documented
@dataclass(eq=False, repr=False)
class NMF(_Factorisation):
    """Non-negative matrix factorisation, by alternating least squares.

    It minimises half of

        sum over ratings of (r_ui - w_u . h_i)^2  +  alpha_W (sum_u n_u |w_u|^2 + sum_i n_i |h_i|^2),    w, h >= 0

    with n_u the number of ratings of user u, and n_i that of item i.  For a dense array, and for a sparse matrix that
    stores all entries, this is the objective of scikit-learn's NMF with the same `alpha_W` and l1_ratio=0.  For other
    sparse matrices it is not: there, scikit-learn takes entries that are not stored as 0, and here they are unknown.
    From ratings far from 0, whose mean is more than 16 times their deviation, `base_` is subtracted first.

    Parameters
    ----------
    n_components : int or None
        The number of factors.  None: that of the columns of X, which must not be a path.
    alpha_W : float
        The weight of the penalty.
    """

    n_components: int | None = None
    _: KW_ONLY
    alpha_W: float = 0.0
    max_iter: int = 200
    random_state: Any = None

    _app = "als"
    nonnegative = True

    def _more_tags(self) -> dict[str, Any]:
        return {"requires_positive_X": True}

    def _options(self) -> dict[str, Any]:
        return {"lambda": float(self.alpha_W), "lambda_by": "rating", "nonnegative": True}

    @classmethod
    def _of_options(cls, options: dict[str, str], **common: Any) -> NMF:
        return cls(alpha_W=float(options.get("lambda") or 0.05), **common)
