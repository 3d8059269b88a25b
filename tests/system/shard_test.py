"""Data by shard: the same model from text and from the files that `rota shard` makes, for any processes and after
losses; and errors of data that is damaged, or of another app."""
import gzip
import json
import random
import shutil

from rota_run import A9A, DOROTHEA, KOS, REVIEWS, SOURCE, VOCAB, RotaTest, kill, write_graph

A9A_TEST = SOURCE / "apps/sgd/sample/a9a_test.libsvm.gz"
COMPARED = ("model_hash", "state_hash", "objective", "epochs", "items", "valid")


class Shard(RotaTest):
    def shard(self, app, name, *flags):
        out = self.folder / name
        self.rota("shard", app, f"--output={out}", *flags)
        return out

    def train(self, app, name, *flags):
        out = self.folder / name
        self.rota("train", app, f"--out={out}", *flags)
        return self.result(out)

    def check(self, result, reference):
        self.assertEqual(*({name: each.get(name) for name in COMPARED} for each in (result, reference)))

    def refused(self, code, words, *arguments):
        done = self.rota(*arguments, code=code, error=words)
        self.assertNotIn("bug", done.stderr)

    def test_indices_may_count_from_zero(self):
        """Files that do so were refused; now an option reads them: for text, shards, held-out and new data alike."""
        dice = random.Random(7)
        rows = [sorted(dice.sample(range(20), 4)) for _ in range(60)]
        texts = [self.folder / "from-0", self.folder / "from-1"]
        for first, file in enumerate(texts):
            entries = [" ".join(f"{c + first}:{c % 3 + 1}" for c in row) for row in rows]
            file.write_text("".join(f"{row[0] % 2} {text}\n" for row, text in zip(rows, entries)))
        for app, *flags in (("kmeans", "--clusters=3"), ("sgd", "--epochs=2", "--valid={}")):
            results = []
            for first, file in enumerate(texts):
                given = [flag.format(file) for flag in flags] + [f"--index_from={first}", "--shards=4"]
                result = self.train(app, f"{app}-{first}", f"--input={file}", *given)
                predicted = self.folder / f"{app}-{first}.predicted"
                model = self.folder / f"{app}-{first}"
                self.rota("predict", app, f"--model={model}", f"--input={file}", f"--output={predicted}")
                results.append((result, predicted.read_text()))
            self.check(results[0][0], results[1][0])
            self.assertEqual(results[0][1], results[1][1], app)
            shards = self.shard(app, f"{app}-shards", f"--input={texts[0]}", "--index_from=0", "--shards=4",
                                *(flag.format(texts[0]) for flag in flags if "valid" in flag))
            training = [flag for flag in flags if "valid" not in flag]
            self.check(self.train(app, f"{app}-packed", f"--input={shards}", *training), results[0][0])
        self.refused(65, "use --index_from=0 if they count from 0", "train", "sgd",
                     f"--input={texts[0]}", f"--out={self.folder / 'refused'}")

    def test_one_model_of_every_app(self):
        """From text by two workers, and from shards by three of two threads with a store."""
        parts, graph = self.folder / "parts", self.folder / "graph.txt"
        self.rota("split", "mf", f"--input={REVIEWS}", f"--output={parts}")
        write_graph(graph, 300, 3000)
        for app, reading, training in (
                ("lda", [f"--input={KOS}", f"--vocab={VOCAB}"], ["--topics=10", "--epochs=3"]),
                ("kmeans", [f"--input={A9A}"], ["--clusters=4", "--epochs=4"]),
                ("pagerank", [f"--input={graph}"], ["--epochs=10"]),
                ("sgd", [f"--input={A9A}", f"--valid={A9A_TEST}"], ["--epochs=3"]),
                ("lasso", [f"--input={DOROTHEA}", "--loss=logistic"], ["--lambda_ratio=0.5", "--epochs=30"]),
                ("mf", [f"--input={parts}/train.txt", f"--valid={parts}/valid.txt"], ["--rank=6", "--epochs=3"])):
            with self.subTest(app=app):
                shards = self.shard(app, f"{app}.shards", "--shards=4", *reading)
                reference = self.train(app, f"{app}.text", "--shards=4", "--workers=2", *reading, *training)
                packed = self.train(app, f"{app}.packed", f"--input={shards}", "--workers=3", "--threads=2",
                                    "--stores=1", *training)
                self.check(packed, reference)

    def test_a_restarted_worker_reads_only_its_own_files(self):
        flags = ["--topics=20", "--epochs=30", "--checkpoint_seconds=0"]
        shards = self.shard("lda", "shards", f"--input={KOS}", "--shards=2")
        reference = self.train("lda", "calm", f"--input={shards}", *flags)
        out = self.folder / "run"
        run = self.start("train", "lda", f"--input={shards}", f"--out={out}", *flags)
        self.wait_for("a commit", lambda: self.committed(out))
        (shards / "shard-00000.rota-shard").write_bytes(b"no longer what it was")
        kill([self.roles(out)["rota-worker-1"]])
        self.ended(run)
        self.assertTrue(self.events(out, "lost"))
        self.check(self.result(out), reference)

    def test_a_run_is_resumed_with_text_and_with_shards(self):
        """The content that was read is compared, at any path."""
        reading = [f"--input={A9A}", f"--valid={A9A_TEST}"]
        shards = self.shard("sgd", "shards", *reading)
        flags = ["--epochs=30", "--checkpoint_seconds=0"]
        reference = self.train("sgd", "calm", *reading, *flags)
        for begin, then in ((reading, [f"--input={shards}"]), ([f"--input={shards}"], reading)):
            with self.subTest(then=then):
                out = self.folder / f"run-{len(list(self.folder.iterdir()))}"
                run = self.start("train", "sgd", f"--out={out}", *begin, *flags)
                self.wait_for("a commit", lambda: self.committed(out))
                self.kill_run(run, out)
                self.rota("resume", out, "--workers=1", *then)
                self.check(self.result(out), reference)

    def test_options_of_a_job_are_those_of_its_data(self):
        shards = self.shard("sgd", "shards", f"--input={A9A}", "--bits=10", "--shards=3")
        train = ["train", "sgd", f"--input={shards}", f"--out={self.folder / 'out'}"]
        self.refused(2, "--bits=0: the data by shard", *train, "--bits=0")
        self.refused(2, "was made with 10", *train, "--bits=0")
        self.refused(2, "--shards=4", *train, "--shards=4")
        self.refused(2, "--valid", *train, f"--valid={A9A_TEST}")
        self.refused(2, "--stream reads text again", *train, "--stream")
        self.refused(2, "unknown flag --learning_rate", "shard", "sgd", f"--input={A9A}", "--learning_rate=1",
                     f"--output={self.folder / 'x'}")
        self.assertEqual(self.train("sgd", "fine", f"--input={shards}", "--bits=10", "--shards=3", "--epochs=2")["options"]["shards"], "3")

    def test_stdin_is_data_like_a_file(self):
        text = gzip.decompress(A9A.read_bytes())
        self.shard("sgd", "of-file", f"--input={A9A}", "--shards=4")
        out = self.folder / "of-stdin"
        words = self.command("shard", "sgd", "--input=-", "--shards=4", f"--output={out}")
        self.program(words, input=text.decode())
        results = [self.train("sgd", f"{name}-run", f"--input={self.folder / name}", "--epochs=2")
                   for name in ("of-file", "of-stdin")]
        self.check(*results)
        self.program(words, input="1 1:x\n", code=65, error="stdin:1: ")
        self.program(words, input="", code=66, error="stdin is empty")
        self.assertEqual([path.name for path in self.folder.glob(".*")] + list(self.folder.glob("*unfinished*")), [])
        self.check(self.train("sgd", "again", f"--input={out}", "--epochs=2"), results[0])

    def test_invalid_shards_are_refused(self):
        shards = self.shard("kmeans", "shards", f"--input={A9A}", "--shards=2")
        train = ["train", "kmeans", f"--input={shards}", f"--out={self.folder / 'out'}", "--clusters=2"]
        self.refused(65, "this is data by shard of the app kmeans, and the app is pagerank", "train", "pagerank",
                     f"--input={shards}", f"--out={self.folder / 'out'}")
        for name in ("common.rota-shard", "shard-00001.rota-shard", "rota-shards.json"):
            file = shards / name
            whole = file.read_bytes()
            for what, damaged in {"a byte changed": bytes([whole[0] ^ 1]) + whole[1:], "gone": None}.items():
                with self.subTest(file=name, what=what):
                    file.unlink() if damaged is None else file.write_bytes(damaged)
                    self.refused(65, name, *train)
                    shutil.rmtree(self.folder / "out", ignore_errors=True)
            file.write_bytes(whole)
        model = self.folder / "model"
        self.rota("train", "kmeans", f"--input={shards}", f"--out={model}", "--clusters=2", "--epochs=2")
        for input in (shards, shards / "shard-00000.rota-shard"):
            self.refused(65, "this is data by shard", "predict", "kmeans", f"--model={model}", f"--input={input}")
            self.refused(65, "this is data by shard", "shard", "kmeans", f"--input={input}",
                         f"--output={self.folder / 'again'}")

    def test_the_number_is_chosen_from_the_data_and_kept(self):
        hashes, size = set(), len(gzip.open(KOS).read())
        for name, flags in {"chosen": [], "zero": ["--shards=0", "--workers=3"], "given": ["--shards=8"],
                            "many": ["--workers=9"]}.items():
            out = self.folder / name
            done = self.rota("train", "lda", f"--input={KOS}", "--topics=5", "--epochs=2", f"--out={out}", *flags)
            why = "" if name == "given" else f"{size} bytes of text"
            self.assertEqual(f"rota: 8 shards, chosen from {why}" in done.stderr, bool(why), done.stderr)
            self.assertEqual("rota: 8 workers, one for each shard" in done.stderr, name == "many", done.stderr)
            result = self.result(out)
            self.assertEqual((result["options"]["shards"], result["options"]["shards_from"]), ("8", why))
            hashes.add(result["model_hash"])
        self.assertEqual(len(hashes), 1)
        self.rota("train", "lda", f"--input={KOS}", "--workers=9", "--shards=8", f"--out={self.folder / 'refused'}",
                  code=2, error="--workers=9 is more than --shards=8")
        self.assertFalse((self.folder / "refused").exists())
        packed = self.folder / "packed"
        self.rota("shard", "lda", f"--input={KOS}", f"--output={packed}", error="8 shards, chosen from")
        out = self.folder / "of-packed"
        self.rota("train", "lda", f"--input={packed}", "--shards=0", "--topics=5", "--epochs=2", f"--out={out}")
        self.assertEqual({self.result(out)["model_hash"]}, hashes)

    def test_the_output_folder_is_private(self):
        mine = self.folder / "mine"
        mine.mkdir()
        (mine / "notes.txt").write_text("mine")
        self.refused(73, "notes.txt", "shard", "kmeans", f"--input={A9A}", f"--output={mine}")
        self.assertEqual([file.name for file in mine.iterdir()], ["notes.txt"])
        shards = self.shard("kmeans", "shards", f"--input={A9A}", "--shards=5")
        self.shard("kmeans", "shards", f"--input={A9A}", "--shards=2")
        index = json.loads((shards / "rota-shards.json").read_text())
        self.assertEqual({file.name for file in shards.iterdir()},
                         {"rota-shards.json", "common.rota-shard", *(one["file"] for one in index["shards"])})
        self.assertEqual(sum(one["items"] for one in index["shards"]), 32561)
        bad = self.folder / "bad.libsvm"
        bad.write_text("1 1:x\n")
        self.refused(65, f"{bad}:1", "shard", "kmeans", f"--input={bad}", f"--output={shards}")
        self.assertEqual(json.loads((shards / "rota-shards.json").read_text()), index)
        self.refused(65, f"{bad}:1", "shard", "kmeans", f"--input={bad}", f"--output={self.folder / 'none'}")
        self.assertFalse((self.folder / "none").exists())
        self.refused(66, "no such file", "shard", "kmeans", "--input=/no/such", f"--output={shards}")
        self.refused(2, "--output is missing", "shard", "kmeans", f"--input={A9A}")
        self.refused(2, "held-out data", "shard", "sgd", f"--input={A9A}", "--valid=-", f"--output={shards}")
