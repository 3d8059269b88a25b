"""rota train --continue: one command line that begins a run and continues it."""
from app_run import AppTest
from rota_run import KOS


class Continue(AppTest):
    app = "lda"
    job = ("--topics=8", "--epochs=30", "--checkpoint_seconds=0", "--eval_every=0")

    def again(self, out, *flags, **expected):
        return self.rota(*self.command_line(out, KOS, *self.job, "--continue", *flags), **expected)

    def test_a_killed_run(self):
        reference, calm = self.train("calm", KOS, *self.job)
        out = self.folder / "killed"
        run = self.start(*self.command_line(out, KOS, *self.job, "--continue", "--workers=2"))
        self.wait_for("a commit", lambda: self.committed(out))
        self.kill_run(run, out)
        self.again(out, "--workers=1", "--threads=2")
        self.expect_same(self.result(out), reference)
        self.assertIn("resume", (out / "events.jsonl").read_text())
        self.assertIn("already done", self.again(out).stdout)
        before = (out / "result.json").read_bytes()
        for flags, what in ((("--seed=2",), "--seed=1, and this one has --seed=2"), (("--topics=9",), "--topics=8"),
                            (("--epochs=31",), "--epochs=30")):
            self.again(out, *flags, code=73, error=f"{out} holds a run with {what}")
        self.rota("train", "kmeans", f"--input={KOS}", f"--out={out}", "--continue", code=73, error="--app=lda")
        self.assertEqual((out / "result.json").read_bytes(), before)

    def test_what_is_no_run(self):
        out = self.folder / "mine"
        out.mkdir()
        (out / "notes.txt").write_text("mine")
        self.again(out, code=73, error="contains files not created by Rota")
        self.assertEqual((out / "notes.txt").read_text(), "mine")
