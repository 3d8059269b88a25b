"""The exact solvers of linear models against LIBLINEAR's optimum, and one model for any processes."""
import json
import subprocess

import numpy as np
from sklearn.datasets import dump_svmlight_file, load_svmlight_file

from app_run import AppTest
from rota_run import SOURCE

TRAIN = SOURCE / "apps/sgd/sample/a9a.libsvm.gz"
CLOSE = 1e-6  # of the least objective
KINDS = {"newton": ["--l2=1e-4"], "svm": ["--loss=hinge", "--l2=1e-3", "--tolerance=1e-2"],
         "svrg": ["--l2=1e-4", "--l1=1e-4", "--epochs=4"]}


def losses(loss, margin):
    if loss == "logistic":
        return np.logaddexp(0, -margin)
    short = np.maximum(0, 1 - margin)
    return short if loss == "hinge" else short**2


class LinearOracle(AppTest):
    app = "linear"

    @classmethod
    def setUpClass(cls):
        cls.x, cls.y = load_svmlight_file(str(TRAIN), n_features=123)

    def liblinear(self, solver, c, tolerance):
        """The objective at its solution, with a penalty on the intercept too."""
        plain, model = self.folder / "plain", self.folder / "liblinear"
        if not plain.exists():
            dump_svmlight_file(self.x, self.y, str(plain), zero_based=False)
        subprocess.run(["liblinear-train", "-s", str(solver), "-c", str(c), "-e", str(tolerance), "-B", "1", "-q", plain, model],
                       check=True, timeout=300)
        head, numbers = model.read_text(encoding="utf-8").split("\nw\n")
        w = np.array(numbers.split(), float) * (1 if "label 1 -1" in head else -1)
        margin = self.y * (self.x @ w[:-1] + w[-1])
        loss = {0: "logistic", 1: "squared_hinge", 2: "squared_hinge", 3: "hinge"}[solver]
        return losses(loss, margin).mean() + w @ w / (2 * len(self.y) * c)

    def test_objectives_are_liblinears(self):
        n = len(self.y)
        for loss, solver, theirs, c, tolerance in (("logistic", "newton", 0, 1, 1e-8), ("squared_hinge", "newton", 2, 1, 1e-8),
                                                      ("logistic", "svrg", 0, 1, 1e-8),
                                                      ("squared_hinge", "svm", 2, 0.01, 1e-8), ("hinge", "svm", 3, 0.01, 1e-5)):
            with self.subTest(loss=loss, solver=solver):
                least = self.liblinear(theirs, c, tolerance)
                result, _ = self.train(f"{solver}-{loss}", TRAIN, f"--loss={loss}", f"--solver={solver}",
                                       f"--l2={1 / (n * c)}", "--penalize_intercept", "--eval_every=0")
                self.assertTrue(result["converged"])
                self.assertLess(result["objective"], least * (1 + CLOSE))
                self.assertGreater(result["objective"], least * (1 - CLOSE))

    def test_one_model_on_any_workers_and_threads(self):
        for solver, flags in KINDS.items():
            self.train_shapes(solver, TRAIN, f"--solver={solver}", *flags)

    def test_one_against_rest(self):
        """liblinear-predict reads the model and makes the same predictions."""
        dice = np.random.default_rng(2)
        y = dice.integers(1, 5, size=800)
        x = np.round(dice.normal(size=(4, 12))[y - 1] + dice.normal(size=(800, 12)), 3)
        file, predictions = self.folder / "four", self.folder / "predictions"
        dump_svmlight_file(x, y, str(file), zero_based=False)
        flags = ["--one_against_rest", "--l2=0.00125", "--penalize_intercept"]
        _, out = self.train("rest", file, "--solver=newton", *flags)
        subprocess.run(["liblinear-predict", "-b", "1", file, out / "model/liblinear.model", predictions], check=True, timeout=60,
                       stdout=subprocess.DEVNULL)
        head, *rows = [line.split() for line in predictions.read_text(encoding="utf-8").splitlines()]
        self.assertEqual(head, ["labels", "1", "2", "3", "4"])
        mine = self.rota("predict", "linear", f"--model={out}", f"--input={file}").stdout.splitlines()
        np.testing.assert_allclose(np.array([line.split() for line in mine], float), np.array(rows, float)[:, 1:], rtol=1e-4)
        chosen = self.rota("predict", "linear", f"--model={out}", f"--input={file}", "--type=class").stdout.split()
        self.assertEqual(chosen, [row[0] for row in rows])
        scores = json.loads(self.rota("evaluate", "linear", f"--model={out}", f"--input={file}").stdout)
        self.assertAlmostEqual(scores["accuracy"], np.mean(np.array(chosen, int) == y), delta=1e-12)
        self.app = "sgd"
        result, _ = self.train("adagrad", file, *flags, "--epochs=60", "--sync_rows=200")
        self.assertAlmostEqual(result["terms"]["accuracy"], scores["accuracy"], delta=0.01)
