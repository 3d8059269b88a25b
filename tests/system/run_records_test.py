"""The records in a run's folder: the app of the model, why a run ended, what it continues from, and with which data."""
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess

from rota_run import BAG, BIN, KOS, TOKENS, VOCAB, RotaTest

APP = pathlib.Path(os.environ["ROTA_TEST_PLUGINS"]) / "faulty.so"
ROWS = "1 1:1 2:0.5\n2 1:2\n3 2:1 3:4\n"


class RunRecords(RotaTest):
    def setUp(self):
        super().setUp()
        self.data = self.folder / "data"
        self.data.write_text(BAG)
        self.out = self.folder / "run"

    def train(self, app, *flags, code=0, out=None):
        return self.rota("train", app, f"--input={self.data}", f"--out={out or self.out}", *flags, code=code)

    def last_end(self):
        return self.events(self.out, "end")[-1]

    # -- the app of the model --

    def contents(self, folder):
        return {str(p): p.read_bytes() for p in folder.rglob("*") if p.is_file()}

    def test_a_model_of_another_app_is_refused_by_every_command(self):
        self.train("lda", "--topics=2", "--epochs=2")
        rows = self.folder / "rows"
        rows.write_text(ROWS)
        other = self.folder / "other"
        self.rota("train", "lasso", f"--input={rows}", f"--out={other}", "--lambda=0.1")
        before = self.contents(self.folder)
        for app, made_by, model in (("lasso", "lda", self.out), ("lda", "lasso", other), (APP, "lda", self.out),
                                    ("lasso", "lda", self.out / "model")):
            for command in ("show", "export", "predict"):
                if app == APP and command == "predict":
                    continue
                with self.subTest(app=app, command=command):
                    more = [f"--input={rows}", f"--output={self.folder}/answers"] if command == "predict" else []
                    done = self.rota(command, app, f"--model={model}", *more, code=65)
                    name = "faulty" if app == APP else app
                    self.assertIn(f"was made by the app {made_by}, and this is the app {name}", done.stderr)
                    self.assertEqual(done.stdout, "")
                    self.assertEqual(self.contents(self.folder), before)

    def test_an_app_given_by_path_is_recorded_by_name(self):
        renamed = self.folder / "some_library.so"
        shutil.copy(APP, renamed)
        self.train(renamed)
        self.assertEqual(json.loads((self.out / "model/manifest.json").read_text())["app"], "faulty")
        self.assertEqual(self.result(self.out)["app"], "faulty")
        done = self.rota("show", APP, f"--model={self.out}")
        self.assertEqual(done.stdout, f"24 of {self.data}\n")

    def test_the_model_of_a_run_that_trains(self):
        job = ("train", "lda", f"--input={KOS}", f"--vocab={VOCAB}", "--topics=8", "--shards=4", "--eval_every=0")
        run = self.start(*job, f"--out={self.out}", "--epochs=100000", "--workers=2", "--checkpoint_seconds=0")
        shown = [-1]
        for _ in range(4):  # while older checkpoints are dropped
            self.wait_for("a newer checkpoint", lambda: self.committed(self.out)[-1:] > shown[-1:])
            done = self.rota("show", "lda", f"--model={self.out}", error="the run is not done: this is the model of its")
            shown.append(int(re.search(r"newest checkpoint, epoch (\d+)\n", done.stderr)[1]))
            self.assertIn(f"{TOKENS} tokens, epoch {shown[-1]}\n", done.stdout)
        self.assertEqual(shown, sorted(set(shown)))
        self.rota("train", "lda", f"--input={KOS}", f"--out={self.folder}/next", f"--init_model={self.out}", code=66)
        self.kill_run(run, self.out)
        # Of a run that was killed too; its folder stays as it is.
        before = self.contents(self.out)
        self.rota("export", "lda", f"--model={self.out}", code=2, error="--output=DIR")
        text = self.folder / "a text's folder"
        done = self.rota("export", "lda", f"--model={self.out}", f"--output={text}")
        self.assertEqual(self.contents(self.out), before)
        epoch = self.committed(self.out)[-1]
        self.assertIn(f"newest checkpoint, epoch {epoch}\n", done.stderr)
        short = self.folder / "short"
        self.rota(*job, f"--out={short}", f"--epochs={epoch}")
        for name in ("word_topic.txt", "doc_topic.txt", "topics.txt"):
            self.assertEqual((text / name).read_bytes(), (short / "model" / name).read_bytes(), name)
        shutil.rmtree(self.out / "checkpoint")
        self.rota("show", "lda", f"--model={self.out}", code=66, error="the run has no model yet, and no checkpoint")

    # -- why a run ended --

    def test_errors_of_hooks_name_plugin_hook_and_process(self):
        for hook, how, code, error in (
                ("load", "data", 65, r"^rota: data.txt:7: not a number \(plugin faulty, load, worker-\d\)$"),
                ("load", "usage", 2, r"^rota: these do not go together \(plugin faulty, load, worker-\d\)$"),
                ("push", "input", 66, r"^rota: data.txt: none \(plugin faulty, Push::push, .*round 1.*\) \[worker-\d\]$"),
                ("push", "other", 1, r"^rota: worker-\d: plugin faulty, Push::push, .*round 1.*: it broke$"),
                ("check", "usage", 2, r"^rota: these do not go together \(plugin faulty, check\)$"),
                # Mistakes of an author.
                ("push", "nan", 1, r"plugin faulty, Push::push, .*round 1.*: a part is not a finite number$"),
                ("push", "part_width", 70, r"SIGABRT in plugin faulty, Push::push, round 1"),
                ("push", "row", 1, r"plugin faulty, Push::push, .*: a part of row 7, which the round does not name$"),
                ("push", "argument", 1, r"plugin faulty, Push::push, .*: the round's argument .* it has 0 bytes$"),
                ("evaluate", "term", 1, r"plugin faulty, Push::evaluate, .*: App::terms\(\) has no term 'half'$"),
                ("load", "option", 1, r"plugin faulty, load, worker-\d: there is no option 'hoow'$"),
                ("tables", "fact", 1, r"plugin faulty, .*: no shard has reported the fact 'rowz'$"),
                ("next", "table", 1, r"schedule, round 1: .*table 1 is not a shared table"),
                ("next", "open", 1, r"schedule, round 1: it is open, and table count is not dense"),
                ("next", "kind", 1, r"the schedule chose a round for rota::ExchangePush, from which the class of .* derive$")):
            with self.subTest(hook=hook, how=how):
                shutil.rmtree(self.out, ignore_errors=True)
                done = self.train(APP, f"--fail={hook}", f"--how={how}", code=code)
                self.assertRegex(done.stderr.strip().splitlines()[-1], error)

    def test_a_failed_export_is_written_on_resume(self):
        for how, code in (("usage", 2), ("other", 1)):
            with self.subTest(how=how):
                shutil.rmtree(self.out, ignore_errors=True)
                mended = self.folder / f"mended-{how}"
                done = self.train(APP, "--fail=export", f"--how={how}", f"--mended={mended}", code=code)
                self.assertIn("plugin faulty, export_text", done.stderr)
                self.assertIn("rota resume", done.stderr)
                self.assertEqual(self.last_end()["exit"], code)
                self.assertFalse((self.out / "model/count.txt").exists())
                self.rota("resume", self.out, code=code)
                mended.touch()
                self.rota(*(["resume", self.out] if how != "other" else ["export", APP, f"--model={self.out}"]))
                self.assertEqual((self.out / "model/count.txt").read_text(), "24\n")
                self.assertEqual(self.last_end()["exit"], 0)
                self.assertEqual(self.rota("resume", self.out).stdout, f"already done: {self.out}\n")

    def test_separate_stores_get_the_input(self):
        for stores in (0, 2):
            with self.subTest(stores=stores):
                shutil.rmtree(self.out, ignore_errors=True)
                self.train(APP, f"--stores={stores}")

    # -- what a run continues from --

    def restart_after_the_last_commit(self):
        """As if killed before the result was written."""
        (self.out / "result.json").unlink()
        shutil.rmtree(self.out / "model")

    def test_a_run_killed_before_its_result_is_completed_by_resume(self):
        self.train("lda", "--topics=2", "--epochs=3", "--learn_alpha=1", "--burn_in=0")
        whole = self.result(self.out)
        self.restart_after_the_last_commit()
        self.rota("resume", self.out)
        again = self.result(self.out)
        for result in (whole, again):
            del result["peak_memory_bytes"]
        self.assertIn("objective", whole)
        self.assertEqual(again, whole)

    def test_files_are_named_by_the_era(self):
        self.train(APP)
        names = {p.name for p in (self.out / "checkpoint").glob("epoch-*/*.sst")}
        self.assertEqual(names, {"partition-0.era-1.sst", "partition-1.era-1.sst"})
        self.assertEqual({p.name for p in (self.out / "model").glob("*.sst")}, {"partition-0.sst", "partition-1.sst"})
        self.restart_after_the_last_commit()
        self.rota("resume", self.out)
        self.assertEqual((self.out / "checkpoint/era").read_text(), "2\n")

    def test_one_coordinator_at_a_time(self):
        self.out.mkdir()
        flags = self.out / "flags.txt"
        flags.write_text(f"--app={APP}\n--input={self.data}\n--out={self.out}\n")
        command = [BIN / "rota-coordinator", f"--flagfile={flags}"]
        first = subprocess.Popen([*command, f"--coordinator=ipc://{self.folder}/one"], stderr=subprocess.DEVNULL)
        self.addCleanup(self._end, first)
        self.wait_for("its address", (self.out / "address").exists)
        before = self.contents(self.out)
        self.program([*command, f"--coordinator=ipc://{self.folder}/two"],
                     code=73, error="another coordinator runs in")
        self.rota("resume", self.out, code=73, error="another coordinator runs in")
        after = self.contents(self.out)
        log = str(self.out / "log/coordinator-0.log")
        before.pop(log, None), after.pop(log, None)
        self.assertEqual(after, before)
        self.assertIsNone(first.poll())
        first.send_signal(signal.SIGTERM)
        first.wait(60)

    # -- with which data --

    def test_an_input_that_was_moved(self):
        self.train("lda", "--topics=2", "--epochs=3", f"--valid={self.data}")
        whole = self.result(self.out)
        self.restart_after_the_last_commit()
        moved = self.folder / "elsewhere/data"
        moved.parent.mkdir()
        self.data.rename(moved)
        self.rota("resume", self.out, code=66, error="--input=PATH")
        self.rota("resume", self.out, "--input=elsewhere/data", "--valid=elsewhere/data", cwd=self.folder)
        self.assertEqual(self.result(self.out)["model_hash"], whole["model_hash"])
        self.assertIn(f"--input={moved}\n", (self.out / "flags.txt").read_text())

    def test_an_input_with_another_content_and_as_many_items(self):
        held_out = self.folder / "held_out"
        held_out.write_text(BAG)
        self.train("lda", "--topics=2", "--epochs=3", f"--valid={held_out}")
        self.restart_after_the_last_commit()
        changed = BAG.replace("2 2 4\n2 4 1", "2 2 1\n2 4 4")
        for file, error in ((self.data, "the input has another content"), (held_out, "the held-out data (--valid) has")):
            file.write_text(changed)
            self.rota("resume", self.out, code=65, error=error)
            self.assertEqual(self.last_end()["exit"], 65)
            file.write_text(BAG)
        self.rota("resume", self.out, "--seed=3", code=2)
        self.rota("resume", self.out)
