"""The output of a run: options that change nothing, fits that end without reaching their tolerance, a newline at the end
of output, and the forms of progress."""
import json
import os
import pty
import random
import re
import subprocess

from rota_run import KOS, SOURCE, TOKENS, VOCAB, RotaTest

SAMPLE = SOURCE / "apps/lasso/sample"


class Ignored(RotaTest):
    def train(self, app, name, *flags):
        out = self.folder / name
        data = KOS if app == "lda" else self.lasso_data()
        done = self.rota("train", app, f"--input={data}", f"--out={out}", "--checkpoint_every=0", *flags)
        return out, done.stderr

    def lasso_data(self):
        file = self.folder / "data.libsvm"
        if not file.exists():
            draws = random.Random(1)
            file.write_text("".join(f"{draws.gauss(0, 1)} " + " ".join(
                f"{j}:{draws.random()}" for j in sorted(draws.sample(range(1, 501), 40))) + "\n" for _ in range(300)))
        return file

    def check(self, app, given, ignored, reproducible=True):
        """Trains with these options; exactly those ignored are named by one warning each, in three places."""
        out, stderr = self.train(app, f"{len(list(self.folder.iterdir()))}", *given)
        log = (out / "log/coordinator-0.log").read_text()
        warnings = [event["what"] for event in self.events(out, "warning")]
        self.assertEqual(sorted(what.split()[0] for what in warnings), sorted(f"--{name}" for name in ignored))
        self.assertEqual(len(re.findall("(?m)^W.* event=warning ", log)), len(ignored))
        for what in warnings:
            self.assertEqual(stderr.count(what), 1, stderr)
            self.assertIn(what.split(" changes nothing: ")[0] + " changes nothing", log)
        self.assertEqual(bool(self.events(out, "not_reproducible")), not reproducible)
        self.assertEqual("not reproducible" in stderr, not reproducible)
        if app == "lda":
            self.assertEqual({line["terms"]["tokens"] for line in self.metrics(out)}, {TOKENS}, "short visits lose none")
        return self.result(out)["model_hash"]

    def test_lda(self):
        base = ["--topics=5", "--epochs=2", "--seed=3"]
        plain = self.check("lda", base, [])
        given = ["--asynchronous", "--staleness=2", "--pipeline=3", "--burn_in=7", "--checkpoint_seconds=7"]
        ignored = ["asynchronous", "staleness", "pipeline", "burn_in", "checkpoint_seconds"]
        self.assertEqual(self.check("lda", base + given, ignored), plain, "they change nothing")
        self.check("lda", base + ["--step_budget_ms=0.05"], [], reproducible=False)
        self.check("lda", base + ["--learn_alpha=1", "--burn_in=0"], [])

    def test_lasso_by_columns(self):
        plain = self.check("lasso", [], [])
        given = {"asynchronous": "true", "staleness": 2, "pipeline": 3, "slices_per_shard": 3, "step_budget_ms": 5}
        flags = [f"--{name}={value}" for name, value in given.items()]
        self.assertEqual(self.check("lasso", flags, given), plain, "they change nothing")

    def test_lasso_by_rows(self):
        self.check("lasso_rows", ["--order=priority", "--coordinates=8", "--eta=1", "--correlation=0.2"], [])
        self.check("lasso_rows", ["--order=random", "--coordinates=8", "--eta=1", "--correlation=0.2"], ["eta", "correlation"])
        base = ["--order=random", "--staleness=2"]
        plain = self.check("lasso_rows", base, [])
        self.assertEqual(self.check("lasso_rows", base + ["--asynchronous"], ["asynchronous"]), plain, "it changes nothing")


class Converged(RotaTest):
    def lasso(self, *flags, data=SAMPLE / "blogfeedback_train.libsvm.gz", app="lasso"):
        out = self.folder / f"{len(list(self.folder.iterdir()))}"
        done = self.rota("train", app, f"--input={data}", f"--out={out}", *flags)
        return out, done

    def test_fits_that_reach_their_tolerance(self):
        for app, flags in (("lasso", ["--path=3"]), ("lasso", ["--path=2", "--folds=2"]),
                           ("lasso_rows", ["--tolerance=1e-3"])):
            with self.subTest(app=app, flags=flags):
                out, done = self.lasso(*flags, app=app)
                self.assertIs(self.result(out)["converged"], True)
                self.assertNotIn("not converged", done.stdout)
                self.assertIs(self.metrics(out)[0]["converged"], False, "at first there is nothing")
                self.assertIn("converged=true", (out / "log/coordinator-0.log").read_text())
                self.assertEqual(self.rota("show", app, f"--model={out}").stdout.count("not converged"), 0)

    def test_a_job_that_ends_before_its_fits_do(self):
        out, done = self.lasso("--path=5", "--epochs=4")
        self.assertIs(self.result(out)["converged"], False)
        self.assertIn(", not converged, ", done.stdout)
        self.assertIn("converged=false", (out / "log/coordinator-0.log").read_text())

    def test_a_fit_that_cannot_reach_its_tolerance(self):
        """Columns that differ in their last digits: every check finds a gap."""
        draws = random.Random(1)
        data = self.folder / "alike.libsvm"
        with open(data, "w", encoding="utf-8") as file:
            for _ in range(20):
                file.write(f"{draws.gauss(0, 1):.6f} ")
                file.write(" ".join(f"{j}:{1e6 + draws.gauss(0, 1) * 1e-3:.9f}" for j in range(1, 13)) + "\n")
        out, done = self.lasso("--nointercept", "--lambda_ratio=1e-8", "--tolerance=1e-14", data=data)
        self.assertEqual(self.result(out)["epochs"], 502, "given up after 500 looks")
        self.assertIs(self.result(out)["converged"], False)
        self.assertIn(", not converged, ", done.stdout)
        self.assertIn("the job has ended before it converged", done.stderr)
        self.assertIn("not converged", self.rota("show", "lasso", f"--model={out}").stdout)
        self.assertEqual((out / "model/path.csv").read_text().splitlines()[1].split(",")[-1], "0")

class Commands(RotaTest):
    def test_an_app_lists_its_commands(self):
        for arguments in (["lda"], ["lda", "--help"], ["help", "lda"]):
            done = self.rota(*arguments)
            for command in ("train", "show", "predict", "pyldavis", "export"):
                self.assertIn(f"  rota {command} lda", done.stdout)

    def test_a_command_without_its_app_names_the_apps_that_have_it(self):
        done = self.rota("pyldavis", "--help", code=2)
        self.assertTrue(done.stderr.endswith("these have it: lda\n"), done.stderr)
        for arguments in (["frob", "lda"], ["frob", "lda", "--help"], ["frob"]):
            self.rota(*arguments, code=2)


class Output(RotaTest):
    def test_all_commands_end_their_output_with_a_newline(self):
        lda, lasso, data = self.folder / "lda", self.folder / "lasso", self.folder / "data.libsvm"
        text = self.folder / "text.txt"
        text.write_text("plain words of plain text\n" * 3)
        data.write_text("1 1:1\n2 1:2 2:1\n")
        for arguments in (["train", "lda", f"--input={KOS}", f"--vocab={VOCAB}", f"--out={lda}", "--topics=3",
                           "--epochs=2"],
                          ["train", "lasso", f"--input={data}", f"--out={lasso}"]):
            self.rota(*arguments)
        for arguments in (["show", "lda", f"--model={lda}"], ["evaluate", "lda", f"--model={lda}", f"--input={KOS}",
                                                              "--particles=1", "--resample=false"],
                          ["predict", "lda", f"--model={lda}", f"--input={KOS}", "--iterations=1"],
                          ["diagnostics", "lda", f"--model={lda}", f"--input={KOS}"],
                          ["pyldavis", "lda", f"--model={lda}"],
                          ["convert", "lda", f"--input={text}", f"--output={self.folder / 'bag'}"],
                          ["export", "lda", f"--model={lda}"],
                          ["show", "lasso", f"--model={lasso}"],
                          ["predict", "lasso", f"--model={lasso}", f"--input={data}"],
                          ["evaluate", "lasso", f"--model={lasso}", f"--input={data}"],
                          ["status", lda], ["help"], ["train", "lda", "--help"], ["--version"]):
            done = self.rota(*arguments, text=False)
            self.assertEqual(done.stdout[-1:], b"\n", arguments)
            self.assertNotEqual(done.stdout[-2:], b"\n\n", arguments)


class Shown(RotaTest):
    """--progress"""

    def setUp(self):
        super().setUp()
        self.write_small_corpus()
        self.out = self.folder / "a run"

    def objects(self, *arguments):
        """What a command with --progress=json prints: objects, the result last."""
        done = self.rota(*arguments, "--progress=json")
        self.assertEqual(done.stderr, "")
        objects = [json.loads(line) for line in done.stdout.splitlines()]
        self.assertEqual([one["event"] for one in objects].index("result"), len(objects) - 1)
        return done.stdout.splitlines(), objects

    def test_json_is_what_the_run_records_and_its_result(self):
        lines, objects = self.objects(*self.small_lda(self.out, "--epochs=3", "--workers=1"))
        recorded = (self.out / "events.jsonl").read_text().splitlines()
        self.assertEqual([line for line in lines if json.loads(line)["event"] not in ("message", "working", "result")],
                         recorded)
        for number, epoch in zip(self.metrics(self.out), (one for one in objects if one["event"] == "epoch")):
            self.assertEqual(epoch, {**number, "event": "epoch", "time": epoch["time"]})
        result = objects[-1]
        self.assertEqual(result, {**self.result(self.out), "event": "result", "time": result["time"], "out": str(self.out)})
        self.assertEqual(self.objects("resume", self.out)[1][0]["model_hash"], result["model_hash"], "it is done")
        export = self.folder / "tables"
        self.assertEqual(self.objects("export", "lda", f"--model={self.out}", f"--output={export}")[1][-1]["output"], str(export))
        packed = self.objects("shard", "lda", f"--input={self.folder}/data", f"--vocab={self.folder}/vocab", "--shards=2",
                              f"--output={self.folder}/packed")[1][-1]
        self.assertEqual((packed["shards"], packed["items"]), (2, 9))

    def test_numbers_of_events_are_numbers(self):
        self.rota(*self.small_lda(self.out, "--epochs=2", "--shards=2"))
        texts = {"event", "role", "host", "as", "phase", "unit", "what", "hash", "model_hash", "shards", "version"}
        for line in (self.out / "events.jsonl").read_text().splitlines():
            event = json.loads(line)
            if event["event"] != "epoch":
                self.assertEqual({name for name, value in event.items() if isinstance(value, str)} - texts, set(), event)
        self.assertEqual({event["as"] for event in self.events(self.out, "joined")}, {"expected"})

    def test_the_log_has_a_line_of_each_epoch(self):
        self.rota(*self.small_lda(self.out, "--epochs=9", "--shards=2", "--checkpoint_seconds=0"))
        lines = [line for line in (self.out / "log/coordinator-0.log").read_text().splitlines() if "event=epoch" in line]
        self.assertEqual(len(lines), 10)
        for line, epoch in zip(lines, self.events(self.out, "epoch")):
            fields = dict(field.split("=") for field in line.split("event=epoch ")[1].split())
            self.assertEqual(line[0], "I")
            self.assertEqual((int(fields["epoch"]), int(fields["epochs"])), (epoch["epoch"], 9))
            self.assertAlmostEqual(float(fields["objective"]), epoch["objective"], places=5)
            self.assertAlmostEqual(sum(float(fields[part]) for part in ("compute", "wire", "wait")), 1, places=2)
            self.assertEqual(int(fields["memory"]), max(epoch["memory_bytes"]))
            self.assertIn(fields["slowest"], ("worker-0", "worker-1"))
            self.assertLess(int(fields.get("checkpoint_epoch", -1)), epoch["epoch"])
            self.assertEqual("checkpoint_age_seconds" in fields, "checkpoint_epoch" in fields)

    def test_the_log_has_the_newest_checkpoint(self):
        run = self.start(*self.small_lda(self.out, "--epochs=1000000", "--shards=2", "--checkpoint_seconds=0"))
        of = lambda name: self.events(self.out, name) if (self.out / "events.jsonl").exists() else []
        self.wait_for("an epoch after the second checkpoint",
                      lambda: len(of("checkpoint")) > 1 and of("epoch")[-1]["time"] > of("checkpoint")[1]["time"])
        run.terminate()
        self.ended(run, 143)
        newest = [line for line in (self.out / "log/coordinator-0.log").read_text().splitlines() if "event=epoch" in line][-1]
        self.assertGreater(int(re.search(r" checkpoint_epoch=(\d+) checkpoint_age_seconds=", newest).group(1)), 0)

    def test_none_and_lines(self):
        done = self.rota(*self.small_lda(self.out, "--epochs=2", "--workers=1", "--progress=none"))
        self.assertEqual(done.stderr, "")
        self.assertRegex(done.stdout, "^done: 2 epochs in .*\n$")
        done = self.rota(*self.small_lda(self.folder / "b", "--epochs=2", "--shards=2"))
        self.assertRegex(done.stderr, "(?s)reading the input\nepoch 0/2  [^\n]*\nepoch 1/2  objective [^\n]* left\n"
                                       "epoch 2/2 [^\n]* workers\n$")

    def test_a_bar_on_a_terminal(self):
        ours, its = pty.openpty()
        self.addCleanup(os.close, ours)
        run = subprocess.Popen(self.command(*self.small_lda(self.out, "--epochs=30", "--shards=2")), stderr=its,
                               stdout=subprocess.PIPE, text=True)
        os.close(its)
        self.addCleanup(self._end, run)
        shown = b""
        while True:
            try:
                shown += os.read(ours, 4096)
            except OSError:  # the last that had it open has ended
                break
        self.ended(run)
        self.assertRegex(shown, rb"\r\x1b\[K\[#####\.\.\.\.\.\] 1[5-7]/30 .* left")
        self.assertRegex(shown, rb"\r\x1b\[K\[##########\] 30/30 [^\r]* workers\r\n$", "it stays")
