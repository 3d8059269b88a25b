"""Runs read from their folders: finished, live, ended, torn, of other versions."""
import json
import os
import signal
import subprocess
import unittest
import unittest.mock

import numpy as np
from python_run import LIMIT, SOURCE, PythonTest, counts, rows

import rota
from rota import _training
from rota._training import train

MATRIX, LABELS = rows()
KOS = SOURCE / "apps/lda/sample/docword.kos.txt.gz"


class Runs(PythonTest):
    def finished(self):
        out = self.folder / "run"
        self.trained = train("sgd", {"epochs": 4}, MATRIX, LABELS, out=out)
        return rota.load(out)

    def test_a_finished_run_has_its_records_and_model(self):
        run = self.finished()
        self.assertEqual((run.app, run.state, run.epoch, run.problems), ("sgd", "done", 4, []))
        self.assertEqual(run.options["epochs"], "4")
        self.assertEqual(run.result["model_hash"], self.trained.model_hash)
        self.assertEqual(run.model.model_hash, self.trained.model_hash)
        self.assertEqual(run.metrics["epoch"].tolist(), [1, 2, 3, 4])
        self.assertEqual(run.metrics["objective"].tolist(), [line["objective"] for line in self.trained.history])
        self.assertTrue(np.isfinite(run.metrics["accuracy"]).all())
        self.assertEqual(run.events[-1]["event"], "end")
        self.assertIn("done", repr(run))

    def test_metrics_are_a_frame_and_a_plot(self):
        try:
            import matplotlib
            import pandas
        except ImportError as error:
            self.skipTest(str(error))
        matplotlib.use("Agg")
        run = self.finished()
        frame = run.metrics_frame()
        self.assertIsInstance(frame, pandas.DataFrame)
        self.assertEqual(frame.index.tolist(), [1, 2, 3, 4])
        axes = run.plot("objective")
        self.assertEqual(axes.get_lines()[0].get_ydata().tolist(), run.metrics["objective"].tolist())
        axes.figure.savefig(self.folder / "plot.png")
        self.assertGreater((self.folder / "plot.png").stat().st_size, 5000)
        with self.assertRaisesRegex(rota.DataError, "accuracy"):
            run.plot("nothing")

    def test_what_is_not_installed_is_named(self):
        run = self.finished()
        with unittest.mock.patch.dict("sys.modules", {"matplotlib.pyplot": None, "matplotlib": None, "pandas": None}):
            with self.assertRaisesRegex(ImportError, "python3-matplotlib"):
                run.plot()
            with self.assertRaisesRegex(ImportError, "python3-pandas"):
                run.metrics_frame()

    def test_a_live_run_is_read_and_an_ended_one_resumed(self):
        out = self.folder / "live"
        words = [_training.program(), "train", "lda", f"--input={KOS}", "--topics=20", "--epochs=60", "--noslurm",
                 f"--out={out}", "--checkpoint_seconds=0.1", "--progress=none"]
        with subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as process:
            try:
                self.wait_for("a checkpoint", lambda: (out / "flags.txt").exists() and rota.load(out).checkpoint_epoch)
                run = rota.load(out)
                self.assertEqual(run.state, "running")
                self.assertGreater(run.model.epoch, 0)
                self.assertIsNone(run.result)
                process.send_signal(signal.SIGINT)
                self.assertEqual(process.wait(timeout=LIMIT), 130, process.stderr.read())
            finally:
                if process.poll() is None:
                    process.kill()
        self.assertEqual((run.state, run.events[-1]["exit"]), ("ended", 130))
        self.assertLess(run.epoch, 60, "the run was too short to be stopped")
        self.assertEqual(rota.resume(out).state, "done")

    def test_cut_off_files_and_other_versions_are_read_and_told(self):
        run = self.finished()
        with open(run.folder / "metrics.jsonl", "a", encoding="utf-8") as file:
            file.write('{"epoch": 5, "object')
        events = (run.folder / "events.jsonl").read_text(encoding="utf-8")
        later = json.dumps({"event": "started", "version": "9.9.9", "time": 1.0})
        (run.folder / "events.jsonl").write_text(events + later + "\n", encoding="utf-8")
        os.remove(run.folder / "flags.txt")
        self.assertEqual(run.metrics["epoch"].tolist(), [1, 2, 3, 4])
        self.assertEqual(run.app, "sgd")
        said = "; ".join(run.problems)
        for part in ("flags.txt is missing", "metrics.jsonl ends in the middle", "Rota 9.9.9"):
            self.assertIn(part, said)

    def test_a_folder_without_a_run_is_no_input(self):
        with self.assertRaisesRegex(rota.NoInput, "there is no run here"):
            rota.load(self.folder)

    def test_an_estimator_of_a_run_predicts_as_the_fitted_one(self):
        out = self.folder / "estimator"
        fitted = rota.LDA(n_components=4, max_iter=5, random_state=3, out=out).fit(counts())
        again = rota.load(out).estimator()
        self.assertEqual(again.model_hash_, fitted.model_hash_)
        self.assertEqual(again.components_.tolist(), fitted.components_.tolist())


if __name__ == "__main__":
    unittest.main()
