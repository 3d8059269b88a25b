"""Runs of the built `rota` for the system tests: real processes, in folders of their own, ended by their ids.

ROTA_EVENTS_OUT: a folder that gets the events of all runs, TEST.RUN.jsonl, for bench/recovery_times.py.
"""
import json
import os
import pathlib
import random
import shutil
import signal
import subprocess
import tempfile
import time
import unittest

SOURCE = pathlib.Path(__file__).resolve().parents[2]
BIN = pathlib.Path(os.environ["ROTA_BIN"]).resolve()
KOS = SOURCE / "apps/lda/sample/docword.kos.txt.gz"
VOCAB = SOURCE / "apps/lda/sample/vocab.kos.txt"
TOKENS = 467714
A9A = SOURCE / "apps/sgd/sample/a9a.libsvm.gz"
REVIEWS = SOURCE / "apps/mf/sample/google_reviews.txt.gz"
DOROTHEA = SOURCE / "apps/lasso/sample/dorothea_train.libsvm.gz"
# A bag of words of three documents, and its vocabulary.
BAG, WORDS = "3\n4\n5\n1 1 2\n1 3 1\n2 2 4\n2 4 1\n3 1 1\n", "a\nb\nc\nd\n"
EVENTS_OUT = os.environ.get("ROTA_EVENTS_OUT")
LIMIT = 120  # seconds that any run may take before it counts as hanging


class RotaTest(unittest.TestCase):
    compared = ("model_hash", "state_hash", "epochs")  # of runs that computed the same

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="rota-system-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        if EVENTS_OUT:
            self.addCleanup(self.keep_events)

    def keep_events(self):
        for file in self.folder.glob("**/events.jsonl"):
            run = "-".join(file.parent.relative_to(self.folder).parts)
            shutil.copy(file, pathlib.Path(EVENTS_OUT) / f"{self.id()}.{run}.jsonl")

    def command(self, *arguments):
        return [str(BIN / "rota"), *map(str, arguments)]

    def program(self, words, code=0, error="", **options):
        """Runs a program to its end, which must be with this exit code (None: any) and these words on stderr."""
        options = {"capture_output": True, "text": True, "timeout": LIMIT, **options}
        done = subprocess.run([word if isinstance(word, bytes) else str(word) for word in words], **options)
        if code is not None:
            self.assertEqual(done.returncode, code, (words, done.stdout, done.stderr))
        if error:
            self.assertIn(error, done.stderr)
        return done

    def rota(self, *arguments, **options):
        return self.program(self.command(*arguments), **options)

    def ended(self, process, code=0):
        """Waits for the end of a program that was started; returns what it wrote to stderr."""
        stdout, stderr = process.communicate(timeout=LIMIT)
        self.assertEqual(process.returncode, code, stderr or stdout)
        return stderr

    def start(self, *arguments):
        """Starts `rota`; the test waits for its end."""
        process = subprocess.Popen(self.command(*arguments), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(self._end, process)
        return process

    @staticmethod
    def _end(process):
        if process.poll() is None:
            process.kill()
        process.communicate()

    def lda(self, out, *flags):
        """The arguments of the training that the tests compare: 50 topics on KOS, 8 shards, seed 7."""
        return ["train", "lda", f"--input={KOS}", f"--vocab={VOCAB}", "--topics=50", "--seed=7", "--shards=8",
                f"--out={out}", *flags]

    def result(self, out):
        return json.loads((out / "result.json").read_text())

    def expect_same(self, result, reference, names=None, why=None):
        names = names or self.compared
        self.assertEqual({name: result[name] for name in names}, {name: reference[name] for name in names}, why)

    def expect_same_for(self, shapes, train, names=None):
        """`train(workers, threads)` gives the same result for all shapes, which is returned."""
        reference = None
        for workers, threads in shapes:
            with self.subTest(workers=workers, threads=threads):
                result = train(workers, threads)
                reference = reference or result
                self.expect_same(result, reference, names)
        return reference

    def expect_each_epoch_once(self, out):
        evaluated = [m["epoch"] for m in self.metrics(out)]
        self.assertEqual(evaluated, sorted(set(evaluated)), "an epoch was recorded twice")

    def write_small_corpus(self):
        (self.folder / "data").write_text(BAG)
        (self.folder / "vocab").write_text(WORDS)

    def small_lda(self, out, *flags):
        """The arguments of a training on these documents."""
        return ["train", "lda", f"--input={self.folder}/data", f"--vocab={self.folder}/vocab", "--topics=2", "--seed=7",
                f"--out={out}", *flags]

    def metrics(self, out):
        return [json.loads(line) for line in (out / "metrics.jsonl").read_text().splitlines()]

    def events(self, out, name):
        lines = (out / "events.jsonl").read_text().split("\n")[:-1]  # whole ones: the last may be being written
        return [event for event in map(json.loads, lines) if event["event"] == name]

    def wait_for(self, what, condition):
        """Waits for an event that must come; after the limit it counts as a hang."""
        end = time.monotonic() + LIMIT
        while not condition():
            self.assertLess(time.monotonic(), end, f"waited too long for {what}")
            time.sleep(0.01)

    def roles(self, out):
        """Process ids by role, of the roles of the run in this folder that are alive."""
        pids = {}
        for entry in pathlib.Path("/proc").iterdir():
            if not entry.name.isdigit():
                continue
            try:
                words = (entry / "cmdline").read_bytes().decode(errors="replace").split("\0")
            except OSError:
                continue
            if f"--flagfile={out}/flags.txt" not in words:
                continue
            index = next((w.split("=")[1] for w in words if w.startswith("--index=")), "0")
            pids[f"{pathlib.Path(words[0]).name}-{index}"] = int(entry.name)
        return pids

    def kill_run(self, run, out):
        """`rota` and all roles of its run, at once."""
        kill([run.pid, *self.roles(out).values()])
        run.communicate()
        self.no_role_left(out)

    def committed(self, out):
        """Epochs with a commit record."""
        return sorted(int(p.parent.name.split("-")[1]) for p in (out / "checkpoint").glob("epoch-*/commit.json"))

    def no_role_left(self, out):
        self.wait_for("all roles to end", lambda: not self.roles(out))


def write_graph(file, nodes, edges):
    """A graph as text, whose first nodes have more edges in, and whose last ones more edges out."""
    draw = random.Random(1)
    ends = ((nodes - 1 - int(nodes * draw.random() ** 2), int(nodes * draw.random() ** 3)) for _ in range(edges))
    file.write_text("".join(f"{source} {target}\n" for source, target in ends))


def kill(pids, how=signal.SIGKILL):
    for pid in pids:
        try:
            os.kill(pid, how)
        except ProcessLookupError:
            pass
