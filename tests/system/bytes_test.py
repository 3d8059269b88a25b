"""Bytes that are not UTF-8, in data, file names and options: no process aborts, the run's records stay valid JSON, and
the programs read back the exact bytes."""
import json
import os

from rota_run import RotaTest

ODD = b"caf\xe9 \xff"  # in the name of every file and folder below
TEXT = b"na\xefve r\xf4le caf\xe9 caf\xe9\n" * 20 + b"plain words of plain text\n" * 20


class Bytes(RotaTest):
    def setUp(self):
        super().setUp()
        self.odd = os.fsencode(self.folder) + b"/" + ODD
        os.mkdir(self.odd)

    def path(self, name, content=None):
        path = self.odd + b"/" + ODD + name
        if content is not None:
            with open(path, "wb") as file:
                file.write(content)
        return path

    def rota(self, *arguments, **options):
        return self.program([*self.command(), *arguments], text=False, **options)

    def check_records(self, out):
        """The run's logs are UTF-8, and its records JSON."""
        for name in (b"/metrics.jsonl", b"/events.jsonl"):
            if os.path.exists(out + name):
                with open(out + name, encoding="utf-8") as file:
                    for line in file:
                        json.loads(line)
        for name in (b"/result.json", b"/model/manifest.json"):
            if os.path.exists(out + name):
                with open(out + name, encoding="utf-8") as file:
                    json.load(file)
        for name in os.listdir(out + b"/log"):
            with open(out + b"/log/" + name, encoding="utf-8") as file:
                self.assertNotIn("Aborted", file.read())

    def ok(self, *arguments):
        return self.rota(*arguments).stdout

    def test_names_of_files_and_words(self):
        corpus = self.path(b".txt", TEXT)
        vocabulary = self.path(b".vocab", b"caf\xe9\nr\xf4le\nplain\nwords\n")
        bag = self.path(b".uci", b"3\n4\n5\n1 1 2\n1 2 1\n2 3 3\n3 3 1\n3 4 2\n")
        out = self.path(b".run")
        train = ["train", "lda", b"--input=" + bag, b"--vocab=" + vocabulary, "--topics=2", "--shards=2"]
        self.ok(*train, b"--out=" + out, "--epochs=3")
        self.check_records(out)
        shown = self.ok("show", "lda", b"--model=" + out)
        self.assertIn(b"caf\xe9", shown)
        with open(out + b"/model/word_topic.txt", "rb") as file:
            words = [line.split(b"\t")[0].split(b" ")[0] for line in file]
        self.assertEqual(words, [b"caf\xe9", b"r\xf4le", b"plain", b"words"])
        os.remove(out + b"/model/word_topic.txt")
        self.ok("export", "lda", b"--model=" + out)
        self.assertTrue(os.path.exists(out + b"/model/word_topic.txt"))
        # The manifest gives the path of the vocabulary.
        table = self.path(b".table")
        self.ok("predict", "lda", b"--model=" + out, b"--input=" + bag, b"--output=" + table)
        with open(table, "rb") as file:
            self.assertEqual(len(file.read().splitlines()), 1 + 3, "a heading, and the documents")
        json.loads(self.ok("pyldavis", "lda", b"--model=" + out).decode("utf-8"))
        warm = self.path(b".warm")
        self.ok(*train, b"--out=" + warm, "--epochs=1", b"--init_model=" + out)
        self.check_records(warm)
        self.ok("status", out)
        self.ok("convert", "lda", b"--input=" + corpus, b"--output=" + self.path(b".bag"), b"--vocab=" + vocabulary,
                "--token_pattern=whitespace")

    def test_a_line_that_is_wrong(self):
        bag = self.path(b".uci", b"1\n1\n1\n1 1 caf\xe9\n")
        for number, flags in enumerate(([], ["--workers=1", "--stores=1"])):
            out = self.path(b".run%d" % number)
            self.rota("train", "lda", b"--input=" + bag, b"--out=" + out, "--shards=2", *flags,
                      code=65, error=b".uci:4: expected a count, found 'caf\\xe9'")
            self.check_records(out)
            [end] = self.end(out)
            self.assertEqual(end["exit"], 65)
            self.assertIn("caf\\xe9 \\xff.uci:4:", end["what"])

    def end(self, out):
        with open(out + b"/events.jsonl", encoding="utf-8") as file:
            return [event for event in map(json.loads, file) if event["event"] == "end"]

    def test_lasso(self):
        data = self.path(b".libsvm", b"1 1:1 2:3\n2 1:2\n2 2:1 # caf\xe9\n1 1:4 2:2\n" * 3)
        out = self.path(b".run")
        self.ok("train", "lasso", b"--input=" + data, b"--out=" + out, "--shards=2", "--loss=logistic")
        self.check_records(out)
        self.assertEqual(len(self.ok("predict", "lasso", b"--model=" + out, b"--input=" + data).splitlines()), 12)
        wrong = self.path(b".wrong", b"1 1:1\n2 1:\xff\n")
        done = self.rota("train", "lasso", b"--input=" + wrong, b"--out=" + self.path(b".run2"), "--shards=2",
                         code=65, error=b".wrong:2:")
        self.assertIn(b"\\xff", done.stderr)
        self.rota("predict", "lasso", b"--model=" + out, b"--input=" + wrong, code=65)

    def test_resume(self):
        """The run's options are read back from its folder, byte by byte."""
        bag = self.path(b".uci", b"3\n4\n5\n1 1 2\n1 2 1\n2 3 3\n3 3 1\n3 4 2\n")
        out = self.path(b".run")
        train = ["train", "lda", b"--input=" + bag, "--topics=2", "--shards=2", "--epochs=40", "--checkpoint_seconds=0"]
        self.ok(*train, b"--out=" + out)
        os.remove(out + b"/result.json")
        self.ok("resume", out)
        self.check_records(out)

    def test_invalid_arguments(self):
        self.rota("train", "lda", b"--input=" + self.path(b".none"), b"--out=" + self.path(b".run"), code=66)
        self.rota("train", "lda", b"--topics=\xff", b"--input=" + self.path(b".uci", b""), b"--out=x", code=2)
        self.rota("train", b"l\xffa", b"--input=" + self.path(b".uci", b""), b"--out=x", code=2)
        self.rota("train", "lda", b"--t\xffpics=3", b"--input=" + self.path(b".uci", b""), b"--out=x", code=2)
