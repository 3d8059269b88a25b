"""MedLDA against a plain sampler of the same model in NumPy, one model for any processes, and bad input."""
import numpy as np
from sklearn.datasets import dump_svmlight_file

from app_run import AppTest

COST, MARGIN, ALPHA, BETA = 1.6, 16, 0.16, 0.1
PRIORS = (f"--cost={COST}", f"--margin={MARGIN}", f"--alpha={ALPHA}", f"--beta={BETA}")


def generated(documents, words, seed, length=30):
    """Counts of words, and labels that two of four topics decide."""
    dice = np.random.default_rng(seed)
    phi = np.random.default_rng(1).dirichlet(np.full(words, 0.2), size=4)
    theta = dice.dirichlet(np.full(4, 0.3), size=documents)
    x = np.array([dice.multinomial(length, row @ phi) for row in theta])
    return x, np.where(theta @ [1, 1, -1, -1] > 0, 1, -1)


class PlainSampler:
    """Collapsed Gibbs sampling of each token in turn; lambda and eta as in Zhu et al., JMLR 2014, section 3.2."""

    def __init__(self, x, y, topics, seed):
        self.dice, self.y, self.topics = np.random.default_rng(seed), y, topics
        self.words = [np.repeat(np.arange(x.shape[1]), row) for row in x]
        self.z = [self.dice.integers(topics, size=len(words)) for words in self.words]
        self.of_word, self.of_document = np.zeros((x.shape[1], topics)), np.zeros((len(x), topics))
        for d, words in enumerate(self.words):
            np.add.at(self.of_word, (words, self.z[d]), 1)
            np.add.at(self.of_document[d], self.z[d], 1)
        self.lengths = x.sum(axis=1)
        self.eta = np.zeros(topics)
        self.draw_eta()

    def draw_eta(self):
        shares = self.of_document / self.lengths[:, None]
        self.scale = 1 / self.dice.wald(1 / (COST * np.abs(MARGIN - self.y * (shares @ self.eta))), 1)
        sigma = np.linalg.inv(np.eye(self.topics) + COST**2 * (shares.T / self.scale) @ shares)
        mean = sigma @ (COST * (self.y * (self.scale + COST * MARGIN) / self.scale) @ shares)
        self.eta = self.dice.multivariate_normal(mean, sigma)

    def draw(self, counts, word, old, factor=1):
        weights = (counts + ALPHA) * (self.of_word[word] + BETA) / (self.of_word.sum(axis=0) + BETA * len(self.of_word))
        sums = (weights * factor).cumsum()
        return int(np.searchsorted(sums, self.dice.random() * sums[-1], side="right"))

    def epoch(self):
        for d, words in enumerate(self.words):
            g, scale, counts = 1 / self.lengths[d], self.scale[d], self.of_document[d]
            for n, word in enumerate(words):
                counts[self.z[d][n]] -= 1
                self.of_word[word, self.z[d][n]] -= 1
                others = g * (counts @ self.eta)  # (1 - gamma) Lambda of the paper
                exponents = g * COST * self.y[d] * (COST * MARGIN + scale) * self.eta / scale - COST**2 * (
                    g**2 * self.eta**2 + 2 * g * self.eta * others) / (2 * scale)
                self.z[d][n] = self.draw(counts, word, self.z[d][n], np.exp(exponents - exponents.max()))
                counts[self.z[d][n]] += 1
                self.of_word[word, self.z[d][n]] += 1
        self.draw_eta()

    def loss(self):
        margins = self.y * (self.of_document @ self.eta) / self.lengths
        return 2 * COST * np.maximum(0, MARGIN - margins).sum()

    def accuracy(self, x, y, sweeps=20, burn_in=10):
        """Of new documents, whose topics are drawn with the words of the topics as they are."""
        right = 0
        for row, label in zip(x, y):
            words = np.repeat(np.arange(x.shape[1]), row)
            z = self.dice.integers(self.topics, size=len(words))
            counts, mean = np.bincount(z, minlength=self.topics).astype(float), 0
            for sweep in range(sweeps):
                for n, word in enumerate(words):
                    counts[z[n]] -= 1
                    z[n] = self.draw(counts, word, z[n])
                    counts[z[n]] += 1
                mean += counts @ self.eta if sweep >= burn_in else 0
            right += (mean > 0) == (label > 0)
        return right / len(x)


class MedldaOracle(AppTest):
    app = "medlda"

    def data(self, name, x, y):
        dump_svmlight_file(x, y, str(self.folder / name), zero_based=False)
        return self.folder / name

    def test_the_losses_have_the_distribution_of_a_plain_samplers(self):
        x, y = generated(20, 10, seed=2, length=10)
        plain = PlainSampler(x, y, topics=3, seed=3)
        losses = []
        for _ in range(550):
            plain.epoch()
            losses.append(plain.loss())
        losses = np.array(losses[50:])
        # Of means of 50 draws each, which are hardly correlated.
        deviation = losses.reshape(10, 50).mean(axis=1).std(ddof=1) / np.sqrt(10)
        for shards in (1, 3):
            _, out = self.train(f"losses-{shards}", self.data("small", x, y), *PRIORS, "--topics=3", "--epochs=550",
                                f"--shards={shards}", "--checkpoint_every=0", "--workers=1")
            ours = np.array([epoch["terms"]["loss"] for epoch in self.metrics(out)[51:]])
            self.assertEqual(len(ours), 500)
            self.assertLess(abs(ours.mean() - losses.mean()), 6 * deviation)
            self.assertAlmostEqual(ours.std() / losses.std(), 1, delta=0.3)

    def test_new_documents_have_the_labels_that_a_plain_sampler_finds(self):
        x, y = generated(500, 60, seed=4)
        train, test = self.data("train", x[:150], y[:150]), self.data("test", x[150:], y[150:])
        plain = PlainSampler(x[:150], y[:150], topics=6, seed=5)
        for _ in range(20):
            plain.epoch()
        accuracy = plain.accuracy(x[150:], y[150:])
        flags = (f"--valid={test}", *PRIORS, "--topics=6", "--epochs=30")
        result, out = self.train("labels", train, *flags)
        found = np.loadtxt(self.rota("predict", "medlda", f"--model={out}", f"--input={test}").stdout.splitlines())
        ours = np.mean(found[:, 0] == y[150:])
        np.testing.assert_array_equal(found[:, 0], np.where(found[:, 1] > 0, 1, -1))
        self.assertAlmostEqual(ours, accuracy, delta=0.06)
        self.assertAlmostEqual(result["valid"], accuracy, delta=0.08)
        self.assertGreater(min(ours, accuracy), 0.8)

        self.expect_one_model("shapes", train, *flags, "--shards=4", "--epochs=8")
        self.expect_resumed(train, *flags, "--epochs=80")

    def test_csv_with_names(self):
        x, y = generated(60, 12, seed=6)
        reference, _ = self.train("libsvm", self.data("rows", x, y), "--epochs=3")
        csv = self.folder / "rows.csv"
        names = [f"word{w}" for w in range(12)]
        csv.write_text("".join(",".join(map(str, row)) + "\n" for row in [[*names, "label"], *np.c_[x, y]]))
        result, out = self.train("csv", csv, "--epochs=3", "--target=label")
        self.assertEqual((result["objective"], result["epochs"]), (reference["objective"], reference["epochs"]))
        shown = self.rota("show", "medlda", f"--model={out}", "--top_words=2").stdout
        self.assertIn(" word", shown)
        weights = [float(line.split()[1]) for line in shown.splitlines()[1:]]
        self.assertEqual(weights, sorted(weights, reverse=True))
        text = (out / "model/topics.csv").read_text().splitlines()
        self.assertEqual(text[0], "topic,weight,tokens,words")
        self.assertEqual(sum(int(line.split(",")[2]) for line in text[1:]), int(x.sum()))
        counts = [line.split(",") for line in (out / "model/word_topic.csv").read_text().splitlines()[1:]]
        for w in range(12):
            self.assertEqual(sum(int(row[2]) for row in counts if row[0] == f"word{w}"), int(x[:, w].sum()))
        new = self.folder / "new.csv"
        new.write_text("other,word3\n1,2\n")  # without a label
        predicted = self.rota("predict", "medlda", f"--model={out}", f"--input={new}", code=None)
        self.assertIn("word0", predicted.stderr)  # a column that is not there

    def test_bad_input(self):
        self.expect_errors("rows", (
            (None, [], 66, "rows"),
            (b"", [], 65, "rows: the file is empty"),
            (b"1\n-1\n", [], 65, "rows: the documents have no words"),
            (b"1 1:1\n1 2:1\n", [], 65, "rows: expected labels above 0, and others"),
            (b"1 1:1\n-1 2:0.5\n", [], 65, "rows:2: the count of a word must be a whole number up to 65535, found 0.5"),
            (b"1 1:1\n-1 2:70000\n", [], 65, "rows:2: the count of a word must be a whole number"),
            (b"1 1:1\n-1 4000000000:1\n", [], 65, "rows:2: "),
            (b"1 1:1\n-1 2:1\n", ["--alpha=0"], 2, "alpha")))
