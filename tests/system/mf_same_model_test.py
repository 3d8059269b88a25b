"""Matrix factorisation: one model, bit for bit, for any processes and processors, and after losses."""
import gzip
import json
import os
import random
import time

import numpy as np

from rota_run import REVIEWS, SOURCE, RotaTest

MSWEB = SOURCE / "apps/mf/sample/msweb.txt.gz"
SHAPES = ((1, 1), (2, 1), (1, 2), (3, 1))
KINDS = {"plain": ["--rank=24"],
         "biases": ["--rank=8", "--biases", "--nonnegative", "--lambda_by=row", "--rotate=users"],
         "driver": ["--rank=40", "--rate_schedule=bold_driver", "--learning_rate=0.02", "--slices_per_shard=3"],
         "als": ["--solver=als", "--rank=12", "--biases"],
         "implicit": ["--implicit", "--row_solver=cg", "--rank=20"],
         "ccd": ["--solver=ccd", "--rank=6", "--inner=2", "--nonnegative"],
         "round_robin": ["--solver=ccd", "--schedule=round_robin", "--rank=6", "--lambda=2"],
         "logistic": ["--rank=12", "--loss=logistic", "--biases", "--input=LABELS"],
         "bpr": ["--rank=12", "--implicit", "--solver=sgd", "--biases", f"--input={MSWEB}"]}
HELD_OUT = ("model_hash", "state_hash", "objective", "epochs", "valid", "terms", "best_epoch")


class MfSameModel(RotaTest):
    compared = (*RotaTest.compared, "objective")

    def kinds(self):
        """KINDS, with a file of labels: whether a review is above the mean."""
        labels = self.folder / "labels.txt"
        with gzip.open(REVIEWS, "rt") as file:
            words = [line.split() for line in file]
        labels.write_text("".join(f"{user} {item} {int(float(rating) > 2.2)}\n" for user, item, rating in words))
        return {kind: [flag.replace("LABELS", str(labels)) for flag in flags] for kind, flags in KINDS.items()}

    def mf(self, name, *flags, **options):
        out = self.folder / name
        self.rota("train", "mf", f"--input={REVIEWS}", f"--out={out}", "--seed=7", "--epochs=8", *flags, **options)
        self.no_role_left(out)
        return self.result(out)

    def test_workers_and_threads(self):
        for kind, flags in self.kinds().items():
            reference = self.expect_same_for(SHAPES, lambda workers, threads: self.mf(
                f"{kind}-{workers}x{threads}", *flags, f"--workers={workers}", f"--threads={threads}"))
            self.assertTrue(np.isfinite(reference["objective"]))

    def test_kernels(self):
        """On any processor: a kernel that it lacks ends the run with its name."""
        for kind in ("plain", "als", "implicit", "logistic", "bpr"):
            self.check_kernels(kind, self.kinds()[kind])

    def check_kernels(self, kind, flags):
        reference = self.mf(f"{kind}-best", *flags)
        for kernel in ("baseline", "v3", "v4"):
            with self.subTest(kind=kind, kernel=kernel):
                out = self.folder / f"{kind}-{kernel}"
                done = self.rota("train", "mf", f"--input={REVIEWS}", f"--out={out}", "--seed=7", "--epochs=8",
                                 *flags, env={**os.environ, "ROTA_MF_KERNEL": kernel}, code=None)
                if done.returncode != 0:
                    self.assertNotEqual(kernel, "baseline")
                    self.assertIn(f"ROTA_MF_KERNEL={kernel}", done.stderr)
                else:
                    self.expect_same(self.result(out), reference)

    def test_held_out_ratings(self):
        """The best epoch's model and its scores, on any number of workers, and as `rota evaluate` has them."""
        self.rota("split", "mf", f"--input={REVIEWS}", f"--output={self.folder / 'parts'}")
        parts = [f"--input={self.folder / 'parts/train.txt'}", f"--valid={self.folder / 'parts/valid.txt'}"]
        for solver in ("sgd", "als", "ccd"):
            self.check_held_out(solver, parts)

    def check_held_out(self, solver, parts):
        reference = self.expect_same_for(SHAPES, lambda workers, threads: self.mf(
            f"{solver}-{workers}x{threads}", *parts, f"--solver={solver}", "--rank=24", "--lambda=0.01",
            "--epochs=60", "--patience=2", f"--workers={workers}", f"--threads={threads}"), HELD_OUT)
        self.assertEqual(reference["epochs"], reference["best_epoch"] + 2)
        done = self.rota("evaluate", "mf", f"--model={self.folder / f'{solver}-1x1'}",
                         f"--input={self.folder / 'parts/valid.txt'}")
        scores = json.loads(done.stdout)
        self.assertAlmostEqual(scores["rmse"], reference["valid"], 6)
        self.assertAlmostEqual(scores["mae"], reference["terms"]["valid_mae"], 6)

    def test_held_out_rankings(self):
        """The same with --implicit, whose first score is better when it is larger."""
        self.rota("split", "mf", f"--input={MSWEB}", f"--output={self.folder / 'parts'}", "--by=leave_one_out",
                  "--implicit")
        parts = [f"--input={self.folder / 'parts/train.txt'}", f"--valid={self.folder / 'parts/valid.txt'}", "--implicit"]
        self.check_held_out_rankings("bpr", 0.43, *parts, "--solver=sgd", "--biases", "--lambda=0.0005", "--epochs=25",
                                     "--eval_every=5", "--patience=4")
        self.check_held_out_rankings("als", 0.45, *parts, "--epochs=5", "--patience=2")

    def check_held_out_rankings(self, name, least, *flags):
        reference = self.expect_same_for(SHAPES, lambda workers, threads: self.mf(
            f"{name}-{workers}x{threads}", *flags, "--rank=32", f"--workers={workers}", f"--threads={threads}"), HELD_OUT)
        metrics = [line["valid"] for line in self.metrics(self.folder / f"{name}-1x1") if "valid" in line]
        self.assertEqual(reference["valid"], max(metrics))
        done = self.rota("evaluate", "mf", f"--model={self.folder / f'{name}-1x1'}", "--ranking",
                         f"--input={self.folder / 'parts/valid.txt'}")
        scores = json.loads(done.stdout)
        self.assertAlmostEqual(scores["ndcg"], reference["valid"], 12)
        for what in ("recall", "precision"):
            self.assertAlmostEqual(scores[what], reference["terms"][f"valid_{what}"], 12)
        self.assertEqual(scores["of_unknown_user_or_item"], reference["terms"]["valid_unknown"])
        self.assertGreater(scores["ndcg"], least)  # the most visited areas for everybody have 0.407

    def test_another_seed_gives_another_model(self):
        self.assertNotEqual(self.mf("one")["model_hash"], self.mf("two", "--seed=8")["model_hash"])

    def test_kill_and_resume(self):
        """On fewer workers and on more, in turn."""
        dice = random.Random(3)
        for number, (kind, flags) in enumerate(self.kinds().items()):
            workers = (1, 3)[number % 2]
            flags = [*flags, "--epochs=30", "--checkpoint_seconds=0"]
            reference = self.mf(f"{kind}-calm", *flags)
            with self.subTest(kind=kind, workers=workers):
                out = self.folder / f"{kind}-killed"
                run = self.start("train", "mf", f"--input={REVIEWS}", f"--out={out}", "--seed=7", "--workers=2", *flags)
                self.wait_for("a commit", lambda: self.committed(out))
                time.sleep(dice.uniform(0, 0.1))
                self.kill_run(run, out)
                self.rota("resume", out, f"--workers={workers}", "--threads=2")
                self.expect_same(self.result(out), reference)
