"""Workers join a run, leave it, are spares, and are lost without a replacement: the model does not change.

ROTA_ELASTIC_JOBS: names of jobs of recovery_test.py, or "all", in which every worker is replaced (lda,sgd).
"""
import json
import os
import shutil
import signal

from recovery_test import JOBS
from rota_run import KOS, LIMIT, RotaTest, kill

WANTED = os.environ.get("ROTA_ELASTIC_JOBS", "lda,sgd")
# Long enough on any machine for what the tests do.
LONGER = {"lda": ["--epochs=200"], "sgd": ["--epochs=120"], "mf": ["--epochs=2000"], "lasso": ["--path=400"]}
LDA = JOBS["lda"] + LONGER["lda"]


class Elastic(RotaTest):
    def train(self, job, out, *flags):
        return self.start("train", *job, f"--out={out}", "--seed=7", *flags)

    def add_worker(self, out, *flags):
        return self.start("add-worker", out, *flags)

    calm = {}

    def calm_hash(self, job):
        """The model of the job on one worker, trained once for all tests."""
        key = tuple(job)
        if key not in self.calm:
            out = self.folder / f"calm-{len(self.calm)}"
            self.rota("train", *job, f"--out={out}", "--seed=7", "--workers=1")
            self.calm[key] = self.result(out)["model_hash"]
        return self.calm[key]

    def wait_until_hosting(self, out, run, roles):
        self.wait_for(f"{roles} hosting", lambda: run.poll() is not None or (
            (out / "events.jsonl").exists() and self.now_hosting(out) == set(roles) and self.trains(out)))
        self.assertIsNone(run.poll(), "the run ended before that")

    def events_of(self, out):
        return [json.loads(line) for line in (out / "events.jsonl").read_text().splitlines() if line.endswith("}")]

    def now_hosting(self, out):
        hosting, fresh = set(), True
        for event in self.events_of(out):
            if event["event"] == "hosts":
                hosting = {event["role"]} if fresh else hosting | {event["role"]}
                fresh = False
            elif event["event"] == "phase":
                fresh = True
        return hosting

    def trains(self, out):
        phases = [event["phase"] for event in self.events_of(out) if event["event"] == "phase"]
        return phases[-1:] == ["training"]

    def pauses(self, out):
        """Seconds from the end of an epoch's checkpoint until shards that moved are trained again."""
        spans, since = [], None
        for event in self.events_of(out):
            if event["event"] == "phase" and event["phase"] == "migrating":
                since = event["time"]
            if event["event"] == "phase" and event["phase"] == "training" and since is not None:
                spans.append(event["time"] - since)
                since = None
        return spans

    def end(self, out, run, expected):
        stderr = self.ended(run)
        self.assertEqual(self.result(out)["model_hash"], expected, stderr)
        self.expect_each_epoch_once(out)
        self.no_role_left(out)
        return stderr

    def worker_of(self, out, number):
        return self.roles(out)[f"rota-worker-{number}"]

    def test_from_one_worker_to_three_and_back_to_two(self):
        expected = self.calm_hash(LDA)
        out = self.folder / "grown"
        run = self.train(LDA, out, "--workers=1")
        self.wait_until_hosting(out, run, ["worker-0"])
        first, second = self.add_worker(out), self.add_worker(out)
        self.wait_until_hosting(out, run, ["worker-0", "worker-1", "worker-2"])
        second.send_signal(signal.SIGTERM)
        self.assertEqual(second.wait(LIMIT), 143)
        stderr = self.end(out, run, expected)
        self.assertEqual(first.wait(LIMIT), 0)
        self.assertEqual(self.events(out, "rollback"), [], stderr)
        self.assertEqual(self.events(out, "lost"), [], stderr)
        self.assertEqual(len(self.now_hosting(out)), 2)
        pauses = self.pauses(out)
        self.assertGreaterEqual(len(pauses), 2)
        print("milliseconds between two epochs in which shards move:", [round(1000 * span) for span in pauses])

    def test_a_worker_that_leaves_is_not_added_again(self):
        """A worker of the same number was refused at the same time, and reported it in the same log."""
        out = self.folder / "left"
        run = self.train(LDA, out, "--workers=1", "--epochs=100000")
        self.wait_until_hosting(out, run, ["worker-0"])
        added = self.add_worker(out)
        self.wait_until_hosting(out, run, ["worker-0", "worker-1"])
        with (out / "log/worker-1.log").open("a") as log:
            log.write('event=end role=worker-1 exit=75 what="another worker-1 is there already"\n')
        added.send_signal(signal.SIGTERM)
        self.assertEqual(added.wait(LIMIT), 143)
        run.terminate()
        self.assertEqual(run.wait(LIMIT), 143)
        self.assertEqual(len([event for event in self.events_of(out) if event["event"] == "joined"]), 3)

    def test_all_workers_are_replaced(self):
        names = list(JOBS) if WANTED == "all" else WANTED.split(",")
        for name in names:
            with self.subTest(job=name):
                out = self.folder / name
                job = JOBS[name] + LONGER.get(name, [])
                run = self.train(job, out, "--workers=1")
                self.wait_until_hosting(out, run, ["worker-0"])
                added = self.add_worker(out)
                self.wait_until_hosting(out, run, ["worker-0", "worker-1"])
                os.kill(self.worker_of(out, 0), signal.SIGTERM)
                self.end(out, run, self.calm_hash(job))
                self.assertEqual(added.wait(LIMIT), 0)
                self.assertEqual(self.events(out, "rollback"), [])

    def test_shards_of_lost_workers_move_to_the_others(self):
        """The last worker gets the primary shard, after reading others without it."""
        expected = self.calm_hash(LDA)
        out = self.folder / "moved"
        run = self.train(LDA, out, "--workers=3", "--on_loss=move", "--checkpoint_seconds=0")
        self.wait_until_hosting(out, run, ["worker-0", "worker-1", "worker-2"])
        kill([self.worker_of(out, 1)], signal.SIGKILL)
        self.wait_until_hosting(out, run, ["worker-0", "worker-2"])
        self.assertNotIn("rota-worker-1", self.roles(out), "it is not restarted")
        kill([self.worker_of(out, 0)], signal.SIGKILL)
        stderr = self.end(out, run, expected)
        self.assertEqual(self.now_hosting(out), {"worker-2"}, stderr)

    def test_a_spare_replaces_a_lost_worker(self):
        expected = self.calm_hash(LDA)
        out = self.folder / "spare"
        run = self.train(LDA, out, "--workers=2", "--spares=1", "--checkpoint_seconds=0")
        self.wait_until_hosting(out, run, ["worker-0", "worker-1"])
        self.wait_for("the spare", lambda: [e for e in self.events(out, "joined") if e.get("as") == "a spare"])
        kill([self.worker_of(out, 0)], signal.SIGKILL)
        self.wait_until_hosting(out, run, ["worker-2", "worker-1"])
        stderr = self.end(out, run, expected)
        self.assertEqual(self.now_hosting(out), {"worker-2", "worker-1"}, stderr)

    def test_with_too_few_workers_the_run_pauses(self):
        expected = self.calm_hash(LDA)
        out = self.folder / "few"
        run = self.train(LDA, out, "--workers=2", "--min_workers=2")
        self.wait_until_hosting(out, run, ["worker-0", "worker-1"])
        os.kill(self.worker_of(out, 1), signal.SIGTERM)
        self.wait_for("the pause", lambda: self.events(out, "paused"))
        self.assertEqual(self.events(out, "paused")[0]["why"], "1 worker is left, and --min_workers is 2")
        added = self.add_worker(out)
        stderr = self.end(out, run, expected)
        self.assertEqual(added.wait(LIMIT), 0)
        self.assertIn("paused: 1 worker is left", stderr)

    def test_a_paused_run_ends_if_no_worker_joins(self):
        out = self.folder / "alone"
        run = self.train(LDA, out, "--workers=2", "--min_workers=2", "--rejoin_seconds=1")
        self.wait_until_hosting(out, run, ["worker-0", "worker-1"])
        os.kill(self.worker_of(out, 1), signal.SIGTERM)
        stderr = self.ended(run, 75)
        self.assertIn("1 worker is left, and --min_workers is 2, and no other has joined", stderr)
        self.rota("resume", out)
        self.assertEqual(self.result(out)["model_hash"], self.calm_hash(LDA))

    def test_a_worker_joins_from_a_machine_without_the_folder(self):
        """It receives the run's flags, keeps its files in its own folder, and the coordinator gets a copy."""
        expected = self.calm_hash(LDA)
        out, own = self.folder / "elsewhere", self.folder / "own"
        run = self.train(LDA, out, "--workers=1", "--checkpoint_seconds=0")
        self.wait_until_hosting(out, run, ["worker-0"])
        address = (out / "address").read_text().strip()
        data = self.folder / "data.gz"
        shutil.copy(KOS, data)
        added = self.add_worker(address, f"--own_disk={own}", f"--input={data}")
        self.wait_until_hosting(out, run, ["worker-0", "worker-1"])
        os.kill(self.worker_of(out, 0), signal.SIGTERM)
        self.wait_until_hosting(out, run, ["worker-1"])
        self.end(out, run, expected)
        self.assertEqual(added.wait(LIMIT), 0)
        self.assertTrue((own / "log/worker-1.log").exists())
        self.assertFalse((out / "log/worker-1.log").exists())
        self.assertTrue(list(own.glob("checkpoint/epoch-*/partition-*")), "its partitions' files are here")

    def test_folders_that_a_remote_worker_may_not_use(self):
        out = self.folder / "strict"
        run = self.train(LDA, out, "--workers=1", "--checkpoint_seconds=0")
        self.wait_until_hosting(out, run, ["worker-0"])
        address = (out / "address").read_text().strip()
        full, other, open_ = (self.folder / name for name in ("full", "other", "open"))
        for folder, mode in ((full, 0o700), (other, 0o700), (open_, 0o755)):
            folder.mkdir()
            folder.chmod(mode)
        (full / "notes.txt").write_text("mine")
        (other / "flags.txt").write_text("--app=mf\n")
        for folder, code, words in ((full, 73, "it contains files that are not of this run"),
                                    (other, 73, "it is of another run"), (open_, 77, "only this user can enter")):
            with self.subTest(folder=folder.name):
                self.rota("add-worker", address, f"--own_disk={folder}", code=code, error=words)
        self.assertEqual((full / "notes.txt").read_text(), "mine")
        self.assertEqual((other / "flags.txt").read_text(), "--app=mf\n")
        run.terminate()
        run.communicate(timeout=LIMIT)

    def test_errors_of_add_worker(self):
        self.rota("add-worker", self.folder, code=66, error="no active run in")
        self.rota("add-worker", code=2)
        self.rota("add-worker", f"ipc://{self.folder}/nothing", code=75)
        out = self.folder / "done"
        self.rota("train", "lda", f"--input={KOS}", "--epochs=1", f"--out={out}")
        self.rota("add-worker", out, code=66)
