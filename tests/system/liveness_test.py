"""Who lives, who is lost, and how a run ends: late starts, pauses, signals."""
import os
import signal
import subprocess
import tempfile
import time
import unittest

from rota_run import BIN, LIMIT, SOURCE, RotaTest, kill

TROUBLE = os.environ["ROTA_TROUBLE"]
EPOCHS = 4


class LivenessTest(RotaTest):
    calm = {}

    def trouble(self, out, *flags):
        """The arguments of a training of the plugin that makes trouble."""
        points = self.folder / "points"
        points.write_text("1\n")
        return ["train", TROUBLE, f"--input={points}", "--seed=3", f"--out={out}", "--checkpoint_seconds=0", *flags]

    def calm_hash(self, epochs=EPOCHS):
        """The model without any trouble."""
        if epochs not in LivenessTest.calm:
            out = self.folder / "calm"
            done = self.rota(*self.trouble(out, f"--epochs={epochs}", "--workers=1"))
            self.assertEqual(done.returncode, 0, done.stderr)
            LivenessTest.calm[epochs] = self.result(out)["model_hash"]
        return LivenessTest.calm[epochs]

    def log(self, out, process="coordinator-0"):
        file = out / "log" / f"{process}.log"
        return file.read_text() if file.exists() else ""

    def wait_for_training(self, run, out):
        self.wait_for("training", lambda: run.poll() is not None or "phase=training" in self.log(out))
        self.assertIsNone(run.poll(), "it has ended already")


class ByHand(LivenessTest):
    """The four programs, started one by one."""

    def begin(self, name, *flags):
        out = self.folder / name
        points = self.folder / "points"
        points.write_text("1\n")
        self.sockets = tempfile.TemporaryDirectory(prefix="rota-hand-")
        self.addCleanup(self.sockets.cleanup)
        (out / "log").mkdir(parents=True)
        (out / "flags.txt").write_text("\n".join(
            [f"--app={TROUBLE}", f"--input={points}", f"--out={out}", "--seed=3", f"--epochs={EPOCHS}", "--workers=2",
             *flags, ""]))
        return out

    def role(self, out, role, index=0):
        process = subprocess.Popen(
            [BIN / f"rota-{role}", f"--flagfile={out}/flags.txt", f"--coordinator=ipc://{self.sockets.name}/c",
             f"--index={index}"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.addCleanup(lambda: (process.poll() is None and process.kill(), process.wait()))
        return process

    def joined(self, out):
        return [event["role"] for event in self.events(out, "joined")] if (out / "events.jsonl").exists() else []

    def test_a_worker_that_starts_long_after_the_others_joins(self):
        late = float(os.environ.get("ROTA_LATE_SECONDS", "5"))
        flags = ["--peer_timeout_seconds=2"] if late < 30 else []
        out = self.begin("late", *flags)
        processes = [self.role(out, "coordinator"), self.role(out, "scheduler"), self.role(out, "worker", 0)]
        self.wait_for("two to join", lambda: len(self.joined(out)) == 2)
        time.sleep(late)
        processes.append(self.role(out, "worker", 1))
        self.assertEqual([p.wait(timeout=LIMIT) for p in processes], [0, 0, 0, 0], self.log(out))
        self.assertEqual(self.result(out)["model_hash"], self.calm_hash())

    def test_a_worker_waits_for_a_coordinator_that_starts_late(self):
        out = self.begin("first", "--peer_timeout_seconds=2")
        processes = [self.role(out, "scheduler"), self.role(out, "worker", 0), self.role(out, "worker", 1)]
        time.sleep(4)
        processes.append(self.role(out, "coordinator"))
        self.assertEqual([p.wait(timeout=LIMIT) for p in processes], [0, 0, 0, 0], self.log(out))

    def test_a_worker_that_dies_while_others_are_awaited_is_started_anew(self):
        out = self.begin("anew")
        first = [self.role(out, "coordinator"), self.role(out, "worker", 0)]
        self.wait_for("one to join", lambda: self.joined(out))
        kill([first[1].pid])
        self.wait_for("its loss to be noticed", lambda: self.events(out, "left"))
        self.assertEqual(self.events(out, "left")[0]["role"], "worker-0")
        others = [self.role(out, "scheduler"), self.role(out, "worker", 0), self.role(out, "worker", 1)]
        self.assertEqual([p.wait(timeout=LIMIT) for p in [first[0], *others]], [0, 0, 0, 0], self.log(out))
        self.assertEqual(self.result(out)["model_hash"], self.calm_hash())


class Pauses(LivenessTest):
    def test_all_processes_stop_for_longer_than_the_time_out_and_go_on(self):
        pause = float(os.environ.get("ROTA_PAUSE_SECONDS", "5"))
        flags = ["--peer_timeout_seconds=2"] if pause < 30 else []
        out = self.folder / "paused"
        run = self.start(*self.trouble(out, "--epochs=100", "--slow_ms=20", *flags))
        self.wait_for("an epoch", lambda: run.poll() is not None or "event=epoch" in self.log(out))
        everybody = [run.pid, *self.roles(out).values()]
        self.assertEqual(len(everybody), 5)
        kill(everybody, signal.SIGSTOP)
        time.sleep(pause)
        self.assertFalse((out / "result.json").exists())
        kill(everybody, signal.SIGCONT)
        _, stderr = run.communicate(timeout=LIMIT)
        self.assertEqual(run.returncode, 0, stderr)
        self.assertEqual(self.result(out)["model_hash"], self.calm_hash(100))


class Signals(LivenessTest):
    def test_sigterm_to_any_role_gives_a_checkpoint_and_143(self):
        for role in ("worker-1", "scheduler-0"):
            with self.subTest(role=role):
                out = self.folder / role
                run = self.start(*self.trouble(out, "--epochs=100", "--slow_ms=20", "--checkpoint_every=0"))
                self.wait_for("an epoch", lambda: run.poll() is not None or "event=epoch" in self.log(out))
                os.kill(self.roles(out)[f"rota-{role}"], signal.SIGTERM)
                _, stderr = run.communicate(timeout=LIMIT)
                self.assertEqual(run.returncode, 143, stderr)
                self.assertEqual(len(self.committed(out)), 1, stderr)
                self.assertIn(f"{role} was told to end", self.log(out))
                self.no_role_left(out)
                done = self.rota("resume", out)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertEqual(self.result(out)["model_hash"], self.calm_hash(100))

    def test_sigterm_to_all_at_once_is_no_second_signal(self):
        out = self.folder / "all"
        run = self.start(*self.trouble(out, "--epochs=100", "--slow_ms=20", "--checkpoint_every=0"))
        self.wait_for("an epoch", lambda: run.poll() is not None or "event=epoch" in self.log(out))
        kill([run.pid, *self.roles(out).values()], signal.SIGTERM)
        _, stderr = run.communicate(timeout=LIMIT)
        self.assertEqual(run.returncode, 143, stderr)
        self.assertEqual(len(self.committed(out)), 1, stderr)


if __name__ == "__main__":
    unittest.main(verbosity=2)
