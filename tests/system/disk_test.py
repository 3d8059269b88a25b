"""A disk that fails, is full, or has a bit flipped: a documented exit code and a clear text, and never another model.

ROTA_DISK_ALL=1: every call that writes fails once, and many more bits.
"""
import concurrent.futures
import errno
import os
import random
import shutil
import subprocess

from rota_run import KOS, RotaTest

ALL = os.environ.get("ROTA_DISK_ALL") == "1"
BAD_DISK = os.environ["ROTA_BAD_DISK_SO"]
POINTS = 1000 if ALL else 6  # of each program
FLIPS = 40 if ALL else 2     # of each file
NEVER = 1 << 30


class Disk(RotaTest):
    def setUp(self):
        super().setUp()
        self.write_small_corpus()

    def words(self, out, *more):
        return self.small_lda(out, "--epochs=6", "--workers=1", "--stores=1", "--checkpoint_seconds=0", *more)

    def hash_of(self, out):
        return self.result(out)["model_hash"]

    def trained(self, name, *more):
        out = self.folder / name
        self.rota(*self.words(out, *more))
        return out


class FailingCalls(Disk):
    """EIO and ENOSPC at the Nth call by which a program writes into the run's folder."""

    def harmed(self, program, nth, count, error):
        out = self.folder / f"{program}-{nth}-{count}-{error}"
        log = out.with_suffix(".log")
        environment = {**os.environ, "LD_PRELOAD": BAD_DISK, "ROTA_BAD_DISK_LOG": str(log),
                       "ROTA_BAD_DISK": f"{program}:{nth}:{count}:{error}:{out}/"}
        done = self.rota(*self.words(out), env=environment, code=None)
        return out, done, log.read_text().splitlines() if log.exists() else []

    def check(self, out, done, calls):
        failed = [call for call in calls if call.endswith(" failed")]
        what = f"{failed}: exit {done.returncode}: {done.stderr}"
        self.assertIn(done.returncode, (0, 73, 74), what)
        if done.returncode != 0:
            # The log, which has the reason, may be unwritable, too.
            self.assertRegex(done.stderr, "Input/output error|No space left|IO error|ended with exit code 7[34]", what)
            self.no_role_left(out)
            self.rota(*(["resume", out] if (out / "flags.txt").exists() else self.words(self.folder / f"{out.name}-2")))
            out = out if (out / "flags.txt").exists() else self.folder / f"{out.name}-2"
        self.assertEqual(self.hash_of(out), self.calm, what)

    def test_the_nth_call_fails(self):
        self.calm = self.hash_of(self.trained("calm"))
        plans = []
        for program in ("rota-coordinator", "rota-kvstore", "rota"):
            _, done, calls = self.harmed(program, NEVER, 1, errno.EIO)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertGreater(len(calls), 2, program)
            step = max(1, len(calls) // POINTS)
            # Once, or from then on.
            plans += [(program, nth, (1, NEVER)[i % 2], (errno.EIO, errno.ENOSPC)[i // 2 % 2])
                      for i, nth in enumerate(range(1, len(calls) + 1, step))]
        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            runs = [(plan, pool.submit(self.harmed, *plan)) for plan in plans]
        for plan, run in runs:
            with self.subTest(plan=plan):
                self.check(*run.result())


class FullDisk(Disk):
    """A file system that fills up at a checkpoint, and has room again."""

    def setUp(self):
        super().setUp()
        self.mount = self.folder / "disk"
        self.mount.mkdir()

    def mounted(self, size):
        done = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", self.mount], capture_output=True, text=True)
        if done.returncode != 0:
            self.skipTest(f"no tmpfs can be mounted here: {done.stderr.strip()}")
        self.addCleanup(subprocess.run, ["umount", "-l", self.mount], check=False)

    def large(self, out):
        return ["train", "lda", f"--input={KOS}", "--topics=8", "--seed=7", "--epochs=4", "--workers=2", "--stores=1",
                "--checkpoint_seconds=0", "--log_dir=" + str(self.folder / "logs"), f"--out={out}"]

    def test_full_and_freed(self):
        (self.folder / "logs").mkdir()
        self.rota(*self.large(self.folder / "calm"))
        # Room for one checkpoint, and not for two.
        sizes = [file.stat().st_size for file in (self.folder / "calm/model").glob("*.sst")]
        self.mounted(int(1.6 * sum(sizes)))
        out = self.mount / "run"
        self.rota(*self.large(out), code=74, error="No space left on device")
        self.no_role_left(out)
        self.rota("resume", out, code=74)  # it is full still
        subprocess.run(["mount", "-o", "remount,size=64m", self.mount], check=True)
        self.rota("resume", out)
        self.assertEqual(self.hash_of(out), self.hash_of(self.folder / "calm"))


class FlippedBits(Disk):
    """A bit of a stored file flips."""

    def flips(self, file, seed):
        """Copies of a file's bytes with one bit changed, at places drawn from the seed."""
        content = file.read_bytes()
        draw = random.Random(f"{file.name} {seed}")
        for at in [draw.randrange(len(content)) for _ in range(FLIPS)] + ([0, len(content) - 1] if ALL else []):
            changed = bytearray(content)
            changed[at] ^= 1 << draw.randrange(8)
            yield at, bytes(changed)
        file.write_bytes(content)

    def stored(self, out):
        files = [file for file in out.rglob("*") if file.is_file() and file.parent.name != "log"]
        return sorted(file for file in files if file.stat().st_size > 0)

    def interrupted(self):
        """A run that was stopped after two commits, and its expected model."""
        calm = self.trained("calm", "--epochs=40")
        out = self.folder / "stopped"
        environment = {**os.environ, "ROTA_FAILPOINTS": "file.written@commit.json:3:kill",
                       "ROTA_FAILPOINTS_ONCE": str(self.folder)}
        self.rota(*self.words(out, "--on_loss=stop", "--epochs=40"), env=environment, code=75)
        self.assertEqual(len(self.committed(out)), 2, "one less than were written")
        return out, self.hash_of(calm)

    def resumed(self, out, number, name, changed):
        """A copy of the run with another content of a file, and the result of its resume."""
        copy = self.folder / f"copy-{number}"
        shutil.copytree(out, copy, symlinks=True)
        moved = lambda text: text.replace(str(out).encode(), str(copy).encode())
        (copy / "flags.txt").write_bytes(moved((out / "flags.txt").read_bytes()))
        (copy / name).write_bytes(moved(changed) if name.name == "flags.txt" else changed)
        return copy, self.rota("resume", copy, code=None)

    def test_a_run_that_is_resumed(self):
        out, calm = self.interrupted()
        plans = [(file.relative_to(out), at, changed) for file in self.stored(out) for at, changed in self.flips(file, 1)]
        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            runs = [(name, at, pool.submit(self.resumed, out, i, name, changed)) for i, (name, at, changed) in enumerate(plans)]
        for name, at, run in runs:
            with self.subTest(file=str(name), at=at):
                copy, done = run.result()
                self.judge(done, copy, calm, name)
        kinds = {name.name for name, _, _ in plans}
        self.assertLessEqual({"commit.json", "era", "flags.txt"}, kinds)
        self.assertTrue(any(name.endswith(".sst") for name in kinds), kinds)

    def judge(self, done, out, calm, name):
        self.assertIn(done.returncode, (0, 2, 65, 66, 73, 74, 77, 78), done.stderr)
        if done.returncode != 0:
            return self.assertTrue(done.stderr.strip(), "it says why")
        if name.name == "flags.txt":
            return None  # options are the user's to change; those that make another job are refused
        self.assertEqual(self.hash_of(out), calm, f"{name}: another model without an error")
        newest = f"epoch-{max(self.committed(self.folder / 'stopped')):08}"
        if newest in name.parts:
            self.assertIn(newest, (out / "log/coordinator-0.log").read_text(), "the refused epoch is logged")
        return None

    def test_a_model_that_is_read(self):
        out = self.trained("whole")
        self.rota("show", "lda", f"--model={out}")
        for file in (out / "model/manifest.json", *sorted((out / "model").glob("*.sst"))):
            for at, changed in self.flips(file, 2):
                with self.subTest(file=file.name, at=at):
                    file.write_bytes(changed)
                    done = self.rota("show", "lda", f"--model={out}", code=None)
                    self.assertIn(done.returncode, (65, 74, 78), done.stderr + done.stdout)
                    self.assertIn(file.name, done.stderr)

    def test_the_records_of_a_run(self):
        """No computation depends on them: they are read line by line, and damaged lines are dropped."""
        out = self.trained("records")
        for name in ("events.jsonl", "result.json", "rota-run.json", "metrics.jsonl") if ALL else ("result.json", "rota-run.json"):
            for at, changed in self.flips(out / name, 3):
                with self.subTest(file=name, at=at):
                    (out / name).write_bytes(changed)
                    done = self.rota("status", out, code=None)
                    self.assertIn(done.returncode, (0, 65, 66, 74), done.stderr)
                    self.rota(*self.words(out), code=73)  # the folder belongs to a run, whatever its records contain

    def test_keys(self):
        keys = self.folder / "keys"
        self.rota("keys", keys)
        for file in (keys / "worker.secret", keys / "coordinator.public"):
            for at, changed in self.flips(file, 4):
                with self.subTest(file=file.name, at=at):
                    file.write_bytes(changed)
                    out = self.folder / f"keys-{file.name}-{at}"
                    done = self.rota(*self.words(out, "--coordinator=tcp://127.0.0.1:0", f"--keys={keys}"), code=None)
                    if done.returncode == 0:  # of the text around a key, not of the key
                        continue
                    self.assertIn(done.returncode, (65, 66, 75, 77), done.stderr)
                    self.assertTrue(done.stderr.strip())
