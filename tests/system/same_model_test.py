"""One model, bit for bit, for any processes and after losses."""
import random
import signal
import time

from app_run import SHAPES
from rota_run import BIN, KOS, LIMIT, SOURCE, TOKENS, RotaTest, kill

EPOCHS = 10
ALL = ("model_hash", "state_hash", "objective", "terms")


class SameModel(RotaTest):
    reference = None

    def setUp(self):
        super().setUp()
        if SameModel.reference is None:
            out = self.folder / "reference"
            self.rota(*self.lda(out, f"--epochs={EPOCHS}", "--workers=1", "--threads=1"))
            SameModel.reference = self.result(out)

    def check(self, out):
        result = self.result(out)
        self.assertEqual(result["epochs"], EPOCHS)
        self.expect_same(result, self.reference, ALL[:3])
        self.no_role_left(out)

    def train(self, name, *flags):
        out = self.folder / name
        done = self.rota(*self.lda(out, f"--epochs={EPOCHS}", *flags))
        self.assertIn(self.reference["model_hash"], done.stdout)
        self.check(out)

    def test_processes_threads_and_checkpoints(self):
        for flags in (["--workers=2", "--threads=1"], ["--workers=1", "--threads=2"], ["--workers=4", "--threads=2"],
                      ["--workers=8", "--threads=1"], ["--workers=3", "--stores=2"],
                      ["--checkpoint_seconds=0", "--eval_every=3"], ["--checkpoint_every=0", "--eval_every=0"]):
            with self.subTest(flags=flags):
                self.train("-".join(flags), *flags)

    def test_learned_priors_and_many_topics(self):
        for name, flags in (("learned", ["--learn_alpha=3", "--learn_beta=4", f"--valid={KOS}"]),
                            ("lists", ["--topics=300", "--learn_alpha=3"])):
            def train(workers, threads):
                out = self.folder / f"{name}-{workers}x{threads}"
                self.rota(*self.lda(out, "--epochs=8", "--burn_in=2", *flags, f"--workers={workers}",
                                    f"--threads={threads}"))
                return self.result(out)
            reference = self.expect_same_for(SHAPES, train, ALL)
            self.assertEqual(reference.get("valid"), reference["terms"].get("valid_perplexity"))

    def test_started_by_hand(self):
        out = self.folder / "by-hand"
        self.program(
            [SOURCE / "deploy/local.sh", *self.lda(out, f"--epochs={EPOCHS}", "--workers=2")[1:]],
            env={"PATH": "/usr/bin:/bin", "ROTA_BIN": str(BIN)})
        self.check(out)
        metrics = self.metrics(out)
        self.assertEqual([m["epoch"] for m in metrics], list(range(EPOCHS + 1)))
        self.assertEqual({m["terms"]["tokens"] for m in metrics}, {TOKENS}, "counts are conserved at every epoch")
        log = (out / "log/coordinator-0.log").read_text()
        lines = [line for line in log.splitlines() if "event=epoch " in line]
        self.assertEqual(len(lines), EPOCHS + 1)
        for word in (f"epoch={EPOCHS}", "objective=", "per_item=", "seconds=", "items_per_second=", "bytes_sent=", "workers=2",
                     "slowest=worker-", "waiting="):
            self.assertIn(word, lines[-1])

    def test_killed_at_any_moment_and_resumed(self):
        seed = random.randrange(1 << 30)
        dice = random.Random(seed)
        resumed_after = []
        for attempt in range(3):
            with self.subTest(attempt=attempt, seed=seed):
                out = self.folder / f"killed-{attempt}"
                run = self.start(*self.lda(out, f"--epochs={EPOCHS}", "--workers=2", "--checkpoint_seconds=0"))
                self.wait_for("the run to begin", lambda: run.poll() is not None or len(self.roles(out)) >= 4)
                time.sleep(dice.uniform(0, 0.5))
                self.kill_run(run, out)
                resumed_after.append(max(self.committed(out), default=-1))
                workers = dice.choice([1, 2, 3])
                self.rota("resume", out, f"--workers={workers}")
                self.check(out)
                self.assertEqual([m["epoch"] for m in self.metrics(out)], list(range(EPOCHS + 1)))
        print("resumed after epochs", resumed_after)

    def test_without_a_good_checkpoint(self):
        """Damaged ones are no reason to start again; a run without any starts again."""
        out = self.folder / "killed"
        run = self.start(*self.lda(out, f"--epochs={EPOCHS}", "--checkpoint_seconds=0"))
        self.wait_for("three commits", lambda: len(self.committed(out)) >= 2 and self.committed(out)[-1] >= 3)
        self.kill_run(run, out)
        before = self.metrics(out)
        for victim in (out / "checkpoint").glob("epoch-*/partition-0.*sst"):
            data = bytearray(victim.read_bytes())
            data[len(data) // 2] ^= 1
            victim.write_bytes(data)
        done = self.rota("resume", out, code=74, error=f"no checkpoint of {out} can be used: ")
        self.assertIn("partition-0.", done.stderr)
        self.assertIn("start a new run", done.stderr)
        self.assertEqual(self.events(out, "end")[-1]["exit"], 74)
        self.assertEqual(self.metrics(out), before)
        self.assertFalse((out / "result.json").exists())
        self.no_role_left(out)
        for record in (out / "checkpoint").glob("epoch-*/commit.json"):
            record.unlink()
        self.rota("resume", out, error="nothing to resume: no epoch was committed")
        self.assertEqual(len(self.events(out, "resume_without_checkpoint")), 1)
        self.check(out)
        self.assertEqual([m["epoch"] for m in self.metrics(out)], list(range(EPOCHS + 1)))

    def test_rota_itself_is_killed(self):
        out = self.folder / "launcher"
        run = self.start(*self.lda(out, "--epochs=20000", "--eval_every=0"))
        self.wait_for("the run to begin", lambda: len(self.roles(out)) >= 4)
        kill([run.pid])
        run.wait()
        self.no_role_left(out)

    def test_stopped_by_a_signal_and_resumed(self):
        for number, code in ((signal.SIGTERM, 143), (signal.SIGINT, 130)):
            with self.subTest(signal=number):
                out = self.folder / f"signal-{code}"
                run = self.start(*self.lda(out, f"--epochs={EPOCHS}", "--checkpoint_every=0"))
                self.wait_for("training", lambda: run.poll() is not None or (
                    (out / "metrics.jsonl").exists() and (out / "metrics.jsonl").stat().st_size > 0))
                run.send_signal(number)
                _, stderr = run.communicate(timeout=LIMIT)
                if run.returncode != 0:  # the signal came before the last epoch
                    self.assertEqual(run.returncode, code, stderr)
                    self.assertFalse((out / "model").exists())
                    self.assertEqual(len(self.committed(out)), 1)
                    self.rota("resume", out)
                self.check(out)
