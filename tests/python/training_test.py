"""One job, in the process of Python and by processes: the same model, errors and folders."""
import io
import os
import sys
import unittest
import unittest.mock
import warnings
from contextlib import redirect_stderr

import numpy as np
from python_run import SOURCE, PythonTest, counts, rows

import rota
from rota import _training
from rota._training import train

A9A = SOURCE / "apps/sgd/sample/a9a.libsvm.gz"
MATRIX, LABELS = rows()
JOBS = {
    "lda": ({"topics": 5, "epochs": 4, "seed": 7}, counts(), None),
    "sgd": ({"epochs": 3}, MATRIX, LABELS),
    "linear": ({"l2": 0.01}, MATRIX.toarray(), LABELS),
    "lasso": ({"lambda": 0.01, "loss": "logistic"}, MATRIX, LABELS),
    "kmeans": ({"clusters": 3, "epochs": 5}, MATRIX, None),
}


class Training(PythonTest):
    def test_the_same_model_in_process_and_by_any_number_of_workers(self):
        for app, (options, X, y) in JOBS.items():
            here = train(app, options, X, y)
            self.assertIsNone(here.folder)
            for workers in (1, 2, 4, 9):  # of 9 workers some would have no shard
                with self.subTest(app=app, workers=workers):
                    there = train(app, options, X, y, workers=workers)
                    self.assertEqual(there.model_hash, here.model_hash)
                    self.assertEqual(there.epochs, here.epochs)
                    self.assertEqual([line["objective"] for line in there.history],
                                     [line["objective"] for line in here.history])
        self.assertEqual(list(self.temporary.iterdir()), [], "temporary files were left")

    def test_weights_and_held_out_data_are_the_same_for_processes(self):
        weights = np.linspace(0.5, 2, len(LABELS))
        here, there = (train("linear", {"l2": 0.01}, MATRIX, LABELS, sample_weight=weights,
                             valid=(MATRIX[:50], LABELS[:50]), workers=workers) for workers in (0, 2))
        self.assertEqual(here.model_hash, there.model_hash)
        self.assertEqual(here.history[-1]["valid"], there.history[-1]["valid"])
        self.assertNotEqual(train("linear", {"l2": 0.01}, MATRIX, LABELS).model_hash, here.model_hash)

    def test_options_that_change_nothing_are_named(self):
        for workers in (0, 1):
            with self.assertWarnsRegex(UserWarning, "--eta changes nothing: it is for --order=priority"):
                train("lasso_rows", {"order": "random", "eta": 0.5}, MATRIX, LABELS, workers=workers)
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                train("lasso_rows", {"eta": 0.5}, MATRIX, LABELS, workers=workers)

    def test_a_path_is_read_where_it_lies(self):
        small = train("sgd", {"epochs": 2}, A9A)
        run = train("sgd", {"epochs": 2}, str(A9A), out=self.folder / "a run")
        self.assertEqual(run.model_hash, small.model_hash)
        self.assertEqual(rota.load(self.folder / "a run").options["input"], str(A9A))

    def test_urls_and_their_folders_are_read_in_this_process_too(self):
        sys.path.insert(0, str(SOURCE / "tests/system"))
        self.addCleanup(sys.path.remove, str(SOURCE / "tests/system"))
        from object_server import KEY, REGION, SECRET, Server
        server = Server()
        self.addCleanup(server.close)
        parts = [self.folder / f"part-{i}" for i in range(2)]
        for i, part in enumerate(parts):
            part.write_text("".join(f"{n % 2} {n % 7 + 1}:{i + n / 8}\n" for n in range(40)))
            server.objects[f"bucket/rows/{part.name}"] = part.read_bytes()
        settings = {"AWS_ENDPOINT_URL": server.url, "AWS_ACCESS_KEY_ID": KEY, "AWS_SECRET_ACCESS_KEY": SECRET,
                    "AWS_REGION": REGION}
        expected = rota.Ridge(workers=0).fit(parts).model_hash_
        with unittest.mock.patch.dict(os.environ, settings):
            for workers in (0, 1):
                for source in ("s3://bucket/rows/", [f"s3://bucket/rows/{part.name}" for part in parts]):
                    with self.subTest(workers=workers, source=source):
                        self.assertEqual(rota.Ridge(workers=workers).fit(source).model_hash_, expected)

    def test_hosts_train_the_same_model(self):
        ssh = self.folder / "bin/ssh"
        ssh.parent.mkdir()
        ssh.write_text(f"#!/bin/sh\nexec {sys.executable} -B '{SOURCE}/tests/system/as_ssh.py' \"$@\"\n")
        ssh.chmod(0o755)
        paths = {"PATH": f"{ssh.parent}:{os.environ['PATH']}", "AS_SSH_NOTES": str(self.folder / "notes")}
        options = {"topics": 5, "epochs": 4, "seed": 7}
        with unittest.mock.patch.dict(os.environ, paths):
            trained = train("lda", options, counts(), hosts=["127.0.0.2", "127.0.0.3"], out=self.folder / "run")
        self.assertEqual(len((self.folder / "notes").read_text().splitlines()), 2)
        self.assertEqual(trained.model_hash, train("lda", options, counts()).model_hash)

    def test_data_of_more_than_a_million_values_are_fitted_by_processes(self):
        big = np.zeros((1001, 1000))
        place = _training._Where(None, 1, None, None, None)
        self.assertFalse(place.in_process(_training._inputs(big, np.zeros(1001))))
        self.assertTrue(place.in_process(_training._inputs(big[:1000], np.zeros(1000))))

    def test_errors_have_the_exit_code_of_rota_and_leave_nothing(self):
        out = self.folder / "out"
        for kind, code, call in (
                (rota.NoInput, 66, lambda: train("sgd", {}, "/there/is/none", workers=2)),
                (rota.UsageError, 2, lambda: train("lda", {"topics": -1}, counts(), workers=2)),
                (rota.UsageError, 2, lambda: train("lda", {"topics": -1}, counts())),
                (rota.UsageError, 2, lambda: train("sgd", {}, MATRIX, LABELS, workers=-1)),
                (rota.UsageError, 2, lambda: train("sgd", {}, MATRIX, LABELS, workers=0, out=out)),
                (rota.UsageError, 2, lambda: train("sgd", {}, MATRIX, LABELS, hosts="a,b")),
                (rota.UsageError, 2, lambda: train("pagerank", {}, MATRIX, valid=MATRIX, workers=0)),
                (rota.UsageError, 2, lambda: train("sgd", {}, A9A, slurm=True)),
                (rota.UsageError, 2, lambda: train("no_app_to_pack_for", {}, MATRIX, slurm=True, out=out))):
            with self.assertRaises(kind) as caught:
                call()
            self.assertEqual(caught.exception.exit_code, code)
        (self.folder / "bad").write_text("1 2:x\n")
        with self.assertRaisesRegex(rota.DataError, "bad:1"):
            train("sgd", {}, self.folder / "bad", workers=1)
        self.assertEqual(list(self.temporary.iterdir()), [])
        self.assertFalse(out.exists())

    def test_a_folder_with_other_files_or_a_finished_run_is_refused_and_kept(self):
        out = self.folder / "mine"
        out.mkdir()
        (out / "letter").write_text("dear")
        with self.assertRaises(rota.Error) as caught:
            train("sgd", {"epochs": 1}, MATRIX, LABELS, out=out)
        self.assertEqual(caught.exception.exit_code, 73)
        self.assertEqual([path.name for path in out.iterdir()], ["letter"])
        out = self.folder / "done"
        first = train("sgd", {"epochs": 1}, MATRIX, LABELS, out=out).model_hash
        with self.assertRaises(rota.Error) as caught:
            train("sgd", {"epochs": 1}, 2 * MATRIX, LABELS, out=out)
        self.assertEqual(caught.exception.exit_code, 73)
        self.assertEqual(rota.load(out).model.model_hash, first)
        self.assertEqual({path.name for path in self.folder.iterdir()}, {"tmp", "mine", "done"})

    def test_progress_is_silent_a_line_or_redrawn(self):
        class Terminal(io.StringIO):
            def isatty(self):
                return True

        for verbose, stream, wanted in ((0, io.StringIO(), ""), (1, io.StringIO(), "epoch 3"),
                                        (1, Terminal(), "\repoch")):
            for workers in (None, 1):
                stream.truncate(0)
                with redirect_stderr(stream):
                    train("sgd", {"epochs": 3}, MATRIX, LABELS, workers=workers, verbose=verbose)
                self.assertIn(wanted, stream.getvalue())
                self.assertEqual(bool(stream.getvalue()), bool(wanted))

    def test_progress_in_a_notebook_is_one_display_that_is_updated(self):
        shown = []

        class Handle:
            def update(self, data, raw):
                shown.append(("update", data["text/plain"]))

        def display(data, raw, display_id):
            shown.append(("new", data["text/plain"]))
            return Handle()

        module = type(sys)("IPython")
        module.get_ipython = lambda: type("Shell", (), {"kernel": 1})()
        inner = type(sys)("IPython.display")
        inner.display = display
        with unittest.mock.patch.dict(sys.modules, {"IPython": module, "IPython.display": inner}):
            train("sgd", {"epochs": 3}, MATRIX, LABELS, workers=1, verbose=1)
        self.assertEqual([kind for kind, _ in shown], ["new"] + ["update"] * (len(shown) - 1))
        self.assertIn("epoch 3/3", shown[-1][1])

    def test_import_loads_no_other_module(self):
        code = ("import sys; before = set(sys.modules); import rota;"
                "print(*sorted(set(sys.modules) - before - set(sys.stdlib_module_names)))")
        out, err = self.script(code).communicate(timeout=60)
        self.assertEqual(out.split(), ["rota"], err)

    def test_a_small_fit_starts_neither_processes_nor_threads(self):
        for app, (options, X, y) in JOBS.items():
            with self.subTest(app=app), unittest.mock.patch("subprocess.Popen", side_effect=AssertionError):
                before = len(os.listdir("/proc/self/task"))
                train(app, options, X, y)
                self.assertEqual(len(os.listdir("/proc/self/task")), before)


if __name__ == "__main__":
    unittest.main()
