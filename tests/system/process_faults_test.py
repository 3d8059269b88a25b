"""Processes without memory, with clocks that jump, or that are slow: the model of an undisturbed run.

ROTA_PROCESS_FAULTS_ALL=1: more places without memory.
"""
import os
import re
import signal
import struct
import threading
import time
import unittest

from rota_run import KOS, REVIEWS, RotaTest, kill

ALL = os.environ.get("ROTA_PROCESS_FAULTS_ALL") == "1"
MEMORY, CLOCK = os.environ["ROTA_BAD_MEMORY_SO"], os.environ["ROTA_BAD_CLOCK_SO"]
JOB = ["mf", f"--input={REVIEWS}", "--rank=12", "--epochs=60", "--seed=7", "--stores=1", "--checkpoint_seconds=0"]
LONG = ["lda", f"--input={KOS}", "--topics=50", "--epochs=80", "--seed=7", "--checkpoint_seconds=0"]
HOUR = 3600 * 10 ** 9
PROGRAMS = ("rota", "rota-coordinator", "rota-scheduler", "rota-worker", "rota-kvstore")


class ProcessFaults(RotaTest):
    calm = {}

    def train(self, job, out, *flags, **environment):
        """Starts a run whose processes have this environment."""
        saved = {name: os.environ.get(name) for name in environment}
        os.environ.update(environment)
        try:
            return self.start("train", *job, f"--out={out}", *flags)
        finally:
            for name, value in saved.items():
                os.environ.pop(name) if value is None else os.environ.update({name: value})

    def reference(self, job):
        if tuple(job) not in ProcessFaults.calm:
            self.rota("train", *job, f"--out={self.folder}/calm")
            ProcessFaults.calm[tuple(job)] = self.result(self.folder / "calm")
        return ProcessFaults.calm[tuple(job)]

    def check(self, job, out, run):
        stderr = self.ended(run)
        self.expect_same(self.result(out), self.reference(job), why=stderr)
        self.no_role_left(out)
        return stderr


class NoMemory(ProcessFaults):
    def without(self, program, size, nth):
        out = self.folder / f"{program}-{size}-{nth}"
        mark = out.with_suffix(".mark")
        run = self.train(JOB, out, LD_PRELOAD=MEMORY, ROTA_BAD_MEMORY=f"{program}:{size}:{nth}:1000000:{mark}")
        return out, mark, run

    def met(self, role, size, nth):
        """Whether an allocation failed: then the process reported it, or ZeroMQ ended it by SIGABRT or RocksDB's compression
        by SIGSEGV, and the run continued; or it was in a hook, which ended the run with 1, and it was resumed."""
        out, mark, run = self.without(f"rota-{role}", size, nth)
        _, stderr = run.communicate(timeout=120)
        logs = "".join(file.read_text() for file in (out / "log").glob(f"{role}-*.log"))
        if run.returncode != 0:
            self.assertEqual(run.returncode, 1, stderr)
            self.assertRegex(stderr, "plugin .*: out of memory")
            self.rota("resume", out)
        elif mark.exists() and f"{role}-" in stderr:
            self.assertRegex(stderr, f"{role}-[01] ended with (exit code 75|signal 6 .Aborted.|signal 11 .Segmentation fault.); restarting it")
            self.assertRegex(logs, 'event=end exit=75 what="no memory"|Assertion failed|OUT OF MEMORY|signal=SIGSEGV in=""')
        self.expect_same(self.result(out), self.reference(JOB), why=stderr)
        self.no_role_left(out)
        return mark.exists()

    def test_allocations_of_a_role_fail(self):
        for role in ("coordinator", "scheduler", "worker", "kvstore"):
            with self.subTest(role=role):
                self.assertTrue(self.met(role, 64, 3000), "there were fewer allocations")

    @unittest.skipUnless(ALL, "ROTA_PROCESS_FAULTS_ALL=1")
    def test_allocations_fail_anywhere(self):
        places = ((64, 300), (64, 20000), (300, 1000), (1000, 300), (1000, 1500), (20000, 20), (20000, 100))
        met = 0
        for role in ("coordinator", "scheduler", "worker", "kvstore"):
            for place in places:
                with self.subTest(role=role, place=place):
                    met += self.met(role, *place)
        self.assertGreater(met, 12)


class Clocks(ProcessFaults):
    def jump(self, wall, monotonic, programs=PROGRAMS):
        for program in programs:
            with open(self.folder / "clocks" / program, "r+b") as file:
                file.write(struct.pack("<qq", wall, monotonic))

    def begun(self, name, *flags):
        (self.folder / "clocks").mkdir()
        for program in PROGRAMS:
            (self.folder / "clocks" / program).write_bytes(struct.pack("<qq", 0, 0))
        out = self.folder / name
        run = self.train(LONG, out, *flags, LD_PRELOAD=CLOCK, ROTA_BAD_CLOCK=str(self.folder / "clocks"))
        self.wait_for("a commit", lambda: run.poll() is not None or self.committed(out))
        self.assertIsNone(run.poll())
        return out, run

    def test_the_wall_clock_jumps_by_hours(self):
        out, run = self.begun("wall", "--peer_timeout_seconds=3")
        for hours in (3, -5, 48, -1000, 0):
            self.jump(hours * HOUR, 0)
            time.sleep(0.2)
        self.jump(-HOUR, 0, PROGRAMS[:3])
        self.check(LONG, out, run)
        self.assertEqual(self.events(out, "lost"), [])
        times = [event["time"] for event in self.events(out, "checkpoint")]
        self.assertNotEqual(times, sorted(times), "it was seen to jump")

    def test_the_monotonic_clock_stops(self):
        """As on a suspended or migrated machine: for one program, and for all."""
        out, run = self.begun("still", "--peer_timeout_seconds=3")
        self.jump(0, -2 * 10 ** 9, ("rota-worker",))
        time.sleep(1)
        self.jump(0, -3 * 10 ** 9)
        self.check(LONG, out, run)

    def test_the_monotonic_clock_jumps_ahead(self):
        """As after a pause of the process itself: no other process is declared lost."""
        out, run = self.begun("ahead", "--peer_timeout_seconds=3")
        self.jump(0, HOUR, ("rota-coordinator",))
        time.sleep(0.5)
        self.jump(0, HOUR, ("rota-worker", "rota-scheduler"))
        self.check(LONG, out, run)
        self.assertEqual(self.events(out, "lost"), [])


class Slow(ProcessFaults):
    def pulse(self, pid, run, enough=lambda: False):
        """The process runs a tenth of the time."""
        while run.poll() is None and os.path.exists(f"/proc/{pid}") and not enough():
            kill([pid], signal.SIGSTOP)
            time.sleep(0.09)
            kill([pid], signal.SIGCONT)
            time.sleep(0.01)

    def test_each_role_runs_a_tenth_of_the_time(self):
        for victim in ("rota-coordinator-0", "rota-scheduler-0", "rota-worker-1", "rota-kvstore-0"):
            with self.subTest(victim=victim):
                out, job = self.folder / f"slow-{victim}", [*JOB, "--epochs=15"]
                run = self.train(job, out)
                self.wait_for("a commit", lambda: run.poll() is not None or self.committed(out))
                pulses = threading.Thread(target=self.pulse, args=(self.roles(out)[victim], run))
                pulses.start()
                self.addCleanup(pulses.join)
                self.check(job, out, run)
                self.assertEqual(self.events(out, "lost"), [], "it is slow, and not lost")

    def test_shards_move_away_from_a_worker_that_is_slow_for_long(self):
        """It takes about ten seconds of computing by the slow worker."""
        out, calm = self.folder / "rebalanced", self.folder / "calm"
        job = ["lda", f"--input={KOS}", "--topics=50", "--seed=7", "--checkpoint_seconds=0", "--eval_every=1000000"]
        run = self.train(job, out, "--epochs=1000000", "--rebalance")
        self.wait_for("a commit", lambda: run.poll() is not None or self.committed(out))
        hosts = lambda: re.findall(r"event=hosts role=(\S+) shards=\"(\d+) to (\d+)\"", (out / "log/coordinator-0.log").read_text())
        before = hosts()
        self.assertEqual(len(before), 2)
        self.pulse(self.roles(out)["rota-worker-1"], run, lambda: len(hosts()) > len(before))
        self.wait_for("the new hosts", lambda: run.poll() is not None or len(hosts()) >= 2 * len(before))
        self.assertIsNone(run.poll())
        sizes = {role: int(last) - int(first) + 1 for role, first, last in hosts()[len(before):]}
        self.assertGreater(sizes["worker-0"], 2 * sizes["worker-1"], sizes)
        run.terminate()
        stderr = self.ended(run, 143)
        self.assertEqual(self.events(out, "lost"), [])
        last = self.committed(out)[-1]
        self.rota("train", *job, f"--epochs={last}", f"--out={calm}")
        self.assertIn(self.result(calm)["model_hash"], (out / f"checkpoint/epoch-{last:08}/commit.json").read_text())
