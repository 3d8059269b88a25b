"""--patience: the job ends with the model of its best epoch, for any processes and after losses."""
from app_run import SHAPES
from rota_run import KOS, VOCAB, RotaTest


class Patience(RotaTest):
    def flags(self, out, *more):
        """With a large alpha the best score comes after few epochs."""
        return ["train", "lda", f"--input={KOS}", f"--vocab={VOCAB}", "--topics=100", "--seed=7", "--shards=4", f"--valid={KOS}",
                "--alpha=2", "--beta=0.5", "--epochs=150", f"--out={out}", *more]

    def scores(self, out):
        return {line["epoch"]: line["valid"] for line in self.metrics(out) if "valid" in line}

    def test_the_best_epoch_is_the_model(self):
        reference = None
        for workers, threads in SHAPES:
            out = self.folder / f"{workers}x{threads}"
            self.rota(*self.flags(out, "--patience=3", f"--workers={workers}", f"--threads={threads}"))
            result = self.result(out)
            reference = reference or result
            self.expect_same(result, reference, ("model_hash", "state_hash", "objective", "terms", "valid", "best_epoch", "epochs"))
        scores = self.scores(out)
        best = min(scores, key=scores.get)
        self.assertEqual(result["best_epoch"], best)
        self.assertEqual(result["valid"], scores[best])
        self.assertEqual(result["epochs"], best + 3)
        self.assertLess(result["epochs"], 150)

        # A job that was stopped by a signal has the same model.
        short = self.folder / "short"
        self.rota(*self.flags(short), f"--epochs={best}")
        self.assertEqual(self.result(short)["model_hash"], result["model_hash"])

        # One that was killed, too.
        out = self.folder / "killed"
        run = self.start(*self.flags(out, "--patience=3", "--workers=2", "--checkpoint_seconds=0"))
        self.wait_for("commits", lambda: len(self.committed(out)) >= 2)
        self.kill_run(run, out)
        self.rota("resume", out, "--workers=1")
        self.expect_same(self.result(out), reference, ("model_hash", "state_hash", "valid", "best_epoch", "epochs"))
        self.assertIn("already done", self.rota("resume", out).stdout)
