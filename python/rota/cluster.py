"""k-means clustering."""
from __future__ import annotations

import json
import warnings
from dataclasses import KW_ONLY, dataclass
from typing import Any

import numpy as np

from . import _training
from ._transformer import Transformer, as_input, exported, numbers_in, shards_of
from ._validation import READING_ROWS, ConvergenceWarning, as_reading, as_seed, is_path, is_sparse, shared

__all__ = ["KMeans"]

_INITS = {"k-means++": "plusplus", "random": "random"}


@dataclass(eq=False, repr=False)
class KMeans(Transformer):
    """k-means clustering by Lloyd's algorithm.

    It minimises the inertia, the sum of the squared distances of the samples to the centres of their clusters.

    Parameters
    ----------
    n_clusters : int
        The number of clusters.
    init : {'k-means++', 'random'} or array-like of shape (n_clusters, n_features)
        How a start draws its centres: samples that are mostly far from each other (greedy k-means++, as of
        scikit-learn), or any samples.  An array has the first centres.
    n_init : 'auto' or int
        The number of starts; the best one is kept.  'auto': 10 with init='random', else 1.  An array as `init` has one.
    max_iter : int
        The most steps of a start.
    tol : float
        A start ends when a step lowers the inertia by less than this share of it (scikit-learn's `tol` is for the
        centres).  0: when no sample changes its cluster.
    random_state : int, numpy.random.RandomState, numpy.random.Generator or None
        The seed.  Equal seeds give equal models.
    workers, threads, hosts, slurm, out, verbose
        How the fit runs: see `rota.Estimator`.

    Attributes
    ----------
    cluster_centers_ : ndarray of shape (n_clusters, n_features)
        NaN for a cluster without samples, which happens only if fewer than `n_clusters` samples are different.
    labels_ : ndarray of shape (n_samples,), int32
        The cluster of the nearest centre, as `predict` has it.
    inertia_ : float
    n_iter_ : int
        The steps of all starts.
    n_features_in_ : int
    feature_names_in_ : ndarray of str
        The columns of a data frame.
    model_hash_ : str
        Equal for equal models, however they were fitted.
    """

    n_clusters: int = 8
    _: KW_ONLY
    init: Any = "k-means++"
    n_init: int | str = "auto"
    max_iter: int = 300
    tol: float = 1e-6
    random_state: Any = None

    _estimator_type = "clusterer"

    def fit(self, X: Any, y: Any = None, **reading: Any) -> KMeans:
        """Computes the clusters.

        Parameters
        ----------
        X : array-like, data frame or sparse matrix of shape (n_samples, n_features), or path
            A path names a file, or several, as of `rota train kmeans --input`.
        y : ignored
        **reading
            How the files of a path are read: `format`, `target`, `separator`, `missing`, `index_from`, as of
            `rota train`.

        Returns
        -------
        KMeans
            Itself.

        Raises
        ------
        ValueError
            If X has fewer than `n_clusters` samples or numbers that are not finite, or a parameter is wrong.
        rota.Error
            If training fails; for wrong files rota.DataError, rota.NoInput.
        """
        rows, reading = None, as_reading(X, reading, READING_ROWS)
        if not is_path(X):
            X = self._check_rows(X, fitting=True)
            rows = X.shape[0]
            if rows < self.n_clusters:
                raise ValueError(f"n_samples={rows} should be >= n_clusters={self.n_clusters}.")
        options: dict[str, Any] = {"clusters": self.n_clusters, "tolerance": float(self.tol),
                                   "seed": as_seed(self.random_state), "shards": shards_of(rows), **reading}
        starts: Any = 1
        if isinstance(self.init, str):
            if self.init not in _INITS:
                raise ValueError(f"init={self.init!r}: expected 'k-means++', 'random' or an array of centres")
            options["init"] = _INITS[self.init]
            starts = self.n_init if self.n_init != "auto" else 10 if self.init == "random" else 1
            options["restarts"] = starts
        else:
            centres = np.asarray(self.init, dtype=np.float64)
            wanted = (self.n_clusters, centres.shape[-1] if rows is None else X.shape[1])
            if centres.shape != wanted or not np.isfinite(centres).all():
                raise ValueError(f"init has shape {centres.shape}: expected {wanted}, (n_clusters, n_features), and "
                                 "finite numbers")
            options["centres"] = centres.ravel()
        if self.max_iter < 1:
            raise ValueError(f"max_iter={self.max_iter}: expected at least 1")
        options["epochs"] = self.max_iter * starts + (starts > 1)  # the last one restores the best start
        self._take(_training.train("kmeans", options, X, **self._process_params()).model)
        if np.isnan(self.cluster_centers_).any():
            warnings.warn(f"fewer samples are different than n_clusters={self.n_clusters}: some clusters are empty",
                          shared(ConvergenceWarning), stacklevel=3)
        return self

    @classmethod
    def _from_model(cls, model: Any, y_classes: Any = None) -> KMeans:
        options = model.options
        estimator = cls(int(options["clusters"]), n_init=int(options.get("restarts", 1)),
                        tol=float(options["tolerance"]), random_state=int(options["seed"]))
        if options.get("init") == "random":
            estimator.init = "random"
        estimator._take(model)
        return estimator

    def _take(self, model: Any) -> None:
        keys, sums = model.table("sums")
        columns = int(model.facts["columns"])
        clusters = int(model.options["clusters"])
        table = np.zeros(((columns + 1) * clusters // sums.shape[1], sums.shape[1]))
        table[keys] = sums
        table = table.reshape(columns + 1, clusters)
        with np.errstate(divide="ignore", invalid="ignore"):
            self.cluster_centers_ = np.ascontiguousarray((table[:-1] * (1 / table[-1])).T)
        self.cluster_centers_[table[-1] == 0] = np.nan
        with exported(model) as folder:
            assigned = np.loadtxt(folder / "assignments.csv", delimiter=",", skiprows=1, usecols=(1, 2), ndmin=2)
        self.labels_ = assigned[:, 0].astype(np.int32)
        self.inertia_ = float((assigned[:, 1] ** 2).sum())
        self.n_features_in_ = columns
        self.n_iter_ = model.epochs
        self.model_hash_ = model.model_hash
        self._model = model

    @property
    def _n_features_out(self) -> int:
        return len(self.cluster_centers_)

    def predict(self, X: Any) -> np.ndarray:
        """The cluster of the nearest centre of each sample.

        Parameters
        ----------
        X : array-like, data frame or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,), int32
        """
        rows = self._check_rows(X, fitting=False)
        return numbers_in(self._model.command("predict", {}, [as_input(rows)]), np.int32)

    def fit_predict(self, X: Any, y: Any = None) -> np.ndarray:
        """Computes the clusters, and returns `labels_`.  Parameters as of `fit`."""
        return self.fit(X, y).labels_

    def transform(self, X: Any) -> np.ndarray:
        """The distance of each sample to each centre.

        Parameters
        ----------
        X : array-like, data frame or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_clusters)
            Infinite for a cluster without samples.
        """
        from scipy.spatial.distance import cdist
        rows = self._check_rows(X, fitting=False)
        centres = self.cluster_centers_
        if is_sparse(rows):
            # Some rows at a time as dense ones: differences are exact, while squares far from the origin cancel out.
            some = max(1, (1 << 22) // centres.shape[1])
            parts = [cdist(rows[i:i + some].toarray(), centres) for i in range(0, rows.shape[0], some)]
            distances = np.concatenate(parts)
        else:
            distances = cdist(rows, centres)
        distances[:, np.isnan(centres).any(axis=1)] = np.inf
        return distances

    def score(self, X: Any, y: Any = None) -> float:
        """The inertia of the samples with the fitted centres, negative.

        Parameters
        ----------
        X : array-like, data frame or sparse matrix of shape (n_samples, n_features)
        y : ignored

        Returns
        -------
        float
        """
        rows = self._check_rows(X, fitting=False)
        return -float(json.loads(self._model.command("evaluate", {}, [as_input(rows)]))["inertia"])
