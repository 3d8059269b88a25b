"""Detection of lost processes, and ends of runs: late starts, pauses, long hooks, signals, crashes."""
import os
import signal
import subprocess
import tempfile
import time

from rota_run import BIN, LIMIT, RotaTest, kill

TROUBLE = os.environ["ROTA_TROUBLE"]
EPOCHS = 4


class LivenessTest(RotaTest):
    calm = {}

    def setUp(self):
        super().setUp()
        self.points = self.folder / "points"
        self.points.write_text("1\n")

    def trouble(self, out, *flags):
        """The arguments of a training of the plugin that makes trouble."""
        return ["train", TROUBLE, f"--input={self.points}", "--seed=3", f"--out={out}", "--checkpoint_seconds=0",
                *flags]

    def calm_hash(self, epochs=EPOCHS):
        """The model without any trouble."""
        if epochs not in LivenessTest.calm:
            out = self.folder / "calm"
            self.rota(*self.trouble(out, f"--epochs={epochs}", "--workers=1"))
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
        self.sockets = tempfile.TemporaryDirectory(prefix="rota-hand-")
        self.addCleanup(self.sockets.cleanup)
        (out / "log").mkdir(parents=True)
        (out / "flags.txt").write_text("\n".join(
            [f"--app={TROUBLE}", f"--input={self.points}", f"--out={out}", "--seed=3", f"--epochs={EPOCHS}",
             "--workers=2", *flags, ""]))
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
        late = float(os.environ.get("ROTA_LATE_SECONDS", "1.5"))
        flags = ["--peer_timeout_seconds=1"] if late < 30 else []
        out = self.begin("late", *flags)
        processes = [self.role(out, "coordinator"), self.role(out, "scheduler"), self.role(out, "worker", 0)]
        self.wait_for("two to join", lambda: len(self.joined(out)) == 2)
        time.sleep(late)
        processes.append(self.role(out, "worker", 1))
        self.assertEqual([p.wait(timeout=LIMIT) for p in processes], [0, 0, 0, 0], self.log(out))
        self.assertEqual(self.result(out)["model_hash"], self.calm_hash())

    def test_a_worker_waits_for_a_coordinator_that_starts_late(self):
        out = self.begin("first", "--peer_timeout_seconds=1")
        processes = [self.role(out, "scheduler"), self.role(out, "worker", 0), self.role(out, "worker", 1)]
        time.sleep(1.5)
        processes.append(self.role(out, "coordinator"))
        self.assertEqual([p.wait(timeout=LIMIT) for p in processes], [0, 0, 0, 0], self.log(out))

    def test_a_worker_that_dies_while_others_join_is_restarted(self):
        out = self.begin("restarted")
        first = [self.role(out, "coordinator"), self.role(out, "worker", 0)]
        self.wait_for("one to join", lambda: self.joined(out))
        kill([first[1].pid])
        self.wait_for("its loss to be noticed", lambda: self.events(out, "left"))
        self.assertEqual(self.events(out, "left")[0]["role"], "worker-0")
        others = [self.role(out, "scheduler"), self.role(out, "worker", 0), self.role(out, "worker", 1)]
        self.assertEqual([p.wait(timeout=LIMIT) for p in [first[0], *others]], [0, 0, 0, 0], self.log(out))
        self.assertEqual(self.result(out)["model_hash"], self.calm_hash())


class Pauses(LivenessTest):
    def test_all_processes_pause_for_longer_than_the_timeout(self):
        pause = float(os.environ.get("ROTA_PAUSE_SECONDS", "1.5"))
        flags = ["--peer_timeout_seconds=1"] if pause < 30 else []
        out = self.folder / "paused"
        run = self.start(*self.trouble(out, "--epochs=15", "--slow_ms=20", *flags))
        self.wait_for("an epoch", lambda: run.poll() is not None or "event=epoch" in self.log(out))
        everybody = [run.pid, *self.roles(out).values()]
        self.assertEqual(len(everybody), 5)
        kill(everybody, signal.SIGSTOP)
        time.sleep(pause)
        self.assertFalse((out / "result.json").exists())
        kill(everybody, signal.SIGCONT)
        self.ended(run)
        self.assertEqual(self.result(out)["model_hash"], self.calm_hash(15))

    def test_the_job_continues_while_the_launcher_is_stopped(self):
        """Ctrl-Z."""
        out = self.folder / "launcher"
        epochs = 300
        run = self.start(*self.trouble(out, f"--epochs={epochs}", "--checkpoint_every=0", "--peer_timeout_seconds=2"))
        self.wait_for_training(run, out)
        os.kill(run.pid, signal.SIGTSTP)
        try:
            self.wait_for("the job to end without its launcher",
                          lambda: self.events(out, "end") or "event=end" in self.log(out, "worker-0"))
            self.assertEqual(self.events(out, "end")[-1]["exit"], 0)
        finally:
            os.kill(run.pid, signal.SIGCONT)
        stdout, stderr = run.communicate(timeout=LIMIT)
        self.assertEqual(run.returncode, 0, stderr)
        self.assertIn("done: ", stdout)
        self.assertEqual(self.result(out)["epochs"], epochs)


class LongHooks(LivenessTest):
    def test_hooks_may_take_longer_than_the_timeout(self):
        out = self.folder / "long"
        self.rota(*self.trouble(out, f"--epochs={EPOCHS}", "--peer_timeout_seconds=1", "--sleep_seconds=1.3",
                                "--sleep_in=tables,load,schedule,next,feedback,push,pull"))
        self.assertEqual(self.result(out)["model_hash"], self.calm_hash())


class Signals(LivenessTest):
    def test_sigterm_to_any_role_gives_a_checkpoint_and_143(self):
        # Otherwise only the worker would leave (elastic_test.py).
        for role, flags in (("worker-1", ["--on_loss=stop"]), ("scheduler-0", [])):
            with self.subTest(role=role):
                out = self.folder / role
                run = self.start(*self.trouble(out, "--epochs=15", "--slow_ms=20", "--checkpoint_every=0", *flags))
                self.wait_for("an epoch", lambda: run.poll() is not None or "event=epoch" in self.log(out))
                os.kill(self.roles(out)[f"rota-{role}"], signal.SIGTERM)
                stderr = self.ended(run, 143)
                self.assertEqual(len(self.committed(out)), 1, stderr)
                self.assertIn(f"{role} was asked to end", self.log(out))
                self.no_role_left(out)
                self.rota("resume", out)
                self.assertEqual(self.result(out)["model_hash"], self.calm_hash(15))

    def test_sigterm_to_all_at_once_is_no_second_signal(self):
        out = self.folder / "all"
        run = self.start(*self.trouble(out, "--epochs=15", "--slow_ms=20", "--checkpoint_every=0"))
        self.wait_for("an epoch", lambda: run.poll() is not None or "event=epoch" in self.log(out))
        kill([run.pid, *self.roles(out).values()], signal.SIGTERM)
        stderr = self.ended(run, 143)
        self.assertEqual(len(self.committed(out)), 1, stderr)


class Crashes(LivenessTest):
    def crash(self, name, *flags):
        out = self.folder / name
        done = self.rota(*self.trouble(out, "--epochs=5", *flags), code=70)
        self.assertEqual(self.events(out, "end")[-1]["exit"], 70)
        self.no_role_left(out)
        return done.stderr.splitlines()[-1]

    def test_a_crash_names_process_plugin_hook_and_round(self):
        for how, name in (("abort", "SIGABRT"), ("overflow", "SIGSEGV")):
            with self.subTest(how=how):
                error = self.crash(how, "--crash_in=push", "--crash_round=5", f"--crash_how={how}")
                self.assertRegex(error, rf"worker-0 \(pid \d+ on .+\) was ended by {name} in "
                                       r"plugin trouble, Push::push, round 5, shard 0, for the second time$")
                log = self.log(self.folder / how, "worker-0")
                self.assertRegex(log, rf'event=crash role=worker-0 signal={name} in="plugin trouble, Push::push, round 5')

    def test_hooks_of_other_processes(self):
        error = self.crash("next", "--crash_in=next", "--crash_round=4")
        self.assertRegex(error, "scheduler-0 .* was ended by SIGSEGV in plugin trouble, Schedule::next, round 4, for the second time$")
        error = self.crash("load", "--crash_in=load", "--workers=1")
        self.assertRegex(error, "worker-0 .* was ended by SIGSEGV in plugin trouble, load, worker-0, for the second time$")
        error = self.crash("pull", "--crash_in=pull", "--crash_round=4", "--stores=1")
        self.assertRegex(error, "kvstore-0 .* was ended by SIGSEGV in plugin trouble, Pull::pull, round 4, for the second time$")

    def test_a_single_crash_costs_an_epoch(self):
        out = self.folder / "once"
        done = self.rota(*self.trouble(out, "--epochs=8", "--crash_in=push", "--crash_round=5", "--checkpoint_seconds=0",
                                       f"--crash_once={self.folder / 'crashed'}"))
        self.assertRegex(done.stderr, "was ended by SIGSEGV in plugin trouble, Push::push, round 5, shard 0")
        self.assertEqual(self.result(out)["model_hash"], self.calm_hash(8))
        self.no_role_left(out)

    def test_a_hook_that_never_returns_costs_an_epoch(self):
        """In a worker on a compute thread, in the scheduler on the node's own; two runs at a time, which wait."""
        runs = {}
        for hook in ("push", "next"):
            out = self.folder / f"hangs-{hook}"
            runs[hook] = out, self.start(*self.trouble(
                out, "--epochs=8", f"--crash_in={hook}", "--crash_round=5", "--crash_how=hang", "--peer_timeout_seconds=1",
                f"--crash_once={self.folder / f'hung-{hook}'}"))
        for hook, process in (("push", "worker-0"), ("next", "scheduler-0")):
            with self.subTest(hook=hook):
                out, run = runs[hook]
                self.assertRegex(self.ended(run), f"{process} .* was lost: it lives, and its work has made no progress for "
                                                  r"\d+ s .*; it was in plugin trouble")
                self.assertEqual(self.result(out)["model_hash"], self.calm_hash(8))
                self.no_role_left(out)
