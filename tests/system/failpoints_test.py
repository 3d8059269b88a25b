"""A process ends at every named point of a commit, a rollback and the end of a run: the run recovers the same model.

The points are in core/base/failpoint.h.  ROTA_FAILPOINTS_ALL=1: each of them at its first and later times, with every file.
"""
import concurrent.futures
import os
import re
import shutil
import signal

from rota_run import SOURCE, RotaTest

ALL = os.environ.get("ROTA_FAILPOINTS_ALL") == "1"
HEADER = (SOURCE / "core/base/failpoint.h").read_text()
NAMES = re.findall(r'^    "([a-z_.]+)",$', HEADER, re.M)
# The files that are replaced, and at which write.  The launcher writes flags.txt and rota-run.json.
FILES = ("commit.json", "era", "manifest.json", "result.json", "flags.txt", "rota-run.json") if ALL else ("commit.json",)
TIMES = (1, 2, 4) if ALL else (2,)
# The store dies at its second file of a checkpoint: so there is a rollback.
LOSS = "partition.renamed:2:kill"
AFTER_A_LOSS = ("rollback.begun", "rollback.trimmed", "rollback.era", "rollback.welcoming", "lines.filtered")


class Failpoints(RotaTest):
    def setUp(self):
        super().setUp()
        self.write_small_corpus()
        self.calm = self.trained("calm")

    def words(self, name, *more):
        return self.small_lda(self.folder / name, "--epochs=24", "--workers=2", "--stores=1", "--checkpoint_seconds=0",
                              *more)

    def trained(self, name):
        self.rota(*self.words(name))
        return self.outcome(name)

    def outcome(self, name):
        result = self.result(self.folder / name)
        return {what: result[what] for what in self.compared}

    def environment(self, name, spec):
        once = self.folder / f"{name}-once"
        once.mkdir()
        return once, {**os.environ, "ROTA_FAILPOINTS": spec, "ROTA_FAILPOINTS_ONCE": str(once)}

    def check(self, name):
        """The undisturbed run's model, a complete run, no epoch recorded twice."""
        out = self.folder / name
        self.assertEqual(self.outcome(name), self.calm)
        self.expect_each_epoch_once(out)
        self.rota("show", "lda", f"--model={out}")
        self.no_role_left(out)

    @staticmethod
    def specs():
        """Points, with file and number, that such a run passes."""
        for point in NAMES:
            for what in FILES if point.startswith("file.") else ("",):
                for nth in TIMES if what in ("", "commit.json") else (1, 2) if what == "era" else (1,):
                    # Once in a run; the number of dropped checkpoints depends on time.
                    if point in (*AFTER_A_LOSS, "commit.dropping", "model.linked", "result.written"):
                        if nth != TIMES[0]:
                            continue
                        nth = 1
                    spec = f"{point}{'@' if what else ''}{what}:{nth}:kill"
                    rolls_back = point in AFTER_A_LOSS or what == "era" and nth > 1
                    yield point, f"{LOSS},{spec}" if rolls_back else spec

    def test_the_list_is_read(self):
        self.assertGreaterEqual(len(NAMES), 19)
        self.assertEqual(len(NAMES), int(re.search(r"string_view, (\d+)> kFailpoints", HEADER).group(1)))

    def harmed(self, number, spec, *flags):
        """A run with these failpoints.  Returns its name, how it ended, and the points that were reached."""
        name = f"run-{number}"
        once, environment = self.environment(name, spec)
        done = self.rota(*self.words(name, *flags), env=environment, code=None)
        return name, done, {file.name for file in once.iterdir()}

    def walk(self, specs, check, *flags):
        """Checks runs of all specs, several at a time: they mostly wait."""
        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            runs = [(spec, pool.submit(self.harmed, i, spec[1], *flags)) for i, spec in enumerate(specs)]
        for (point, spec), run in runs:
            with self.subTest(spec=spec):
                name, done, fired = run.result()
                self.assertIn(point, fired, f"the point was not reached: {done.stderr}")
                check(name, done)

    def continued(self, name, done):
        if done.returncode == -signal.SIGKILL:  # the launcher: its roles die with it
            done = self.again(name)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.check(name)

    def resume(self, name, done):
        self.assertIn(done.returncode, (-signal.SIGKILL, 75), done.stderr)
        done = self.again(name)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.check(name)

    def again(self, name):
        out = self.folder / name
        self.no_role_left(out)
        if (out / "flags.txt").exists():
            return self.rota("resume", out)
        if not (out / "rota-run.json").exists():  # without its marker the folder may be foreign
            self.rota(*self.words(name), code=73)
            shutil.rmtree(out)
        return self.rota(*self.words(name))

    def test_the_run_recovers_after_every_point(self):
        self.walk(list(self.specs()), self.continued)

    def test_over_tcp_a_coordinator_killed_before_listening_is_restarted(self):
        """The other processes need its address, and were not started."""
        spec = "file.written@era:1:kill"
        name, done, fired = self.harmed("tcp", spec, "--coordinator=tcp://127.0.0.1:0", "--start_timeout_seconds=20")
        self.assertIn("file.written", fired)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("coordinator-0 ended with", done.stderr)
        self.check(name)

    def test_a_stopped_run_is_resumed_after_every_point(self):
        specs = [spec for spec in self.specs() if LOSS not in spec[1]]
        self.walk(specs if ALL else specs[::3], self.resume, "--on_loss=stop")

    def test_a_store_that_hangs_while_writing_is_replaced(self):
        """Its file of the era before is written late, under a name that no record has."""
        for point in ("partition.synced", "partition.folder_synced"):
            with self.subTest(point=point):
                name = f"still-{point}"
                once, environment = self.environment(name, f"{point}:3:stop")
                self.rota(*self.words(name, "--peer_timeout_seconds=2"), env=environment)
                self.assertTrue((once / point).exists())
                self.check(name)
