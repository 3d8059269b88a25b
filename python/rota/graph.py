"""PageRank of a graph's nodes."""
from __future__ import annotations

import csv
import warnings
from dataclasses import KW_ONLY, dataclass
from typing import Any

import numpy as np

from . import _training
from ._estimator import Estimator
from ._transformer import exported, shards_of
from ._validation import READING_ENTRIES, ConvergenceWarning, as_reading, is_path, shared

__all__ = ["PageRank"]


@dataclass(eq=False, repr=False)
class PageRank(Estimator):
    """PageRank by power iteration.

    With A the adjacency matrix, N nodes, and W_u the sum of row u of A, the scores r are the fixed point of

        r_v = (1 - alpha) / N + alpha (D / N + sum_u A_uv r_u / W_u)

    where D is the sum of r_u over the nodes without edges out.  They add up to 1.  It is the definition of NetworkX.

    Parameters
    ----------
    alpha : float
        The probability of following an edge (damping); otherwise any node is next.
    tol : float
        The end: when a step changes the scores by less, summed over all nodes.
    max_iter : int
        The most steps.
    workers, threads, hosts, slurm, out, verbose
        How the fit runs: see `rota.Estimator`.

    Attributes
    ----------
    scores_ : ndarray of shape (n_nodes,)
        In the order of the rows of the matrix, or of `node_names_`.
    node_names_ : ndarray of str of shape (n_nodes,)
        Of a graph from a file, in the order of their first occurrence there.
    n_iter_ : int
        The steps; 0 for a graph without edges.
    n_features_in_ : int
        The number of nodes.
    model_hash_ : str or None
        Equal for equal models, however they were fitted.  It is that of the nodes with edges; None without edges.
    """

    alpha: float = 0.85
    _: KW_ONLY
    tol: float = 1e-9
    max_iter: int = 1000

    def _more_tags(self) -> dict[str, Any]:
        return {"pairwise": True, "requires_positive_X": True, "preserves_dtype": []}

    def fit(self, X: Any, y: Any = None, **reading: Any) -> PageRank:
        """Computes the scores.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_nodes, n_nodes), or path
            The number in row u and column v is the weight of the edge from u to v; 0 is no edge.  A path names a file
            with an edge a line, or several, as of `rota train pagerank --input`.
        y : ignored
        **reading
            How the files of a path are read: `format`, `separator`, `header`, `columns`, as of `rota train`.

        Returns
        -------
        PageRank
            Itself.

        Raises
        ------
        ValueError
            If X is not square, has weights below 0 or numbers that are not finite, or a parameter is wrong.
        rota.Error
            If training fails; for wrong files, and weights outside 1e-100 to 1e100, rota.DataError.
        """
        if self.max_iter < 1:
            raise ValueError(f"max_iter={self.max_iter}: expected at least 1")
        options: dict[str, Any] = {"damping": float(self.alpha), "tolerance": float(self.tol), "epochs": self.max_iter,
                                   **as_reading(X, reading, READING_ENTRIES)}
        vars(self).pop("node_names_", None)
        if is_path(X):
            return self._take(_training.train("pagerank", options, X, **self._process_params()).model)
        rows = self._check_rows(X, fitting=True, nonnegative=True)
        if rows.shape[0] != rows.shape[1]:
            raise ValueError(f"X has shape {rows.shape}: expected a square matrix, with a row and a column for each "
                             "node")
        edges = _edges(rows)
        if edges.nnz == 0:
            self.scores_ = np.full(rows.shape[0], 1 / rows.shape[0])
            self.n_iter_, self.model_hash_, self._model = 0, None, None
            return self
        connected = len(np.union1d(np.flatnonzero(np.diff(edges.indptr)), edges.indices))
        options["shards"] = shards_of(connected)
        return self._take(_training.train("pagerank", options, edges, **self._process_params()).model, edges)

    @classmethod
    def _from_model(cls, model: Any, y_classes: Any = None) -> PageRank:
        options = model.options
        return cls(float(options["damping"]), tol=float(options["tolerance"]))._take(model)

    def _take(self, model: Any, edges: Any = None) -> PageRank:
        with exported(model) as folder, open(folder / "ranks.csv", encoding="utf-8", newline="") as file:
            if edges is None:
                names, ranks = zip(*list(csv.reader(file))[1:])
                self.node_names_ = np.array(names, dtype=object)
                self.scores_ = np.array(ranks, dtype=np.float64)
            else:
                lines = np.loadtxt(file, [("node", np.int64), ("rank", np.float64)], delimiter=",", skiprows=1, ndmin=1)
                self.scores_ = _with_isolated(lines["rank"], lines["node"], edges, self.alpha)
        self.n_features_in_ = len(self.scores_)
        self.n_iter_ = model.epochs
        self.model_hash_ = model.model_hash
        self._model = model
        if not model.converged and self.tol > 0:
            warnings.warn(f"after max_iter={model.epochs} steps the scores still changed by more than tol",
                          shared(ConvergenceWarning), stacklevel=4)
        return self


def _edges(rows: Any) -> Any:
    """The numbers of a matrix that are not 0, as CSR."""
    from scipy.sparse import csr_matrix
    edges = csr_matrix(rows)
    if edges.nnz and not edges.data.all():
        edges = edges.copy()
        edges.eliminate_zeros()
    return edges


def _with_isolated(ranks: np.ndarray, nodes: np.ndarray, edges: Any, alpha: float) -> np.ndarray:
    """The scores of all nodes, from those of the nodes with edges.

    The fixed point is proportional to its constant term, which is b = (1 - alpha) / n + alpha D / n in a graph of the n
    nodes with edges.  With k more nodes, each of score s, all scores are those s / b times as large: s / b + k s = 1.
    """
    isolated = edges.shape[0] - len(nodes)
    dangling = np.diff(edges.indptr)[nodes] == 0
    b = (1 - alpha + alpha * ranks[dangling].sum()) / len(nodes)
    s = 1 / (1 / b + isolated) if isolated else b
    scores = np.full(edges.shape[0], s)
    scores[nodes] = ranks * (s / b)
    return scores
