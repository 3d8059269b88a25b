"""`rota train --hosts` over four machines, each a network namespace with its own sshd and a link of 20 Mbit/s: the models
of one machine, with a shared file system and with a disk for each.

ROTA_MACHINES_OUT: a file for the bytes sent over each machine's link, a line of JSON for each job; every app runs in
both ways then.
"""
import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import time
import unittest

import ssh_machines
from rota_run import A9A, DOROTHEA, KOS, REVIEWS, RotaTest, write_graph

OUT = os.environ.get("ROTA_MACHINES_OUT")
JOBS = {
    "lda": ["lda", f"--input={KOS}", "--topics=20", "--epochs=5"],
    "mf": ["mf", f"--input={REVIEWS}", "--rank=8", "--epochs=10"],
    "lasso": ["lasso", f"--input={DOROTHEA}", "--loss=logistic", "--path=5"],
    "sgd": ["sgd", f"--input={A9A}", "--loss=logistic", "--epochs=5"],
    "kmeans": ["kmeans", f"--input={A9A}", "--clusters=8", "--shards=8"],
    "pagerank": ["pagerank", "--epochs=20", "--shards=8"],  # of a graph that is generated
}
# It takes some seconds on such links.
LONG = ["mf", f"--input={REVIEWS}", "--rank=16", "--epochs=40", "--checkpoint_seconds=0"]


class FourMachines(RotaTest):
    @classmethod
    def setUpClass(cls):
        if reason := ssh_machines.why_not():
            raise unittest.SkipTest(reason)
        folder = pathlib.Path(tempfile.mkdtemp(prefix="rota-machines-"))
        cls.addClassCleanup(shutil.rmtree, folder, ignore_errors=True)
        cls.disk = folder / "disk"  # of each machine by itself
        cls.disk.mkdir()
        cls.machines = ssh_machines.SshMachines(folder / "ssh", 4, mbit=20, private=[cls.disk])
        cls.addClassCleanup(cls.machines.close)
        cls.calm = {}
        cls.graph = folder / "graph.txt"

    def jobs(self):
        """Of each app its name and its options."""
        if not self.graph.exists():
            write_graph(self.graph, 20_000, 100_000)
        return [(app, flags + [f"--input={self.graph}"] * (app == "pagerank")) for app, flags in JOBS.items()]

    def setUp(self):
        super().setUp()
        self.hosts = self.folder / "hosts"
        self.hosts.write_text("# all but the one where rota runs\n" +
                              "".join(f"{machine.address}\n" for machine in self.machines.all[1:]))

    def words(self, out, *flags):
        """On machine 0; its own address is for Rota to find."""
        return self.machines[0].command(*self.command("train", *flags, "--seed=7", f"--out={out}",
                                                      f"--hosts={self.hosts}", f"--ssh={self.machines.ssh}"))

    def start(self, out, *flags):
        process = subprocess.Popen(self.words(out, *flags), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(self._end, process)
        return process

    def on(self, number, role):
        """The process ids of a role's processes on a machine."""
        found = []
        for pid in self.machines[number].pids():
            try:
                words = (pathlib.Path("/proc") / str(pid) / "cmdline").read_bytes().split(b"\0")
            except OSError:
                continue  # it has ended
            if words[0].decode().endswith(f"/rota-{role}"):
                found.append(pid)
        return found

    def local(self, *flags):
        if flags not in self.calm:
            self.rota("train", *flags, "--seed=7", f"--out={self.folder}/local-{flags[0]}")
            self.calm[flags] = self.result(self.folder / f"local-{flags[0]}")
        return self.calm[flags]

    def check(self, out, run, reference):
        """`out`: the path in this process."""
        stderr = self.ended(run)
        self.expect_same(self.result(out), reference, why=stderr)
        for machine in self.machines.all[1:]:
            self.wait_for("agents to end", lambda: not self.on(machine.number, "worker"))
        return stderr

    def one_job(self, app, flags, out, here):
        """`here`: the path of `out` in this process."""
        local = self.local(*flags)
        before = [self.machines.bytes(machine.number) for machine in self.machines.all]
        began = time.monotonic()
        self.check(here, self.start(out, *flags), local)
        took = time.monotonic() - began
        self.assertEqual(self.result(here)["options"]["workers"], "3")
        after = [self.machines.bytes(machine.number) for machine in self.machines.all]
        moved = [[b - a for a, b in zip(*pair)] for pair in zip(before, after)]
        for sent, got in moved[1:]:
            self.assertGreater(min(sent, got), 10_000, "it took part")
        if OUT:
            with open(OUT, "a", encoding="ascii") as file:
                facts = {"app": app, "shared": out == here, "seconds": self.result(here)["seconds"], "in_all": took,
                         "commits": len(self.events(here, "checkpoint")), "sent_got": moved,
                         "model": sum(file.stat().st_size for file in (here / "model").glob("*.sst"))}
                file.write(json.dumps(facts) + "\n")

    def test_a_shared_file_system(self):
        for app, flags in self.jobs():
            if app == "kmeans" or OUT:
                with self.subTest(app=app):
                    self.one_job(app, flags, self.folder / app, self.folder / app)
                    self.assertFalse(list((self.folder / app).glob("own-*")), "all see the same folder")

    def test_one_job_of_each_app_without_a_shared_file_system(self):
        for app, flags in self.jobs():
            with self.subTest(app=app):
                out = self.disk / app
                here = self.machines[0].inside(out)
                self.one_job(app, flags, out, here)
                kept = {}
                for machine in self.machines.all[1:]:
                    self.assertFalse((machine.inside(out) / "checkpoint").exists())
                    kept |= self.files(machine.inside(out), "own-*/checkpoint/epoch-*/*.sst")
                self.assertEqual(kept, self.files(here, "checkpoint/epoch-*/*.sst"), "one copy here, one there")
                self.assertEqual(len(self.files(here, "model/*.sst")), 2)

    @staticmethod
    def files(folder, pattern):
        return {"/".join(file.parts[-2:]): file.read_bytes() for file in folder.glob(pattern)}

    def test_a_machine_is_cut_off_for_a_while(self):
        out = self.disk / "cut"
        here = self.machines[0].inside(out)
        run = self.start(out, *LONG, "--peer_timeout_seconds=3")
        self.wait_for("a commit", lambda: run.poll() is not None or self.committed(here))
        self.machines.cut(3)
        self.wait_for("its loss", lambda: run.poll() is not None or self.events(here, "lost"))
        self.machines.mend(3)
        stderr = self.check(here, run, self.local(*LONG))
        self.assertTrue(self.events(here, "rollback"), stderr)
