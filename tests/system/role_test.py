#!/usr/bin/env python3
"""`rota role`: a launcher starts the same command line many times, and each process takes the role of its rank."""
import json
import os
import shutil
import signal
import socket
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
        # The second: mpirun within a step of Slurm.
        for name, count in (("PMI_RANK", {"PMI_SIZE": "4"}),
                            ("OMPI_COMM_WORLD_RANK", {"OMPI_COMM_WORLD_SIZE": "4", "SLURM_PROCID": "0", "SLURM_NTASKS": "1"}),
                            ("SLURM_PROCID", {"SLURM_NTASKS": "4"}), ("JOB_COMPLETION_INDEX", {})):
            with self.subTest(launcher=name):
                flags = [] if count else ["--workers=2"]
                codes, said = self.ended([self.role(*flags, **{name: str(rank)}, **count) for rank in (3, 1, 0, 2)])
                self.assertEqual(codes, [0, 0, 0, 0], said)
                self.assertEqual(self.hash_of("run"), expected)
                shutil.rmtree(self.folder / "run")

    def test_roles_that_have_command_lines_and_keys_of_their_own_train_the_local_model(self):
        subprocess.run([BIN / "rota", "keys", self.folder / "keys"], check=True, timeout=LIMIT, capture_output=True)
        with socket.create_server(("127.0.0.1", 0)) as free:
            port = free.getsockname()[1]
        processes = []
        for role, index in (("worker", 1), ("scheduler", 0), ("worker", 0), ("coordinator", None)):
            keys = self.folder / f"keys-{role}"
            if not keys.exists():
                keys.mkdir(mode=0o700)
                for name in (f"{role}.secret", "observer.secret"):
                    shutil.copy2(self.folder / "keys" / name, keys)
                for public in (self.folder / "keys").glob("*.public"):
                    shutil.copy2(public, keys)
            processes.append(self.role(f"--role={role}", f"--coordinator=tcp://127.0.0.1:{port}", f"--keys={keys}", "--workers=2",
                                       **({} if index is None else {"JOB_COMPLETION_INDEX": str(index)})))
        codes, said = self.ended(processes)
        self.assertEqual(codes, [0, 0, 0, 0], said)
        self.assertEqual(self.hash_of("run"), self.local_hash())

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
    def test_mpirun_trains_the_local_model_whatever_ends_its_processes(self):
        flags, out = ["--epochs=150", "--checkpoint_seconds=0.1"], self.folder / "run"
        self.rota("train", "lda", *JOB, *flags, f"--out={self.folder / 'local'}")

        def mpirun():
            run = subprocess.Popen(["mpirun", "--oversubscribe", "-np", "4", BIN / "rota", "role", "lda", *JOB, *flags,
                                    f"--out={out}", "--continue"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                   env=environment(OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1"))
            self.addCleanup(self._end, run)
            return run

        def kill_worker(run):
            os.kill(next(pid for name, pid in self.roles(out).items() if "worker-1" in name), signal.SIGKILL)

        for end in (kill_worker, subprocess.Popen.terminate):
            before, run = self.committed(out), mpirun()
            self.wait_for("a checkpoint", lambda: self.committed(out) != before or run.poll() is not None)
            end(run)
            run.communicate(timeout=LIMIT)
            self.assertNotEqual(run.returncode, 0, "Open MPI ends all")
            self.no_role_left(out)
        RotaTest.ended(self, mpirun())
        self.assertEqual(self.hash_of("run"), self.hash_of("local"))


if __name__ == "__main__":
    unittest.main()
