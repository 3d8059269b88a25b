"""Bad input and wrong flags: a clear error, the documented exit code, and nothing left behind. Waiting costs nothing."""
import gzip
import pathlib
import signal
import time
import unittest

from rota_run import KOS, TOKENS, VOCAB, RotaTest, kill

GOOD = "3\n4\n5\n1 1 2\n1 3 1\n2 2 4\n2 4 1\n3 1 1\n"


class BadInput(RotaTest):
    def refuse(self, name, content, line, *words):
        """Trains on `content`; expects exit 65, `file:line: ...` with these words, and no model."""
        path = self.folder / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        vocab = self.folder / "vocab.txt"
        vocab.write_text("a\nb\nc\nd\n")
        out = self.folder / f"out-{name}"
        done = self.rota("train", "lda", f"--input={path}", f"--vocab={vocab}", "--topics=2", f"--out={out}")
        self.assertEqual(done.returncode, 65, done.stderr)
        self.assertIn(f"{path}:{line}: " if line else f"{path}: ", done.stderr)
        for word in words:
            self.assertIn(word, done.stderr)
        self.assertEqual(done.stdout, "")
        self.assertFalse((out / "model").exists())
        self.assertFalse((out / "result.json").exists())
        self.no_role_left(out)

    def test_good_input_is_taken(self):
        path, vocab = self.folder / "good", self.folder / "vocab"
        path.write_text(GOOD)
        vocab.write_text("a\nb\nc\nd\n")
        out = self.folder / "out"
        done = self.rota("train", "lda", f"--input={path}", f"--vocab={vocab}", "--topics=2", f"--out={out}")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.result(out)["items"], 9)
        self.assertEqual(self.result(out)["epochs"], 20, "as the app says")
        self.assertIn("--epochs=20\n", (out / "flags.txt").read_text())

    def test_junk_line(self):
        self.refuse("junk", GOOD.replace("2 2 4", "what is this"), 6)

    def test_word_beyond_the_vocabulary(self):
        self.refuse("beyond", GOOD.replace("2 4 1", "2 5 1"), 7, "5", "4")

    def test_negative_count(self):
        self.refuse("negative", GOOD.replace("1 3 1", "1 3 -3"), 5, "-3")

    def test_truncated_gz(self):
        """What is before the cut was lost, and line 1 named."""
        data = gzip.compress(GOOD.encode(), 0)  # a header of 10 bytes, one of 5, and the text as it is
        self.refuse("cut.gz", data[: 15 + GOOD.index("2 2 4") + 2], 6, "ends early")

    def test_formats_that_are_not_read_are_named(self):
        self.refuse("data.zip", b"PK\x03\x04" + GOOD.encode(), None, "is a zip archive", "does not read")

    def test_truncated_real_gz(self):
        data = pathlib.Path(KOS).read_bytes()
        path = self.folder / "kos-cut.txt.gz"
        path.write_bytes(data[: len(data) // 2])
        out = self.folder / "out-kos"
        done = self.rota("train", "lda", f"--input={path}", f"--vocab={VOCAB}", f"--out={out}")
        self.assertEqual(done.returncode, 65, done.stderr)
        self.assertRegex(done.stderr, rf"{path}:\d+: ")
        self.assertFalse((out / "model").exists())

    def test_empty_file(self):
        self.refuse("empty", "", None)

    def test_missing_input(self):
        out = self.folder / "out"
        done = self.rota("train", "lda", f"--input={self.folder}/nothing", f"--out={out}")
        self.assertEqual(done.returncode, 66, done.stderr)
        self.assertIn("nothing", done.stderr)
        self.assertFalse(out.exists())


class WrongFlags(RotaTest):
    def refuse(self, *flags, word, code=2):
        out = self.folder / "out"
        done = self.rota(*self.lda(out, *flags))
        self.assertEqual(done.returncode, code, done.stderr)
        self.assertIn(word, done.stderr)
        self.assertFalse(out.exists(), "nothing may be written")

    def test_unknown_flag_names_the_nearest(self):
        self.refuse("--topiks=3", word="topics")
        self.refuse("--epoch=3", word="epochs")

    def test_bad_values(self):
        self.refuse("--topics=many", word="topics")
        self.refuse("--topics=1", word="topics")
        self.refuse("--workers=0", word="workers")
        self.refuse("--workers=9", word="shards")
        self.refuse("--alpha=0.1", "--alpha_sum=5", word="alpha")
        self.refuse("--schedulers=2", word="schedulers")

    def test_help_shows_the_defaults_of_the_app(self):
        self.assertRegex(self.rota("train", "lda", "--help").stdout, r"--epochs=N +\(default 20;")
        self.assertRegex(self.rota("train", "--help").stdout, r"--epochs=N +\(default 0;")

    def test_unknown_app_and_command(self):
        done = self.rota("train", "lda2", f"--input={KOS}", f"--out={self.folder}/out")
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn("lda", done.stderr)
        done = self.rota("trane", "lda")
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn("train", done.stderr)

    def test_a_folder_that_holds_another_run(self):
        out = self.folder / "out"
        self.assertEqual(self.rota(*self.lda(out, "--epochs=1")).returncode, 0)
        before = self.result(out)
        done = self.rota(*self.lda(out, "--epochs=2"))
        self.assertEqual(done.returncode, 73, done.stderr)
        self.assertEqual(self.result(out), before)


class TimeControl(RotaTest):
    def test_short_visits_lose_no_token_and_the_log_says_so(self):
        out = self.folder / "out"
        done = self.rota(*self.lda(out, "--epochs=5", "--step_budget_ms=0.05"))
        self.assertEqual(done.returncode, 0, done.stderr)
        for m in self.metrics(out):
            self.assertEqual(m["terms"]["tokens"], TOKENS)
        self.assertIn("event=not_reproducible", (out / "log/coordinator-0.log").read_text())
        self.assertEqual(len(self.events(out, "not_reproducible")), 1)


class Waiting(RotaTest):
    def test_stopped_workers_cost_no_cpu(self):
        out = self.folder / "out"
        run = self.start(*self.lda(out, "--epochs=1000000", "--eval_every=0", "--checkpoint_every=0"))
        self.wait_for("the run to begin", lambda: len(self.roles(out)) == 4)
        self.wait_for("training", lambda: "phase=training" in (out / "log/coordinator-0.log").read_text())
        workers = [pid for name, pid in self.roles(out).items() if "worker" in name]
        others = [run.pid, *(pid for name, pid in self.roles(out).items() if "worker" not in name)]
        kill(workers, signal.SIGSTOP)
        time.sleep(1)  # what was on its way arrives
        before = sum(map(self.ticks, others))
        time.sleep(4)
        spent = sum(map(self.ticks, others)) - before
        kill(workers, signal.SIGCONT)
        # 2 % of a core would be 8 ticks; a spinning role takes 400.
        self.assertLess(spent, 8)
        run.send_signal(signal.SIGTERM)
        run.communicate(timeout=60)
        self.assertEqual(run.returncode, 143)

    def test_status_of_a_live_and_of_a_finished_run(self):
        out = self.folder / "out"
        run = self.start(*self.lda(out, "--epochs=1000000", "--eval_every=0", "--checkpoint_every=0"))
        self.wait_for("training", lambda: (out / "log/coordinator-0.log").exists()
                      and "event=epoch" in (out / "log/coordinator-0.log").read_text())
        live = self.rota("status", out)
        self.assertEqual(live.returncode, 0, live.stderr)
        self.assertIn("training", live.stdout)
        by_address = self.rota("status", (out / "address").read_text().strip())
        self.assertEqual(by_address.returncode, 0, by_address.stderr)
        self.assertIn("training", by_address.stdout)
        run.send_signal(signal.SIGTERM)
        run.communicate(timeout=60)
        ended = self.rota("status", out)
        self.assertEqual(ended.returncode, 0, ended.stderr)

    @staticmethod
    def ticks(pid):
        fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
        return int(fields[11]) + int(fields[12])


if __name__ == "__main__":
    unittest.main(verbosity=2)
