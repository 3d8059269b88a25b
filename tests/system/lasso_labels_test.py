"""Classes have the data's own labels: a model predicts them, and is scored by them, for any two numbers.

The oracle is scikit-learn's accuracy_score and roc_auc_score on the same predictions.
"""
import csv
import json

import numpy as np
import scipy.io
from sklearn.datasets import dump_svmlight_file
from sklearn.metrics import accuracy_score, log_loss, roc_auc_score

from rota_run import RotaTest

ROWS, COLUMNS = 240, 30
LABELS = [(-1, 1), (0, 1), (1.5, 2.5)]


class LassoLabels(RotaTest):
    def setUp(self):
        super().setUp()
        random = np.random.default_rng(11)
        # Few different values, so that predictions tie.
        self.x = random.integers(0, 2, size=(2 * ROWS, COLUMNS)).astype(float)
        f = self.x[:, :4] @ [2, -1.5, 1, -1] + 0.4
        self.larger = random.random(2 * ROWS) < 1 / (1 + np.exp(-f))

    def file(self, labels, first=0, end=ROWS, name="data"):
        """Rows [first, end) with the classes named by these labels, and those labels."""
        y = np.where(self.larger, labels[1], labels[0])[first:end]
        path = self.folder / f"{name}-{labels[0]}-{labels[1]}-{first}.libsvm"
        dump_svmlight_file(self.x[first:end], y, str(path), zero_based=False)
        return path, y

    app = "lasso"

    def train(self, data, name, *flags):
        out = self.folder / name
        self.rota("train", self.app, f"--input={data}", f"--out={out}", "--loss=logistic",
                  "--lambda_ratio=0.2", "--checkpoint_every=0", *flags)
        return out

    def ask(self, command, model, data, *flags):
        done = self.rota(command, self.app, f"--model={model}", f"--input={data}", *flags)
        return done.stdout

    def numbers(self, *words):
        return np.array([float(line) for line in self.ask("predict", *words).splitlines()])

    def check_scores(self, model, labels):
        """The model's predictions for other rows, against scikit-learn; returns its scores."""
        data, y = self.file(labels, ROWS, 2 * ROWS, "test")
        chance = self.numbers(model, data)
        classes = self.numbers(model, data, "--type=class")
        self.assertEqual(set(classes), set(map(float, labels)), "predicted classes have the data's labels")
        np.testing.assert_array_equal(classes, np.where(chance > 0.5, labels[1], labels[0]))
        scores = json.loads(self.ask("evaluate", model, data))
        self.assertEqual(scores["labels"], list(labels))
        self.assertEqual(scores["rows"], len(y))
        self.assertAlmostEqual(scores["accuracy"], accuracy_score(y == labels[1], classes == labels[1]), places=14)
        self.assertAlmostEqual(scores["auc"], roc_auc_score(y == labels[1], chance), places=14)
        self.assertAlmostEqual(scores["log_loss"], log_loss(y == labels[1], chance), places=12)
        self.assertGreater(scores["accuracy"], 0.6, "the model has learned something")
        return {name: scores[name] for name in ("accuracy", "auc", "log_loss")}

    def coefficients(self, model):
        return (model / "model/coefficients.csv").read_text() + (model / "model/path.csv").read_text()

    def check_labels(self, *flags):
        seen = {}
        for labels in LABELS:
            with self.subTest(labels=labels):
                model = self.train(self.file(labels)[0], f"run-{labels[0]}-{labels[1]}", *flags)
                seen[labels] = (self.check_scores(model, labels), self.coefficients(model))
                with open(model / "model/labels.csv", encoding="utf-8") as text:
                    self.assertEqual([(row["class"], float(row["label"])) for row in csv.DictReader(text)],
                                     [("smaller", labels[0]), ("larger", labels[1])])
                self.assertIn(f"the logit of {labels[1]}", (model / "model/README.txt").read_text())
                shown = self.rota("show", self.app, f"--model={model}").stdout
                self.assertIn(f"classes {labels[0]} and {labels[1]}", shown)
        for labels in LABELS[1:]:
            self.assertEqual(seen.get(labels), seen.get(LABELS[0]), "the names of classes do not change the fit")

    def test_by_columns(self):
        self.check_labels()

    def test_by_rows(self):
        self.app = "lasso_rows"
        self.check_labels("--coordinates=8")

    def test_path_and_folds(self):
        for self.app in ("lasso", "lasso_rows"):
            with self.subTest(app=self.app):
                model = self.train(self.file((1, 2))[0], self.app, "--path=3", "--folds=3")
                self.assertIn("1se", self.rota("show", self.app, f"--model={model}").stdout)
                for penalty in ("min", "1se", "2"):
                    data, y = self.file((1, 2), ROWS, 2 * ROWS, "test")
                    scores = json.loads(self.ask("evaluate", model, data, f"--penalty={penalty}"))
                    chance = self.numbers(model, data, f"--penalty={penalty}")
                    self.assertAlmostEqual(scores["auc"], roc_auc_score(y, chance), places=14)
                    self.assertAlmostEqual(scores["accuracy"], accuracy_score(y, np.where(chance > 0.5, 2, 1)),
                                           places=14)

    def test_labels_of_a_response_file(self):
        matrix, response = self.folder / "x.mtx", self.folder / "y.txt"
        scipy.io.mmwrite(matrix, scipy.sparse.coo_matrix(self.x[:ROWS]))
        y = np.where(self.larger, 2, 1)[:ROWS]
        np.savetxt(response, y, fmt="%d")
        model = self.train(matrix, "market", f"--response={response}")
        scores = json.loads(self.ask("evaluate", model, matrix, f"--response={response}"))
        classes = self.numbers(model, matrix, "--type=class")
        self.assertAlmostEqual(scores["accuracy"], accuracy_score(y, classes), places=14)
        y[4] = 3
        np.savetxt(response, y, fmt="%d")
        self.rota("evaluate", "lasso", f"--model={model}", f"--input={matrix}", f"--response={response}",
                  code=65, error=f"{response}:5: the label 3 is none of the model's, 1 and 2")

    def test_rows_of_other_labels(self):
        model = self.train(self.file((1, 2))[0], "run")
        data, y = self.file((0, 1), ROWS, 2 * ROWS, "other")
        line = int(np.argmax(y == 0)) + 1
        for words in (["evaluate"], ["predict"], ["predict", "--type=class"]):
            done = self.rota(words[0], "lasso", f"--model={model}", f"--input={data}", *words[1:], code=65,
                             error=f"{data}:{line}: the label 0 is none of the model's, 1 and 2")
            self.assertEqual(done.stdout, "")
        # In LIBSVM text every row has a label; where it is not known yet, the same one stands in all of them.
        unknown = self.folder / "unknown.libsvm"
        dump_svmlight_file(self.x[ROWS:], np.zeros(ROWS), str(unknown), zero_based=False)
        known, _ = self.file((1, 2), ROWS, 2 * ROWS, "test")
        self.assertEqual(self.ask("predict", model, unknown), self.ask("predict", model, known))
        self.rota("evaluate", "lasso", f"--model={model}", f"--input={unknown}", code=65)  # nothing to evaluate by
        path = self.folder / "one.libsvm"
        dump_svmlight_file(self.x[:ROWS], np.full(ROWS, 2), str(path), zero_based=False)
        self.rota("train", "lasso", f"--input={path}", f"--out={self.folder / 'one'}", "--loss=logistic",
                  code=65, error=f"{path}: expected a response of two classes, found one only: 2")
        scores = json.loads(self.ask("evaluate", model, path))
        self.assertIsNone(scores["auc"], "of one class there is no ranking")
        self.assertAlmostEqual(scores["accuracy"], np.mean(self.numbers(model, path, "--type=class") == 2), places=14)
