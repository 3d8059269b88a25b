"""What the tests of the Python package have in common: data, and child processes that they end by their ids."""
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

import numpy as np
import scipy.sparse

SOURCE = pathlib.Path(__file__).resolve().parents[2]
LIMIT = 120  # seconds that anything may take before it counts as hanging


def rows(count=400, columns=30, seed=3):
    """Sparse rows and labels 0 and 1, which a linear model can mostly tell."""
    random = np.random.default_rng(seed)
    matrix = scipy.sparse.random(count, columns, density=0.2, format="csr", random_state=seed)
    labels = matrix @ random.normal(size=columns) + 0.1 * random.normal(size=count) > 0
    return matrix, labels.astype(float)


def counts(documents=300, words=80, seed=5):
    """A bag of words."""
    random = np.random.default_rng(seed)
    return scipy.sparse.csr_matrix(random.poisson(0.3, size=(documents, words)).astype(float))


def kin(pid):
    """The ids of a process's children, and theirs, while they live."""
    found = []
    for folder in pathlib.Path(f"/proc/{pid}/task").glob("*"):
        try:
            children = [int(word) for word in (folder / "children").read_text(encoding="ascii").split()]
        except OSError:  # it has ended
            continue
        for child in children:
            found += [child, *kin(child)]
    return found


def lives(pid):
    """Whether a process is there, and is no zombie; its files are closed when its last thread has ended."""
    try:
        state, *fields = pathlib.Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    except OSError:
        return False
    return state != "Z" or int(fields[16]) > 1


class PythonTest(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="rota-python-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        # Temporary files of fits are where this test sees them.
        self.temporary = self.folder / "tmp"
        self.temporary.mkdir()
        before = os.environ.get("TMPDIR"), tempfile.tempdir
        os.environ["TMPDIR"], tempfile.tempdir = str(self.temporary), None
        self.addCleanup(self._restore, *before)

    @staticmethod
    def _restore(variable, folder):
        tempfile.tempdir = folder
        if variable is None:
            del os.environ["TMPDIR"]
        else:
            os.environ["TMPDIR"] = variable

    def script(self, code, *words):
        """Starts Python with this code, as a process whose end the test waits for."""
        process = subprocess.Popen([sys.executable, "-B", "-c", code, *map(str, words)], stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True)
        self.addCleanup(self._end, process)
        return process

    @staticmethod
    def _end(process):
        for pid in [process.pid, *kin(process.pid)] if process.poll() is None else []:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        process.communicate(timeout=LIMIT)

    def wait_for(self, what, condition, limit=LIMIT):
        until = time.monotonic() + limit
        while not (found := condition()):
            self.assertLess(time.monotonic(), until, f"no {what} within {limit} s")
            time.sleep(0.02)
        return found
