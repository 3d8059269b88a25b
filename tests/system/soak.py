"""Jobs with repeated faults: the model does not change, and memory, descriptors and disk do not grow.
Started by hand in tests/system: ROTA_BIN=../../build/release/bin ROTA_SOAK_MINUTES=30 /usr/bin/python3 -B -m unittest soak

ROTA_SOAK_MINUTES: how long (0: every job is run once).  ROTA_SOAK_EVERY: seconds between two harms (1.5).
ROTA_SOAK_SEED: what is drawn from.  ROTA_SOAK_JOBS: which (lda,mf,lasso,sgd).  ROTA_SOAK_KEEP: a folder for the run that
did not end as expected, with its faults and its output.  Prints a table: for every role the maximum of its processes, in
the first and the last third of the runs.
"""
import collections
import os
import pathlib
import random
import re
import shutil
import signal
import subprocess
import time

from recovery_test import A9A, FEEDBACK, REVIEWS
from rota_run import KOS, RotaTest, kill

MINUTES = float(os.environ.get("ROTA_SOAK_MINUTES", "0"))
EVERY = float(os.environ.get("ROTA_SOAK_EVERY", "1.5"))
SEED = os.environ.get("ROTA_SOAK_SEED", "1")
CHOSEN = os.environ.get("ROTA_SOAK_JOBS", "lda,mf,lasso,sgd").split(",")
KEEP = os.environ.get("ROTA_SOAK_KEEP")
LONG = 1 if MINUTES == 0 else 4
JOBS = {
    "lda": ["lda", f"--input={KOS}", "--topics=50", f"--epochs={25 * LONG}"],
    "mf": ["mf", f"--input={REVIEWS}", "--rank=24", f"--epochs={150 * LONG}"],
    "lasso": ["lasso", f"--input={FEEDBACK}", "--nointercept", f"--path={40 * LONG}"],
    "sgd": ["sgd", f"--input={A9A}", "--loss=logistic", f"--epochs={25 * LONG}"],
}
# Beyond those of the first runs: a process may be killed, or measured, at its largest.
GROWTH, SLACK_BYTES, SLACK_DESCRIPTORS = 1.15, 16 << 20, 6


def seen(pid):
    """Resident bytes and descriptors of a process; nothing if it has ended."""
    try:
        status = pathlib.Path(f"/proc/{pid}/status").read_text()
        resident = re.search(r"VmRSS:\s+(\d+) kB", status)
        return (int(resident.group(1)) << 10, len(os.listdir(f"/proc/{pid}/fd"))) if resident else None
    except OSError:
        return None


def disk(folder):
    """Bytes of the files in a folder, each inode once, without logs, which grow with every loss."""
    files = {}
    for path, _, names in os.walk(folder):  # which skips folders that are removed meanwhile
        for name in names if pathlib.Path(path).name != "log" else ():
            try:
                status = os.stat(os.path.join(path, name))
                files[status.st_ino] = status.st_size
            except OSError:
                pass  # it was removed
    return sum(files.values())


class Soak(RotaTest):
    def command_line(self, job, out):
        return ["train", *JOBS[job], f"--out={out}", "--seed=7", "--workers=2", "--stores=1", "--checkpoint_seconds=0",
                "--peer_timeout_seconds=10"]

    def harm(self, out, run, draw):
        """Kills a process, or stops it for longer than the timeout.  Returns whether there was one."""
        roles = self.roles(out)
        if not roles or run.poll() is not None:
            return False
        name = draw.choice(sorted(roles))
        stops = MINUTES > 0 and draw.random() < 0.25 and name != "rota-coordinator-0"  # which is not replaced
        kill([roles[name]], signal.SIGSTOP if stops else signal.SIGKILL)
        self.harms.append(f"{time.time():.3f} {name} (pid {roles[name]}) {'stopped' if stops else 'killed'}")
        return True

    def keep(self, out, run, stderr):
        """Keeps the run for an analysis."""
        if KEEP:
            shutil.copytree(out, pathlib.Path(KEEP) / out.name, symlinks=True, dirs_exist_ok=True)
            (pathlib.Path(KEEP) / out.name / "harms.txt").write_text("\n".join([*self.harms, f"exit {run.returncode}", stderr]))

    def harmed(self, job, number, draw, calm):
        """One run: the maxima of its processes by role, and of the disk; the number of faults, and the time."""
        out = self.folder / f"{job}-{number}"
        began = time.monotonic()
        # Into a file: an unread pipe is full after some hundred epochs, and the launcher would block.
        output = self.folder / f"{job}-{number}.stderr"
        with open(output, "wb") as stderr:
            run = subprocess.Popen(self.command(*self.command_line(job, out)), stdout=subprocess.DEVNULL, stderr=stderr)
        self.addCleanup(self._end, run)
        self.harms = []
        most, harms = collections.defaultdict(lambda: (0, 0)), 0
        # One fault per checkpoint, below the limit of restarts.
        due, commits = began + draw.uniform(0.3, EVERY), []
        while run.poll() is None:
            for name, pid in [*self.roles(out).items(), ("rota", run.pid)]:
                now = seen(pid)
                if now:
                    role = name.rsplit("-", 1)[0]
                    most[role] = tuple(map(max, most[role], now))
            most["disk"] = (max(most["disk"][0], disk(out)), 0)
            newest = self.committed(out)[-1:]
            if time.monotonic() > due and newest != commits and self.harm(out, run, draw):
                commits, harms, due = newest, harms + 1, time.monotonic() + draw.uniform(0.5, 1.5) * EVERY
            time.sleep(0.05)
        stderr = output.read_text(errors="replace")
        if run.returncode != 0 or self.result(out)["model_hash"] != calm["model_hash"]:
            self.keep(out, run, stderr)
        self.assertEqual(run.returncode, 0, stderr)
        self.assertEqual(self.result(out)["model_hash"], calm["model_hash"], stderr)
        self.assertEqual(self.result(out)["state_hash"], calm["state_hash"], stderr)
        self.no_role_left(out)
        left = [file for file in (out / "model").iterdir() if "unfinished" in file.name]
        self.assertEqual(left, [])
        shutil.rmtree(out)
        return {**most}, harms, time.monotonic() - began

    def report(self, job, runs):
        """The table, and what has grown."""
        third = max(1, len(runs) // 3)
        grown = []
        for role in sorted({role for most, _, _ in runs for role in most}):
            values = [most.get(role, (0, 0)) for most, _, _ in runs]
            first, last = ([max(column) for column in zip(*part)] for part in (values[:third], values[-third:]))
            print(f"{job:6} {role:17} {first[0] / 1e6:8.1f} {last[0] / 1e6:8.1f} MB {first[1]:5} {last[1]:5} descriptors")
            if last[0] > GROWTH * first[0] + SLACK_BYTES or last[1] > first[1] + SLACK_DESCRIPTORS:
                grown.append((job, role, first, last))
        print(f"{job:6} {len(runs)} runs, {sum(harms for _, harms, _ in runs)} harms, "
              f"{sum(took for _, _, took in runs):.0f} s", flush=True)
        return grown

    def test_repeated_damage_to_the_run(self):
        draw = random.Random(SEED)
        calm = {}
        for job in CHOSEN:
            out = self.folder / f"{job}-calm"
            self.rota(*self.command_line(job, out))
            calm[job] = self.result(out)
            shutil.rmtree(out)
        runs = {job: [] for job in CHOSEN}
        end = time.monotonic() + 60 * MINUTES
        number = 0
        while number == 0 or time.monotonic() < end:
            for job in CHOSEN:
                runs[job].append(self.harmed(job, number, draw, calm[job]))
            number += 1
        grown = [what for job in CHOSEN for what in self.report(job, runs[job])]
        self.assertEqual(grown, [], "what has grown")
        self.assertGreater(sum(harms for of_job in runs.values() for _, harms, _ in of_job), 0, "nothing was harmed")
