"""One model, bit for bit, for any processes and after losses."""
import random
import signal
import time

from rota_run import BIN, KOS, LIMIT, SOURCE, TOKENS, VOCAB, RotaTest, kill

EPOCHS = 20
SHAPES = ((1, 1), (2, 1), (1, 2), (3, 1))  # workers, threads of each
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
        return out

    def test_workers_and_threads(self):
        for workers, threads in ((2, 1), (1, 2), (3, 1), (4, 2), (8, 1)):
            with self.subTest(workers=workers, threads=threads):
                self.train(f"{workers}x{threads}", f"--workers={workers}", f"--threads={threads}")

    def test_learned_priors_and_held_out_documents(self):
        def train(workers, threads):
            out = self.folder / f"learned-{workers}x{threads}"
            self.rota(*self.lda(out, "--epochs=12", "--learn_alpha=3", "--learn_beta=4", "--burn_in=2",
                                f"--valid={KOS}", f"--workers={workers}", f"--threads={threads}"))
            return self.result(out)
        reference = self.expect_same_for(SHAPES, train, ALL)
        self.assertGreater(reference["terms"]["valid_perplexity"], 1)
        self.assertEqual(reference["valid"], reference["terms"]["valid_perplexity"])

    def test_metropolis_hastings(self):
        """Workers, threads, and a run that was killed and resumed."""
        def flags(out):
            return ["train", "lda", f"--input={KOS}", f"--vocab={VOCAB}", "--topics=300", "--sampler=mh", "--seed=7",
                    "--shards=8", f"--out={out}", "--epochs=20", "--learn_alpha=3", "--burn_in=2"]

        def train(workers, threads):
            out = self.folder / f"mh-{workers}x{threads}"
            self.rota(*flags(out), f"--workers={workers}", f"--threads={threads}")
            return self.result(out)
        reference = self.expect_same_for(SHAPES, train, ALL)
        out = self.folder / "mh-killed"
        run = self.start(*flags(out), "--workers=2", "--checkpoint_seconds=0")
        self.wait_for("three commits", lambda: len(self.committed(out)) >= 2 and self.committed(out)[-1] >= 3)
        self.kill_run(run, out)
        self.rota("resume", out, "--workers=1")
        self.expect_same(self.result(out), reference, ALL[:3])

    def test_separate_stores(self):
        for stores in (1, 2):
            with self.subTest(stores=stores):
                self.train(f"stores-{stores}", "--workers=2", f"--stores={stores}")

    def test_checkpoints_and_evaluations_change_nothing(self):
        self.train("checkpoints", "--checkpoint_seconds=0", "--eval_every=3")
        self.train("none", "--checkpoint_every=0", "--eval_every=0")

    def test_another_seed_gives_another_model(self):
        out = self.folder / "other"
        self.rota(*self.lda(out, f"--epochs={EPOCHS}", "--seed=8"))
        self.assertNotEqual(self.result(out)["model_hash"], self.reference["model_hash"])

    def test_counts_are_conserved_at_every_epoch(self):
        out = self.train("counts", "--workers=2")
        metrics = self.metrics(out)
        self.assertEqual([m["epoch"] for m in metrics], list(range(EPOCHS + 1)))
        for m in metrics:
            self.assertEqual(m["terms"]["tokens"], TOKENS)

    def test_started_by_hand(self):
        out = self.folder / "by-hand"
        self.program(
   [SOURCE / "deploy/local.sh", "lda", f"--input={KOS}", f"--vocab={VOCAB}", "--topics=50", "--seed=7",
    "--shards=8", f"--epochs={EPOCHS}", "--workers=2", f"--out={out}"], env={"PATH": "/usr/bin:/bin", "ROTA_BIN": str(BIN)})
        self.check(out)
        log = (out / "log/coordinator-0.log").read_text()
        lines = [line for line in log.splitlines() if "event=epoch " in line]
        self.assertEqual(len(lines), EPOCHS + 1)
        for word in ("epoch=20", "objective=", "per_item=", "seconds=", "items_per_second=", "bytes_sent=", "workers=2",
                     "slowest=worker-", "waiting="):
            self.assertIn(word, lines[-1])

    def test_killed_at_any_moment_and_resumed(self):
        seed = random.randrange(1 << 30)
        dice = random.Random(seed)
        resumed_after = []
        for attempt in range(6):
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

    def killed_after_commits(self, name):
        """The folder of a run that was killed when it had two commits or more."""
        out = self.folder / name
        run = self.start(*self.lda(out, f"--epochs={EPOCHS}", "--checkpoint_seconds=0"))
        self.wait_for("three commits", lambda: len(self.committed(out)) >= 2 and self.committed(out)[-1] >= 3)
        self.kill_run(run, out)
        return out

    @staticmethod
    def damage(victim):
        data = bytearray(victim.read_bytes())
        data[len(data) // 2] ^= 1
        victim.write_bytes(data)

    def test_a_damaged_checkpoint_is_skipped(self):
        out = self.killed_after_commits("damaged")
        newest = self.committed(out)[-1]
        self.damage(next((out / "checkpoint" / f"epoch-{newest:08d}").glob("partition-0.*sst")))
        self.rota("resume", out)
        self.check(out)
        self.assertIn("checkpoint_refused", (out / "log/coordinator-0.log").read_text())
        self.assertLess(int(self.events(out, "resume")[-1]["epoch"]), newest)

    def test_a_run_with_only_damaged_checkpoints_is_not_restarted(self):
        out = self.killed_after_commits("all-damaged")
        before = self.metrics(out)
        for victim in (out / "checkpoint").glob("epoch-*/partition-0.*sst"):
            self.damage(victim)
        done = self.rota("resume", out, code=74, error=f"no checkpoint of {out} can be used: ")
        self.assertIn("partition-0.", done.stderr)
        self.assertIn("start a new run", done.stderr)
        self.assertEqual(self.events(out, "end")[-1]["exit"], 74)
        self.assertEqual(self.metrics(out), before)
        self.assertFalse((out / "result.json").exists())
        self.no_role_left(out)

    def test_a_run_without_a_commit_starts_again(self):
        out = self.killed_after_commits("no-commit")
        for record in (out / "checkpoint").glob("epoch-*/commit.json"):
            record.unlink()
        self.rota("resume", out, error="nothing to resume: no epoch was committed")
        self.assertEqual(len(self.events(out, "resume_without_checkpoint")), 1)
        self.check(out)
        self.assertEqual([m["epoch"] for m in self.metrics(out)], list(range(EPOCHS + 1)))

    def test_a_damaged_model_is_refused(self):
        out = self.train("model", "--workers=1")
        self.rota("show", "lda", f"--model={out}")
        manifest = out / "model/manifest.json"
        whole = manifest.read_text()
        self.assertIn('"seed": 7', whole)
        manifest.write_text(whole.replace('"seed": 7', '"seed": 6'))
        shown = self.rota("show", "lda", f"--model={out}", code=74, error=f"{manifest}: damaged")
        self.assertEqual(shown.stdout, "")

    def test_a_worker_is_killed(self):
        out = self.folder / "worker"
        run = self.start(*self.lda(out, "--epochs=20000", "--workers=2", "--eval_every=0", "--checkpoint_seconds=0",
                                    "--on_loss=stop"))
        self.wait_for("a commit", lambda: self.committed(out))
        kill([self.roles(out)["rota-worker-1"]])
        stderr = self.ended(run, 75)
        self.assertIn("worker-1", stderr)
        self.no_role_left(out)

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
