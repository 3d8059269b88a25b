"""One corpus in all formats that the LDA app takes is one model."""
import gzip

import numpy as np
import scipy.io
import scipy.sparse
from sklearn.datasets import dump_svmlight_file

from app_run import AppTest


class LdaFormats(AppTest):
    app = "lda"
    flags = ("--topics=3", "--epochs=3", "--seed=5", "--workers=1")

    def setUp(self):
        super().setUp()
        dice = np.random.default_rng(3)
        self.counts = dice.integers(1, 4, size=(40, 12)) * (dice.random((40, 12)) < 0.3)
        self.counts[7] = 0  # a document without words
        self.counts[0, -1] = 2  # so that all formats have all words
        self.names = [f"word{chr(97 + w)}" for w in range(12)]
        self.vocab = self.write("vocab", "".join(name + "\n" for name in self.names))

    def write(self, name, content):
        file = self.folder / name
        file.write_bytes(content if isinstance(content, bytes) else content.encode())
        return file

    def csv(self, sep, names=True, labels=None, order=None):
        order = list(range(12)) if order is None else order
        lines = [[self.names[w] for w in order]] if names else []
        lines += [[str(row[w]) for w in order] for row in self.counts]
        if labels:
            for line, label in zip(lines, (["class"] if names else []) + labels):
                line.insert(4, label)
        return "".join(sep.join(line) + "\n" for line in lines)

    def files(self):
        """Name, flags: the corpus in every format."""
        pairs = [[(w, row[w]) for w in np.flatnonzero(row)] for row in self.counts]
        triples = [f"{d + 1} {w + 1} {c}\n" for d, row in enumerate(pairs) for w, c in row]
        self.write("corpus.bag", f"40\n12\n{len(triples)}\n" + "".join(triples))
        self.write("corpus.lda-c", "".join(" ".join([str(len(row))] + [f"{w}:{c}" for w, c in row]) + "\n" for row in pairs))
        self.write("corpus.txt", "".join(" ".join(self.names[w] for w, c in row for _ in range(c)) + "\n" for row in pairs))
        labels = ["sports" if d % 2 else "arts" for d in range(40)]
        self.write("corpus.csv", self.csv(","))
        self.write("corpus.tsv.gz", gzip.compress(self.csv("\t").encode()))
        self.write("turned.csv", self.csv(",", order=[5, 3, 11, 0, 1, 2, 4, 10, 9, 8, 7, 6]))
        self.write("labels.csv", self.csv(";", labels=labels))
        self.write("unnamed.csv", self.csv(","  , names=False))
        self.write("numbered.csv", self.csv(",", names=False, labels=["7"] * 40))
        np.save(self.folder / "corpus.npy", self.counts)
        np.save(self.folder / "floats.npy", np.asfortranarray(self.counts.astype("f4")))
        scipy.sparse.save_npz(self.folder / "corpus.npz", scipy.sparse.csr_matrix(self.counts))
        scipy.io.mmwrite(self.folder / "corpus.mtx", scipy.sparse.coo_matrix(self.counts))
        scipy.io.mmwrite(self.folder / "dense.mtx", self.counts)
        signs = [-1, 1] * 20
        dump_svmlight_file(self.counts, signs, str(self.folder / "corpus.libsvm"), zero_based=False)
        dump_svmlight_file(self.counts, signs, str(self.folder / "zero.libsvm"), zero_based=True)
        yield from ((name, ()) for name in (
            "corpus.bag", "corpus.lda-c", "corpus.txt", "corpus.csv", "corpus.tsv.gz", "turned.csv", "unnamed.csv",
            "corpus.npy", "floats.npy", "corpus.npz", "corpus.mtx", "dense.mtx", "corpus.libsvm"))
        yield "labels.csv", ("--target=class",)
        yield "numbered.csv", ("--target=5",)
        yield "zero.libsvm", ("--index_from=0",)

    def test_every_format_is_the_same_corpus(self):
        expected = predicted = None
        for name, flags in self.files():
            with self.subTest(file=name):
                file = self.folder / name
                result, out = self.train(f"run-{name}", file, *self.flags, *flags, f"--vocab={self.vocab}")
                shares = self.rota("predict", "lda", f"--model={out}", f"--input={file}", *flags).stdout
                expected, predicted = expected or result["model_hash"], predicted or shares
                self.assertEqual(result["model_hash"], expected)
                self.assertEqual(shares, predicted)

    def test_names_of_columns_are_the_words(self):
        train = self.write("train.csv", self.csv(","))
        result, out = self.train("named", train, *self.flags)
        self.assertEqual([line.split()[0] for line in (out / "model/word_topic.txt").read_text().splitlines()], self.names)
        named, _ = self.train("given", train, *self.flags, f"--vocab={self.vocab}")
        self.assertEqual(named["model_hash"], result["model_hash"])
        self.rota("shard", "lda", f"--input={train}", f"--output={self.folder / 'packed'}")
        packed, _ = self.train("shards", self.folder / "packed", *self.flags)
        self.assertEqual(packed["model_hash"], result["model_hash"])
        text = self.write("new.txt", "worda wordb zebra\n")
        table = self.write("new.csv", "zebra,wordb,worda\n1,1,1\n")
        shares = [self.rota("predict", "lda", f"--model={out}", f"--input={file}").stdout for file in (text, table)]
        self.assertEqual(shares[0], shares[1])
        self.assertIn("2 tokens; 1 more", shares[0])

    def test_what_is_wrong_is_named(self):
        np.save(self.folder / "half.npy", np.array([[1, 0], [0.5, 2]]))
        self.expect_errors("a.csv", ((b"cat,dog\n1,2\n1,-1\n", (), 65, "a.csv:3: word 'dog': expected a count"),
                                     (b"cat,dog\n1,\n", (), 65, "a.csv:2: column 'dog': a value is missing"),
                                     (b"cat,,dog\n1,2,3\n", (), 65, "a.csv:1: a column's name is a word"),
                                     (b"1,2\n", (f"--vocab={self.vocab}",), 65, "the corpus has 2 words, but the vocabulary"),
                                     (b"cat\n1\n", ("--separator=ab",), 2, "--separator=ab: one character, or tab")))
        self.rota(*self.command_line(self.folder / "bad", self.folder / "half.npy"), code=65,
                  error="half.npy: row 2: word 1: expected a count from 0 to 16777216, found 0.5")
