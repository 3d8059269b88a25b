"""Bad input and wrong flags: a clear error, the documented exit code, and no files left. Waiting takes no CPU time."""
import gzip
import os
import pathlib
import shutil
import signal
import subprocess
import time

from rota_run import BAG, KOS, LIMIT, VOCAB, WORDS, RotaTest, kill


class BadInput(RotaTest):
    def test_wrong_data_is_named_by_file_and_line(self):
        """Exit 65, `file:line: ...` with these words, and no model."""
        packed = gzip.compress(BAG.encode(), 0)  # a header of 10 bytes, one of 5, and the text as it is
        cut = packed[: 15 + BAG.index("2 2 4") + 2]  # the lines before the cut were lost, and line 1 was named
        vocab = self.folder / "vocab.txt"
        vocab.write_text(WORDS)
        for name, content, words in (("junk", BAG.replace("2 2 4", "what is this").encode(), "junk:6: "),
                                     ("beyond", BAG.replace("2 4 1", "2 5 1").encode(), "beyond:7: "),
                                     ("cut.gz", cut, "cut.gz:6: "), ("empty", b"", "empty: "),
                                     ("data.zip", b"PK\x03\x04" + BAG.encode(), "is a zip archive")):
            with self.subTest(name=name):
                path, out = self.folder / name, self.folder / f"out-{name}"
                path.write_bytes(content)
                done = self.rota("train", "lda", f"--input={path}", f"--vocab={vocab}", "--topics=2", f"--out={out}",
                                 code=65, error=words)
                self.assertEqual(done.stdout, "")
                self.assertFalse((out / "model").exists() or (out / "result.json").exists())
                self.no_role_left(out)
        out = self.folder / "new"
        self.rota("train", "lda", f"--input={self.folder}/nothing", f"--out={out}", code=66, error="nothing")
        self.assertFalse(out.exists())


class WrongFlags(RotaTest):
    def test_nothing_is_written(self):
        out = self.folder / "out"
        for flags, words in ((["--topiks=3"], "topics"), (["--epoch=3"], "epochs"), (["--topics=many"], "topics"),
                             (["--workers=0"], "workers"), (["--workers=9"], "shards"),
                             (["--copies=2", "--learn_beta=1"], "copies"), (["--schedulers=2"], "schedulers")):
            with self.subTest(flags=flags):
                self.rota(*self.lda(out, *flags), code=2, error=words)
                self.assertFalse(out.exists())

    def test_unknown_app_and_command(self):
        self.rota("train", "lda2", f"--input={KOS}", f"--out={self.folder}/out", code=2, error="lda")
        self.rota("trane", "lda", code=2, error="train")

    def test_a_folder_that_holds_another_run(self):
        out = self.folder / "out"
        self.rota(*self.lda(out, "--epochs=1"))
        before = self.result(out)
        self.rota(*self.lda(out, "--epochs=2"), code=73)
        self.assertEqual(self.result(out), before)


class Waiting(RotaTest):
    def test_status_and_no_cpu_time_while_workers_are_stopped(self):
        out = self.folder / "out"
        run = self.start(*self.lda(out, "--epochs=1000000", "--eval_every=0", "--checkpoint_every=0"))
        self.wait_for("training", lambda: (out / "log/coordinator-0.log").exists()
                      and "event=epoch" in (out / "log/coordinator-0.log").read_text())
        for where in (out, (out / "address").read_text().strip()):
            self.assertIn("training", self.rota("status", where, "--check").stdout)
        workers = [pid for name, pid in self.roles(out).items() if "worker" in name]
        others = [run.pid, *(pid for name, pid in self.roles(out).items() if "worker" not in name)]
        kill(workers, signal.SIGSTOP)
        time.sleep(0.5)  # until all messages have arrived
        before = sum(map(self.ticks, others))
        time.sleep(2)
        spent = sum(map(self.ticks, others)) - before
        kill(workers, signal.SIGCONT)
        # 2 % of a core would be 4 ticks; a spinning role takes 200.
        self.assertLess(spent, 5)
        run.send_signal(signal.SIGTERM)
        self.ended(run, 143)
        self.rota("status", out)
        self.rota("status", out, "--check", code=75, error="does not answer")

    @staticmethod
    def ticks(pid):
        fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
        return int(fields[11]) + int(fields[12])


class Surroundings(RotaTest):
    """Limits of the system, odd names, and special files."""

    def setUp(self):
        super().setUp()
        self.data = self.folder / "data"
        self.data.write_text(BAG)

    def limited(self, limit, words, **options):
        """`rota` in a shell with this limit."""
        return self.program(["bash", "-c", limit + '; exec "$@"', "bash", *self.command(*words)], stdin=subprocess.DEVNULL, **options)

    def train(self, out, *flags, limit="true", data=None, **options):
        words = ["train", "lda", f"--input={data or self.data}", "--topics=2", "--epochs=2", "--seed=3", f"--out={out}", *flags]
        return self.limited(limit, words, **options)

    def test_limits_of_the_system_are_named(self):
        """They ended as signals 6, 11 and 25, "temporary" and "a bug", after five starts of every process."""
        for number, (limit, code, words) in enumerate((
                ("ulimit -f 8", 74, "ulimit -f"), ("ulimit -n 16", 75, "may open 16 files and connections (ulimit -n)"),
                ("ulimit -s 64", 75, "the limit of a stack is 64 KiB (ulimit -s)"), ("ulimit -v 60000", 75, "ulimit -v"))):
            with self.subTest(limit=limit):
                out = self.folder / f"limit-{number}"
                done = self.train(out, limit=limit, data=KOS, code=code, error=words)
                self.assertNotIn("2 of 5 times", done.stderr)
                self.no_role_left(out)

    def test_a_job_that_needs_too_much_memory_is_refused(self):
        """The processes grew to 12 GB without a message. Here each may have 2 GB, so that growth would be detected."""
        ratings, wide = self.folder / "ratings", self.folder / "wide"
        for file, users in ((ratings, 400), (wide, 16000)):
            file.write_text("".join(f"{u} {u * i % 50 + 1} {i}\n" for u in range(1, users + 1) for i in range(1, 3)))
        rows = self.folder / "rows"
        rows.write_text("".join(f"{i % 2} {i % 9 + 1}:{i}\n" for i in range(1, 2001)))
        kos, many = [f"--input={KOS}", f"--vocab={VOCAB}"], "of them have no data"
        of_slices = "what each shard keeps of each of the "
        for app, flags, words in (
                ("lda", [*kos, "--shards=65536"], of_slices + "131072 slices takes about 68.7 GB of each worker's memory"),
                ("lda", [*kos, "--shards=7000"], "--shards=7000: 3570 " + many),
                ("mf", [f"--input={ratings}", "--shards=65536"], of_slices), ("mf", [f"--input={ratings}", "--shards=1000"], many),
                ("als", [f"--input={ratings}", "--shards=1000"], many),
                ("als", [f"--input={wide}", "--rank=65536"], "--rank=65536: the model takes about "),
                ("mf", [f"--input={wide}", "--rank=65536"], "--rank=65536: the model takes about 2.1 GB"),
                *((app, [f"--input={rows}", "--shards=65536"], many) for app in ("sgd", "kmeans", "lasso"))):
            with self.subTest(app=app, flags=flags):
                words_of = ["train", app, *flags, "--epochs=1", f"--out={self.folder}/out"]
                self.program(["bash", "-c", 'ulimit -d 2000000; exec "$@"', "bash", *self.command(*words_of)],
                             stdin=subprocess.DEVNULL, code=2, error=words)

    def test_stdin_that_is_closed(self):
        words = self.command("train", "lda", "--input=-", f"--out={self.folder / 'out'}")
        self.program(["bash", "-c", 'exec "$@" <&-', "bash", *words], code=66, error="stdin is empty")

    def test_the_reader_of_the_output_closes_it(self):
        out = self.folder / "out"
        words = self.command("train", "lda", f"--input={self.data}", "--topics=2", "--epochs=300", f"--out={out}")
        subprocess.run(["bash", "-c", '"$@" 2>&1 | head -1', "bash", *words], capture_output=True, timeout=LIMIT)
        self.wait_for("the result", (out / "result.json").exists)
        self.assertEqual(self.result(out)["epochs"], 300)

    def test_a_value_that_ends_in_a_carriage_return(self):
        """The processes used the path without the carriage return."""
        (self.folder / "u").mkdir()
        (self.folder / "u/notes").write_text("mine")
        (self.folder / "data\r").write_text(BAG.replace("1 1 2", "1 1 7"))
        for flags in ([f"--input={self.data}\r"], [f"--out={self.folder / 'u'}\r"]):
            self.train(self.folder / "out", *flags, code=2, error="carriage return")
            self.assertEqual({path.name for path in self.folder.iterdir()}, {"data", "data\r", "u"})
        self.assertEqual([path.name for path in (self.folder / "u").iterdir()], ["notes"])

    def test_a_pipe_in_the_place_of_a_file(self):
        out, pipe = self.folder / "out", self.folder / "pipe"
        os.mkfifo(pipe)
        self.train(out)
        shutil.copytree(out / "model", self.folder / "model")
        self.rota("shard", "lda", f"--input={self.data}", f"--output={self.folder}/shards", "--shards=2")
        show = ["show", "lda", f"--model={self.folder}/model"]
        train = ["train", "lda", "--topics=2", f"--input={self.folder}/shards", f"--out={self.folder}/new"]
        (out / "result.json").unlink()
        newest = f"out/checkpoint/epoch-{self.committed(out)[-1]:08}/"
        for name, words, code in (("model/manifest.json", show, 66), ("model/partition-0.sst", show, 74),
                                  ("shards/rota-shards.json", train, 65), ("shards/shard-00001.rota-shard", train, 65),
                                  ("out/log/worker-0.log", ["resume", out], 73), ("out/metrics.jsonl", ["resume", out], 66),
                                  ("out/metrics.jsonl", ["status", out], 0), (newest + "commit.json", ["status", out], 0),
                                  ("out/flags.txt", ["status", out], 66), ("out/flags.txt", ["resume", out], 66)):
            with self.subTest(name=name, words=words[0]):
                file, kept = self.folder / name, self.folder / "kept"
                file.rename(kept)
                os.mkfifo(file)
                done = self.rota(*words, code=code)
                if code:
                    self.assertIn(f"{file}: it is no regular file", done.stderr)
                file.unlink()
                kept.rename(file)
        self.rota("train", "lda", f"--flagfile={pipe}", code=66)

    def test_control_characters_are_escaped(self):
        words, out = self.folder / "words", self.folder / "out\x1b[2J"
        words.write_bytes(b"a \033]0;own\007 b\nb a\n")
        done = self.rota("train", "lda", "--topics=2", "--format=text", f"--input={words}", f"--out={out}", "--epochs=2")
        output = done.stdout + done.stderr
        shown = self.rota("show", "lda", f"--model={out}").stdout
        self.assertIn("\\x1b]0;own\\x07", shown)
        flags = self.folder / "flags"
        flags.write_text("\x1b[2Jgarbage\n")
        for arguments in (["status", out], ["resume", out], ["train", "l\x1b[2Jda"], ["show", "lda", "--\x9bx=3"],
                          ["train", "lda", f"--flagfile={flags}"], ["\x1b[2J"]):
            done = self.rota(*arguments, code=None)
            output += done.stdout + done.stderr
        self.assertEqual([c for c in output + shown if c < " " and c not in "\t\n" or "\x7f" <= c < "\xa0"], [])
