"""Files of users are kept: `rota train` clears only its own files, `rota resume` none."""
import errno
import os
import pathlib
import shutil
import socket
import subprocess
import tempfile

from rota_run import BAG, BIN, WORDS, RotaTest, kill

BAD = BAG.replace("2 2 4", "what is this")


class UsersFiles(RotaTest):
    def setUp(self):
        super().setUp()
        self.data = self.folder / "data"
        self.data.write_text(BAG)
        self.vocab = self.folder / "vocab.txt"
        self.vocab.write_text(WORDS)
        self.out = self.folder / "j"

    def all_of(self, folder):
        """Every path in a folder, with its content or target."""
        seen = {}
        for path in sorted(pathlib.Path(folder).rglob("*")):
            name = str(path.relative_to(folder))
            if path.is_symlink():
                seen[name] = ("link", os.readlink(path))
            elif path.is_dir():
                seen[name] = "folder"
            elif path.is_file():
                seen[name] = path.read_bytes()
            else:
                seen[name] = "special"
        return seen

    def train(self, *flags, **options):
        return self.rota("train", "lda", "--topics=2", "--epochs=2", *flags, **options)

    def refused(self, *flags, word="", **options):
        """Trains into the folder; expects 73 and no change."""
        before = self.all_of(self.folder)
        done = self.train(*flags, f"--out={self.out}", **options, code=73, error=word)
        self.assertIn(str(self.out), done.stderr)
        self.assertEqual(self.all_of(self.folder), before)
        return done

    def failed_run(self, **options):
        """The folder of a run that ended before its first checkpoint."""
        bad = self.folder / "bad"
        bad.write_text(BAD)
        self.train(f"--input={bad}", f"--out={self.out}", **options, code=65)
        bad.unlink()

    def usual(self, *more):
        return (f"--input={self.data}", f"--vocab={self.vocab}", *more)

    # -- rota train --

    def test_an_input_in_the_folder_of_the_run_is_not_changed(self):
        self.out.mkdir()
        shutil.copy(self.data, self.out / "input")
        self.refused(f"--input={self.out}/input", f"--vocab={self.vocab}")
        self.assertEqual((self.out / "input").read_text(), BAG)

    def test_other_files_in_the_folder_are_not_changed(self):
        for name in ("input", "flags.txt", "address", "events.jsonl", "log/notes", "log/worker-0.log", "empty/folder/x"):
            with self.subTest(name=name):
                shutil.rmtree(self.out, ignore_errors=True)
                (self.out / name).parent.mkdir(parents=True)
                (self.out / name).write_text("mine")
                self.refused(*self.usual())

    def test_empty_files_and_folders_are_kept(self):
        for make in (lambda p: p.touch(), lambda p: p.mkdir(), lambda p: p.symlink_to(self.data)):
            for name in ("log", "empty", "checkpoint"):
                with self.subTest(name=name):
                    shutil.rmtree(self.out, ignore_errors=True)
                    self.out.mkdir()
                    make(self.out / name)
                    self.refused(*self.usual())

    def test_a_flagfile_in_the_folder_of_the_run(self):
        self.out.mkdir()
        (self.out / "flags.txt").write_text("\n".join(self.usual()) + "\n")
        self.refused(f"--flagfile={self.out}/flags.txt")
        # Neither is one that an earlier run wrote there.
        shutil.rmtree(self.out)
        self.failed_run()
        self.refused(f"--flagfile={self.out}/flags.txt", *self.usual(), word="flagfile")

    def test_a_failed_run_and_its_unfinished_files_are_cleared(self):
        for _ in range(2):
            self.failed_run()
        for name in ("flags.txt", "rota-run.json", "result.json"):
            (self.out / f"{name}.unfinished-a1B2c3").write_text("half of it")
        (self.out / "checkpoint").mkdir(exist_ok=True)
        (self.out / "checkpoint/era.unfinished-a1B2c3").write_text("")
        self.train(*self.usual(f"--out={self.out}"))
        self.assertEqual(list(self.out.rglob("*unfinished*")), [])
        self.assertNotIn("what is this", (self.out / "log/worker-0.log").read_text())
        self.refused(*self.usual(), word="another run")

    def test_files_that_were_added_keep_the_folder(self):
        self.failed_run()
        for name in ("notes", "log/notes", "input", "log/worker-0.log.old", "checkpoint/mine", "model/text",
                     "flags.txt.backup", "flags.txt.unfinished-", "notes.unfinished-a1B2c3"):
            with self.subTest(name=name):
                file = self.out / name
                made = not file.parent.exists()
                file.parent.mkdir(exist_ok=True)
                file.write_text("mine")
                self.refused(*self.usual())
                file.unlink()
                if made:
                    file.parent.rmdir()
        (self.out / "log/worker-1.log").unlink()
        (self.out / "log/worker-1.log").symlink_to(self.data)
        self.refused(*self.usual(), word="worker-1.log")
        kept = self.folder / "kept"
        (self.out / "log").rename(kept)
        (self.out / "log").symlink_to(kept)
        self.refused(*self.usual(), word="log")

    def test_a_folder_of_an_older_rota_has_no_marker(self):
        self.failed_run()
        (self.out / "rota-run.json").unlink()
        self.refused(*self.usual())
        (self.out / "rota-run.json").write_text("{}")
        self.refused(*self.usual())

    def test_options_that_name_what_would_be_cleared(self):
        log, link = self.out / "log", self.folder / "link"
        self.failed_run()
        link.symlink_to(self.out)
        for flags in ((f"--input={log}", ), (f"--input={log}/*", ), (f"--input={self.data},{log}/worker-0.log", ),
                      (f"--input={self.out}", ), self.usual(f"--valid={log}/worker-1.log"),
                      (f"--input={self.data}", f"--vocab={log}/worker-0.log"),
                      (f"--input={self.data}", f"--vocab={self.out}"),
                      (f"--input={self.data}", f"--vocab={link}/events.jsonl"),
                      (f"--input={link}/log/worker-0.log", )):
            with self.subTest(flags=flags):
                self.refused(*flags, word="names")

    def test_a_command_does_not_overwrite_what_it_reads(self):
        text = self.folder / "text"
        text.write_text("a b\nc d\n")
        self.train(f"--input={self.data}", f"--vocab={self.vocab}", f"--out={self.out}")
        link = self.folder / "link"
        link.symlink_to(text)
        stop = f"--stop_words={self.vocab}"
        for words in (["convert", "lda", f"--input={text}", f"--output={text}"],
                      ["convert", "lda", f"--input={text}", stop, f"--output={self.vocab}"],
                      ["predict", "lda", f"--model={self.out}", f"--input={text}", f"--output={link}"]):
            with self.subTest(words=words):
                before = self.all_of(self.folder)
                self.rota(*words, code=73, error="--output=")
                self.assertEqual(self.all_of(self.folder), before)

    def test_a_result_replaces_no_file_of_a_run_and_no_special_file(self):
        self.train(f"--input={self.data}", f"--vocab={self.vocab}", f"--out={self.out}")
        before = self.all_of(self.folder)
        predict = ["predict", "lda", f"--input={self.data}"]
        for model, output in ((self.out, "model/manifest.json"), (self.out, "model/partition-0.sst"),
                              (self.out, "result.json"), (self.out, "model/new"),
                              (self.out / "model", "model/topics.txt"), (self.out, "log/worker-0.log")):
            with self.subTest(output=output):
                self.rota(*predict, f"--model={model}", f"--output={self.out / output}", code=73)
        self.rota(*predict, f"--model={self.out}", f"--output={self.folder / 'table.gz'}", code=2)
        self.assertEqual(self.all_of(self.folder), before)
        (self.folder / "way").symlink_to(self.out / "model" / "topics.txt")
        self.rota(*predict, f"--model={self.out}", f"--output={self.folder / 'way'}", code=73)
        # All else stays: a foreign file of a similar name, a link, a pipe.
        (self.folder / "table.unfinished").write_text("mine")
        (self.folder / "link").symlink_to(self.out / "table")
        for _ in range(2):
            self.rota(*predict, f"--model={self.out}", f"--output={self.folder / 'link'}")
        table = (self.out / "table").read_text()
        self.assertTrue((self.folder / "link").is_symlink())
        self.rota(*predict, f"--model={self.out}", f"--output={self.folder / 'table'}")
        self.assertEqual((self.folder / "table").read_text(), table)
        self.assertEqual((self.folder / "table.unfinished").read_text(), "mine")
        self.rota(*predict, f"--model={self.out}", f"--output={self.folder}/none/table",
                  code=73, error="No such file or directory")
        os.mkfifo(self.folder / "fifo")
        with subprocess.Popen(["cat", self.folder / "fifo"], stdout=subprocess.PIPE, text=True) as reader:
            self.rota(*predict, f"--model={self.out}", f"--output={self.folder / 'fifo'}")
            self.assertEqual(reader.communicate(timeout=60)[0], table)

    def test_a_coordinator_started_by_hand_clears_no_run(self):
        """The metrics of a finished run were gone, and another job wrote its model among the first one's files."""
        self.train(f"--input={self.data}", f"--out={self.out}")
        before = {name: content for name, content in self.all_of(self.out).items() if not name.startswith("log/")}
        self.program([BIN / "rota-coordinator", f"--flagfile={self.out}/flags.txt", "--start_timeout_seconds=5",
                      f"--coordinator=ipc://{self.folder}/socket"], code=73)
        after = {name: content for name, content in self.all_of(self.out).items() if not name.startswith("log/")}
        self.assertEqual(after, before)

    def test_a_pipe_is_refused_as_data(self):
        """Of two workers each would get a part of it."""
        pipe = self.folder / "pipe"
        os.mkfifo(pipe)
        for flags in ([f"--input={pipe}"], [f"--input={self.data}", f"--valid={pipe}"],
                      [f"--input={self.data}", f"--vocab={pipe}"]):
            with self.subTest(flags=flags):
                self.train(*flags, f"--out={self.out}",
                           code=66, error="pipe: is not a file that can be read more than once")
                self.assertFalse(self.out.exists())

    def test_stdin_that_an_earlier_run_kept(self):
        self.program(self.command("train", "lda", "--topics=2", "--input=-", f"--out={self.out}"), input=BAD,
                     code=65)
        self.assertEqual((self.out / "input").read_text(), BAD)
        with open(self.out / "input", encoding="utf-8") as again:
            self.refused("--input=-", stdin=again)
        self.refused(f"--input={self.out}/input", word="names")
        with open(self.data, encoding="utf-8") as good:
            self.train("--input=-", f"--vocab={self.vocab}", f"--out={self.out}", stdin=good)
        self.assertEqual((self.out / "input").read_text(), BAG)

    # -- rota resume --

    def killed_by_hand(self, sockets):
        """A run that was started by hand with its sockets in that folder, and killed."""
        self.out.mkdir()
        flags = self.out / "flags.txt"
        flags.write_text("\n".join(["--app=lda", *self.usual(), "--topics=2", "--epochs=100000000", "--eval_every=0",
                                    "--workers=1", "--checkpoint_seconds=0", f"--out={self.out}"]) + "\n")
        roles = [subprocess.Popen([BIN / f"rota-{role}", f"--flagfile={flags}", f"--coordinator=ipc://{sockets}/sock"],
                                  stderr=subprocess.DEVNULL) for role in ("coordinator", "scheduler", "worker")]
        for role in roles:
            self.addCleanup(self._end, role)
        self.wait_for("a commit", lambda: (self.out / "checkpoint").exists() and self.committed(self.out))
        kill([role.pid for role in roles])
        for role in roles:
            role.wait()

    @staticmethod
    def is_dead(path):
        with socket.socket(socket.AF_UNIX) as asking:
            try:
                asking.connect(str(path))
            except ConnectionRefusedError:
                return True
            except OSError as error:
                if error.errno != errno.EPROTOTYPE:  # a socket of packets, and alive
                    raise
            return False

    def resume_for_a_while(self):
        run = self.start("resume", self.out)
        self.wait_for("training", lambda: run.poll() is not None or not (self.out / "events.jsonl").exists() or
                      self.events(self.out, "resume") and len(self.roles(self.out)) == 3 and self.events(self.out, "phase")[-1]["phase"] == "training")
        self.assertIsNone(run.poll())
        self.kill_run(run, self.out)

    def test_resume_trusts_no_folder_that_others_can_change(self):
        self.train(*self.usual(), f"--out={self.out}")
        epoch = next((self.out / "checkpoint").glob("epoch-*"))
        somebody = 54321  # no user of any system

        def refused(path, word):
            before = self.all_of(self.folder)
            self.rota("resume", self.out, code=77, error=f"only your own runs can be resumed: {path} {word}")
            self.assertEqual(self.all_of(self.folder), before)

        for path in (self.out, self.out / "flags.txt", self.out / "checkpoint", epoch, self.folder):
            with self.subTest(path=path):
                facts = path.stat()
                path.chmod(facts.st_mode | 0o002)
                refused(path, "can be changed by everybody")
                path.chmod(facts.st_mode)
                if os.geteuid() != 0:
                    continue  # only root gives files away
                os.chown(path, somebody, -1)
                refused(path, f"belongs to user {somebody}")
                os.chown(path, facts.st_uid, -1)
        self.assertIn("already done", self.rota("resume", self.out).stdout)

    def test_resume_leaves_the_folder_around_a_socket(self):
        runs = self.folder / "rota-runs"
        runs.mkdir()
        (runs / "results").mkdir()
        (runs / "results/paper.tex").write_text("mine")
        self.out = runs / "a"
        self.killed_by_hand(runs)
        before = self.all_of(runs / "results")
        self.resume_for_a_while()
        self.assertEqual(self.all_of(runs / "results"), before)
        self.assertTrue((self.out / "flags.txt").exists())

    def test_resume_removes_nothing_beside_a_socket(self):
        sockets = pathlib.Path(tempfile.mkdtemp(prefix="rota-"))
        self.addCleanup(shutil.rmtree, sockets, ignore_errors=True)
        self.killed_by_hand(sockets)
        (sockets / "notes").write_text("mine")
        before = set(sockets.iterdir())
        self.resume_for_a_while()
        self.assertEqual(set(sockets.iterdir()), before)

    def test_resume_follows_no_link_to_a_folder_of_sockets(self):
        real = pathlib.Path(tempfile.mkdtemp(prefix="rota-"))
        self.addCleanup(shutil.rmtree, real, ignore_errors=True)
        self.killed_by_hand(real)
        link = self.folder / "rota-ABCDEF"
        link.symlink_to(real)
        (self.out / "address").write_text(f"ipc://{link}/coordinator\n")
        before = set(real.iterdir())
        self.resume_for_a_while()
        self.assertTrue(before)
        self.assertEqual(set(real.iterdir()), before)
        self.assertTrue(link.is_symlink())

    def committing(self):
        """A run that has committed an epoch, and continues."""
        run = self.start("train", "lda", *self.usual(), "--topics=2", "--epochs=100000000", "--eval_every=0",
                         "--checkpoint_seconds=0", f"--out={self.out}")
        self.wait_for("a commit", lambda: (self.out / "checkpoint").exists() and self.committed(self.out))
        return run

    def test_resume_removes_the_socket_folder_of_a_killed_run(self):
        run = self.committing()
        sockets = pathlib.Path((self.out / "address").read_text().strip().removeprefix("ipc://")).parent
        self.kill_run(run, self.out)
        self.wait_for("the sockets to be dead", lambda: all(map(self.is_dead, sockets.iterdir())))
        self.assertTrue(list(sockets.iterdir()))
        run = self.start("resume", self.out)
        self.wait_for("the stale sockets to go", lambda: run.poll() is not None or not sockets.exists())
        self.assertFalse(sockets.exists())

    def test_foreign_folders_among_checkpoints_are_kept(self):
        run = self.committing()
        mine = self.out / "checkpoint/epoch-00000000"
        mine.mkdir(exist_ok=True)
        (mine / "notes").write_text("mine")
        last = self.committed(self.out)[-1]
        self.wait_for("two commits more", lambda: run.poll() is not None or last not in self.committed(self.out))
        self.kill_run(run, self.out)
        self.assertEqual((mine / "notes").read_text(), "mine")
