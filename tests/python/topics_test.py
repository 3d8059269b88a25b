"""Topic models from Python: held-out perplexity next to scikit-learn's, weights that are no counts, copies."""
import gzip
import pathlib
import pickle
import tempfile
import unittest

import numpy as np
import rota
import scipy.sparse as sparse
from sklearn.base import clone
from sklearn.decomposition import LatentDirichletAllocation
from sklearn.feature_extraction.text import TfidfTransformer

SAMPLE = pathlib.Path(__file__).resolve().parents[2] / "apps/lda/sample"


def posts(count):
    with gzip.open(SAMPLE / "docword.kos.txt.gz", "rt") as file:
        documents, words = int(next(file)), int(next(file))
        next(file)
        table = np.loadtxt(file, dtype=np.int64, max_rows=105 * count)
    matrix = sparse.csr_matrix((table[:, 2].astype(float), (table[:, 0] - 1, table[:, 1] - 1)), (documents, words))
    return matrix[:count]


def synthetic(documents, seed, topics=4, words=40):
    """Counts of a corpus, and a label of each document: whether its first two topics have most of it."""
    random = np.random.RandomState(seed)
    phi = np.full((topics, words), 0.01)
    for k in range(topics):
        phi[k, k * (words // topics):(k + 1) * (words // topics)] = 1
    theta = random.dirichlet(np.full(topics, 0.3), documents)
    mean = theta @ (phi / phi.sum(axis=1, keepdims=True))
    return np.array([random.multinomial(60, p) for p in mean]), (theta[:, :2].sum(axis=1) > 0.5).astype(int)


def halves(counts, seed):
    """Each token of the documents in one of two matrices, at random."""
    first = counts.copy()
    first.data = np.random.RandomState(seed).binomial(counts.data.astype(int), 0.5).astype(float)
    second = counts - first
    first.eliminate_zeros(), second.eliminate_zeros()
    return first, second


def completion_perplexity(model, observed, rest):
    """Of the rest of each document, by the shares of topics that its observed half has."""
    theta = model.transform(observed)
    theta = theta / theta.sum(axis=1, keepdims=True)
    phi = model.components_ / model.components_.sum(axis=1, keepdims=True)
    coo = rest.tocoo()
    p = np.einsum("ij,ij->i", theta[coo.row], phi.T[coo.col])
    return np.exp(-(coo.data * np.log(p)).sum() / coo.data.sum())


class LdaTest(unittest.TestCase):
    def test_held_out_documents_are_predicted_no_worse_than_by_scikit_learn(self):
        counts = posts(600)
        train, (observed, rest) = counts[:500], halves(counts[500:], 0)
        ours = rota.LDA(10, random_state=0).fit(train)
        theirs = LatentDirichletAllocation(10, random_state=0, max_iter=30).fit(train)
        found, expected = (completion_perplexity(model, observed, rest) for model in (ours, theirs))
        self.assertLess(found, expected)
        np.testing.assert_allclose((ours.components_ - 0.1).sum(), train.sum(), rtol=1e-9)
        np.testing.assert_allclose((ours.components_ - 0.1).sum(axis=0), np.asarray(train.sum(axis=0)).ravel(),
                                   atol=1e-9)
        fast, exact = (ours.perplexity(counts[500:510], resample=which) for which in (False, True))
        self.assertLess(abs(fast / exact - 1), 0.1)
        self.assertLess(ours.perplexity(counts[500:]), theirs.perplexity(counts[500:]))
        total = counts[500:].sum()
        self.assertAlmostEqual(np.exp(-ours.score(counts[500:]) / total), ours.perplexity(counts[500:]), places=6)

    def test_topics_of_a_made_corpus_are_found(self):
        X, _ = synthetic(300, 0)
        model = rota.LDA(4, random_state=1, max_iter=50).fit(X)
        blocks = {frozenset(int(word) // 10 for word in words) for words in model.top_words(8)}
        self.assertEqual(blocks, {frozenset({k}) for k in range(4)})
        named = model.top_words(2, words=[f"word {i}" for i in range(40)])
        self.assertTrue(all(word.startswith("word ") for words in named for word in words))
        self.assertEqual(list(model.get_feature_names_out()), ["lda0", "lda1", "lda2", "lda3"])

    def test_every_form_of_counts_has_the_same_model(self):
        X, _ = synthetic(60, 2)
        expected = rota.LDA(3, random_state=0, max_iter=10).fit(X)
        with tempfile.TemporaryDirectory() as folder:
            out = pathlib.Path(folder) / "a run"
            np.save(pathlib.Path(folder) / "counts.npy", X)
            for form in (X.astype(float), X.astype(np.float32), sparse.csr_matrix(X), sparse.csc_matrix(X),
                         np.asfortranarray(X), pathlib.Path(folder) / "counts.npy"):
                self.assertEqual(clone(expected).fit(form).model_hash_, expected.model_hash_)
            run = clone(expected).set_params(workers=2, out=out).fit(X)
            self.assertEqual(run.model_hash_, expected.model_hash_)
            for copy in (pickle.loads(pickle.dumps(expected)), run, rota.load(out).estimator()):
                np.testing.assert_array_equal(copy.transform(X), expected.transform(X))
                np.testing.assert_array_equal(copy.components_, expected.components_)
            text = pathlib.Path(folder) / "texts.txt"
            text.write_text("cat dog cat\ndog \u00e9t\u00e9\ncat cat\n" * 4, encoding="utf-8")
            words = rota.LDA(2, random_state=0, max_iter=5).fit(text)
            self.assertEqual(list(words.words_), ["cat", "dog", "\u00e9t\u00e9"])
            self.assertLessEqual({word for some in words.top_words() for word in some}, set(words.words_))

    def test_weights_that_are_no_counts(self):
        X, _ = synthetic(200, 3)
        counts = rota.LDA(4, random_state=0, max_iter=30).fit(X)
        self.assertEqual(counts.weight_scale_, 1)
        halved = rota.LDA(4, random_state=0, max_iter=30).fit(X / 2)
        self.assertEqual(halved.weight_scale_, 2)
        np.testing.assert_allclose((halved.components_ - 0.25).sum(axis=0), X.sum(axis=0) / 2, atol=1e-9)
        weights = TfidfTransformer().fit_transform(X)
        model = rota.LDA(4, random_state=0, max_iter=30).fit(weights)
        error = abs((model.components_ - 0.25).sum(axis=0) - np.asarray(weights.sum(axis=0)).ravel())
        self.assertLess(error.max(), 0.05 * weights.sum(axis=0).max())
        blocks = {frozenset(int(word) // 10 for word in words) for words in model.top_words(8)}
        self.assertEqual(blocks, {frozenset({k}) for k in range(4)})
        np.testing.assert_allclose(model.transform(weights).sum(axis=1), 1)
        self.assertTrue(np.isfinite(model.perplexity(weights)))

    def test_unusual_data(self):
        X = np.zeros((10, 5))
        X[2, 1] = 3
        model = rota.LDA(3, random_state=0, max_iter=3).fit(X)
        np.testing.assert_allclose(model.transform(X)[0], 1 / 3)
        self.assertEqual(model.top_words(), [[name] if model.components_[k].max() > 1 else []
                                             for k, name in enumerate(["1"] * 3)])
        self.assertEqual(rota.LDA(1, max_iter=2).fit([[1, 2, 3]]).transform([[4, 0, 0]]).tolist(), [[1.0]])
        self.assertEqual(rota.LDA(9, max_iter=2).fit([[2]]).components_.shape, (9, 1))
        self.assertEqual(rota.LDA(2, max_iter=2).fit(np.ones((20, 3), dtype=bool)).weight_scale_, 1)

    def test_what_is_no_count_is_refused(self):
        for wrong, message in ((-1.0, "Negative"), (np.nan, "NaN"), (np.inf, "infinity"), (0.0, "no words"),
                               (1e12, "at most"), (1e-12, "too small"), (2.0 ** 25, "at most")):
            with self.subTest(wrong), self.assertRaisesRegex(ValueError, message):
                rota.LDA(2).fit(np.full((9, 2), wrong))
        for wrong in ({"n_components": 0}, {"doc_topic_prior": 0.0}, {"topic_word_prior": -1.0}, {"max_iter": 0}):
            with self.subTest(wrong), self.assertRaises(ValueError):
                rota.LDA(**wrong).fit(np.ones((9, 2)))
        model = rota.LDA(2, max_iter=2).fit(np.ones((9, 2)))
        with self.assertRaisesRegex(ValueError, "2 features"):
            model.transform(np.ones((1, 3)))
        with self.assertRaisesRegex(ValueError, "no words"):
            model.perplexity(np.zeros((1, 2)))


class MedLdaTest(unittest.TestCase):
    def test_labels_of_other_documents_are_predicted(self):
        X, y = synthetic(500, 4)
        names = np.array(["other", "first"])[y]
        model = rota.MedLDA(8, random_state=0, max_iter=40).fit(X[:300], names[:300])
        self.assertGreater(model.score(X[300:], names[300:]), 0.9)
        self.assertEqual(list(model.classes_), ["first", "other"])
        np.testing.assert_array_equal(model.predict(X) == "other", model.decision_function(X) > 0)
        np.testing.assert_allclose((model.components_ - 0.01).sum(axis=0), X[:300].sum(axis=0), atol=1e-6)
        copy = pickle.loads(pickle.dumps(model))
        np.testing.assert_array_equal(copy.decision_function(X[:5]), model.decision_function(X[:5]))
        alone = [model.decision_function(X[i:i + 1])[0] for i in range(5)]
        np.testing.assert_array_equal(alone, model.decision_function(X[:5]))
        best = model.top_words(5)[int(model.topic_weights_.argmax())]
        self.assertTrue(all(int(word) >= 20 for word in best))  # "other", the second class, has the last words

    def test_processes_have_the_same_model(self):
        X, y = synthetic(40, 6)
        X[:, 39] = 0  # the last word has no token
        model = rota.MedLDA(3, random_state=0, max_iter=5).fit(X, y)
        for form in (X, sparse.csr_matrix(X)):
            run = clone(model).set_params(workers=2).fit(form, y)
            self.assertEqual(run.model_hash_, model.model_hash_)
            np.testing.assert_array_equal(run.components_, model.components_)
            np.testing.assert_array_equal(run.decision_function(X), model.decision_function(X))

    def test_other_than_two_classes_are_refused(self):
        X, y = synthetic(30, 5)
        for wrong in (np.zeros(30), np.arange(30) % 3):
            with self.assertRaisesRegex(ValueError, "class"):
                rota.MedLDA(2).fit(X, wrong)


if __name__ == "__main__":
    unittest.main()
