#!/usr/bin/env python3
"""`rota role`: a launcher starts the same command line many times, and each process takes the role of its rank."""
import json
import os
import shutil
import subprocess
import unittest

from rota_run import BIN, KOS, LIMIT, RotaTest

JOB = [f"--input={KOS}", "--topics=10", "--epochs=3"]
RANKS = ("OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK", "SLURM_PROCID", "JOB_COMPLETION_INDEX")


def environment(**variables):
    return {**{name: value for name, value in os.environ.items() if name not in RANKS}, **variables}


class RoleTest(RotaTest):
    def role(self, *flags, **variables):
        process = subprocess.Popen([BIN / "rota", "role", "lda", *JOB, f"--out={self.folder / 'run'}", *flags],
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment(**variables))
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process

    def ended(self, processes):
        """Their exit codes and what they printed."""
        ends = [(process.communicate(timeout=LIMIT), process) for process in processes]
        return [process.returncode for _, process in ends], "".join(out + error for (out, error), _ in ends)

    def hash_of(self, folder):
        return json.loads((self.folder / folder / "result.json").read_text(encoding="utf-8"))["model_hash"]

    def local_hash(self):
        subprocess.run([BIN / "rota", "train", "lda", *JOB, f"--out={self.folder / 'local'}"], check=True, timeout=LIMIT,
                       capture_output=True)
        return self.hash_of("local")

    def test_the_ranks_of_every_launcher_train_the_local_model(self):
        expected = self.local_hash()
        for name, count in (("PMI_RANK", {"PMI_SIZE": "4"}), ("SLURM_PROCID", {"SLURM_NTASKS": "4"}),
                            ("JOB_COMPLETION_INDEX", {})):
            with self.subTest(launcher=name):
                flags = [] if count else ["--workers=2"]
                codes, said = self.ended([self.role(*flags, **{name: str(rank)}, **count) for rank in (3, 1, 0, 2)])
                self.assertEqual(codes, [0, 0, 0, 0], said)
                self.assertEqual(self.hash_of("run"), expected)
                shutil.rmtree(self.folder / "run")

    def test_a_finished_run_is_continued_by_nobody(self):
        ranks = [str(rank) for rank in range(3)]
        self.assertEqual(self.ended([self.role(PMI_RANK=rank, PMI_SIZE="3") for rank in ranks])[0], [0, 0, 0])
        codes, said = self.ended([self.role("--continue", PMI_RANK=rank, PMI_SIZE="3") for rank in ranks])
        self.assertEqual(codes, [0, 0, 0], said)
        self.assertIn("already done", said)
        codes, said = self.ended([self.role(PMI_RANK="0", PMI_SIZE="3")])
        self.assertEqual(codes, [73], said)

    def test_wrong_ranks_are_refused(self):
        for flags, variables, expected in (
                ([], {}, "which rank? No launcher has set one"),
                ([], {"PMI_RANK": "0", "PMI_SIZE": "2"}, "2 processes leave none for a worker"),
                (["--workers=2"], {"PMI_RANK": "4"}, "rank 4 is beyond the job's processes"),
                (["--rank=0", "--hosts=a"], {}, "--hosts: the launcher decides")):
            codes, said = self.ended([self.role(*flags, **variables)])
            self.assertEqual(codes, [2], said)
            self.assertIn(expected, said)

    def test_without_a_coordinator_a_process_ends_after_the_timeout(self):
        codes, said = self.ended([self.role("--start_timeout_seconds=0.5", PMI_RANK="2", PMI_SIZE="3")])
        self.assertEqual(codes, [75], said)
        self.assertIn("answered within 0.5 s", said)

    @unittest.skipUnless(shutil.which("mpirun"), "Open MPI is not installed")
    def test_mpirun_trains_the_local_model(self):
        expected = self.local_hash()
        run = subprocess.run(["mpirun", "--oversubscribe", "-np", "4", BIN / "rota", "role", "lda", *JOB,
                              f"--out={self.folder / 'run'}"], capture_output=True, text=True, timeout=LIMIT,
                             env=environment(OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1"))
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertEqual(self.hash_of("run"), expected)


if __name__ == "__main__":
    unittest.main()
