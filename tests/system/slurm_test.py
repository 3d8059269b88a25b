#!/usr/bin/env python3
"""Jobs under a real Slurm, of which this test starts its own: the model is the local one, whatever Slurm does.  The end
of each case prints its seconds."""
import concurrent.futures
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

import namespaces
import slurm_cluster
from rota_run import A9A, BIN, KOS, LIMIT, REVIEWS, RotaTest

LDA = ["lda", f"--input={KOS}", "--topics=10", "--seed=3"]
SGD = ["sgd", f"--input={A9A}", "--epochs=3", "--shards=8"]
LONG = LDA + ["--epochs=400"]  # some seconds
ENDLESS = LDA + ["--epochs=100000"]
OFTEN = "--checkpoint_seconds=0.2"
# Of each case that waits for Slurm, its own nodes: they all wait at the same time.
PARTITIONS = {"twice": (2, "REQUEUE"), "single": (1, "REQUEUE"), "ends": (1, "CANCEL"), "grace": (2, "CANCEL"),
              "limit": (1, "REQUEUE"), "cancelled": (2, "REQUEUE"), "goes_on": (3, "REQUEUE"), "moves": (3, "REQUEUE"),
              "groups": (3, "REQUEUE"), "spot": (2, "REQUEUE")}


class SlurmCase(RotaTest):
    @classmethod
    def start_cluster(cls, *args, **options):
        if not slurm_cluster.is_installed():
            raise unittest.SkipTest("slurmctld, slurmd and munge, as root")
        cls.shared = pathlib.Path(tempfile.mkdtemp(prefix="rota-slurm-"))
        cls.addClassCleanup(shutil.rmtree, cls.shared, ignore_errors=True)
        cls.cluster = slurm_cluster.SlurmCluster(cls.shared / "slurm", *args, **options)
        cls.addClassCleanup(cls.cluster.stop)
        began = time.monotonic()
        try:
            cls.cluster.start()
        except TimeoutError as error:  # Slurm's own daemons do not run here, in a container without rights for example
            raise unittest.SkipTest(str(error)) from error
        cls.say("start of the cluster", began)
        cls.hashes = {}

    @staticmethod
    def say(what, began):
        print(f"  {what}: {time.monotonic() - began:.1f} s", file=sys.stderr, flush=True)

    def setUp(self):
        super().setUp()
        self.addCleanup(self.say, self._testMethodName, time.monotonic())

    def local_hash(self, job):
        if tuple(job) not in self.hashes:
            out = self.shared / f"local-{len(self.hashes)}"
            self.rota("train", *job, "--workers=1", f"--out={out}")
            self.hashes[tuple(job)] = self.hash_of(out)
        return self.hashes[tuple(job)]

    def hash_of(self, out):
        return json.loads((out / "result.json").read_text(encoding="utf-8"))["model_hash"]

    def run_in(self, *words, **options):
        return subprocess.run(self.cluster.command(*words), capture_output=True, text=True, timeout=LIMIT,
                              env=self.cluster.environment, **options)

    def train_in(self, out, *words):
        """Runs `rota train --out` by these words (salloc and its options, the job), which must succeed."""
        run = self.run_in(*words, f"--out={out}")
        self.assertEqual(run.returncode, 0, run.stderr)
        return run.stderr

    def sbatch(self, out, job, *args, code=0):
        """Submits a job with --sbatch, and returns its number."""
        run = self.run_in(BIN / "rota", "train", *job, f"--out={out}", OFTEN, "--sbatch", "--sbatch_args=" + " ".join(args))
        self.assertEqual(run.returncode, code, run.stderr)
        return int(run.stdout.split()[-1]) if code == 0 else run.stderr

    def wait_for_epochs(self, out, more=5):
        def count():
            try:
                return len((out / "metrics.jsonl").read_text(encoding="utf-8").splitlines())
            except OSError:
                return 0
        before = count()
        self.cluster.wait_until(lambda: count() > before + more, f"epochs of {out}")

    def wait_for_state(self, job, state):
        self.cluster.wait_until(lambda: self.cluster.state(job) == state, f"job {job}: {state}", LIMIT)

    def log(self, out):
        return out.with_name(out.name + ".slurm.log").read_text(encoding="utf-8")

    def check(self, job, out, hash_, restarts):
        """The job ends with the model, after it was queued again so often, and its log has no line about losses."""
        self.wait_for_state(job, "COMPLETED")
        self.assertEqual(self.hash_of(out), hash_, self.log(out))
        self.assertEqual(self.cluster.restarts(job), restarts, self.log(out))

    def check_calm(self, out):
        """What was told to end was not started again."""
        for noise in ("restarting", "loss of the connection"):
            self.assertNotIn(noise, self.log(out))


class SlurmTest(SlurmCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.start_cluster(PARTITIONS)

    def test_an_allocation_is_used_whole(self):
        keys = self.folder / "keys"
        self.rota("keys", keys)
        for job in (LDA + ["--epochs=3"], SGD):
            for name, shape, workers in (("nodes", ["-N3", "-n5"], "5 workers of 1 thread,"),
                                         ("one", ["-N1", "-n2", "-c2"], "2 workers of 2 threads"),
                                         ("groups", ["-n1", ":", "-N2", "-n2"], "3 workers of 1 thread,")):
                with self.subTest(job=job[0], shape=name):
                    out = self.folder / f"{job[0]}-{name}"
                    tcp = [] if job == SGD else [f"--keys={keys}", "--bind=*", "--host=127.0.0.1"]
                    said = self.train_in(out, "salloc", *shape, BIN / "rota", "train", *job, *tcp)
                    self.assertIn(workers, said)
                    self.assertEqual(self.hash_of(out), self.local_hash(job))
                    self.assertEqual((out / "keys").exists(), job == SGD and name != "one")

    def test_roles_by_srun(self):
        out = self.folder / "roles"
        self.train_in(out, "srun", "-N2", "-n4", BIN / "rota", "role", *SGD)
        self.assertEqual(self.hash_of(out), self.local_hash(SGD))

    def test_the_nodes_of_a_job_are_examined(self):
        run = self.run_in("salloc", "-N2", "-n2", "-w", "n1,n2", BIN / "rota", "doctor", "--slurm", self.folder / "run")
        self.assertEqual(run.returncode, 0, run.stderr)
        for node in ("n1", "n2"):
            self.assertIn(f"{node}: good  can be reached from here", run.stdout)

    def test_what_does_not_fit_a_job_is_refused(self):
        for words, flags, expected in (
                ([], ["--slurm"], "this is no job of Slurm"),
                ([], ["--slurm", "--hosts=a"], "--slurm and --hosts exclude each other"),
                ([], ["--sbatch", "--sbatch_args=four nodes"], "'four' is no option of sbatch"),
                (["salloc", "-N2"], ["--noslurm", "--keys=keys"], "--keys: it is for --coordinator, --hosts or a job"),
                (["srun", "-n1"], ["--slurm", "--hosts=a"], "exclude each other"),
                (["srun", "-n2", "bash", "-c", '"$@$SLURM_PROCID"', "-"], ["--slurm", "--out=" + str(self.folder / "of-")],
                 "srun has started 2 of these")):
            with self.subTest(expected=expected):
                run = self.run_in(*words, BIN / "rota", "train", *SGD, f"--out={self.folder / 'none'}", *flags)
                self.assertEqual(run.returncode, 2, run.stderr)
                self.assertIn(expected, run.stderr)

    # ---- the script ----

    def test_the_script_of_a_job(self):
        folder = self.folder / "it's a $HOME, #1; ü"
        folder.mkdir()
        script = folder / "job.sh"
        words = [BIN / "rota", "train", *SGD, f"--out={folder / 'new' / 'run'}", f"--sbatch={script}",
                 '--sbatch_args=--time=1:00:00 -A physics -p high --nodes=2 --comment="two words"']
        self.assertEqual(self.run_in(*words).returncode, 0)
        self.assertEqual(self.run_in(*words).returncode, 73, "a file that is there stays")
        self.assertNotIn("--mem", script.read_text(encoding="utf-8"), "some sites forbid it")
        job = self.cluster.submit(script)
        self.wait_for_state(job, "COMPLETED")
        self.assertEqual(self.hash_of(folder / "new" / "run"), self.local_hash(SGD))
        facts = self.cluster.facts(job)
        self.assertEqual([facts[name] for name in ("JobName", "Account", "Partition", "TimeLimit", "NumNodes", "Comment")],
                         ["rota-sgd", "physics", "high", "01:00:00", "2", "two"])

    def test_what_each_exit_code_leads_to(self):
        """The script, with other programs in the place of rota's and Slurm's."""
        script, out, fakes = self.folder / "job.sh", self.folder / "run", self.folder / "bin"
        self.rota("train", *SGD, f"--out={out}", f"--sbatch={script}")
        fakes.mkdir()
        for name, text in (("rota", '[ -z "$SAVES" ] || { mkdir -p "$OUT/checkpoint/epoch-1"; '
                                    '> "$OUT/checkpoint/epoch-1/commit.json"; }; exit $CODE'),
                           ("squeue", 'echo "$STATE"'), ("scontrol", 'echo "$@" >"$OUT/requeued"'), ("sleep", "exit 0")):
            (fakes / name).write_text(f"#!/bin/bash\n{text}\n")
            (fakes / name).chmod(0o755)
        text = script.read_text(encoding="utf-8").replace(str(BIN / "rota"), str(fakes / "rota"))
        running, late = "RUNNING 5:00:00", "RUNNING 1:10"
        for code, saves, state, restarts, expected in (
                *((code, "yes", running, "", False) for code in (0, 1, 2, 65, 66, 70, 73, 74, 77, 78, 130)),
                *((code, "yes", running, "99", True) for code in (75, 137, 143)),
                *((code, "yes", state, "", False) for code in (75, 137, 143) for state in ("CANCELLED 0:30", "COMPLETING 0:30")),
                (143, "yes", late, "", True), (143, "", late, "", False), (143, "", running, "99", True),
                (75, "", running, "4", True), (75, "", running, "5", False), (137, "", late, "", True)):
            with self.subTest(code=code, saves=saves, state=state, restarts=restarts):
                shutil.rmtree(out)
                out.mkdir()
                variables = {"PATH": f"{fakes}:{os.environ['PATH']}", "OUT": str(out), "CODE": str(code), "SAVES": saves,
                             "STATE": state, "SLURM_RESTART_COUNT": restarts, "SLURM_JOB_ID": "7"}
                run = subprocess.run(["bash"], input=text, capture_output=True, text=True, timeout=LIMIT, env=variables)
                self.assertEqual((out / "requeued").exists(), expected, run)
                self.assertEqual(run.returncode, 0 if expected else code)
                if expected:
                    self.assertEqual((out / "requeued").read_text(), "requeue 7\n")

    def test_a_folder_of_another_job(self):
        """It is refused at once, and does not go round when it is seen in the job only."""
        out, script = self.folder / "run", self.folder / "job.sh"
        self.rota("train", *SGD, OFTEN, f"--out={out}", f"--sbatch={script}")
        self.rota("train", *SGD, OFTEN, "--seed=9", f"--out={out}")
        self.assertIn("holds a run with --seed=9", self.sbatch(out, SGD, code=73))
        (self.folder / "mine").mkdir()
        (self.folder / "mine" / "notes").write_text("mine")
        self.assertIn("contains files not created by Rota", self.sbatch(self.folder / "mine", SGD, code=73))
        job = self.cluster.submit(script)
        self.wait_for_state(job, "FAILED")
        self.assertIn("holds a run with --seed=9", self.log(out))
        self.assertEqual((self.cluster.facts(job)["ExitCode"], self.cluster.restarts(job)), ("73:0", 0))

    def test_two_jobs_on_the_same_nodes(self):
        outs = [self.folder / name for name in ("one", "other")]
        job = LDA + ["--epochs=100"]
        jobs = [self.sbatch(out, job, "-w", "n1,n2", "-N2", "-n2", "--mem-per-cpu=50") for out in outs]
        self.cluster.wait_until(lambda: all((out / "address").exists() for out in outs), "both to run")
        for number, out in zip(jobs, outs):
            self.check(number, out, self.local_hash(job), restarts=0)

    # ---- what Slurm does to a job; all cases at the same time ----

    def test_what_slurm_does_to_a_job(self):
        hash_ = self.local_hash(LONG)

        def timed(case):
            began = time.monotonic()
            try:
                case(hash_)
            finally:
                self.say(case.__name__, began)

        cases = [getattr(self, name) for name in dir(self) if name.startswith("case_")]
        with concurrent.futures.ThreadPoolExecutor(len(cases)) as pool:
            for case, result in [(case, pool.submit(timed, case)) for case in cases]:
                with self.subTest(case=case.__name__):
                    result.result()

    def begin(self, partition, *args, job=LONG):
        """A job that has trained some epochs."""
        out = self.folder / partition
        number = self.sbatch(out, job, "-p", partition, *args)
        self.wait_for_epochs(out)
        return number, out

    def preempt(self, partition):
        nodes = self.cluster.partitions[partition]
        urgent = self.cluster.submit("-p", "high", "-w", ",".join(nodes), "--exclusive", "-o", "/dev/null", "--wrap", "sleep 1")
        self.wait_for_state(urgent, "COMPLETED")

    def wait_for_restart(self, job, count=1):
        self.cluster.wait_until(lambda: self.cluster.restarts(job) >= count, f"job {job}, queued again", LIMIT)

    def case_preempted_twice_and_told_to_end(self, hash_):
        job, out = self.begin("twice", "-N2", "-n2")
        for count in (1, 2):
            self.preempt("twice")
            self.wait_for_restart(job, count)
            self.wait_for_epochs(out)
        self.run_in("scancel", "--full", "--signal=TERM", str(job))  # to the batch shell and to all steps
        self.check(job, out, hash_, restarts=3)
        self.check_calm(out)

    def case_preempted_on_one_node(self, hash_):
        """Slurm tells it at the end of the grace time only, and queues it again."""
        job, out = self.begin("single", "-n2", job=ENDLESS)
        self.preempt("single")
        self.wait_for_restart(job)
        self.assertIn("stopped after epoch", self.log(out))
        self.run_in("scancel", str(job))

    def case_preemption_that_cancels_on_one_node(self, hash_):
        """The end of the job; the same command continues."""
        job, out = self.begin("ends", "-n2", job=ENDLESS)
        self.preempt("ends")
        self.wait_for_state(job, "PREEMPTED")
        again, out = self.begin("ends", "-n2", job=ENDLESS)
        self.assertIn("stopped after epoch", self.log(out))
        self.assertIn('"resume"', (out / "events.jsonl").read_text())
        self.run_in("scancel", str(again))

    def case_preemption_that_cancels_after_a_grace_time(self, hash_):
        job, out = self.begin("grace", "-N2", "-n2")
        self.preempt("grace")
        self.wait_for_restart(job)
        self.check(job, out, hash_, restarts=1)
        self.check_calm(out)

    def case_time_limit(self, hash_):
        """The signal comes 30 to 60 s after the start: Slurm looks every 30 s, and sends it up to 30 s early."""
        job, out = self.begin("limit", "-n1", "--time=2", job=ENDLESS)
        self.wait_for_restart(job)
        self.assertIn("stopped after epoch", self.log(out))
        self.check_calm(out)
        self.run_in("scancel", str(job))

    def case_cancelled(self, hash_):
        job, out = self.begin("cancelled", "-N2", "-n2", job=ENDLESS)
        self.run_in("scancel", str(job))
        self.wait_for_state(job, "CANCELLED")
        self.cluster.wait_until(lambda: "stopped after epoch" in self.log(out), "a checkpoint")
        self.assertEqual(self.cluster.restarts(job), 0)
        self.check_calm(out)

    def case_node_dies_and_the_job_goes_on(self, hash_):
        """It stops to start an agent there before the others have the shards."""
        job, out = self.begin("goes_on", "-N3", "-n3", "--no-kill", job=LONG + ["--rejoin_seconds=45"])
        self.cluster.crash(self.cluster.partitions["goes_on"][2])  # the batch script is on the first
        self.check(job, out, hash_, restarts=0)
        self.assertIn("it is not restarted, the others take its shards", self.log(out))

    def case_node_dies_and_the_job_moves(self, hash_):
        job, out = self.begin("moves", "-N2", "-n2", job=ENDLESS)
        self.cluster.crash(self.cluster.partitions["moves"][1])
        self.wait_for_restart(job)
        self.wait_for_epochs(out)
        nodes = self.cluster.partitions["moves"]
        self.assertEqual(self.cluster.output("squeue", "-h", "-j", str(job), "-o", "%N").count(nodes[2][1:]), 1)
        self.run_in("scancel", str(job))

    def case_groups(self, hash_):
        job, out = self.begin("groups", "-n1", ":", "-p", "groups", "-N2", "-n2")
        self.run_in("scancel", "--signal=TERM", str(job))  # to all steps
        self.wait_for_restart(job)
        self.check(job, out, hash_, restarts=1)
        self.check_calm(out)

    def case_spot_workers(self, hash_):
        job, out = self.begin("spot", "-N2", "-n2")
        spots = self.cluster.submit("-p", "spot", "--array=0-1", "-o", "/dev/null", "--wrap", f"exec {BIN}/rota add-worker {out}")
        self.cluster.wait_until(lambda: len(self.events(out, "migrating")) >= 1, "shards on more workers")
        self.run_in("scancel", f"{spots}_0")
        self.check(job, out, hash_, restarts=0)
        self.assertTrue(self.events(out, "leaving"))


class FourMachinesTest(SlurmCase):
    """A node in each of four network namespaces, and memory limits by control groups."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        if reason := namespaces.why_not():
            raise unittest.SkipTest(reason)
        cls.limits = slurm_cluster.memory_limits()
        cls.machines = namespaces.Machines(4)
        cls.addClassCleanup(cls.machines.close)
        cls.start_cluster({"nodes": (4, "REQUEUE")}, machines=cls.machines, limits=cls.limits)

    def test_four_nodes_with_keys(self):
        out = self.folder / "run"
        job = LDA + ["--epochs=20"]
        self.train_in(out, "salloc", "-N4", BIN / "rota", "train", *job)
        self.assertEqual(self.hash_of(out), self.local_hash(job))
        self.assertTrue((out / "keys" / "worker.secret").exists())

    def test_a_worker_beyond_its_memory_limit(self):
        if not self.limits:
            self.skipTest("no control groups for memory at /sys/fs/cgroup")
        run = self.run_in("salloc", "-N2", "--mem=60", BIN / "rota", "train", "mf", f"--input={REVIEWS}", "--rank=4000",
                          "--memory=unchecked", f"--out={self.folder / 'run'}")
        self.assertEqual(run.returncode, 75, run.stderr)
        self.assertRegex(run.stderr, r"was restarted 5 times without a new checkpoint, and ended with signal 9 \(Killed\), "
                                     r"out of memory on n[12]\n")

    def test_one_node_is_cut_off(self):
        out = self.folder / "run"
        job = LDA + ["--epochs=100"]
        number = self.sbatch(out, job + ["--peer_timeout_seconds=3", "--rejoin_seconds=3"], "-N4", "-n4", "--no-kill")
        self.wait_for_epochs(out)
        self.machines.cut(3)
        try:
            self.cluster.wait_until(lambda: (out / "result.json").exists(), "the end", LIMIT)
        finally:
            self.machines.mend(3)
        self.assertTrue(self.events(out, "lost"))
        self.check(number, out, self.local_hash(job), restarts=0)


if __name__ == "__main__":
    unittest.main()
