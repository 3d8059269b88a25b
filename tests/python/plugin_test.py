"""Apps in Python: the models of their twins in C++, in this process and in workers; errors; views; a kill; trust."""
import json
import os
import pathlib
import re
import signal
import subprocess
import unittest

import numpy as np
from python_run import LIMIT, SOURCE, PythonTest, kin

import rota
from rota import _rota

BIN = pathlib.Path(os.environ["ROTA_BIN"])
TWINS = {"line_fit": "tests/system/plugins/line_fit.so", "small_mf": "tests/system/plugins/small_mf.so",
         "kmeans": "examples/kmeans.so"}  # in the build folder
TEMPLATE, EXAMPLES = SOURCE / "apps/template", SOURCE / "apps/examples"

APP = """
import sys
import rota
KEPT = []

class Shard(rota.Push):
    def items(self): return 1
    def push(self, task, random):
        part = task.parts[0]
        {body}
        part += 1
        return 1

class Fault(rota.App):
    options = [rota.Option("depth", 2.5, "metres", 0, 9, "How deep."), rota.Option("word", "a", meaning="A word.", choices=["a", "b"])]
    epochs = 2
    tables = [rota.Table("numbers", keys=2, row_width=2, dense=True, started=True)]
    terms = [rota.Term("depth")]
    def load(self, hosted, common):
        return [Shard() for _ in hosted]
"""


STEPS = """
import rota

class Shard(rota.Push):
    def items(self): return 1
    def push(self, task, random):
        for key, value, part in task:
            part += value / 2 + key + 1
        return len(task)

class Turns(rota.Schedule):
    state = ("at", "moved")
    def __init__(self): self.at, self.moved = 0, 0.0
    def next(self, random):
        self.at += 1
        return rota.Round(0, shared=[(self.at - 1) % 6], ends_epoch=self.at % 6 == 0)
    def feedback(self, commit):
        self.moved += sum(float(abs(change).sum()) for _, _, change in commit)
    def figures(self): return {{"moved": self.moved}}

class Fold(rota.Pull):
    def pull(self, task):
        for key, sums, value in task:
            value += sums

class Steps(rota.App):
    epochs = 4
    tables = [rota.Table("numbers", keys=6, row_width=2, started=True)]
    terms = [rota.Term("none")]
    def load(self, hosted, common): return [Shard() for _ in hosted]
    def schedule(self, facts, share): return {schedule}
    def pull(self, facts): return {pull}
"""


class PluginTest(PythonTest):
    def setUp(self):
        super().setUp()
        dice = np.random.default_rng(4)
        self.points = self.write("points.txt", "".join(f"{x:.5f} {y:.5f}\n" for x, y in dice.random((500, 2))))
        self.ratings = self.write("ratings.txt", "".join(
            f"{u} {i} {dice.integers(1, 6)}\n" for u in range(40) for i in range(30) if dice.random() < 0.4))
        self.rows = self.write("rows.svm", "".join(
            "0 " + " ".join(f"{j + 1}:{dice.normal(u % 3):.5f}" for j in range(8) if dice.random() < 0.7) + "\n"
            for u in range(200)))

    def write(self, name, text):
        (self.folder / name).write_text(text, encoding="utf-8")
        return self.folder / name

    def app(self, name, body="pass"):
        return self.write(f"{name}.py", APP.format(body=body))

    def rota(self, *words, code=0):
        done = subprocess.run([BIN / "rota", *map(str, words)], capture_output=True, text=True, timeout=LIMIT,
                              check=False)
        self.assertEqual(done.returncode, code, done.stderr + done.stdout)
        return done.stdout + done.stderr

    def hash_of(self, app, file, name, *flags):
        out = self.folder / name
        self.rota("train", app, f"--input={file}", f"--out={out}", *flags)
        return json.loads((out / "result.json").read_text(encoding="utf-8"))["model_hash"]

    def fails(self, body, code):
        """A job whose push has this body; returns what its users see, and the logs."""
        out = self.folder / "failed"
        said = self.rota("train", self.app("fault", body), f"--input={self.points}", f"--out={out}", code=code)
        return said, "".join(log.read_text(encoding="utf-8") for log in (out / "log").glob("worker-*.log"))


class Steps(PluginTest):
    def test_a_schedule_and_a_pull_of_ones_own_are_those_of_rota(self):
        hashes, moved = set(), set()
        for number, (schedule, pull) in enumerate((("Turns()", "Fold()"), ("Turns()", "rota.AddPull()"),
                                                   ("rota.RoundRobinSchedule(0, 6)", "Fold()"),
                                                   ("rota.RoundRobinSchedule(0, 6)", "rota.AddPull()"))):
            app = self.write("steps.py", STEPS.format(schedule=schedule, pull=pull))
            for workers in (1, 3):
                out = f"run-{number}-{workers}"
                hashes.add(self.hash_of(app, self.points, out, f"--workers={workers}"))
                if schedule == "Turns()":
                    line = (self.folder / out / "metrics.jsonl").read_text(encoding="utf-8").splitlines()[-1]
                    moved.add(json.loads(line)["schedule"]["moved"])
        self.assertEqual(len(hashes), 1)
        self.assertEqual(len(moved), 1)
        self.assertGreater(moved.pop(), 0)


class Twins(PluginTest):
    """The same model as the same app in C++, everywhere."""

    def expect_twins(self, app, twin, file, **options):
        flags = [f"--{name}={value}" for name, value in options.items()]
        reference = self.hash_of(twin, file, "twin", *flags)
        for workers, threads in ((1, 2), (4, 1)):
            shape = (f"--workers={workers}", f"--threads={threads}")
            self.assertEqual(self.hash_of(app, file, f"run-{workers}", *flags, *shape), reference)
        texts = {name: str(value) for name, value in options.items()}
        model = _rota.fit(str(app), texts, [str(file)])
        self.assertEqual(model.model_hash, reference)
        return model

    def test_line_fit(self):
        self.expect_twins(TEMPLATE / "line_fit.py", BIN.parent / TWINS["line_fit"], self.points, epochs=3)
        self.assertRegex(self.rota("show", TEMPLATE / "line_fit.py", f"--model={self.folder / 'run-4'}"),
                         r"^y = [\d.]+ \+ -?[\d.]+ x\n$")

    def test_small_mf(self):
        self.expect_twins(TEMPLATE / "small_mf.py", BIN.parent / TWINS["small_mf"], self.ratings, epochs=3, rank=3, seed=5)

    def test_kmeans(self):
        self.expect_twins(EXAMPLES / "kmeans.py", BIN.parent / TWINS["kmeans"], self.rows, clusters=3)

    def test_at_most_60_lines(self):
        for file in (TEMPLATE / "line_fit.py", TEMPLATE / "small_mf.py", EXAMPLES / "kmeans.py"):
            self.assertLessEqual(file.read_text(encoding="utf-8").count("\n"), 60)

    def test_killed_and_resumed(self):
        flags = ("--rank=4", "--epochs=60", "--checkpoint_seconds=0")
        app, out = TEMPLATE / "small_mf.py", self.folder / "killed"
        reference = self.hash_of(BIN.parent / TWINS["small_mf"], self.ratings, "calm", *flags)
        run = subprocess.Popen([BIN / "rota", "train", app, f"--input={self.ratings}", f"--out={out}", *flags],
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.addCleanup(self._end, run)
        self.wait_for("a checkpoint", lambda: list(out.glob("checkpoint/epoch-*/commit*")))
        for pid in (run.pid, *kin(run.pid)):
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        run.wait(LIMIT)
        self.assertFalse((out / "result.json").exists())
        self.rota("resume", out)
        self.assertEqual(json.loads((out / "result.json").read_text(encoding="utf-8"))["model_hash"], reference)


class Errors(PluginTest):
    def test_traceback(self):
        said, log = self.fails('{}["gone"]', 70)
        place = f"{self.folder}/fault.py"
        self.assertRegex(said, rf"plugin fault, Push::push, round 1, shard \d+: KeyError: 'gone' \({place}:10\)\n"
                               rf"Traceback [^\n]*\n  File \"{place}\", line 10, in push\n")
        self.assertIn("KeyError: 'gone'", log)

    def test_exit_codes(self):
        for body, code, words in (
                ('raise rota.DataError("my.txt", 7, "bad")', 65, "my.txt:7: bad (plugin fault, Push::push"),
                ('raise rota.UsageError("no such depth")', 2, "no such depth (plugin fault, Push::push"),
                ('raise rota.NoInput("gone.txt")', 66, "gone.txt"),
                ("sys.exit(3)", 70, "sys.exit(3) was called"),
                ("raise KeyboardInterrupt", 70, "KeyboardInterrupt"),
                ("task.parts[9]", 70, "a part of row 9 of a table of 2 rows"),
                ("return 'three'", 70, "<class 'str'>")):
            with self.subTest(body):
                said, _ = self.fails(body, code)
                self.assertIn(words, said)
                subprocess.run(["rm", "-r", self.folder / "failed"], check=True)

    def test_files_that_are_no_app(self):
        for text, words in (("import rota\nclass A(rota.App\n", "bad.py:2)\n"),
                            ("import rota\n", "has no class derived from rota.App"),
                            ("import rota\nclass A(rota.App): pass\nclass B(rota.App): pass\n", "A, B; keep one"),
                            ("import gone\n", "No module named 'gone'")):
            said = self.rota("train", self.write("bad.py", text), f"--input={self.points}",
                             f"--out={self.folder / 'bad'}", code=2)
            self.assertIn(words, said)
        self.assertFalse((self.folder / "bad").exists())

    def test_help_shows_options(self):
        said = self.rota("train", self.app("fault"), "--help")
        self.assertRegex(said, r"--depth=N  \(default 2.5; unit: metres; 0 .. 9\)\n +How deep.")
        self.assertIn("--word=a|b", said)
        self.rota("train", self.app("fault"), f"--input={self.points}", f"--out={self.folder / 'bad'}", "--depth=10",
                  code=2)

    def test_modules_beside_and_prints(self):
        self.write("beside.py", "WORD = 'from beside'\n")
        out = self.folder / "a run"
        self.rota("train", self.app("fault", "import beside; print(beside.WORD)"), f"--input={self.points}",
                  f"--out={out}")
        self.assertIn("\nfrom beside\n", (out / "log/worker-0.log").read_text(encoding="utf-8"))
        self.assertEqual(list(self.folder.glob("**/__pycache__")), [])

    def test_what_others_can_change_is_refused(self):
        file = self.app("fault")
        for path in (file, self.folder):
            mode = path.stat().st_mode
            path.chmod(mode | 0o1002)
            said = self.rota("train", file, f"--input={self.points}", f"--out={self.folder / 'bad'}", code=77)
            self.assertIn("can be changed by everybody", said)
            path.chmod(mode)


class Views(PluginTest):
    """What a hook is given is dead after the call: an error, and never memory that was freed."""

    def test_kept_in_workers(self):
        for body in ("self.kept = part", "self.kept = part[1:]", "KEPT.append(memoryview(part))",
                     "KEPT.append(self.table.numbers.T)"):
            with self.subTest(body):
                said, _ = self.fails(body, 70)
                self.assertIn("Push::push, round 1", said)
                self.assertIn("keeps a view of its arguments after the call: copy what you keep", said)
                subprocess.run(["rm", "-r", self.folder / "failed"], check=True)

    def test_read_only(self):
        for body in ("self.table.numbers[0, 0] = 1", "self.table.numbers.flags.writeable = True"):
            said, _ = self.fails(body, 70)
            self.assertRegex(said, "read-only|cannot set WRITEABLE")
            subprocess.run(["rm", "-r", self.folder / "failed"], check=True)

    def test_in_this_process(self):
        kept = []

        class Shard(rota.Push):
            def items(self):
                return 1

            def push(self, task, random):
                kept.append(keep(self, task))
                return 1

        class Keeps(rota.App):
            tables = [rota.Table("numbers", keys=2, row_width=3, dense=True, started=True)]

            def load(self, hosted, common):
                return [Shard() for _ in hosted]

        def keep(_, task):
            task.parts[1][:] = 5
            return task.parts[1][1:]
        with self.assertRaisesRegex(RuntimeError, "keeps a view of its arguments"):
            _rota.fit(Keeps, {"epochs": "2"}, [str(self.points)])
        np.testing.assert_array_equal(kept[0], [5, 5])  # its own memory

        def keep(shard, task):  # noqa: F811
            return shard.table, task, task.parts
        _rota.fit(Keeps, {"epochs": "2"}, [str(self.points)])
        table, task, parts = kept[-1]
        for dead in (lambda: table.numbers, lambda: task.epoch, lambda: parts[0]):
            self.assertRaises(TypeError, dead)

        def keep(shard, task):  # noqa: F811
            raise ZeroDivisionError("mine")
        with self.assertRaisesRegex(ZeroDivisionError, "mine"):
            _rota.fit(Keeps, {"epochs": "2"}, [str(self.points)])


class Readers(PluginTest):
    def test_rows_and_numbers(self):
        rows = rota.read_rows([self.rows])
        self.assertEqual((len(rows), rows.columns, rows.csr().nnz), (200, 8, len(rows.values)))
        np.testing.assert_array_equal(rota.read_numbers([self.points], 2), np.loadtxt(self.points))
        with self.assertRaisesRegex(rota.DataError, re.escape(f"{self.points}:1: expected A B C, found")):
            rota.read_numbers([self.points], 3, "A B C")
        with self.assertRaises(rota.NoInput):
            rota.read_rows([self.folder / "gone"])

    def test_random_and_sums(self):
        drawn = rota.Random(1, 2, 3, 4)
        self.assertEqual(drawn(), 41943041)  # xoshiro256++: rotl(1 + 4, 23) + 1
        numbers = np.random.default_rng(1).random(1000)
        total = 0.0
        for number in numbers:
            total += number
        self.assertEqual(rota.sum_in_order(numbers), total)
        self.assertEqual(rota.sum_in_order(np.zeros((0, 2))).shape, (2,))


if __name__ == "__main__":
    unittest.main()
