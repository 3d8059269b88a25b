"""One Lasso model, bit for bit, for any processes and after losses; and errors of input with file and line."""
import json
import random
import time

from rota_run import DOROTHEA, RotaTest

SHAPES = ((1, 1), (2, 1), (1, 2), (3, 1))


class LassoSameModel(RotaTest):
    compared = (*RotaTest.compared, "objective")

    def lasso(self, name, *flags, data=DOROTHEA):
        out = self.folder / name
        self.rota("train", "lasso", f"--input={data}", f"--out={out}", "--seed=7", *flags)
        self.no_role_left(out)
        return self.result(out)

    def same_on_all_shapes(self, *flags, data=DOROTHEA):
        return self.expect_same_for(SHAPES, lambda workers, threads: self.lasso(
            f"{len(list(self.folder.iterdir()))}", f"--workers={workers}", f"--threads={threads}", *flags, data=data))

    def small(self):
        file = self.folder / "small.libsvm"
        if not file.exists():
            self.rota("generate", "lasso", "--rows=600", "--columns=3000", "--seed=5", f"--output={file}")
        return file

    def test_working_set(self):
        self.same_on_all_shapes("--nointercept", "--lambda_ratio=0.02")

    def test_logistic_path_with_folds(self):
        self.same_on_all_shapes("--loss=logistic", "--path=4", "--lambda_ratio=0.1", "--folds=3",
                                "--standardize")

    def test_rows_without_and_with_staleness(self):
        hashes = [self.same_on_all_shapes("--partition=rows", "--order=priority", f"--staleness={staleness}",
                                          "--lambda_ratio=0.1", "--tolerance=1e-4", data=self.small())["model_hash"]
                  for staleness in (0, 2)]
        self.assertNotEqual(*hashes)

    def test_rows_in_turn_and_at_random(self):
        for order in ("round_robin", "random"):
            self.same_on_all_shapes("--partition=rows", f"--order={order}", "--lambda_ratio=0.2", "--tolerance=1e-3",
                                    data=self.small())

    def test_two_schedulers(self):
        self.same_on_all_shapes("--partition=rows", "--order=priority", "--schedulers=2", "--lambda_ratio=0.2",
                                "--tolerance=1e-3", data=self.small())

    def test_kill_and_resume(self):
        flags = ["--path=30", "--lambda_ratio=0.02", "--checkpoint_seconds=0"]
        reference = self.lasso("calm", *flags)
        dice = random.Random(3)
        out = self.folder / "killed"
        process = self.start("train", "lasso", f"--input={DOROTHEA}", f"--out={out}", "--seed=7", *flags)
        self.wait_for("a checkpoint", lambda: self.committed(out))
        time.sleep(dice.uniform(0, 0.3))
        self.kill_run(process, out)
        self.rota("resume", out, "--workers=3")
        self.assertEqual(self.result(out)["model_hash"], reference["model_hash"])

    def test_asynchronous_is_logged_as_not_reproducible(self):
        self.lasso("asynchronous", "--partition=rows", "--asynchronous", "--staleness=2", "--lambda_ratio=0.3",
                   "--tolerance=1e-3", data=self.small())
        self.assertTrue(self.events(self.folder / "asynchronous", "not_reproducible"))

    def test_bad_data_is_named(self):
        for text, where in (("1 1:2 2:3\n-1 2:x\n", ":2:"), ("1 3:1 2:1\n", ":1:"), ("1 0:1\n", ":1:"), ("a 1:1\n", ":1:")):
            file = self.folder / "bad.libsvm"
            file.write_text(text)
            out = self.folder / "bad"
            self.rota("train", "lasso", f"--input={file}", f"--out={out}", code=65, error=f"bad.libsvm{where}")
            self.assertFalse((out / "model").exists() and list((out / "model").iterdir()))

    def test_bad_options(self):
        for flags in (["--lambda=1", "--lambda_ratio=0.1"], ["--partition=rows", "--order=working_set"], ["--folds=1"],
                      ["--lamda=1"]):
            self.rota("train", "lasso", f"--input={DOROTHEA}", f"--out={self.folder / 'x'}", *flags, code=2)
            self.assertFalse((self.folder / "x").exists())

    def test_show_predict_and_evaluate(self):
        out = self.folder / "shown"
        self.lasso("shown", "--loss=logistic", "--path=5", "--lambda_ratio=0.05", "--folds=4")
        shown = self.rota("show", "lasso", f"--model={out}").stdout
        self.assertIn("1se", shown)
        self.assertIn("of 88119 columns", shown)
        predicted = self.rota("predict", "lasso", f"--model={out}", f"--input={DOROTHEA}", "--type=class").stdout
        self.assertEqual(len(predicted.splitlines()), 800)
        self.assertEqual(set(predicted.split()), {"-1", "1"})
        evaluated = json.loads(self.rota("evaluate", "lasso", f"--model={out}", f"--input={DOROTHEA}",
                                         "--penalty=last").stdout)
        self.assertEqual(evaluated["rows"], 800)
        self.assertGreater(evaluated["accuracy"], 0.95)
