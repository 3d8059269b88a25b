"""Machines that do not share the run's folder: each has its own disk at that path (namespaces.py), which the replacement
of ssh enters.  machines_test.py does this with keys, slow links and a real sshd."""
import pathlib
import shutil
import signal
import subprocess
import tempfile
import unittest

import namespaces
from rota_run import A9A, BIN, EVENTS_OUT, KOS, LIMIT, VOCAB, RotaTest, kill

LDA = ["lda", f"--input={KOS}", f"--vocab={VOCAB}", "--topics=20", "--epochs=5"]
SGD = ["sgd", f"--input={A9A}", "--loss=logistic", "--epochs=5"]
LONG = ["lda", f"--input={KOS}", f"--vocab={VOCAB}", "--topics=50", "--epochs=30"]


def contents(folder):
    """The files of partitions under a folder of checkpoints."""
    return {str(file.relative_to(folder)): file.read_bytes() for file in sorted(folder.glob("epoch-*/*.sst"))}


class OwnDisks(RotaTest):
    """rota runs on machine 0, workers and stores on 1 and 2."""
    calm = {}

    @classmethod
    def setUpClass(cls):
        if reason := namespaces.why_not():
            raise unittest.SkipTest(reason)
        cls.common = pathlib.Path(tempfile.mkdtemp(prefix="rota-own-disks-"))
        cls.addClassCleanup(shutil.rmtree, cls.common, ignore_errors=True)
        cls.disk = cls.common / "disk"
        cls.disk.mkdir()
        cls.machines = namespaces.Machines(3, private=[cls.disk])
        cls.addClassCleanup(cls.machines.close)
        cls.ssh = cls.common / "ssh"
        cls.ssh.write_text("#!/bin/sh\nwhile [ \"$1\" != -- ]; do shift; done\ncase $2 in\n" + "".join(
            f"{machine.address}) pid={machine.holder.pid};;\n" for machine in cls.machines.all) +
            "esac\nexec nsenter --target=$pid --net --mount --uts -- sh -c \"$3\"\n")
        cls.ssh.chmod(0o755)

    def setUp(self):
        super().setUp()
        self.out = self.disk / self.id().rsplit(".", 1)[1]  # the path on all machines
        self.here = self.machines[0].inside(self.out)       # the path by which this process sees that of rota's machine
        if EVENTS_OUT:
            self.addCleanup(self.keep_own_events)

    def keep_own_events(self):
        """Copies the events, which are readable from here only while the machine exists."""
        file = self.here / "events.jsonl"
        if file.exists():
            shutil.copy(file, pathlib.Path(EVENTS_OUT) / f"{self.id()}.here.jsonl")

    def local(self, *flags):
        """The result of such a run on this machine alone."""
        if flags not in self.calm:
            out = self.folder / f"local-{len(self.calm)}"
            self.rota("train", *flags, "--seed=7", f"--out={out}")
            self.calm[flags] = self.result(out)
        return self.calm[flags]

    def hosts(self, *numbers):
        return "--hosts=" + ",".join(self.machines[number].address for number in numbers)

    def at(self, *arguments, on=0):
        """Starts rota on a machine."""
        process = subprocess.Popen(self.machines[on].command(*self.command(*arguments)), stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True)
        self.addCleanup(self._end, process)
        return process

    def train(self, *flags):
        return self.at("train", *flags, "--seed=7", f"--out={self.out}", self.hosts(1, 2), f"--ssh={self.ssh}",
                       "--checkpoint_seconds=0")

    def done(self, run, code=0):
        stdout, stderr = run.communicate(timeout=LIMIT)
        self.assertEqual(run.returncode, code, stderr)
        for machine in self.machines.all:
            self.wait_for("all to end", lambda: not machine.pids())
        return stdout + stderr

    def same(self, *flags):
        self.expect_same(self.result(self.here), self.local(*flags))

    def own(self, number, mode=0o700):
        """The checkpoints of the run that a machine keeps."""
        folders = list(self.machines[number].inside(self.out).glob("own-*"))
        self.assertEqual(len(folders), 1, folders)
        self.assertTrue(list((folders[0] / "log").glob("worker-*.log")))
        self.assertEqual(folders[0].stat().st_mode & 0o777, mode)
        return folders[0] / "checkpoint"

    def committed_soon(self, run):
        self.wait_for("a commit", lambda: run.poll() is not None or len(self.committed(self.here)) > 1)

    def test_each_partition_has_two_copies(self):
        self.done(self.train(*SGD, "--stores=2"))
        self.same(*SGD)
        whole = contents(self.here / "checkpoint")
        self.assertEqual(len({name.split("/")[1].split(".")[0] for name in whole}), 2, "both partitions")
        kept = {}
        for number in (1, 2):
            mine = contents(self.own(number))
            self.assertTrue(mine)
            kept |= mine
            self.assertEqual(len(list(self.machines[number].inside(self.out).iterdir())), 1, "and nothing else")
        self.assertEqual(kept, whole, "one copy here, one there, of the two newest epochs")
        self.assertFalse(list(self.here.glob("own-*")))
        self.assertTrue(self.done(self.at("show", "sgd", f"--model={self.out}")))

    def test_another_run_in_a_folder_of_that_name_is_not_changed(self):
        """Another run on a machine's own disk, with logs, checkpoints and a model under the same names."""
        there = self.machines[2].inside(self.out)
        self.done(self.at("train", *SGD, f"--out={self.out}", on=2))
        before = {file: file.read_bytes() for file in there.rglob("*") if file.is_file()}
        self.assertGreater(len(before), 8)
        self.done(self.train(*LDA))
        self.same(*LDA)
        self.assertTrue(contents(self.own(2)))
        for file, content in before.items():
            self.assertEqual(file.read_bytes(), content, file)

    def test_a_worker_and_a_store_are_killed(self):
        run = self.train(*LONG, "--stores=2")
        self.committed_soon(run)
        kill(pid for number, role in ((2, "rota-worker"), (1, "rota-kvstore")) for pid in self.machines[number].pids()
             if self.runs(pid, role))
        self.done(run)
        self.assertTrue(self.events(self.here, "rollback"))
        self.same(*LONG)

    @staticmethod
    def runs(pid, program):
        try:
            return pathlib.Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")[0].endswith(program.encode())
        except OSError:
            return False  # it has ended

    def wipe(self, *numbers):
        for number in numbers:
            shutil.rmtree(self.machines[number].inside(self.out), ignore_errors=True)

    def test_a_machine_is_lost_with_its_disk(self):
        run = self.train(*LONG, "--stores=2")
        self.committed_soon(run)
        # The disk is removed first: the processes are restarted at once when they are killed.
        gone = list(self.machines[2].pids())
        kill(gone, signal.SIGSTOP)
        self.wipe(2)
        kill(gone)
        self.done(run)
        self.assertTrue(self.events(self.here, "rollback"))
        self.same(*LONG)

    def test_a_run_is_resumed_when_all_other_disks_are_gone(self):
        run = self.train(*LONG, "--stores=2")
        self.committed_soon(run)
        run.send_signal(signal.SIGINT)
        self.done(run, 130)
        self.wipe(1, 2)
        before = self.committed(self.here)
        # Two of the workers and stores are elsewhere then, and meet nothing of theirs.
        run = self.at("resume", self.out, self.hosts(2), f"--ssh={self.ssh}", "--workers=2", "--stores=1")
        self.wait_for("a commit", lambda: run.poll() is not None or self.committed(self.here)[-1] > before[-1])
        run.send_signal(signal.SIGINT)
        self.assertIn(run.wait(LIMIT), (0, 130))
        if run.returncode == 130:
            self.done(self.at("resume", self.out, "--stores=0"))  # only on this machine
        self.same(*LONG)

    def test_a_folder_that_others_can_enter_is_not_trusted(self):
        run = self.train(*LONG)
        self.committed_soon(run)
        run.send_signal(signal.SIGINT)
        self.done(run, 130)
        self.own(2).parent.chmod(0o755)
        output = self.done(self.at("resume", self.out, self.hosts(1, 2), f"--ssh={self.ssh}"), 77)
        self.assertIn("is not a folder that only this user can enter", output)
        self.own(2, mode=0o755).parent.chmod(0o700)
        self.done(self.at("resume", self.out, self.hosts(1, 2), f"--ssh={self.ssh}"))
        self.same(*LONG)

    def test_a_disk_that_is_full_is_named(self):
        folder = self.machines[2].inside(self.out)
        folder.mkdir()
        self.machines[2].run("mount", "-t", "tmpfs", "-o", "size=128k,mode=0755", "small", self.out)
        self.addCleanup(self.machines[2].run, "umount", self.out)
        output = self.done(self.train(*LONG, "--stores=2"), 74)
        self.assertIn("No space left on device", output)
        self.assertIn("on machine-2)", output)

    def test_the_disk_of_the_copies_is_full(self):
        self.machines[0].inside(self.out).mkdir()
        self.machines[0].run("mount", "-t", "tmpfs", "-o", "size=256k,mode=0755", "small", self.out)
        self.addCleanup(self.machines[0].run, "umount", self.out)
        output = self.done(self.train(*LONG, "--stores=2"), 74)
        self.assertRegex(output, r"partition-\d\.era-1\.sst\.unfinished-[a-z]{6}: No space left on device")
        self.assertEqual(self.committed(self.here), [])

    def test_another_plugin_on_one_machine_is_refused(self):
        plugins = self.disk / "plugins"
        for machine in self.machines.all:
            machine.inside(plugins).mkdir(exist_ok=True)
            shutil.copy(next(BIN.parent.rglob("lda.so")), machine.inside(plugins) / "lda.so")
        with open(self.machines[2].inside(plugins) / "lda.so", "ab") as file:
            file.write(b"another build")
        output = self.done(self.train(*LDA, f"--plugin_dir={plugins}"), 78)
        self.assertRegex(output, r"worker-\d on machine-\d has opened another plugin file \([0-9a-f]{32}\) than \S+-\d "
                               r"\(pid \d+ on machine-\d\) has \([0-9a-f]{32}\)")
        self.assertIn("machine-2", output)
