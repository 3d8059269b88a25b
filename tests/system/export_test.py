"""rota export --output: a model's tables in each format, as the programs that read it see them."""
import csv
import json

import numpy as np
import scipy.io
from sklearn.decomposition import PCA

from app_run import AppTest
from rota_run import KOS, VOCAB


class Export(AppTest):
    app = "pagerank"

    def export(self, model, format, code=0, error=None):
        out = self.folder / format
        self.rota("export", self.app, f"--model={model}", f"--output={out}", f"--format={format}", code=code, error=error)
        return out

    def test_texts_and_numbers(self):
        graph = self.folder / "graph"
        graph.write_text('1e3 größe\ngröße a"b,c\na"b,c 1e3\nнода größe\n')
        _, model = self.train("run", graph)
        names = ["1e3", "größe", 'a"b,c', "нода"]
        listed = json.loads((self.export(model, "json") / "ranks.json").read_text())
        self.assertEqual([row["node"] for row in listed], names)
        with open(model / "model/top_ranks.csv", encoding="utf-8", newline="") as file:
            top = [(row["node"], float(row["rank"])) for row in csv.DictReader(file)]
        self.assertEqual(top, sorted(((row["node"], row["rank"]) for row in listed), key=lambda row: -row[1]))
        array = np.load(self.export(model, "npy") / "ranks.npy")
        self.assertEqual(array["node"].tolist(), names)
        self.assertEqual(array["rank"].tolist(), [row["rank"] for row in listed])
        self.assertAlmostEqual(sum(array["rank"]), 1)
        plain = self.export(model, "csv")
        self.assertEqual((plain / "ranks.csv").read_bytes(), (model / "model" / "ranks.csv").read_bytes())
        refused = self.export(model, "matrix_market", error="rota: ranks.csv has text: it stays CSV")
        self.assertEqual(sorted(file.name for file in refused.iterdir()), ["README.txt", "ranks.csv", "top_ranks.csv"])
        self.export(model, "csv", code=73, error="not an empty folder")
        self.rota("export", "pagerank", f"--model={model}", "--format=npy", code=2, error="--format=npy is for --output=DIR")
        self.assertEqual([], list(self.folder.glob(".text-*")))

    def test_numbers(self):
        self.app = "kmeans"
        rows = self.folder / "rows.csv"
        rows.write_text("".join(f"{i},{-i},{i % 3 / 8}\n" for i in range(50)))
        _, model = self.train("run", rows, "--clusters=3")
        array = np.load(self.export(model, "npy") / "assignments.npy")
        self.assertEqual(array.dtype.names, ("row", "cluster", "distance"))
        self.assertEqual(array["row"].tolist(), list(range(1, 51)))
        market = scipy.io.mmread(self.export(model, "matrix_market") / "assignments.mtx")
        self.assertEqual(market.tolist(), [[float(x) for x in row] for row in array.tolist()])
        listed = json.loads((self.export(model, "json") / "assignments.json").read_text())
        self.assertEqual([tuple(row.values()) for row in listed], array.tolist())

    def test_the_map_of_topics_and_their_words(self):
        self.app = "lda"
        for topics in (20, 150):  # the second takes more steps than the method makes
            _, model = self.train(f"run{topics}", KOS, f"--vocab={VOCAB}", f"--topics={topics}", "--epochs=5")
            folder = model / "model"
            beta = float((folder / "priors.txt").read_text().split()[-1])
            words = [line.split()[1:] for line in (folder / "word_topic.txt").read_text().splitlines()]
            counts = np.zeros((topics, len(words)))
            for w, cells in enumerate(words):
                for topic, count in (cell.split(":") for cell in cells):
                    counts[int(topic), w] = int(count)
            table = np.genfromtxt(folder / "topic_map.csv", delimiter=",", names=True)
            self.assertEqual(table.dtype.names, ("topic", "x", "y", "tokens"))
            np.testing.assert_array_equal(table["topic"], np.arange(topics))
            np.testing.assert_array_equal(table["tokens"], counts.sum(axis=1))
            shares = (counts + beta) / (counts + beta).sum(axis=1, keepdims=True)
            oracle = PCA(2, svd_solver="full").fit_transform(np.sqrt(shares / 2))
            oracle *= np.sign(oracle[np.abs(oracle).argmax(axis=0), [0, 1]])
            np.testing.assert_allclose(np.stack([table["x"], table["y"]], axis=1), oracle, rtol=1e-4, atol=1e-5)
            self.check_words(folder / "topic_words.csv", VOCAB.read_text().split(), counts)

    def check_words(self, file, names, counts):
        """A topic has its 30 words of highest relevance for each lambda; of equal ones those with more tokens."""
        totals, listed = counts.sum(axis=0), {}
        with open(file, encoding="utf-8", newline="") as lines:
            for row in csv.DictReader(lines):
                listed.setdefault(int(row["topic"]), []).append((row["word"], int(row["count"]), int(row["all_count"])))
        for topic, of_words in enumerate(counts):
            words = np.argsort(-of_words, kind="stable")[:np.count_nonzero(of_words)]
            kept = np.zeros(len(words), bool)
            for tenths in range(11):
                relevance = np.float32(np.log(of_words[words]) - (1 - tenths / 10) * np.log(totals[words]))
                kept[np.argsort(-relevance, kind="stable")[:30]] = True
            expected = [(names[w], of_words[w], totals[w]) for w in words[kept]]
            self.assertEqual(listed.get(topic, []), expected)
