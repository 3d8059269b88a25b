"""Recovery: if any process of a run dies, at any moment, the same command ends with the model of an undisturbed run.

ROTA_RECOVERY_RUNS: how many runs of each job are harmed (1).  ROTA_RECOVERY_JOBS: of which, or "all" of JOBS.
ROTA_RECOVERY_SEED: of the first.  ROTA_RECOVERY_OUT: a file for what every run took, a line of JSON each.
"""
import json
import os
import random
import signal
import time

from rota_run import A9A, KOS, REVIEWS, SOURCE, RotaTest, kill

RUNS = int(os.environ.get("ROTA_RECOVERY_RUNS", "1"))
SEED = int(os.environ.get("ROTA_RECOVERY_SEED", "1"))
OUT = os.environ.get("ROTA_RECOVERY_OUT")
FEEDBACK = SOURCE / "apps/lasso/sample/blogfeedback_train.libsvm.gz"
ROLES = ("rota-worker-0", "rota-worker-1", "rota-scheduler-0", "rota-kvstore-0", "rota-coordinator-0")
# Some seconds each, so that a moment drawn at random is during training.
JOBS = {
    "lda": ["lda", f"--input={KOS}", "--topics=50", "--epochs=40"],
    "lda_priors": ["lda", f"--input={KOS}", "--topics=30", "--epochs=30", "--learn_alpha=2", "--learn_beta=2"],
    "mf": ["mf", f"--input={REVIEWS}", "--rank=24", "--epochs=300"],
    "als": ["als", f"--input={REVIEWS}", "--rank=12", "--epochs=25"],
    "ccd": ["ccd", f"--input={REVIEWS}", "--rank=6", "--epochs=25"],
    "lasso": ["lasso", f"--input={FEEDBACK}", "--nointercept", "--path=60"],
    "sgd": ["sgd", f"--input={A9A}", "--loss=logistic", "--epochs=40"],
    "newton": ["linear", f"--input={A9A}", "--loss=logistic", "--solver=newton", "--tolerance=1e-9"],
    "butterfly": ["sgd", f"--input={A9A}", "--loss=logistic", "--exchange=butterfly", "--epochs=40"],
    "kmeans": ["kmeans", f"--input={A9A}", "--clusters=20", "--restarts=2"],
}
CHOSEN = os.environ.get("ROTA_RECOVERY_JOBS", "lda,mf,lasso,butterfly,kmeans")
SHORT = "--epochs=100"  # of mf: long enough for a kill after the first of its commits
CHOSEN = list(JOBS) if CHOSEN == "all" else CHOSEN.split(",")


class Recovery(RotaTest):
    def command_line(self, job, out, *flags):
        return ["train", *JOBS[job], f"--out={out}", "--seed=7", "--workers=2", "--stores=1", "--checkpoint_seconds=0", *flags]

    calms = {}

    def calm(self, job, *flags):
        """The result of an undisturbed run, and its seconds; once for all tests."""
        if (job, flags) not in self.calms:
            out = self.folder / f"{job}-calm"
            began = time.monotonic()
            self.rota(*self.command_line(job, out, *flags))
            self.calms[job, flags] = self.result(out), time.monotonic() - began
        return self.calms[job, flags]

    def check(self, out, run, reference):
        stderr = self.ended(run)
        self.expect_same(self.result(out), reference, why=stderr)
        self.expect_each_epoch_once(out)
        self.no_role_left(out)
        return stderr

    def harm(self, job, seed, reference, seconds):
        """Kills a random process at a random moment.  Returns the cost, or None if the run had ended."""
        draw = random.Random(f"{job} {seed}")
        out = self.folder / f"{job}-{seed}"
        run = self.start(*self.command_line(job, out))
        time.sleep(draw.uniform(0.05, 0.9 * seconds))
        victim = draw.choice(ROLES)
        pid = self.roles(out).get(victim)
        at = time.time()
        if pid is not None:
            kill([pid])
        began = time.monotonic()
        self.check(out, run, reference)
        phases = [(e["time"], e["phase"]) for e in self.events(out, "phase")]
        noticed = [e["time"] for e in self.events(out, "lost")]
        again = [time_ for time_, phase in phases if phase == "training" and time_ > at]
        cost = {"job": job, "seed": seed, "victim": victim, "seconds": round(time.monotonic() - began, 3)}
        if noticed:
            cost["noticed_after"] = round(noticed[0] - at, 3)
        if again and pid is not None:
            cost["trains_after"] = round(again[0] - at, 3)
        if OUT:
            with open(OUT, "a", encoding="ascii") as file:
                file.write(json.dumps(cost) + "\n")

    def test_any_process_is_killed_at_any_moment(self):
        for job in CHOSEN:
            reference, seconds = self.calm(job)
            for seed in range(SEED, SEED + RUNS):
                with self.subTest(job=job, seed=seed):
                    self.harm(job, seed, reference, seconds)

    def after_a_commit(self, job, name, *flags):
        """A run that has committed an epoch, its folder, and its processes by role."""
        out = self.folder / name
        run = self.start(*self.command_line(job, out, *flags))
        self.wait_for("a commit", lambda: self.committed(out))
        return run, out, self.roles(out)

    def test_every_role_is_killed_after_a_checkpoint(self):
        reference, _ = self.calm("mf", SHORT)
        for victim in ROLES:
            with self.subTest(victim=victim):
                run, out, pids = self.after_a_commit("mf", f"after-{victim}", SHORT)
                kill([pids[victim]])
                stderr = self.check(out, run, reference)
                self.assertRegex(stderr, f"rota: {victim[5:]} ended with signal 9 .*; restarting it")

    def test_several_at_once(self):
        """Over tcp a restarted coordinator listens at the same address, and the others identify it by its key."""
        reference, _ = self.calm("mf", SHORT)
        for victims, flags in ((("rota-coordinator-0", "rota-worker-1"), ["--coordinator=tcp://127.0.0.1:0"]),
                               (ROLES, [])):
            with self.subTest(victims=victims):
                run, out, pids = self.after_a_commit("mf", f"several-{len(victims)}", SHORT, *flags)
                kill([pids[victim] for victim in victims])
                self.check(out, run, reference)

    def test_a_process_that_hangs_is_replaced(self):
        reference, _ = self.calm("mf", SHORT)
        for victim in ("rota-worker-1", "rota-coordinator-0"):
            with self.subTest(victim=victim):
                run, out, pids = self.after_a_commit("mf", f"still-{victim}", SHORT, "--peer_timeout_seconds=1")
                kill([pids[victim]], signal.SIGSTOP)
                if victim == "rota-coordinator-0":
                    time.sleep(1.5)  # it is not replaced, and continues by itself
                    kill([pids[victim]], signal.SIGCONT)
                self.check(out, run, reference)

    def test_two_processes_that_hang_at_once_are_replaced(self):
        """The second loss is detected while the first process is awaited."""
        reference, _ = self.calm("mf", SHORT)
        run, out, pids = self.after_a_commit("mf", "both-still", SHORT, "--peer_timeout_seconds=1")
        kill([pids["rota-scheduler-0"], pids["rota-kvstore-0"]], signal.SIGSTOP)
        self.check(out, run, reference)

    def test_a_process_that_hangs_when_the_coordinator_dies_is_replaced(self):
        reference, _ = self.calm("mf", SHORT)
        run, out, pids = self.after_a_commit("mf", "unheard", SHORT, "--peer_timeout_seconds=1")
        kill([pids["rota-worker-0"]], signal.SIGSTOP)
        kill([pids["rota-coordinator-0"]])
        self.check(out, run, reference)
        self.assertEqual(self.events(out, "unresponsive")[0]["role"], "worker-0")

    def test_repeated_crashes_end_the_run(self):
        out = self.folder / "again"
        run = self.start(*self.command_line("lda", out, "--epochs=100000", "--checkpoint_every=0"))
        seen = set()
        end = time.monotonic() + 100
        while run.poll() is None and time.monotonic() < end:
            pid = self.roles(out).get("rota-worker-1")
            if pid is not None and pid not in seen:
                seen.add(pid)
                kill([pid])
            time.sleep(0.02)
        stderr = self.ended(run, 75)
        self.assertRegex(stderr, "worker-1 was restarted 5 times without a new checkpoint")
        self.assertEqual(len(seen), 6)
        self.no_role_left(out)

    def test_on_loss_stop_ends_the_run(self):
        run, out, pids = self.after_a_commit("lda", "stop", "--epochs=100000", "--on_loss=stop")
        kill([pids["rota-worker-1"]])
        self.assertRegex(self.ended(run, 75), "worker-1 .* was lost")
        self.no_role_left(out)
