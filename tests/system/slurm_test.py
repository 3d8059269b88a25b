#!/usr/bin/env python3
"""Jobs under a real Slurm, of which this test starts its own: the model is the local one, whatever Slurm does."""
import json
import subprocess
import time
import unittest

import slurm_cluster
from rota_run import A9A, BIN, KOS, LIMIT, RotaTest

LDA = ["lda", f"--input={KOS}", "--topics=10", "--seed=3"]
SGD = ["sgd", f"--input={A9A}", "--epochs=3"]


@unittest.skipUnless(slurm_cluster.is_installed(), "slurmctld, slurmd and munge, as root")
class SlurmTest(RotaTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.hashes = {}

    def setUp(self):
        super().setUp()
        self.cluster = slurm_cluster.SlurmCluster(self.folder / "slurm")
        self.addCleanup(self.cluster.stop)
        try:
            self.cluster.start()
        except TimeoutError as error:  # Slurm's own daemons do not run here, in a container without rights for example
            self.skipTest(str(error))

    def local_hash(self, job):
        if tuple(job) not in self.hashes:
            out = self.folder / f"local-{job[0]}"
            subprocess.run([BIN / "rota", "train", *job, "--workers=1", f"--out={out}"], check=True, timeout=LIMIT,
                           capture_output=True)
            self.hashes[tuple(job)] = self.hash_of(out)
        return self.hashes[tuple(job)]

    def hash_of(self, out):
        return json.loads((out / "result.json").read_text(encoding="utf-8"))["model_hash"]

    def run_in(self, *words):
        return subprocess.run(words, capture_output=True, text=True, timeout=LIMIT, env=self.cluster.environment)

    def sbatch(self, out, epochs, *args):
        """Submits a job with --sbatch, and returns its number."""
        run = self.run_in(BIN / "rota", "train", *LDA, f"--epochs={epochs}", f"--out={out}", "--checkpoint_seconds=0.2",
                          "--sbatch", "--sbatch_args=" + " ".join(args))
        self.assertEqual(run.returncode, 0, run.stderr)
        return int(run.stdout.split()[-1])

    def epochs(self, out):
        """Of the run's records."""
        try:
            return len((out / "metrics.jsonl").read_text(encoding="utf-8").splitlines())
        except OSError:
            return 0

    def wait_for(self, job, state, seconds=LIMIT):
        self.cluster.wait_until(lambda: self.cluster.state(job) == state, f"job {job}: {state}", seconds)

    def log(self, out):
        return out.with_name(out.name + ".slurm.log").read_text(encoding="utf-8")

    def restarts(self, job):
        return int(self.cluster.output("scontrol", "show", "job", "-o", str(job)).split("Restarts=")[1].split()[0])

    def test_an_allocation_is_used_whole(self):
        for job in (LDA + ["--epochs=3"], SGD):
            for name, shape, workers in (("nodes", ["-N3", "-n5"], "5 workers of 1 threads"),
                                         ("one", ["-N1", "-n2", "-c2"], "2 workers of 2 threads"),
                                         ("groups", ["-n1", ":", "-N2", "-n2"], "3 workers of 1 threads")):
                with self.subTest(job=job[0], shape=name):
                    out = self.folder / f"{job[0]}-{name}"
                    run = self.run_in("salloc", *shape, BIN / "rota", "train", *job, f"--out={out}")
                    self.assertEqual(run.returncode, 0, run.stderr)
                    self.assertIn(workers, run.stderr)
                    self.assertEqual(self.hash_of(out), self.local_hash(job))

    def test_roles_by_srun(self):
        out = self.folder / "roles"
        run = self.run_in("srun", "-N2", "-n4", BIN / "rota", "role", *SGD, f"--out={out}")
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertEqual(self.hash_of(out), self.local_hash(SGD))

    def test_the_nodes_of_a_job_are_examined(self):
        run = self.run_in("salloc", "-N2", "-n2", BIN / "rota", "doctor", "--slurm", self.folder / "run")
        self.assertEqual(run.returncode, 0, run.stderr)
        for node in ("n1", "n2"):
            self.assertIn(f"{node}: good  can be reached from here", run.stdout)

    def test_outside_a_job_and_with_hosts_it_is_refused(self):
        for flags, expected in (([], "this is no job of Slurm"), (["--hosts=a"], "--slurm and --hosts exclude each other")):
            run = self.run_in(BIN / "rota", "train", *SGD, f"--out={self.folder / 'none'}", "--slurm", *flags)
            self.assertEqual(run.returncode, 2, run.stderr)
            self.assertIn(expected, run.stderr)

    def test_a_job_that_is_preempted_twice_and_meets_its_time_limit_is_continued(self):
        out = self.folder / "preempted"
        job = self.sbatch(out, 400, "--nodes=2", "--ntasks=2")
        for count in (1, 2):
            before = self.epochs(out)
            self.cluster.wait_until(lambda: self.epochs(out) > before + 5, "epochs")
            urgent = self.cluster.submit("-p", "high", "-N4", "--exclusive", "--wrap", "sleep 1")
            self.wait_for(urgent, "COMPLETED")
            self.cluster.wait_until(lambda: self.restarts(job) >= count, "the requeued job")
        before = self.epochs(out)
        self.cluster.wait_until(lambda: self.epochs(out) > before + 5, "epochs")
        # What `#SBATCH --signal=B:TERM@60` does 60 s before the time limit.
        self.cluster.output("scancel", "--batch", "--signal=TERM", str(job))
        self.cluster.wait_until(lambda: self.restarts(job) >= 3, "the job that was queued again")
        self.wait_for(job, "COMPLETED")
        self.assertEqual(self.hash_of(out), self.local_hash(LDA + ["--epochs=400"]), self.log(out))

    def test_a_cancelled_job_is_not_queued_again(self):
        out = self.folder / "cancelled"
        job = self.sbatch(out, 100000, "--nodes=2", "--ntasks=2")
        self.cluster.wait_until(lambda: self.epochs(out) > 3, "epochs")
        subprocess.run(["scancel", str(job)], env=self.cluster.environment, check=True, timeout=30)
        self.wait_for(job, "CANCELLED")
        self.assertEqual(self.restarts(job), 0)

    def test_a_node_that_dies_is_survived(self):
        out = self.folder / "node"
        job = self.sbatch(out, 200, "--nodes=3", "--ntasks=3", "--no-kill")
        self.cluster.wait_until(lambda: self.epochs(out) > 5, "epochs")
        self.cluster.crash("n3")  # the batch script is on n1
        self.wait_for(job, "COMPLETED")
        self.assertEqual(self.hash_of(out), self.local_hash(LDA + ["--epochs=200"]), self.log(out))

    def test_the_script_of_a_job(self):
        script = self.folder / "job.sh"
        words = [BIN / "rota", "train", *SGD, f"--out={self.folder / 'it is'}", f"--sbatch={script}",
                 "--sbatch_args=--time=1:00:00 -A account --nodes=4"]
        self.assertEqual(self.run_in(*words).returncode, 0)
        text = script.read_text(encoding="utf-8")
        for line in ("#SBATCH --time=1:00:00\n", "#SBATCH -A account\n", "#SBATCH --nodes=4\n", "#SBATCH --requeue\n"):
            self.assertIn(line, text)
        self.assertIn("train sgd --continue", text)
        self.assertEqual(self.run_in(*words).returncode, 73, "a file that is there stays")
        self.wait_for(self.cluster.submit("--nodes=2", script), "COMPLETED")
        self.assertEqual(self.hash_of(self.folder / "it is"), self.local_hash(SGD))


if __name__ == "__main__":
    unittest.main()
