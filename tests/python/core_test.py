"""`rota._rota`: the same models as `rota train`, models as bytes, errors, interruption, threads."""
import json
import os
import pickle
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest
from pathlib import Path

import numpy as np
import scipy.sparse
from sklearn.datasets import dump_svmlight_file

from rota import _rota

BIN = Path(os.environ["ROTA_BIN"])


def matrix(rows=60, columns=12, seed=1):
    dice = np.random.default_rng(seed)
    x = dice.integers(-20, 20, size=(rows, columns)) / 8
    x = np.where(dice.random(x.shape) < 0.4, 0, x)
    x[0, :] = 1
    return x, np.where(x.sum(axis=1) > 0, 1.0, -1.0)


def rows_of(x, y=None):
    x = scipy.sparse.csr_matrix(x)
    return _rota.Rows(x.indptr, x.indices, x.data, x.shape, y)


class SameModel(unittest.TestCase):
    """Each app on the same data: arrays here, text for processes."""

    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.x, self.y = matrix()
        self.counts = np.abs(self.x * 8).astype(int) % 5
        self.counts[:, 0] += 1
        (self.folder / "rows").mkdir()

    def trained(self, app, options, file, workers):
        out = self.folder / f"{app}-{workers}"
        words = [BIN / "rota", "train", app, f"--input={file}", f"--out={out}", f"--workers={workers}"]
        ended = subprocess.run(words + [f"--{name}={value}" for name, value in options.items()], capture_output=True,
                               text=True, timeout=120)
        self.assertEqual(ended.returncode, 0, ended.stderr)
        return json.loads((out / "result.json").read_text()), out

    def check(self, app, options, file, *data):
        results = [self.trained(app, options, file, workers)[0] for workers in (1, 2)]
        for one in data:
            model = _rota.fit(app, options, [one])
            for result in results:
                self.assertEqual(model.model_hash, result["model_hash"], app)
                self.assertEqual(model.epochs, result["epochs"])
                self.assertEqual(model.scores["objective"], result["objective"])

    def test_rows_with_labels(self):
        file = self.folder / "rows.libsvm"
        dump_svmlight_file(self.x, self.y, str(file), zero_based=False)
        x32 = self.x.astype(np.float32)
        wide = scipy.sparse.csr_matrix(self.x)
        every = [rows_of(self.x, self.y), _rota.Dense(self.x, self.y), _rota.Dense(np.asfortranarray(x32), self.y),
                 _rota.Rows(wide.indptr.astype(np.int64), wide.indices.astype(np.int64), wide.data.astype(np.float32),
                            wide.shape, self.y), str(file)]
        self.check("lasso", {"loss": "logistic", "shards": "3"}, file, *every)
        for app, options in (("lasso_rows", {"loss": "squared"}), ("linear", {}), ("sgd", {"epochs": "3"}),
                             ("medlda", {"topics": "3", "epochs": "3"})):
            if app == "medlda":
                dump_svmlight_file(self.counts, self.y, str(file), zero_based=False)
                self.check(app, options, file, rows_of(self.counts, self.y))
            else:
                self.check(app, options, file, rows_of(self.x, self.y), _rota.Dense(self.x, self.y))

    def test_rows_without_labels(self):
        file = self.folder / "rows.npy"
        np.save(file, self.x)
        self.check("kmeans", {"clusters": "4"}, file, rows_of(self.x), _rota.Dense(self.x))

    def test_documents(self):
        file = self.folder / "counts.npz"
        scipy.sparse.save_npz(file, scipy.sparse.csr_matrix(self.counts))
        self.check("lda", {"topics": "3", "epochs": "4"}, file, rows_of(self.counts))

    def test_entries(self):
        counts = scipy.sparse.csr_matrix(self.counts)
        file = self.folder / "entries.npz"
        scipy.sparse.save_npz(file, counts)
        for app in ("mf", "als", "ccd"):
            self.check(app, {"rank": "3", "epochs": "4"}, file, rows_of(counts))
        square = scipy.sparse.csr_matrix(self.counts[:12])
        scipy.sparse.save_npz(file, square)
        self.check("pagerank", {}, file, rows_of(square))

    def test_packed_data(self):
        weights = np.linspace(0.5, 2, len(self.y))
        model = _rota.fit("linear", {}, [rows_of(self.x, self.y)], [], {"weights": _rota.Numbers(weights)})
        self.assertNotEqual(model.model_hash, _rota.fit("linear", {}, [rows_of(self.x, self.y)]).model_hash)
        packed = str(self.folder / "packed")
        _rota.pack("linear", {}, [rows_of(self.x, self.y)], [], {"weights": _rota.Numbers(weights)}, packed)
        self.assertEqual(self.trained("linear", {}, packed, 2)[0]["model_hash"], model.model_hash)

    def test_a_stored_model(self):
        file = self.folder / "rows.npy"
        np.save(file, self.x)
        result, out = self.trained("kmeans", {"clusters": "4"}, file, 1)
        stored, model = _rota.load_model(str(out)), _rota.fit("kmeans", {"clusters": "4"}, [_rota.Dense(self.x)])
        self.assertEqual(stored.model_hash, result["model_hash"])
        self.assertEqual(stored.command("show"), model.command("show"))
        copy = pickle.loads(pickle.dumps(stored))
        self.assertEqual(copy.command("show"), model.command("show"))
        model.export_text(str(self.folder / "text"))
        for written in (self.folder / "text").iterdir():
            self.assertEqual(written.read_bytes(), (out / "model" / written.name).read_bytes())
        with self.assertRaises(_rota.Error) as raised:
            model.export_text(str(self.folder / "text"))
        self.assertEqual(raised.exception.exit_code, 73)


class Models(unittest.TestCase):
    def setUp(self):
        self.x, self.y = matrix()
        self.model = _rota.fit("lasso", {"lambda": "0.01"}, [_rota.Dense(self.x, self.y)])

    def test_bytes(self):
        copy = pickle.loads(pickle.dumps(self.model))
        self.assertEqual((copy.app, copy.model_hash, copy.history), ("lasso", self.model.model_hash, self.model.history))
        command = ("predict", {}, [_rota.Dense(self.x)])
        self.assertEqual(copy.command(*command), self.model.command(*command))
        self.assertEqual(copy.to_bytes(), self.model.to_bytes())

    def test_damaged_bytes(self):
        whole = self.model.to_bytes()
        dice = np.random.default_rng(2)
        damaged = [whole[:size] for size in dice.integers(0, len(whole), 40)] + [b"", whole + b"x"]
        for _ in range(40):
            one = bytearray(whole)
            one[dice.integers(len(one))] ^= 1 << int(dice.integers(8))
            damaged.append(bytes(one))
        for one in damaged:
            with self.assertRaises(_rota.DataError):
                _rota.Model.from_bytes(one)
        with self.assertRaisesRegex(_rota.DataError, "made by the app lasso"):
            _rota.Model.from_bytes(whole, "kmeans")

    def test_a_model_to_begin_with(self):
        docs = _rota.Dense(np.random.default_rng(1).integers(0, 4, size=(40, 20)))
        first = _rota.fit("lda", {"topics": "3", "epochs": "3"}, [docs])
        warm = _rota.fit("lda", {"topics": "3", "epochs": "3"}, [docs], initial=first)
        self.assertNotEqual(warm.model_hash, first.model_hash)
        self.assertGreater(warm.history[0]["objective"], first.history[0]["objective"])

    def test_history_and_progress(self):
        seen = []
        model = _rota.fit("kmeans", {"clusters": "4"}, [_rota.Dense(self.x)],
                          progress=lambda epoch, items, seconds, scores: seen.append((epoch, items, scores)))
        self.assertEqual([one["epoch"] for one in model.history], [epoch for epoch, _, _ in seen])
        self.assertEqual(seen[-1][1:], (len(self.x), model.scores))
        self.assertEqual(model.history[-1]["terms"]["inertia"], model.scores["inertia"])

    def test_arrays_are_not_copied(self):
        x = scipy.sparse.csr_matrix(self.x)
        before = [sys.getrefcount(one) for one in (x.indptr, x.indices, x.data, self.y)]
        rows = _rota.Rows(x.indptr, x.indices, x.data, x.shape, self.y)
        after = [sys.getrefcount(one) for one in (x.indptr, x.indices, x.data, self.y)]
        self.assertEqual([one + 1 for one in before], after)
        self.assertEqual((rows.shape, rows.nnz), (self.x.shape, x.nnz))


class Errors(unittest.TestCase):
    def check(self, kind, code, text, *call):
        with self.assertRaises(kind) as raised:
            _rota.fit(*call)
        self.assertEqual(raised.exception.exit_code, code)
        self.assertIn(text, str(raised.exception))

    def test_what_is_wrong_is_named(self):
        x, y = matrix()
        x[7, 3] = np.inf
        self.check(_rota.DataError, 65, "X: row 8: a value is not a finite number", "kmeans", {}, [_rota.Dense(x)])
        self.check(_rota.UsageError, 2, "X has no labels", "lasso", {}, [rows_of(matrix()[0])])
        self.check(_rota.UsageError, 2, "--clusters=-1", "kmeans", {"clusters": "-1"}, [rows_of(y[:, None])])
        self.check(_rota.UsageError, 2, "unknown app 'none'", "none", {}, [])
        self.check(_rota.NoInput, 66, "/none/there", "kmeans", {}, ["/none/there"])
        self.check(_rota.DataError, 65, "weights", "linear", {}, [rows_of(matrix()[0], y)], [],
                   {"weights": _rota.Numbers(-y)})
        x = scipy.sparse.csr_matrix(matrix()[0])
        swapped = _rota.Rows(x.indptr, x.indices[::-1].copy(), x.data, x.shape)
        self.check(_rota.DataError, 65, "X: row 1: its columns do not ascend", "kmeans", {}, [swapped])


SLOW = """
import numpy as np
from rota import _rota
dice = np.random.default_rng(1)
x = dice.integers(0, 3, size=(3000, 400)).astype(float)
def fit():
    return _rota.fit("lda", {"topics": "40", "epochs": "100000", "eval_every": "0"}, [_rota.Dense(x)])
"""


class Processes(unittest.TestCase):
    """What needs an interpreter of its own."""

    def run_code(self, code, after=None, timeout=60):
        child = subprocess.Popen([sys.executable, "-c", SLOW + code], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                 text=True)
        try:
            self.assertEqual(child.stdout.readline(), "begins\n")
            if after:
                time.sleep(2)
                child.send_signal(after)
            out, errors = child.communicate(timeout=timeout)
        finally:
            if child.poll() is None:
                child.kill()
        return child.returncode, out, errors

    def test_interrupted_within_an_epoch(self):
        code, out, errors = self.run_code("""
print("begins", flush=True)
try:
    fit()
except KeyboardInterrupt:
    print("interrupted", _rota.fit("kmeans", {"clusters": "2"}, [_rota.Dense(x[:50])]).epochs > 0)
""", signal.SIGINT)
        self.assertEqual((code, out), (0, "interrupted True\n"), errors)

    def test_the_interpreter_ends_while_a_thread_trains(self):
        code, _, errors = self.run_code("""
import threading, time
threading.Thread(target=fit, daemon=True).start()
time.sleep(1)
print("begins", flush=True)
""")
        self.assertEqual(code, 0, errors)

    def test_forks_after_a_training(self):
        code, out, errors = self.run_code("""
import os
print("begins", flush=True)
y = np.where(x[:, 0] > 1, 1.0, -1.0)
train = lambda: _rota.fit("lasso", {}, [_rota.Dense(x[:200], y[:200])]).model_hash
whole = train()
if os.fork() == 0:
    os._exit(0 if train() == whole else 1)
print(os.wait()[1])
""")
        self.assertEqual((code, out), (0, "0\n"), errors)

    def test_two_at_once(self):
        x, y = matrix(400)
        alone = [_rota.fit("lasso", {"lambda": str(l)}, [_rota.Dense(x, y)]).model_hash for l in (0.1, 0.01)]
        found = [None] * 8

        def train(i):
            found[i] = _rota.fit("lasso", {"lambda": ("0.1", "0.01")[i % 2]}, [_rota.Dense(x, y)]).model_hash

        threads = [threading.Thread(target=train, args=(i,)) for i in range(len(found))]
        for one in threads:
            one.start()
        for one in threads:
            one.join(60)
        self.assertEqual(found, alone * 4)


if __name__ == "__main__":
    unittest.main()
