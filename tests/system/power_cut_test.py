"""Power is cut after every record of durable data: unsynced data is lost, and the run continues.

One run is recorded (power_cut.cc); its folder is rebuilt as of each point (power_cut.py) and resumed.
ROTA_DISK_ALL=1: at all points, and more drawn folders for each.
"""
import concurrent.futures
import os

import power_cut
from rota_run import RotaTest

ALL = os.environ.get("ROTA_DISK_ALL") == "1"
LIBRARY = os.environ["ROTA_POWER_CUT_SO"]
POINTS = 1000 if ALL else 11
DRAWS = 4 if ALL else 1


class PowerCut(RotaTest):
    def setUp(self):
        super().setUp()
        self.write_small_corpus()

    def words(self, out, *more):
        return self.small_lda(out, "--epochs=6", "--workers=1", "--stores=1", "--checkpoint_seconds=0", *more)

    def environment(self, log, out, **more):
        return {**os.environ, "LD_PRELOAD": LIBRARY, "ROTA_POWER_CUT": f"{log}:{out}", **more}

    def recorded(self, *flags):
        """An undisturbed run with a record of durable data."""
        out = self.folder / "recorded"
        self.rota(*self.words(out, *flags), env=self.environment(self.folder / "trace", out))
        self.calm = self.result(out)
        self.trace = power_cut.Trace(self.folder / "trace")
        number = out.stat().st_ino
        self.root = next(inode for _, inode, _ in self.trace.records if inode[0] == number)
        return out

    def newest(self, count):
        """The newest epoch with a durable commit record at that point."""
        left = self.trace.left(count, self.root, "synced")
        return max((int(path.parts[1].split("-")[1]) for path in left if path.name == "commit.json"), default=0)

    def cut(self, out, count, kind, seed):
        """The folder that is left, and the result of the resume."""
        copy = self.folder / f"cut-{count}-{kind}-{seed}"
        left = self.trace.left(count, self.root, kind, seed)
        self.trace.make(left, copy)
        flags = copy / "flags.txt"
        if flags.exists() and flags.read_bytes():
            flags.write_bytes(flags.read_bytes().replace(str(out).encode(), str(copy).encode()))
            return copy, self.rota("resume", copy, code=None)
        done = self.rota(*self.words(copy), code=None)
        if done.returncode == 73:  # without its marker the folder may be foreign
            copy = copy.with_name(copy.name + "-again")
            done = self.rota(*self.words(copy), code=None)
        return copy, done

    def check(self, count, copy, done):
        self.assertEqual(done.returncode, 0, done.stderr)
        self.expect_same(self.result(copy), self.calm, why=done.stderr)
        self.rota("show", "lda", f"--model={copy}")
        evaluated = [m["epoch"] for m in self.metrics(copy)]
        self.assertEqual(evaluated, list(range(7)), "an epoch's record is lost, or there twice")
        newest = self.newest(count)
        begun = [int(event["epoch"]) for event in self.events(copy, "resume")]
        if begun or not (copy / "model/manifest.json").exists():
            self.assertGreaterEqual(max(begun, default=0), newest, "an epoch that was committed is lost")

    def walk(self, out, kinds):
        points = self.trace.points()
        self.assertGreater(len(points), 30)
        chosen = sorted({*points[::max(1, len(points) // POINTS)], points[-1]})
        plans = [(count, kind, seed) for count in chosen for kind in kinds for seed in range(DRAWS if kind == "drawn" else 1)]
        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            runs = [(plan, pool.submit(self.cut, out, *plan)) for plan in plans]
        for plan, run in runs:
            with self.subTest(plan=plan):
                self.check(plan[0], *run.result())
        return len(plans)

    def test_unsynced_data_is_lost(self):
        out = self.recorded()
        self.assertEqual(self.newest(len(self.trace.records)), 6)
        self.assertGreater(self.walk(out, power_cut.KINDS), 30)

    def test_a_run_over_tcp_finds_its_keys(self):
        out = self.recorded("--coordinator=tcp://127.0.0.1:0")
        self.walk(out, ("synced",))

    def test_a_slow_disk_is_waited_for(self):
        """Each sync takes longer than the peer timeout."""
        out = self.folder / "slow"
        self.rota(*self.words(out, "--peer_timeout_seconds=1", "--epochs=3"),
                  env=self.environment(self.folder / "slow.log", out, ROTA_SLOW_DISK_MS="1500"))
        calm = self.folder / "calm"
        self.rota(*self.words(calm, "--epochs=3"))
        self.assertEqual(self.result(out)["model_hash"], self.result(calm)["model_hash"])
        self.assertEqual(self.events(out, "lost"), [])
