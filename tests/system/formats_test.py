"""One data set in all formats that an app takes is one model; what is wrong in a file is named."""
import gzip
import json
import time
from typing import NamedTuple

import numpy as np
import scipy.io
import scipy.sparse
from sklearn.datasets import dump_svmlight_file

from app_run import AppTest


class App(NamedTuple):
    name: str
    flags: tuple
    labels: bool  # whether its rows have labels


APPS = (App("kmeans", ("--clusters=4", "--seed=3"), False),
        App("sgd", ("--epochs=2", "--shards=3"), True),
        App("lasso", ("--loss=logistic",), True),
        App("lasso_rows", ("--loss=squared",), True))


class Formats(AppTest):
    def setUp(self):
        super().setUp()
        dice = np.random.default_rng(5)
        x = dice.integers(-40, 40, size=(120, 6)) / 8
        self.x = np.where(dice.random(x.shape) < 0.3, 0, x)
        self.x[0, :] = 1  # every format sees all columns
        self.y = np.where(self.x.sum(axis=1) > 0, 1, -1)
        self.names = ["id", "a b", "größe", "x;y", 'the "best"', "last"]

    def write(self, name, content):
        file = self.folder / name
        file.write_bytes(content if isinstance(content, bytes) else content.encode())
        return file

    def csv(self, sep=",", end="\n", header=True, target=None, order=None):
        """The target, if it is given, is the column at this place."""
        order = range(self.x.shape[1]) if order is None else order
        quote = lambda text: '"' + text.replace('"', '""') + '"'
        lines = [[quote(self.names[j]) for j in order]] if header else []
        lines += [[repr(float(row[j])) for j in order] for row in self.x]
        if target is not None:
            for line, label in zip(lines, (["class"] if header else []) + [str(int(y)) for y in self.y]):
                line.insert(target, label)
        return end.join(sep.join(line) for line in lines) + end

    def files(self, labels):
        """Name, flags: the data in every format, with its labels or without."""
        target = ("--target=class",) if labels else ()
        at = 2 if labels else None
        dump_svmlight_file(self.x, self.y, str(self.folder / "rows.libsvm"), zero_based=False)
        yield "rows.libsvm", ()
        for name, content in (("rows.csv", self.csv(target=at)),
                              ("german.csv", self.csv(";", "\r\n", target=at)),
                              ("old_mac.csv", self.csv(end="\r", target=at)),
                              ("marked.csv", "\ufeff" + self.csv(target=at) + "\n"),  # and an empty last line
                              ("unended.csv", self.csv(target=at).rstrip("\n")),
                              ("rows.tsv", self.csv("\t", target=at)),
                              ("packed.csv.gz", gzip.compress(self.csv(target=at).encode()))):
            self.write(name, content)
            yield name, target
        self.write("no_header.csv", self.csv(header=False, target=at))
        yield "no_header.csv", ("--target=3",) if labels else ()
        self.write("any.name", self.csv("|", target=at))
        yield "any.name", ("--format=csv", *target)
        whole = np.insert(self.x, 2, self.y, axis=1) if labels else self.x
        target = ("--target=3",) if labels else ()
        np.save(self.folder / "rows.npy", whole)
        np.save(self.folder / "by_columns.npy", np.asfortranarray(whole))
        np.save(self.folder / "floats.npy", whole.astype("f4"))
        scipy.sparse.save_npz(self.folder / "rows.npz", scipy.sparse.csr_matrix(whole))
        for name in ("rows.npy", "by_columns.npy", "floats.npy", "rows.npz"):
            yield name, target
        if not labels:
            scipy.io.mmwrite(self.folder / "rows.mtx", scipy.sparse.coo_matrix(self.x))
            scipy.io.mmwrite(self.folder / "array.mtx", self.x)
            yield "rows.mtx", ()
            yield "array.mtx", ()

    def test_every_format_is_the_same_data(self):
        for self.app, flags, labels in APPS:
            hashes = {}
            for name, of_format in self.files(labels):
                with self.subTest(app=self.app, file=name):
                    out = f"{self.app}-{len(list(self.folder.iterdir()))}-{name}"
                    result, _ = self.train(out, self.folder / name, *flags, *of_format)
                    hashes[name] = result["model_hash"]
                    self.assertEqual(hashes[name], hashes["rows.libsvm"])

    def test_commands_find_columns_by_their_names(self):
        self.app = "kmeans"
        train = self.write("train.csv", self.csv())
        _, out = self.train("model", train, "--clusters=4")
        expected = self.rota("predict", "kmeans", f"--model={out}", f"--input={train}").stdout
        self.assertEqual(len(expected.split()), len(self.x))
        turned = self.write("turned.csv", self.csv(";", order=[3, 1, 0, 5, 4, 2], target=4))
        self.assertEqual(self.rota("predict", "kmeans", f"--model={out}", f"--input={turned}").stdout, expected)
        fewer = self.write("fewer.csv", self.csv(order=[0, 1, 2, 3]))
        self.rota("predict", "kmeans", f"--model={out}", f"--input={fewer}", code=65,
                  error=f"{fewer}:1: there is no column 'the \"best\"'; there are 4: id, a b, größe, x;y")
        unnamed = self.write("unnamed.csv", "1,2,3\n")
        self.rota("predict", "kmeans", f"--model={out}", f"--input={unnamed}", code=65,
                  error=f"{unnamed}:1: expected 6 columns, found 3, and they have no names")

    def test_data_by_shard_has_the_names(self):
        self.app = "kmeans"
        train = self.write("train.csv", self.csv(";", target=1))
        flags = ("--target=class", "--clusters=4")
        result, _ = self.train("model", train, *flags)
        self.rota("shard", "kmeans", f"--input={train}", f"--output={self.folder / 'packed'}", "--target=class")
        packed, out = self.train("packed-model", self.folder / "packed", "--clusters=4")
        self.assertEqual(packed["model_hash"], result["model_hash"])
        turned = self.write("turned.csv", self.csv(order=[3, 1, 0, 5, 4, 2]))
        self.rota("predict", "kmeans", f"--model={out}", f"--input={turned}")

    def test_a_million_columns(self):
        """Each file in a few seconds, also with its columns in another order."""
        self.app = "kmeans"
        order = np.arange(10**6)
        files = []
        for name in ("one.csv", "two.csv"):
            lines = [",".join(row) for row in (np.char.add("c", order.astype(str)), (order % 7).astype(str))]
            files.append(str(self.write(name, "\n".join(lines) + "\n")))
            order = order[::-1]
        begin = time.monotonic()
        flags = ("--clusters=1", "--shards=1", "--epochs=1", "--workers=1", "--stores=1")
        result, out = self.train("wide", ",".join(files), *flags)
        self.assertEqual(result["objective"], 0)  # both rows are the same
        self.assertEqual(self.rota("predict", "kmeans", f"--model={out}", f"--input={files[1]}").stdout, "0\n")
        self.assertLess(time.monotonic() - begin, 60)

    def test_lasso_has_the_names_of_columns(self):
        self.app = "lasso"
        train = self.write("train.csv", self.csv(target=2))
        _, out = self.train("model", train, "--target=class", "--lambda_ratio=0.01")
        for text in (self.rota("show", "lasso", f"--model={out}").stdout,
                     (out / "model/coefficients.csv").read_text(encoding="utf-8").replace('""', '"')):
            for name in self.names:
                self.assertIn(name, text)
        ask = lambda command, file, *flags, **more: self.rota(
            command, "lasso", f"--model={out}", f"--input={file}", *flags, **more).stdout
        turned = self.write("turned.csv", self.csv("\t", order=[3, 1, 0, 5, 4, 2], target=4))
        bare = self.write("bare.csv", self.csv(order=[5, 4, 3, 2, 1, 0]))
        self.assertEqual(ask("predict", turned), ask("predict", train))
        self.assertEqual(ask("predict", bare), ask("predict", train))
        self.assertEqual(ask("evaluate", turned), ask("evaluate", train))
        ask("evaluate", bare, code=65, error="there is no column 'class'")

    def test_lasso_predicts_rows_with_and_without_their_response(self):
        self.app = "lasso"
        whole = np.insert(self.x, 2, self.y, axis=1)
        for name, content in (("whole.npy", whole), ("bare.npy", self.x), ("narrow.npy", self.x[:, 1:])):
            np.save(self.folder / name, content)
        _, out = self.train("model", self.folder / "whole.npy", "--target=3", "--lambda_ratio=0.01")
        ask = lambda file, *flags, **more: self.rota(
            "predict", "lasso", f"--model={out}", f"--input={self.folder / file}", *flags, **more).stdout
        self.assertEqual(ask("whole.npy"), ask("bare.npy"))
        ask("narrow.npy", code=65, error="narrow.npy: expected 6 columns beside the response, found 4")

    def test_what_is_wrong_is_named(self):
        self.app = "kmeans"
        np.save(self.folder / "text.npy", np.array([["a"]]))
        np.save(self.folder / "line.npy", np.zeros(3))
        np.save(self.folder / "nan.npy", np.array([[1.0], [np.nan]]))
        scipy.sparse.save_npz(self.folder / "columns.npz", scipy.sparse.csc_matrix(self.x))
        np.save(self.folder / "big.npy", self.x.astype(">f8"))
        np.save(self.folder / "none.npy", np.zeros((0, 3)))
        np.savez(self.folder / "arrays.npz", self.x)
        turned = scipy.sparse.csr_matrix((np.ones(2), np.array([1, 0]), np.array([0, 2])), shape=(1, 2))
        scipy.sparse.save_npz(self.folder / "turned.npz", turned)
        scipy.sparse.save_npz(self.folder / "no_columns.npz", scipy.sparse.csr_matrix((3, 0)))
        whole = (self.folder / "text.npy").read_bytes()
        for name, content, flags, code, words in (
                ("a.csv", "x,y\n1,2\n3,\n", (), 65, "a.csv:3: column 'y': a value is missing: fill it, or say --missing=zero"),
                ("b.csv", "x,y\n1,2\n3,NA\n", (), 65, "b.csv:3: column 'y': a value is missing"),
                ("c.csv", "x,y\n1,2\n3,four\n", (), 65, "c.csv:3: column 'y': 'four' is not a number"),
                ("d.csv", "x;y\n1,5;2\n", (), 65, "d.csv:2: column 'x': '1,5' is not a number"),
                ("e.csv", "x,y\n1,2\n", ("--target=z",), 65, "e.csv:1: there is no column 'z'; there are 2: x, y"),
                ("f.csv", "größe\n1\n".encode("latin-1"), (), 65, "f.csv:1: the text is not UTF-8: 'gr\\xf6\\xdfe'"),
                ("g.csv", "x,y\n1,2\n", ("--separator=ab",), 2, "--separator=ab: one character, or tab"),
                ("h.libsvm", "1 1:2\n", ("--target=1",), 2, "--target is for CSV, Parquet, NumPy and Matrix Market data"),
                ("i.csv", "x,y\n1,2\nZürich,3\n".encode("latin-1"), (), 65, "i.csv:3: the text is not UTF-8: 'Z\\xfcrich3'"),
                ("j.csv", 'x,y\n1,"2\n3,4\n', (), 65, "j.csv:2: a quotation mark is not closed"),
                ("k.csv", "x,y\n\n1,2\n3\n", (), 65, "k.csv:4: expected 2 fields, found 1"),
                ("l.csv", "x,y\n", (), 65, "l.csv: the data has no rows"),
                ("m.csv", "\n", (), 65, "m.csv: the file is empty"),
                ("n.csv", "x,x\n1,2\n", ("--target=x",), 65, "n.csv:1: several columns are called 'x'"),
                ("o.libsvm", "1 1:1\n\n1 2:1 268435456:1\n1 3:1\n", (), 65, "o.libsvm:3: 268435456 columns are out of proportion"),
                ("p.libsvm", "1\n2\n", (), 65, "p.libsvm: the data has no columns"),
                ("big.npy", None, (), 65, "big.npy: an array of the type '>f8': save it as little-endian floats"),
                ("none.npy", None, (), 65, "none.npy: the data has no rows"),
                ("arrays.npz", None, (), 65, "arrays.npz: it has no array format.npy: save it by scipy.sparse.save_npz"),
                ("turned.npz", None, (), 65, "turned.npz: row 1: its columns do not ascend"),
                ("no_columns.npz", None, (), 65, "no_columns.npz: the data has no columns"),
                ("text.npy", None, (), 65, "text.npy: an array of the type '<U1'"),
                ("line.npy", None, (), 65, "line.npy: an array of 1 dimensions: rows need two"),
                ("nan.npy", None, (), 65, "nan.npy: row 2: a value is not a finite number"),
                ("columns.npz", None, (), 65, "columns.npz: a sparse matrix in the format 'csc': save matrix.tocsr()"),
                ("cut.npy", whole[:-3], (), 65, "cut.npy: "),
                ("no.npz", b"PK nothing", (), 65, "no.npz: it is no .npz archive")):
            with self.subTest(file=name):
                file = self.folder / name if content is None else self.write(name, content)
                self.rota(*self.command_line(self.folder / "bad", file, "--clusters=1", *flags), code=code, error=words)

    def test_kmeans_leaves_labels_of_any_kind_out(self):
        self.app = "kmeans"
        hashes = set()
        for name, labels in (("numbers.csv", "1 2 3"), ("words.csv", "setosa ? virginica")):
            rows = "".join(f"{i},{label},{-i}\n" for i, label in enumerate(labels.split()))
            hashes.add(self.train(f"model-{name}", self.write(name, "x,kind,y\n" + rows), "--clusters=2", "--target=kind")[0]["model_hash"])
        self.assertEqual(len(hashes), 1)

    def test_missing_values_may_be_zeros(self):
        self.app = "kmeans"
        gaps = self.write("gaps.csv", "x,y\n1,\nNA,2\n5,5\n")
        full = self.write("full.csv", "x,y\n1,0\n0,2\n5,5\n")
        first, _ = self.train("gaps", gaps, "--clusters=2", "--missing=zero", "--shards=1", "--workers=1")
        second, _ = self.train("full", full, "--clusters=2", "--shards=1", "--workers=1")
        self.assertEqual(first["model_hash"], second["model_hash"])

    def apply(self, name, out, file, *flags, **expected):
        return self.rota(name, self.app, f"--model={out}", f"--input={file}", *flags, **expected).stdout

    def test_labels_may_be_words(self):
        self.app = "sgd"
        text = self.csv(target=2)
        words = text.replace(",-1,", ",no,").replace(",1,", ",yes,")  # no number is 1 or -1 without a point
        numbers, words = self.write("numbers.csv", text), self.write("words.csv", words)
        expected, _ = self.train("numbers", numbers, "--target=class", "--epochs=3")
        result, out = self.train("words", words, "--target=class", "--epochs=3")
        self.assertEqual(result["model_hash"], expected["model_hash"])
        classes = self.apply("predict", out, words, "--type=class").split()
        accuracy = np.mean(np.array(classes) == np.where(self.y > 0, "yes", "no"))
        scores = json.loads(self.apply("evaluate", out, words))
        self.assertEqual(scores["labels"], ["no", "yes"])
        self.assertAlmostEqual(scores["accuracy"], accuracy)
        weights = (out / "model/weights.csv").read_text(encoding="utf-8")
        self.assertTrue(weights.startswith("feature,label,weight,name\n0,yes,"), weights)
        self.assertIn(',"the ""best"""', weights)
        self.assertIn("größe", self.rota("show", self.app, f"--model={out}").stdout)
        other = self.write("other.csv", "class," + ",".join("abcdef") + "\nmaybe,1,2,3,4,5,6\n")
        self.apply("evaluate", out, other, code=65, error="there is no column 'id'")
        self.rota("shard", "sgd", f"--input={words}", f"--output={self.folder / 'packed'}", "--target=class")
        packed, out = self.train("packed-model", self.folder / "packed", "--epochs=3")
        self.assertEqual(packed["model_hash"], result["model_hash"])
        self.assertEqual(self.apply("predict", out, words, "--type=class").split(), classes)
        bad = self.write("bad.csv", words.read_text(encoding="utf-8").replace(",no,", ",maybe,", 1))
        self.apply("evaluate", out, bad, code=65, error="the label maybe is none of the model's, no and yes")
        self.rota(*self.command_line(self.folder / "bad", words, "--target=class", "--loss=squared"), code=65,
                  error="column 'class': '")

    def test_predictions_need_no_labels(self):
        self.app = "sgd"
        labelled = self.write("labelled.csv", self.csv(target=2))
        _, out = self.train("csv", labelled, "--target=class", "--epochs=3")
        expected = self.apply("predict", out, labelled)
        plain = self.write("plain.csv", self.csv(";", order=[5, 0, 3, 1, 2, 4]))
        self.assertEqual(self.apply("predict", out, plain), expected)
        self.apply("evaluate", out, plain, code=65, error="there is no column 'class'")
        scipy.io.mmwrite(self.folder / "rows.mtx", scipy.sparse.coo_matrix(np.insert(self.x, 2, self.y, axis=1)))
        np.save(self.folder / "plain.npy", self.x)
        dump_svmlight_file(self.x, self.y, str(self.folder / "rows.libsvm"), zero_based=False)
        self.assertEqual(self.apply("predict", out, self.folder / "rows.libsvm"), expected)
        _, out = self.train("mtx", self.folder / "rows.mtx", "--target=3", "--epochs=3")
        for name in ("rows.mtx", "plain.npy"):
            self.assertEqual(self.apply("predict", out, self.folder / name), expected)

    def test_labels_that_are_required(self):
        self.app = "sgd"
        self.write("rows.csv", self.csv(target=2))
        np.save(self.folder / "rows.npy", self.x)
        for name, flags, code, words in (
                ("rows.csv", (), 2, "--target is required: it names the column of"),
                ("rows.npy", (), 2, "--target is required"),
                ("rows.csv", ("--target=class", "--stream"), 2, "--stream reads parts of LIBSVM or Vowpal Wabbit text"),
                ("rows.csv", ("--target=class", "--separator=ab"), 2, "--separator=ab: one character")):
            with self.subTest(name=name, flags=flags):
                self.rota(*self.command_line(self.folder / "bad", self.folder / name, *flags), code=code, error=words)
