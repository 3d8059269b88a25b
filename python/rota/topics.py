"""Topic models: latent Dirichlet allocation, and topics that predict a label."""
from __future__ import annotations

import csv
import json
import math
import pathlib
import re
import tempfile
from dataclasses import KW_ONLY, dataclass
from typing import Any

import numpy as np

from . import _training
from ._estimator import Classifier, Estimator
from ._transformer import Transformer, as_input, exported, numbers_in, shards_of
from ._validation import READING_ROWS, as_classes, as_reading, as_seed, is_path, is_sparse

__all__ = ["LDA", "MedLDA"]

_FINE = 8           # a mean weight becomes that many tokens, or up to twice as many, if weights are no whole numbers
_MOST_COUNT = {"LDA": 1 << 24, "MedLDA": 65535}  # of a word in a document
_LEAST_PRIOR, _MOST_PRIOR = {"LDA": 1e-9, "MedLDA": 1e-6}, 1e6


class _Topics(Estimator):
    """What both topic models have in common: weights of words as counts of tokens."""

    components_: np.ndarray
    _word_prior: float

    def _forget(self) -> None:
        """Removes what an earlier fit has found of its data."""
        for name in ("feature_names_in_", "words_", "n_features_in_"):
            vars(self).pop(name, None)
        self.weight_scale_ = 1

    def _check_weights(self, X: Any, *, fitting: bool) -> Any:
        return self._check_rows(X, fitting=fitting, nonnegative=True)

    def _counts(self, rows: Any) -> Any:
        """The weights as numbers of tokens, `weight_scale_` times as large and rounded."""
        name = type(self).__name__
        values = rows.data if is_sparse(rows) else rows
        if values.size and values.max() * self.weight_scale_ > _MOST_COUNT[name]:
            raise ValueError(f"X has a weight of {values.max():g}: {name} takes at most "
                             f"{_MOST_COUNT[name] // self.weight_scale_} tokens of a word in a document")
        if self.weight_scale_ == 1 and _whole(values):
            return rows
        counts = np.rint(values * float(self.weight_scale_))
        if not is_sparse(rows):
            return counts
        counts = type(rows)((counts, rows.indices, rows.indptr), shape=rows.shape)
        if counts.nnz and not counts.data.all():
            counts = counts.copy()
            counts.eliminate_zeros()
        return counts

    def _scaled_prior(self, name: str, default: float) -> float:
        prior = getattr(self, name)
        prior = default if prior is None else float(prior)
        kind = type(self).__name__
        least = _LEAST_PRIOR[kind]
        if not least <= prior <= _MOST_PRIOR:
            raise ValueError(f"{name}={prior!r}: expected a number from {least:g} to {_MOST_PRIOR:g}")
        if prior * self.weight_scale_ > _MOST_PRIOR:
            raise ValueError(f"the weights of X are too small beside {name}={prior!r}: multiply X, or divide the prior")
        return prior * self.weight_scale_

    def top_words(self, n: int = 10, words: Any = None) -> list[list[str]]:
        """The words of each topic with the largest weights.

        Parameters
        ----------
        n : int
            The most words of a topic; those without a token in it are left out.
        words : array-like of str of shape (n_features,) or None
            The names of the columns, as of a vectorizer's `get_feature_names_out()`.  None: those of the data frame or
            file that was fitted, else their numbers.

        Returns
        -------
        list of list of str
            For each topic, the largest weight first.
        """
        self._check_is_fitted()
        if words is None:
            words = getattr(self, "feature_names_in_", getattr(self, "words_", None))
        names = [str(i) for i in range(self.n_features_in_)] if words is None else [str(word) for word in words]
        if len(names) != self.n_features_in_:
            raise ValueError(f"words has {len(names)} names, and the model {self.n_features_in_} words")
        best = np.argsort(-self.components_, axis=1, kind="stable")[:, :n]
        return [[names[i] for i in places if topic[i] > self._word_prior]
                for topic, places in zip(self.components_, best)]


def _whole(values: np.ndarray) -> bool:
    return values.dtype.kind in "iu" or bool((values == np.trunc(values)).all())


def _scale_of(rows: Any) -> int:
    """The power of 2 by which weights become numbers of tokens: the least that makes all of them whole, or makes their
    mean at least _FINE."""
    values = rows.data if is_sparse(rows) else rows
    if _whole(values):
        return 1
    values = values[values > 0].astype(np.float64)
    enough = max(0, math.ceil(math.log2(_FINE / values.mean())))
    for exponent in range(min(enough, 12)):
        if _whole(np.ldexp(values, exponent)):
            return 1 << exponent
    return 1 << enough


def _write_libsvm(file: pathlib.Path, counts: Any, labels: np.ndarray) -> None:
    """Writes counts and labels as LIBSVM text, whose first row has an entry of 0 that states the number of columns."""
    from scipy.sparse import csr_matrix
    rows = csr_matrix(counts)
    with open(file, "w", encoding="ascii") as out:
        for r, label in enumerate(labels):
            some = slice(rows.indptr[r], rows.indptr[r + 1])
            words = [f"{j + 1}:{int(x)}" for j, x in zip(rows.indices[some], rows.data[some])]
            if r == 0 and rows.shape[1] - 1 not in rows.indices[some]:
                words.append(f"{rows.shape[1]}:0")
            out.write(f"{int(label)} {' '.join(words)}\n")


@dataclass(eq=False, repr=False)
class LDA(_Topics, Transformer):
    """Latent Dirichlet allocation by collapsed Gibbs sampling.

    Parameters, attributes and methods are those of scikit-learn's LatentDirichletAllocation where they mean the same.

    Weights that are no whole numbers, of tf-idf for example, count as shares of tokens.  The sampler draws topics for
    whole tokens.  So X is multiplied by `weight_scale_`, a power of 2, and rounded, and the priors are multiplied by
    the same: this keeps the maxima of the posterior distribution and makes it narrower, as several topics for each
    token do (SAME; Zhao, Jiang and Canny, 2015).  The scale is the least that makes all weights whole; or else one with
    8 to 16 tokens for the mean of the weights above 0: then others are rounded to multiples of 1/8 of the mean or
    finer, and those below half of that count as 0.  Counts have the scale 1, and nothing is rounded.

    Parameters
    ----------
    n_components : int
        The number of topics.
    doc_topic_prior : float or None
        The Dirichlet parameter of each topic in a document, alpha.  None: 1 / n_components.
    topic_word_prior : float or None
        The Dirichlet parameter of each word in a topic, beta or eta.  None: 1 / n_components.
    max_iter : int
        The number of sweeps over all tokens, after the one that draws their first topics.
    random_state : int, numpy.random.RandomState, numpy.random.Generator or None
        The seed.  Equal seeds give equal models.
    workers, threads, hosts, slurm, out, verbose
        How the fit runs: see `rota.Estimator`.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        The weight of each word in each topic: its tokens with the topic, and the prior.  Divided by the sums of the
        rows, these are the distributions of words.
    doc_topic_prior_, topic_word_prior_ : float
    weight_scale_ : int
        By which weights of X are multiplied.
    n_iter_ : int
    n_features_in_ : int
    feature_names_in_ : ndarray of str
        The columns of a data frame.
    words_ : ndarray of str
        The words of a file.
    model_hash_ : str
        Equal for equal models, however they were fitted.
    """

    n_components: int = 10
    _: KW_ONLY
    doc_topic_prior: float | None = None
    topic_word_prior: float | None = None
    max_iter: int = 100
    random_state: Any = None

    def _more_tags(self) -> dict[str, Any]:
        return {"requires_positive_X": True}

    def fit(self, X: Any, y: Any = None, **reading: Any) -> LDA:
        """Samples the topics of all tokens.

        Parameters
        ----------
        X : array-like, data frame or sparse matrix of shape (n_documents, n_words), or path
            How often each word occurs in each document.  A path names a file of documents, or several, as of
            `rota train lda --input`; those have whole numbers.
        y : ignored
        **reading
            How the files of a path are read: `format`, `target`, `separator`, `missing`, `index_from`, as of
            `rota train`.

        Returns
        -------
        LDA
            Itself.

        Raises
        ------
        ValueError
            If X has no words, negative numbers, numbers that are not finite, or above 2^24; or a parameter is wrong.
        rota.Error
            If training fails; for wrong files rota.DataError, rota.NoInput.
        """
        if self.max_iter < 1:
            raise ValueError(f"max_iter={self.max_iter}: expected at least 1")
        reading = as_reading(X, reading, READING_ROWS)
        self._forget()
        options: dict[str, Any] = {**reading, "topics": self.n_components, "epochs": self.max_iter,
                                   "seed": as_seed(self.random_state)}
        if not is_path(X):
            rows = self._check_weights(X, fitting=True)
            if not (rows.data if is_sparse(rows) else rows).any():
                raise ValueError(f"X of shape {rows.shape} has no words: all counts are 0")
            self.weight_scale_ = _scale_of(rows)
            X = self._counts(rows)
            options["shards"] = shards_of(rows.shape[0])
        default = 1 / self.n_components if self.n_components > 0 else 1.0
        options["alpha"] = self._scaled_prior("doc_topic_prior", default)
        options["beta"] = self._scaled_prior("topic_word_prior", default)
        return self._take(_training.train("lda", options, X, **self._process_params()).model, is_path(X))

    @classmethod
    def _from_model(cls, model: Any, y_classes: Any = None) -> LDA:
        options = model.options
        estimator = cls(int(options["topics"]), doc_topic_prior=float(options.get("alpha") or 0.1),
                        topic_word_prior=float(options["beta"]), max_iter=max(1, int(options["epochs"])),
                        random_state=int(options["seed"]))
        estimator.weight_scale_ = 1
        return estimator._take(model, True)

    def _take(self, model: Any, named: bool) -> LDA:
        with exported(model) as folder:
            # The names of words in CSV files may have blanks.
            lines = [re.fullmatch(r"(.*?)((?: \d+:\d+)*)", line, re.DOTALL).groups()  # type: ignore[union-attr]
                     for line in (folder / "word_topic.txt").read_text("utf-8", "surrogateescape").split("\n")[:-1]]
            alphas = [float(line.split("\t")[1]) for line in (folder / "topics.txt").read_text(
                "utf-8", "surrogateescape").split("\n")[:-1]]
            beta = float((folder / "priors.txt").read_text().split()[-1])
        scale = self.weight_scale_ * int(model.options.get("copies", 1))
        counts = np.zeros((len(lines), len(alphas)))
        pairs = numbers_in("".join(cells for _, cells in lines).replace(":", " ")).reshape(-1, 2)
        words = np.repeat(np.arange(len(lines)), [cells.count(":") for _, cells in lines])
        counts[words, pairs[:, 0].astype(np.int64)] = pairs[:, 1]
        self.doc_topic_prior_ = float(np.mean(alphas)) / self.weight_scale_
        self.topic_word_prior_ = self._word_prior = beta / self.weight_scale_
        self.components_ = np.ascontiguousarray(counts.T) / scale + self.topic_word_prior_
        self.n_features_in_ = len(lines)
        if named:
            self.words_ = np.array([name for name, _ in lines], dtype=object)
        self.n_iter_ = model.epochs
        self.model_hash_ = model.model_hash
        self._model = model
        return self

    @property
    def _n_features_out(self) -> int:
        return len(self.components_)

    def transform(self, X: Any) -> np.ndarray:
        """The shares of the topics in each document, with the topics' words as fitted.

        Collapsed variational updates until they converge, as `rota predict lda`: each document has the same shares
        whatever the others are.

        Parameters
        ----------
        X : array-like, data frame or sparse matrix of shape (n_documents, n_words)

        Returns
        -------
        ndarray of shape (n_documents, n_components)
            Rows add up to 1.  Equal shares for a document without words.
        """
        counts = self._counts(self._check_weights(X, fitting=False))
        text = self._model.command("predict", {"layout": "table", "tolerance": "1e-6", "iterations": "1000"},
                                   [as_input(counts)])
        table = numbers_in(text.split("\n", 2)[2]).reshape(counts.shape[0], -1)[:, 1:]
        return table / table.sum(axis=1, keepdims=True)

    def score(self, X: Any, y: Any = None, *, resample: bool = False) -> float:
        """An estimate of the log-probability of documents, by the left-to-right method (Wallach et al., 2009).

        Parameters
        ----------
        X : array-like, data frame or sparse matrix of shape (n_documents, n_words)
        y : ignored
        resample : bool
            Whether all topics of a document are drawn again before each token: more exact, and much slower for long
            documents.

        Returns
        -------
        float
            The sum over all documents.

        Raises
        ------
        ValueError
            If no document has a word.
        """
        return self._evaluate(X, resample)[0]

    def perplexity(self, X: Any, *, resample: bool = False) -> float:
        """exp(-log-probability per word), as `score` estimates it.  Parameters as of `score`."""
        log_probability, words = self._evaluate(X, resample)
        return math.exp(-log_probability / words)

    def _evaluate(self, X: Any, resample: bool) -> tuple[float, float]:
        counts = self._counts(self._check_weights(X, fitting=False))
        if not (counts.data if is_sparse(counts) else counts).any():
            raise ValueError("X has no words: all counts are 0")
        found = json.loads(self._model.command("evaluate", {"resample": "true" if resample else "false"},
                                               [as_input(counts)]))
        return found["log_probability"] / self.weight_scale_, found["tokens"] / self.weight_scale_


@dataclass(eq=False, repr=False)
class MedLDA(_Topics, Classifier):
    """Topics that predict one of two classes: MedLDA by Gibbs sampling.

    Latent Dirichlet allocation and a support vector machine over the shares of the topics, sampled together (Zhu, Chen,
    Perkins and Zhang, JMLR 2014).  Weights that are no whole numbers are treated as by `rota.LDA`.

    Parameters
    ----------
    n_components : int
        The number of topics.
    doc_topic_prior : float
        The parameter of the prior of a document's topics, for each topic.
    topic_word_prior : float
        The parameter of the prior of a topic's words, for each word.
    cost : float
        The weight of the labels beside the words.
    margin : float
        The margin that the discriminant of a document should have.
    max_iter : int
        The number of sweeps over all tokens, after the one that draws their first topics.
    random_state : int, numpy.random.RandomState, numpy.random.Generator or None
        The seed.  Equal seeds give equal models.
    workers, threads, hosts, slurm, out, verbose
        How the fit runs: see `rota.Estimator`.  Without any of them, arrays of any size are fitted in this process.  A
        run on arrays that was interrupted cannot be resumed.

    Attributes
    ----------
    classes_ : ndarray of shape (2,)
    components_ : ndarray of shape (n_components, n_features)
        The weight of each word in each topic: its tokens with the topic, and the prior.
    topic_weights_ : ndarray of shape (n_components,)
        The weight of each topic for the second class.
    weight_scale_ : int
        By which weights of X are multiplied.
    n_iter_ : int
    n_features_in_ : int
    feature_names_in_ : ndarray of str
        The columns of a data frame.
    words_ : ndarray of str
        The words of a file with names: those with tokens.
    model_hash_ : str
        Equal for equal models, however they were fitted.
    """

    n_components: int = 20
    _: KW_ONLY
    doc_topic_prior: float = 0.16
    topic_word_prior: float = 0.01
    cost: float = 1.6
    margin: float = 64.0
    max_iter: int = 100
    random_state: Any = None

    def _more_tags(self) -> dict[str, Any]:
        # Its documents are texts.  scikit-learn's checks of scores have two columns: with two words, topics that follow
        # the labels of the training documents say little of others.
        return {"requires_positive_X": True, "binary_only": True, "poor_score": True}

    def fit(self, X: Any, y: Any = None, **reading: Any) -> MedLDA:
        """Samples the topics of all tokens, and the weights of the topics.

        Parameters
        ----------
        X : array-like, data frame or sparse matrix of shape (n_documents, n_words), or path
            How often each word occurs in each document.  A path names a file with labels, or several, as of
            `rota train medlda --input`: the classes are 1, for labels above 0, and -1.
        y : array-like of shape (n_documents,)
            The classes; not with a path.
        **reading
            How the files of a path are read: `format`, `target`, `separator`, `missing`, `index_from`, as of
            `rota train`.

        Returns
        -------
        MedLDA
            Itself.

        Raises
        ------
        ValueError
            If X has no words, negative numbers, numbers that are not finite, or above 65,535; if y has not two classes;
            or a parameter is wrong.
        rota.Error
            If training fails; for wrong files rota.DataError, rota.NoInput.
        """
        if self.max_iter < 1:
            raise ValueError(f"max_iter={self.max_iter}: expected at least 1")
        reading = as_reading(X, reading, READING_ROWS)
        self._forget()
        options: dict[str, Any] = {**reading, "topics": self.n_components, "epochs": self.max_iter, "cost": float(self.cost),
                                   "margin": float(self.margin), "seed": as_seed(self.random_state)}
        labels, classes = None, np.array([-1, 1])
        if not is_path(X):
            rows = self._check_weights(X, fitting=True)
            classes, codes = as_classes(y, rows.shape[0], estimator=type(self).__name__)
            if len(classes) != 2:
                raise ValueError("Only binary classification is supported. The type of the target is "
                                 f"{'multiclass' if len(classes) > 2 else 'binary'}, with {len(classes)} "
                                 f"class{'es' if len(classes) > 1 else ''}: {classes[:5]}")
            if not (rows.data if is_sparse(rows) else rows).any():
                raise ValueError(f"X of shape {rows.shape} has no words: all counts are 0")
            self.weight_scale_ = _scale_of(rows)
            X, labels = self._counts(rows), codes.astype(np.float64)
            options["shards"] = shards_of(rows.shape[0])
        options["alpha"] = self._scaled_prior("doc_topic_prior", 0.16)
        options["beta"] = self._scaled_prior("topic_word_prior", 0.01)
        process = self._process_params()
        if labels is None or process["workers"] == 0:
            return self._take(_training.train("medlda", options, X, labels, **process).model, classes)
        if process == {**process, "workers": None, "threads": 1, "hosts": None, "slurm": None, "out": None}:
            process["workers"] = 0
            return self._take(_training.train("medlda", options, X, labels, **process).model, classes)
        # The app has no data by shard: its processes read a file.
        with tempfile.TemporaryDirectory(prefix="rota-medlda-") as folder:
            file = pathlib.Path(folder) / "documents.libsvm"
            _write_libsvm(file, X, labels)
            return self._take(_training.train("medlda", options, file, **process).model, classes)

    @classmethod
    def _from_model(cls, model: Any, y_classes: Any = None) -> MedLDA:
        options = model.options
        estimator = cls(int(options["topics"]), doc_topic_prior=float(options["alpha"]),
                        topic_word_prior=float(options["beta"]), cost=float(options["cost"]),
                        margin=float(options["margin"]), max_iter=max(1, int(options["epochs"])),
                        random_state=int(options["seed"]))
        estimator.weight_scale_ = 1
        return estimator._take(model, np.array([-1, 1]) if y_classes is None else np.asarray(y_classes))

    def _take(self, model: Any, classes: np.ndarray) -> MedLDA:
        self.classes_ = classes
        self.topic_weights_ = model.table("weights")[1][0]
        self._word_prior = float(model.options["beta"]) / self.weight_scale_
        with exported(model) as folder, open(folder / "word_topic.csv", encoding="utf-8", errors="surrogateescape",
                                             newline="") as file:
            cells = list(csv.reader(file))[1:]
        if any(not cell[0].isdigit() for cell in cells):  # a file with names
            self.words_ = np.array(list(dict.fromkeys(cell[0] for cell in cells)), dtype=object)
            numbers = {name: number for number, name in enumerate(self.words_)}
            words = np.array([numbers[cell[0]] for cell in cells])
        else:
            words = np.array([int(cell[0]) - 1 for cell in cells])
        self.n_features_in_ = getattr(self, "n_features_in_", int(words.max()) + 1)
        self.components_ = np.full((len(self.topic_weights_), self.n_features_in_), self._word_prior)
        topics = np.array([int(cell[1]) for cell in cells])
        self.components_[topics, words] += np.array([float(cell[2]) for cell in cells]) / self.weight_scale_
        self.n_iter_ = model.epochs
        self.model_hash_ = model.model_hash
        self._model = model
        return self

    def decision_function(self, X: Any) -> np.ndarray:
        """The discriminant of each document: above 0 for the second class.

        The mean of 20 draws of its topics, which do not depend on other documents.

        Parameters
        ----------
        X : array-like, data frame or sparse matrix of shape (n_documents, n_words)

        Returns
        -------
        ndarray of shape (n_documents,)
        """
        counts = self._counts(self._check_weights(X, fitting=False))
        text = self._model.command("predict", {}, [as_input(counts)])
        return numbers_in(text).reshape(-1, 2)[:, 1]

    def predict(self, X: Any) -> np.ndarray:
        """The class of each document.

        Parameters
        ----------
        X : array-like, data frame or sparse matrix of shape (n_documents, n_words)

        Returns
        -------
        ndarray of shape (n_documents,)
        """
        second = self.decision_function(X) > 0
        return self.classes_[second.astype(np.int64)]
