"""--patience: the job ends with the model of its best epoch, wherever it runs and whatever dies."""
import json
import unittest

from rota_run import KOS, VOCAB, RotaTest, kill


class Patience(RotaTest):
    def flags(self, out, *more):
        """A large alpha overfits nothing at once, so the best score comes soon."""
        return ["train", "lda", f"--input={KOS}", f"--vocab={VOCAB}", "--topics=100", "--seed=7", "--shards=4", f"--valid={KOS}",
                "--alpha=2", "--beta=0.5", "--epochs=150", f"--out={out}", *more]

    def scores(self, out):
        lines = [json.loads(line) for line in (out / "metrics.jsonl").read_text().splitlines()]
        return {line["epoch"]: line["valid"] for line in lines if "valid" in line}

    def test_the_best_epoch_is_the_model(self):
        reference = None
        for workers, threads in ((1, 1), (2, 1), (1, 2)):
            out = self.folder / f"{workers}x{threads}"
            done = self.rota(*self.flags(out, "--patience=3", f"--workers={workers}", f"--threads={threads}"))
            self.assertEqual(done.returncode, 0, done.stderr)
            result = self.result(out)
            reference = reference or result
            for what in ("model_hash", "state_hash", "objective", "terms", "valid", "best_epoch", "epochs"):
                self.assertEqual(result[what], reference[what], what)
        scores = self.scores(out)
        best = min(scores, key=scores.get)
        self.assertEqual(result["best_epoch"], best)
        self.assertEqual(result["valid"], scores[best])
        self.assertEqual(result["epochs"], best + 3)
        self.assertLess(result["epochs"], 150)

        # A job that was told to end there has the same model.
        short = self.folder / "short"
        done = self.rota(*self.flags(short), f"--epochs={best}")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.result(short)["model_hash"], result["model_hash"])

        # One that is killed, too.
        out = self.folder / "killed"
        run = self.start(*self.flags(out, "--patience=3", "--workers=2", "--checkpoint_seconds=0"))
        self.wait_for("commits", lambda: len(self.committed(out)) >= 2)
        kill([run.pid, *self.roles(out).values()])
        run.wait()
        self.no_role_left(out)
        done = self.rota("resume", out, "--workers=1")
        self.assertEqual(done.returncode, 0, done.stderr)
        for what in ("model_hash", "state_hash", "valid", "best_epoch", "epochs"):
            self.assertEqual(self.result(out)[what], reference[what], what)
        self.assertIn("already done", self.rota("resume", out).stdout)

    def test_what_it_needs(self):
        out = self.folder / "refused"
        for flags, why in ((["--patience=3", "--valid="], "--patience needs held-out data: --valid"),
                           (["--patience=3", "--eval_every=0"], "--patience needs evaluations: --eval_every")):
            done = self.rota(*self.flags(out), *flags)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn(why, done.stderr)
            self.assertFalse(out.exists())


if __name__ == "__main__":
    unittest.main()
