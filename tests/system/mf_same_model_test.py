"""Matrix factorisation: one model, bit for bit, for any processes and processors."""
import gzip
import json

import numpy as np

from app_run import AppTest
from rota_run import REVIEWS, SOURCE

MSWEB = SOURCE / "apps/mf/sample/msweb.txt.gz"
KINDS = {"plain": ("mf", "--rank=24"),
         "biases": ("mf", "--rank=8", "--biases", "--nonnegative", "--lambda_by=row", "--rotate=users"),
         "phases": ("mf", "--rank=40", "--learning_rate=0.02", "--slices_per_shard=3"),
         "als": ("als", "--rank=12", "--biases"),
         "implicit": ("als", "--implicit", "--row_solver=cg", "--rank=20"),
         "ccd": ("ccd", "--rank=6", "--inner=2", "--nonnegative"),
         "round_robin": ("ccd", "--schedule=round_robin", "--rank=6", "--lambda=2"),
         "logistic": ("mf", "--rank=12", "--loss=logistic", "--biases"),
         "bpr": ("mf", "--rank=12", "--loss=bpr", "--biases")}
HELD_OUT = ("model_hash", "state_hash", "objective", "epochs", "valid", "terms", "best_epoch")


class MfSameModel(AppTest):
    app = "mf"

    def command_line(self, out, file, *flags):
        return super().command_line(out, file, "--seed=7", "--epochs=5", *flags)

    def test_workers_and_threads(self):
        """The labels: whether a review is above the mean."""
        labels = self.folder / "labels.txt"
        with gzip.open(REVIEWS, "rt") as file:
            words = [line.split() for line in file]
        labels.write_text("".join(f"{user} {item} {int(float(rating) > 2.2)}\n" for user, item, rating in words))
        for kind, (self.app, *flags) in KINDS.items():
            data = {"logistic": labels, "bpr": MSWEB}.get(kind, REVIEWS)
            self.assertTrue(np.isfinite(self.train_shapes(kind, data, *flags)["objective"]))

    def parts(self, data, *flags):
        """The data for training, and the options of the held-out part."""
        self.rota("split", "mf", f"--input={data}", f"--output={self.folder / 'parts'}", *flags)
        return self.folder / "parts/train.txt", f"--valid={self.folder / 'parts/valid.txt'}"

    def evaluated(self, name, *flags):
        done = self.rota("evaluate", self.app, f"--model={self.folder / name}-1x1",
                         f"--input={self.folder / 'parts/valid.txt'}", *flags)
        return json.loads(done.stdout)

    def test_held_out_ratings(self):
        """The best epoch's model and its scores, on any number of workers, and as `rota evaluate` has them."""
        parts = self.parts(REVIEWS)
        for self.app in ("mf", "als", "ccd"):
            reference = self.train_shapes(self.app, *parts, "--rank=24", "--lambda=0.01", "--epochs=60", "--patience=2",
                                          compared=HELD_OUT)
            self.assertEqual(reference["epochs"], reference["best_epoch"] + 2)
            scores = self.evaluated(self.app)
            self.assertAlmostEqual(scores["rmse"], reference["valid"], 6)
            self.assertAlmostEqual(scores["mae"], reference["terms"]["valid_mae"], 6)

    def test_held_out_rankings(self):
        """The same of counts, whose first score is better when it is larger."""
        parts = self.parts(MSWEB, "--by=leave_one_out", "--implicit")
        for self.app, least, flags in (("mf", 0.43, ["--loss=bpr", "--biases", "--lambda=0.0005", "--epochs=25",
                                                     "--eval_every=5", "--patience=4"]),
                                       ("als", 0.45, ["--implicit", "--epochs=5", "--patience=2"])):
            reference = self.train_shapes(self.app, *parts, "--rank=32", *flags, compared=HELD_OUT)
            metrics = [line["valid"] for line in self.metrics(self.folder / f"{self.app}-1x1") if "valid" in line]
            self.assertEqual(reference["valid"], max(metrics))
            scores = self.evaluated(self.app, "--ranking")
            self.assertAlmostEqual(scores["ndcg"], reference["valid"], 12)
            for what in ("recall", "precision"):
                self.assertAlmostEqual(scores[what], reference["terms"][f"valid_{what}"], 12)
            self.assertEqual(scores["of_unknown_user_or_item"], reference["terms"]["valid_unknown"])
            self.assertGreater(scores["ndcg"], least)  # the most visited areas for everybody have 0.407
