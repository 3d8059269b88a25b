"""One set of ratings in every format that can hold them is one model; commands read those formats, too."""
import gzip

import numpy as np
import scipy.io
import scipy.sparse

from app_run import AppTest


class MfFormats(AppTest):
    app = "mf"

    def setUp(self):
        super().setUp()
        dice = np.random.default_rng(3)
        users, items = np.nonzero(dice.random((40, 25)) < 0.4)
        self.triples = np.column_stack((users + 1, items + 1, dice.integers(1, 11, size=len(users)) / 2))

    def write(self, name, head, line):
        content = "\n".join([*head, *(line.format(*row) for row in self.triples)]).encode() + b"\n"
        (self.folder / name).write_bytes(gzip.compress(content) if name.endswith(".gz") else content)

    def files(self):
        """Name, flags: the ratings in every format, in the order of the users."""
        named = ("--columns=userId,movieId,rating",)
        for name, head, line, flags in (
                ("blanks.txt", [], "{:g} {:g}  {:g}", ()), ("packed.txt.gz", [], "{:g} {:g} {:g}", ()),
                ("colons.dat", [], "{:g}::{:g}::{:g}::978300760", ()), ("plain.csv", [], "{:g},{:g},{:g}", ()),
                ("movielens.csv", ["userId,movieId,rating,timestamp"], "{:g},{:g},{:g},9", ()),
                ("quoted.csv", ["userId;movieId;rating"], '"{:g}";"{:g}";"{:g}"', ()),
                ("moved.csv", ["id,rating,movieId,userId"], "7,{2:g},{1:g},{0:g}", named),
                ("tabs.tsv", [], "{:g}\t{:g}\t{:g}", ())):
            self.write(name, head, line)
            yield name, flags
        matrix = scipy.sparse.csr_matrix((self.triples[:, 2], (self.triples[:, 0].astype(int) - 1,
                                                               self.triples[:, 1].astype(int) - 1)))
        scipy.sparse.save_npz(self.folder / "ratings.npz", matrix)
        scipy.io.mmwrite(self.folder / "ratings.mtx", matrix.tocoo())
        np.save(self.folder / "ratings.npy", self.triples)
        np.save(self.folder / "moved.npy", self.triples[:, [2, 0, 1]].astype("f4"))
        yield from (("ratings.npz", ()), ("ratings.mtx", ()), ("ratings.npy", ()), ("moved.npy", ("--columns=2,3,1",)))

    def test_every_format_is_the_same_data(self):
        files = list(self.files())
        for self.app in ("mf", "als", "ccd"):
            hashes = {}
            for name, flags in files:
                with self.subTest(app=self.app, file=name):
                    result, out = self.train(f"{self.app}-{name}", self.folder / name, "--rank=4", "--epochs=3", *flags)
                    hashes[name] = result["model_hash"]
                    self.assertEqual(hashes[name], hashes["blanks.txt"])
            done = self.rota("evaluate", self.app, f"--model={out}", f"--input={self.folder / 'ratings.npy'}")
            text = self.rota("evaluate", self.app, f"--model={out}", f"--input={self.folder / 'plain.csv'}")
            self.assertEqual(done.stdout, text.stdout)

    def test_counts_and_splits(self):
        """A pattern has no ratings; a split of numbers is text."""
        np.save(self.folder / "ratings.npy", self.triples)
        pattern = self.folder / "pattern.mtx"
        pattern.write_text("%%MatrixMarket matrix coordinate pattern general\n40 25 "
                           f"{len(self.triples)}\n" + "".join("%d %d\n" % (u, i) for u, i, _ in self.triples))
        pairs = self.folder / "pairs.txt"
        pairs.write_text("".join("%d %d\n" % (u, i) for u, i, _ in self.triples))
        self.app = "als"
        hashes = [self.train(f"of-{file.name}", file, "--implicit", "--rank=4", "--epochs=2")[0]["model_hash"]
                  for file in (pattern, pairs)]
        self.assertEqual(*hashes)
        parts = self.folder / "parts"
        self.rota("split", "als", f"--input={self.folder / 'ratings.npy'}", f"--output={parts}", "--fraction=0.2")
        lines = sorted((parts / "train.txt").read_text().splitlines() + (parts / "valid.txt").read_text().splitlines())
        self.assertEqual(lines, sorted("%d\t%d\t%g" % (u, i, r) for u, i, r in self.triples))

    def test_what_is_wrong_is_named(self):
        np.save(self.folder / "two.npy", self.triples[:, :2])
        np.save(self.folder / "half.npy", self.triples + [0.5, 0, 0])
        (self.folder / "names.csv").write_text("user,item,rating\na,b,3\n")
        for name, flags, code, words in (("two.npy", (), 65, "a user, an item and a rating"),
                                         ("half.npy", (), 65, "is not a whole number"),
                                         ("names.csv", ("--columns=user,movie,rating",), 65, "names.csv:1: there is no")):
            with self.subTest(file=name):
                self.rota("train", "mf", f"--input={self.folder / name}", f"--out={self.folder / 'bad'}", *flags,
                          code=code, error=words)
