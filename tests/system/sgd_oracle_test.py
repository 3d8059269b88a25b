"""Linear models by SGD against LIBLINEAR and scikit-learn, one model for any processes, and bad input."""
import csv
import json
import subprocess

import numpy as np
from sklearn.datasets import dump_svmlight_file, load_svmlight_file
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss, roc_auc_score

from app_run import AppTest
from rota_run import SOURCE

TRAIN = SOURCE / "apps/sgd/sample/a9a.libsvm.gz"
TEST = SOURCE / "apps/sgd/sample/a9a_test.libsvm.gz"
CLOSE = 1e-3  # of the least objective
KINDS = {"adagrad": ["--l2=1e-4"], "plain": ["--optimizer=sgd", "--loss=hinge", "--l1=1e-5"],
         "ftrl": ["--optimizer=ftrl", "--l1=1e-4", "--loss=squared_hinge", "--sync_rows=4000", "--bits=8"],
         "butterfly": ["--exchange=butterfly", "--sync_rows=4096"], "allreduce": ["--exchange=allreduce", "--sync_rows=4096"],
         "softmax": ["--loss=softmax", "--class_weights=balanced", "--sync_rows=1"],
         "stream": ["--stream", "--sync_rows=500"], "average": ["--average", "--optimizer=sgd", "--sync_rows=500"]}


def groups(rows=1200, columns=15, classes=4, seed=3, labels=(-3.5, 1, 2, 40)):
    """Rows of some classes that overlap, a third of their numbers 0."""
    dice = np.random.default_rng(seed)
    y = dice.integers(classes, size=rows)
    x = dice.normal(size=(classes, columns))[y] + dice.normal(size=(rows, columns))
    return np.where(dice.random(x.shape) < 1 / 3, 0, np.round(x, 4)), np.array(labels)[y]


class SgdOracle(AppTest):
    app = "sgd"

    @classmethod
    def setUpClass(cls):
        cls.x, cls.y = load_svmlight_file(str(TRAIN), n_features=123)
        cls.test_x, cls.test_y = load_svmlight_file(str(TEST), n_features=123)

    def data(self, x, y, name="data.libsvm"):
        file = self.folder / name
        dump_svmlight_file(x, y, str(file), zero_based=False)
        return file

    def weights(self, out, columns, labels=(1,)):
        """The intercepts, and the weights by column and label."""
        w = np.zeros((columns + 1, len(labels)))
        with open(out / "model/weights.csv", encoding="utf-8", newline="") as file:
            for row in csv.DictReader(file):
                w[int(row["feature"]), labels.index(float(row["label"] or 1))] = float(row["weight"])
        return w[0], w[1:]

    def objective(self, out, l2=0.0, l1=0.0, squared_hinge=False):
        b, w = self.weights(out, 123)
        margin = self.y * (self.x @ w[:, 0] + b[0])
        loss = np.maximum(0, 1 - margin)**2 if squared_hinge else np.logaddexp(0, -margin)
        return loss.mean() + l2 / 2 * (w**2).sum() + l1 * np.abs(w).sum()

    def check_near(self, result, out, least, **penalties):
        mine = self.objective(out, **penalties)
        self.assertAlmostEqual(result["objective"] / mine, 1, delta=1e-9)
        self.assertGreater(mine, least * (1 - 1e-6))
        self.assertLess(mine, least * (1 + CLOSE))

    def test_logistic_objective(self):
        n = len(self.y)
        for l1, c in ((0, 1.0), (1e-3, 0)):
            flags = [f"--l1={l1}", f"--l2={1 / (n * c) if c else 0}"]
            oracle = (LogisticRegression(C=c, tol=1e-8, max_iter=5000) if c else
                      LogisticRegression(penalty="l1", C=1 / (n * l1), solver="saga", tol=1e-6, max_iter=5000))
            oracle.fit(self.x, self.y)
            w = oracle.coef_[0]
            least = (np.logaddexp(0, -self.y * oracle.decision_function(self.x)).mean() +
                     (w @ w / (2 * n * c) if c else l1 * np.abs(w).sum()))
            for optimizer in ("adagrad", "ftrl"):
                with self.subTest(l1=l1, c=c, optimizer=optimizer):
                    result, out = self.train(f"{optimizer}-{l1}-{c}", TRAIN, *flags, f"--optimizer={optimizer}",
                                             "--sync_rows=4000", "--epochs=80")
                    self.check_near(result, out, least, l1=l1, l2=1 / (n * c) if c else 0)

    def test_squared_hinge_objective(self):
        """LIBLINEAR has no intercept without a penalty, so both have none."""
        model = self.folder / "svc"
        subprocess.run(["liblinear-train", "-s", "2", "-c", "1", "-e", "1e-6", "-q", self.plain(), model], check=True,
                       timeout=300)
        lines = model.read_text(encoding="utf-8").split("\nw\n")
        w = np.array(lines[1].split(), float) * (1 if "label 1 -1" in lines[0] else -1)
        l2 = 1 / len(self.y)
        least = (np.maximum(0, 1 - self.y * (self.x @ w))**2).mean() + l2 / 2 * w @ w
        result, out = self.train("svc-mine", TRAIN, "--loss=squared_hinge", f"--l2={l2}", "--intercept=false",
                                 "--sync_rows=4000", "--epochs=80")
        self.check_near(result, out, least, l2=l2, squared_hinge=True)

    def test_softmax(self):
        x, y = groups(rows=2400)
        labels = [-3.5, 1, 2, 40]
        file, valid = self.data(x[:2000], y[:2000]), self.data(x[2000:], y[2000:], "valid.libsvm")
        classes = np.searchsorted(labels, y)  # scikit-learn takes a label with a fraction for a number
        oracle = LogisticRegression(C=1, tol=1e-8, max_iter=5000).fit(x[:2000], classes[:2000])
        result, out = self.train("softmax", file, "--loss=softmax", f"--l2={1 / 2000}", "--epochs=60", f"--valid={valid}")
        self.assertAlmostEqual(result["terms"]["valid_accuracy"], oracle.score(x[2000:], classes[2000:]), delta=0.01)
        self.assertAlmostEqual(result["valid"], log_loss(classes[2000:], oracle.predict_proba(x[2000:])), delta=0.01)
        done = self.rota("predict", "sgd", f"--model={out}", f"--input={valid}")
        b, w = self.weights(out, 15, labels)
        f = x[2000:] @ w + b
        p = np.exp(f) / np.exp(f).sum(axis=1, keepdims=True)
        np.testing.assert_allclose(np.array([line.split() for line in done.stdout.splitlines()], float), p, atol=1e-7)
        done = self.rota("predict", "sgd", f"--model={out}", f"--input={valid}", "--type=class")
        np.testing.assert_array_equal(np.array(done.stdout.split(), float), np.array(labels)[f.argmax(axis=1)])
        scores = json.loads(self.rota("evaluate", "sgd", f"--model={out}", f"--input={valid}").stdout)
        self.assertAlmostEqual(scores["log_loss"], result["valid"], delta=1e-12)
        self.assertFalse((out / "model/liblinear.model").exists(), "LIBLINEAR has no label 3.5")

    def test_many_classes_are_as_accurate_as_liblinears(self):
        """Accuracy within 0.3 points of LIBLINEAR's one against the rest, and of Crammer and Singer's classes."""
        x, y = groups(rows=15000, columns=10, classes=12, seed=5, labels=np.arange(12))
        x = x / 3
        train, test = self.data(x[:9000], y[:9000], "train"), self.data(x[9000:], y[9000:], "test")
        theirs = []
        for solver in (0, 4):
            model, predicted = self.folder / "theirs", self.folder / "predicted"
            subprocess.run(["liblinear-train", "-s", str(solver), "-c", "1", "-B", "1", "-q", train, model], check=True, timeout=60)
            subprocess.run(["liblinear-predict", test, model, predicted], check=True, timeout=60, stdout=subprocess.DEVNULL)
            theirs.append(np.mean(np.array(predicted.read_text(encoding="utf-8").split(), float) == y[9000:]))
        common = [f"--valid={test}", f"--l2={1 / 9000}", "--penalize_intercept", "--tolerance=1e-4", "--eval_every=0"]
        self.app = "linear"
        for least, flags in ((theirs[0], ["--one_against_rest", "--solver=newton"]),
                             (theirs[0], ["--one_against_rest", "--solver=svrg"]), (max(theirs), ["--loss=softmax"])):
            result, _ = self.train("-".join(flags), train, *common, *flags)
            self.assertGreater(result["terms"]["valid_accuracy"], least - 0.003, flags)

    def test_squared(self):
        x, _ = groups(rows=500)
        y = np.round(x @ np.linspace(-2, 2, 15) + 3, 4)
        file = self.data(x, y)
        result, out = self.train("squared", file, "--loss=squared", "--epochs=200")
        self.assertLess(result["objective"], 1e-3 * y.var() / 2)
        scores = json.loads(self.rota("evaluate", "sgd", f"--model={out}", f"--input={file}").stdout)
        self.assertAlmostEqual(scores["mse"], 2 * result["objective"], delta=1e-9)
        self.rota("predict", "sgd", f"--model={out}", f"--input={file}", "--type=class", code=2)

    def test_liblinear_reads_the_model(self):
        plain = self.folder / "plain"
        dump_svmlight_file(self.test_x, self.test_y, str(plain), zero_based=False)
        three_x, three_y = groups()
        three = self.data(three_x[three_y > 0], three_y[three_y > 0], "three")
        for loss, train, test in (("logistic", TRAIN, plain), ("hinge", TRAIN, plain), ("softmax", three, three)):
            with self.subTest(loss=loss):
                _, out = self.train(f"export-{loss}", train, f"--loss={loss}", "--epochs=5")
                predicted = self.folder / "predicted"
                subprocess.run(["liblinear-predict", test, out / "model/liblinear.model", predicted], check=True, timeout=60,
                               stdout=subprocess.DEVNULL)
                mine = self.rota("predict", "sgd", f"--model={out}", f"--input={test}", "--type=class").stdout
                self.assertEqual(predicted.read_text(encoding="utf-8").split(), mine.split())

    def test_held_out_rows_and_evaluate(self):
        result, out = self.train("valid", TRAIN, f"--valid={TEST}", "--patience=3", "--epochs=60")
        self.assertEqual(result["epochs"], result["best_epoch"] + 3)
        scores = json.loads(self.rota("evaluate", "sgd", f"--model={out}", f"--input={TEST}").stdout)
        p = np.array(self.rota("predict", "sgd", f"--model={out}", f"--input={TEST}").stdout.split(), float)
        self.assertAlmostEqual(result["valid"], scores["log_loss"], delta=1e-9)
        self.assertAlmostEqual(log_loss(self.test_y, p), scores["log_loss"], delta=1e-9)
        self.assertAlmostEqual(result["terms"]["valid_accuracy"], scores["accuracy"], delta=1e-12)
        self.assertAlmostEqual(roc_auc_score(self.test_y, p), scores["auc"], delta=1e-12)

    def test_show(self):
        names = self.folder / "names"
        names.write_text("".join(f"feature number {j}\n" for j in range(1, 124)), encoding="utf-8")
        _, out = self.train("shown", TRAIN, "--epochs=3")
        b, w = self.weights(out, 123)
        shown = self.rota("show", "sgd", f"--model={out}", f"--names={names}", "--top=5").stdout.splitlines()
        self.assertEqual(shown[0], "123 features, epoch 3, labels -1 and 1")
        self.assertEqual(float(shown[2].split()[1]), float(f"{b[0]:.6g}"))
        heaviest = np.argsort(-np.abs(w[:, 0]), kind="stable")[:5]
        self.assertEqual([int(line.split()[0]) for line in shown[3:]], list(heaviest + 1))
        self.assertTrue(shown[3].endswith(f"feature number {heaviest[0] + 1}"))

    def test_one_model_on_any_workers_and_threads(self):
        x, y = groups()
        two = self.data(x, np.where(y > 1, 1, -1), "two")
        for kind, flags in KINDS.items():
            file = self.data(x, y, "four") if kind == "softmax" else two
            self.train_shapes(kind, file, *flags, "--epochs=3")
        self.expect_one_model("a9a", TRAIN, "--seed=7", "--sync_rows=2000", "--epochs=4")

    def plain(self):
        file = self.folder / "plain"
        dump_svmlight_file(self.x, self.y, str(file), zero_based=False)
        return file

    def test_a_stream_killed_and_resumed(self):
        self.expect_resumed(self.plain(), "--stream", "--sync_rows=3000", "--epochs=20")

    def test_vowpal_wabbits_format(self):
        """The same rows by name, with equal importances: the same loss, hashed or streamed."""
        file = self.folder / "rows.vw"
        with open(file, "w", encoding="utf-8") as out:
            for line in self.plain().read_text(encoding="utf-8").splitlines():
                label, *features = line.split()
                out.write(f"{label} 3 'row|f {' '.join(f'name{feature}' for feature in features)}\n")
        flags = ["--l2=1e-4", "--sync_rows=4000", "--epochs=20"]
        wanted, _ = self.train("libsvm", TRAIN, *flags)
        for name, more in (("vw", []), ("vw-stream", ["--stream"])):
            result, out = self.train(name, file, "--format=vw", *flags, *more)
            self.assertAlmostEqual(result["objective"] / wanted["objective"], 1, delta=2e-3)
            scores = json.loads(self.rota("evaluate", "sgd", f"--model={out}", f"--input={file}").stdout)
            self.assertAlmostEqual(scores["log_loss"], result["terms"]["loss"], delta=1e-9)

    def test_a_job_begins_with_the_model_of_another(self):
        flags = ["--l2=1e-4", "--sync_rows=4000", "--epochs=5"]
        first, start = self.train("start", TRAIN, *flags)
        begin = f"--init_model={start}"
        reference = None
        for workers, stores in ((1, 0), (2, 0), (2, 2)):
            result, _ = self.train(f"warm-{workers}-{stores}", TRAIN, *flags, begin, f"--workers={workers}", f"--stores={stores}")
            reference = reference or result
            self.expect_same(result, reference)
        self.assertLessEqual(reference["objective"], first["objective"])
        self.assertEqual(reference["options"]["init_hash"], first["model_hash"])
        self.expect_resumed(TRAIN, *flags, "--epochs=40", begin)
        _, other = self.train("other", TRAIN, *flags, "--class_weights=balanced")
        for where, more, code, words in ((other / "nothing", [], 66, "no model here"),
                                         (start, ["--loss=softmax"], 2, "1 weights for each feature"),
                                         (start, ["--bits=8"], 2, "hashed differently")):
            self.rota(*self.command_line(self.folder / "bad", TRAIN, f"--init_model={where}", *more),
                      code=code, error=words)
        exact = self.folder / "exact"
        self.rota("train", "linear", f"--input={TRAIN}", f"--out={exact}", begin, "--l2=1e-4")
        self.assertLess(json.loads((exact / "result.json").read_text(encoding="utf-8"))["objective"], reference["objective"])
        self.rota("train", "kmeans", f"--input={TRAIN}", f"--out={self.folder / 'bad'}", begin,
                  code=2, error="does not begin with a model")
        # A resumed run needs it again, at any path, and checks its content.
        (self.folder / "killed/result.json").unlink()
        moved = start.rename(self.folder / "moved")
        for more, code, words in (([], 66, "rota resume"), ([f"--init_model={other}"], 65, "the job began with"),
                                  ([f"--init_model={moved}"], 0, "")):
            self.rota("resume", self.folder / "killed", *more, code=code, error=words)

    def test_errors_are_reported(self):
        good = b"1 1:1 2:3\n-1 2:1\n"
        bad = good.replace(b"2:1", b"2:x")
        self.expect_errors("bad.libsvm", ((bad, [], 65, "bad.libsvm:2:"), (bad, ["--stream"], 65, "bad.libsvm:2:"),
                                          (good, ["--optimizer=svrg"], 2, "use `rota train linear --solver=svrg`"),
                                          (None, [], 66, "bad.libsvm")))
        self.rota(*self.command_line(self.folder / "bad", TRAIN, "--stream"), code=65, error="expected a plain one")
        _, out = self.train("small", TRAIN, "--epochs=1")
        file = self.folder / "foreign"
        file.write_bytes(b"1 1:1\n7 1:1\n")
        self.rota("evaluate", "sgd", f"--model={out}", f"--input={file}",
                  code=65, error="foreign:2: the label 7 is none of the model's, -1 and 1")
