"""Fits by processes that are interrupted, killed, forked, and run side by side: no process stays, no file is lost."""
import functools
import pathlib
import pickle
import signal
import unittest

from python_run import LIMIT, SOURCE, PythonTest, counts, kin, lives

import rota
from rota._training import train

KOS = SOURCE / "apps/lda/sample/docword.kos.txt.gz"
# A fit that takes seconds; arguments: its folder or "-", the data or "-" for arrays.
FIT = """
import sys
sys.path.insert(0, {tests!r})
from python_run import counts
from rota._training import train
import rota
out, data = (None if word == "-" else word for word in sys.argv[1:])
options = dict(topics=20, epochs=60, seed=7, eval_every=100, checkpoint_seconds=0.1)
try:
    train("lda", options, data or counts(2000, 500), out=out, workers=2)
except rota.Interrupted as interrupted:
    print(interrupted.folder, interrupted.epoch, flush=True)
    print(interrupted, file=sys.stderr)
    sys.exit(7)
""".format(tests=str(pathlib.Path(__file__).parent))
OPTIONS = {"topics": 20, "epochs": 60, "seed": 7, "eval_every": 100, "checkpoint_seconds": 0.1}


class Processes(PythonTest):
    def fit(self, out="-", data="-"):
        """Starts the fit; returns its process and those below it, when the first checkpoint is there."""
        process = self.script(FIT, out, data)
        pattern = "rota-fit-*/run/checkpoint/epoch-*/commit.json" if out == "-" else "checkpoint/epoch-*/commit.json"
        place = self.temporary if out == "-" else pathlib.Path(out)
        self.wait_for("a checkpoint", lambda: process.poll() is not None or list(place.glob(pattern)))
        self.assertIsNone(process.poll(), "the fit was too short")
        below = kin(process.pid)
        self.assertGreaterEqual(len(below), 5)  # rota, coordinator, scheduler, two workers
        return process, below

    @staticmethod
    @functools.cache
    def expected():
        return train("lda", OPTIONS, counts(2000, 500), workers=0).model_hash

    def expect_none(self, pids):
        self.wait_for("end of all processes", lambda: not any(map(lives, pids)), 30)

    def test_ctrl_c_ends_behind_a_checkpoint_and_the_same_out_continues(self):
        out = self.folder / "a run"
        process, below = self.fit(out)
        process.send_signal(signal.SIGINT)
        said, told = process.communicate(timeout=LIMIT)
        self.assertEqual(process.returncode, 7, told)
        self.assertTrue(said.startswith(str(out)), said)
        self.assertIn("rota.resume(", told)
        self.assertIn("out=", told)
        self.expect_none(below)
        epoch = int(said.split()[-1])
        self.assertEqual(rota.load(out).checkpoint_epoch, epoch)
        resumed = train("lda", OPTIONS, counts(2000, 500), out=out, workers=1)
        self.assertEqual([event["epoch"] for event in rota.load(out).events if event["event"] == "resume"], [epoch])
        self.assertEqual(resumed.model_hash, self.expected())
        self.assertEqual({path.name for path in self.folder.iterdir()}, {"a run", "tmp"}, "packed data were left")

    def test_ctrl_c_without_a_folder_keeps_the_run_to_be_resumed(self):
        process, below = self.fit()
        process.send_signal(signal.SIGINT)
        said, told = process.communicate(timeout=LIMIT)
        self.assertEqual(process.returncode, 7, told)
        self.expect_none(below)
        folder = pathlib.Path(said.rsplit(" ", 1)[0])
        train("sgd", {"epochs": 1}, KOS.parents[2] / "sgd/sample/a9a.libsvm.gz", workers=1)  # which clears up
        self.assertEqual(rota.resume(folder).model.model_hash, self.expected())

    def test_a_killed_python_leaves_no_process_and_its_folder_can_be_resumed(self):
        out = self.folder / "run"
        process, below = self.fit(out)
        process.kill()
        self.expect_none(below)
        self.assertEqual(rota.load(out).state, "ended")
        finished = rota.resume(out)
        self.assertEqual(finished.state, "done")
        self.assertEqual(finished.model.model_hash, self.expected())
        self.assertEqual({path.name for path in self.folder.iterdir()}, {"run", "tmp"}, "packed data were left")

    def test_what_a_killed_python_left_in_the_temporary_folder_goes_with_the_next_fit(self):
        process, below = self.fit()
        process.kill()
        self.expect_none(below)
        self.assertEqual(len(list(self.temporary.glob("rota-fit-*"))), 1)
        train("lda", {"topics": 2, "epochs": 1}, counts(), workers=1)
        self.assertEqual(list(self.temporary.glob("rota-fit-*")), [])

    def test_a_restarted_kernel_interrupts_and_then_kills(self):
        out = self.folder / "run"
        process, below = self.fit(out, KOS)
        process.send_signal(signal.SIGINT)
        process.kill()
        self.expect_none(below)
        self.assertGreater(rota.load(out).checkpoint_epoch, 0)
        self.assertNotEqual(rota.load(out).state, "running")

    def test_a_fit_in_a_thread_outlives_no_process_either(self):
        code = FIT.replace("try:\n    train(", "import threading\ntry:\n    threading.Thread(target=train, args=(").replace(
            "out=out, workers=2)", "), kwargs=dict(out=out, workers=2)).start()")
        process = self.script(code, self.folder / "run", "-")
        self.wait_for("a checkpoint", lambda: list((self.folder / "run").glob("checkpoint/epoch-*/commit.json")))
        below = kin(process.pid)
        self.assertGreaterEqual(len(below), 5)
        process.kill()
        self.expect_none(below)

    def test_two_fits_at_once_in_threads_and_in_forked_processes(self):
        code = """
import multiprocessing, sys
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
sys.path.insert(0, %r)
from python_run import counts
from rota._training import train
X = counts()
def fit(workers):
    return train("lda", dict(topics=5, epochs=20, seed=7), X, workers=workers).model_hash
expected = fit(0)
with ThreadPoolExecutor(3) as pool:
    assert set(pool.map(fit, [1, 2, 0])) == {expected}, "threads"
with ProcessPoolExecutor(3, mp_context=multiprocessing.get_context("fork")) as pool:
    assert set(pool.map(fit, [1, 2, 0])) == {expected}, "processes"
""" % str(pathlib.Path(__file__).parent)
        process = self.script(code)
        _, told = process.communicate(timeout=LIMIT)
        self.assertEqual(process.returncode, 0, told)
        self.assertEqual(list(self.temporary.glob("rota-fit-*")), [])

    def test_an_interrupt_keeps_its_facts_when_it_is_pickled(self):
        again = pickle.loads(pickle.dumps(rota.Interrupted("said", pathlib.Path("/run"), 3)))
        self.assertEqual((str(again), again.folder, again.epoch), ("said", pathlib.Path("/run"), 3))
        self.assertIsInstance(again, KeyboardInterrupt)


if __name__ == "__main__":
    unittest.main()
