#!/usr/bin/env python3
"""`rota web`, `rota report`, `rota plot` and `rota top` on real runs: what a browser would get, and what it must not get."""
import http.client
import json
import os
import pathlib
import re
import shutil
import signal
import time
import unittest
import urllib.parse
import xml.etree.ElementTree

import rota_run

POLICY = "default-src 'none'; script-src 'self'"


class Web:
    """A `rota web`, and requests to it."""

    def __init__(self, test, *arguments):
        self.process = test.start("web", *arguments)
        self.url = self.process.stdout.readline().strip()
        found = re.fullmatch(r"http://([^/:]+):(\d+)(/.*)", self.url)
        test.assertTrue(found, self.url)
        self.host, self.port, self.path = found.group(1), int(found.group(2)), found.group(3)

    def request(self, path, method="GET", headers=None, raw=False):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=rota_run.LIMIT)
        connection.request(method, path if raw else self.path + path, headers=headers or {"Host": f"{self.host}:{self.port}"})
        return connection.getresponse()

    def get(self, path, **query):
        answer = self.request(path + ("?" + urllib.parse.urlencode(query) if query else ""))
        return answer.status, answer.read()

    def json(self, path, **query):
        status, body = self.get(path, **query)
        if status != 200:
            raise AssertionError(f"{path}: {status} {body[:200]}")
        return json.loads(body)

    def follow(self, name, metrics, events, headers=None):
        """Parts of the event stream as (event, data)."""
        query = urllib.parse.urlencode({"name": name, "metrics": metrics, "events": events})
        answer = self.request("api/follow?" + query, headers={"Host": "localhost", **(headers or {})})
        kind = None
        for line in answer:
            line = line.decode().rstrip("\n")
            if line.startswith("event: "):
                kind = line[7:]
            elif line.startswith("data: "):
                yield kind, json.loads(line[6:])

    def stop(self, test, how=signal.SIGINT):
        self.process.send_signal(how)
        test.ended(self.process)


class WebTest(rota_run.RotaTest):
    def train(self, name="runs/a run", *flags):
        out = self.folder / name
        self.rota(*self.lda(out, "--topics=10", "--epochs=3", *flags))
        return out

    def test_a_run_that_is_done(self):
        out = self.train()
        web = Web(self, out)
        self.assertEqual([run["state"] for run in web.json("api/runs")["runs"]], ["done"])
        run = web.json("api/run", name="a run")
        self.assertEqual(run["metrics"]["records"], self.metrics(out))
        self.assertEqual([event["event"] for event in run["events"]["records"]],
                         [e["event"] for e in map(json.loads, (out / "events.jsonl").read_text().splitlines())
                          if e["event"] != "epoch"])
        self.assertEqual(run["result"], self.result(out))
        self.assertEqual(run["problems"], [])
        self.assertEqual(run["options"]["topics"], "10")
        self.assertIn("worker-0.log", [log["name"] for log in web.json("api/logs", name="a run")["logs"]])
        tables = {table["name"]: table for table in web.json("api/model", name="a run")["tables"]}
        self.assertEqual(len(tables["topics.txt"]["rows"]), 10)
        self.refuse_all_but_looking(web)
        web.stop(self)

    def refuse_all_but_looking(self, web):
        page = web.request("")
        self.assertEqual(page.status, 200)
        self.assertTrue(page.getheader("Content-Security-Policy").startswith(POLICY))
        self.assertEqual(page.getheader("X-Content-Type-Options"), "nosniff")
        self.assertIsNone(page.getheader("Set-Cookie"))
        for method in ("POST", "PUT", "DELETE", "OPTIONS", "PATCH", "TRACE"):
            self.assertIn(web.request("api/runs", method).status, (400, 405), method)
        for host in ("evil.example", "10.1.2.3", "127.0.0.1.evil.example"):
            self.assertEqual(web.request("api/runs", headers={"Host": host}).status, 421, host)
        for path in ("/../flags.txt", "/%2e%2e/flags.txt", "/..%2fflags.txt", "//etc/passwd", "/flags.txt", "/%00",
                     "/api/log?name=a+run&file=..%2Fflags.txt", "/api/log?name=a+run&file=%2Fetc%2Fpasswd",
                     "/api/log?name=..&file=worker-0.log", "/api/run?name=..%2Fa+run", "/api/run?name=",
                     "/api/run?name=%ff"):
            self.assertEqual(web.request(path, raw=True).status, 404, path)

    def test_runs_in_a_folder_and_one_that_grows(self):
        (self.folder / "runs").mkdir()
        web = Web(self, self.folder / "runs")
        self.assertEqual(web.json("api/runs")["runs"], [])
        out = self.folder / "runs/live"
        run = self.start(*self.lda(out, "--epochs=400", "--checkpoint_seconds=0.5"))
        self.wait_for("an epoch", lambda: out.exists() and (out / "metrics.jsonl").exists() and len(self.metrics_so_far(out)) > 2)
        brief = web.json("api/runs")["runs"][0]
        self.assertEqual((brief["name"], brief["state"], brief["app"]), ("live", "running", "lda"))
        known = web.json("api/run", name="live")
        seen = []
        for kind, data in web.follow("live", known["metrics"]["lines"], known["events"]["lines"]):
            seen.append(kind)
            if kind == "metrics":
                self.assertGreaterEqual(data["epoch"], known["metrics"]["records"][-1]["epoch"])
            if seen.count("metrics") > 3 and "state" in seen:
                break
        run.send_signal(signal.SIGINT)
        self.ended(run, 130)
        self.wait_for("the end", lambda: web.json("api/runs")["runs"][0]["state"] == "ended")
        self.assertEqual(web.json("api/runs")["runs"][0]["exit"], 130)
        top = self.rota("top", out).stdout
        self.assertIn("ended, exit code 130", top)
        self.assertIn("computing", top)
        web.stop(self, signal.SIGTERM)

    def metrics_so_far(self, out):
        return (out / "metrics.jsonl").read_text().splitlines()

    def test_another_address_needs_the_token(self):
        self.write_small_corpus()
        self.rota(*self.small_lda(self.folder / "run", "--epochs=2"))
        web = Web(self, self.folder / "run", "--host=0.0.0.0")
        self.assertRegex(web.path, r"^/[0-9a-f]{32}/$")
        self.assertEqual(web.json("api/runs")["runs"][0]["name"], "run")
        for path in ("/", "/api/runs", "/app.js", "/" + "0" * 32 + "/api/runs"):
            self.assertEqual(web.request(path, raw=True).status, 403, path)
        web.stop(self)
        web = Web(self, self.folder / "run", "--secret")
        self.assertEqual((web.request("/api/runs", raw=True).status, web.get("api/runs")[0]), (403, 200))
        web.stop(self)

    def test_a_rollback_is_told(self):
        self.write_small_corpus()
        out = self.folder / "run"
        self.rota(*self.small_lda(out, "--epochs=5"))
        web = Web(self, out)
        lines = web.json("api/run", name="run")["metrics"]["lines"]
        stream = web.follow("run", lines, 0)
        next(stream)
        kept = "".join(line + "\n" for line in self.metrics_so_far(out)[:2])
        (self.folder / "other").write_text(kept)
        os.replace(self.folder / "other", out / "metrics.jsonl")
        self.assertIn("reset", [kind for kind, _ in stream], "the stream ends with it")
        self.assertEqual(web.json("api/run", name="run")["metrics"]["lines"], 2)
        web.stop(self)

    def test_the_model_of_a_checkpoint(self):
        out = self.train()
        web = Web(self, out)
        (out / "result.json").unlink()
        shutil.rmtree(out / "model")
        files = lambda: {path: path.stat().st_mtime_ns for path in out.rglob("*")}
        before = files()
        self.assertEqual(web.json("api/model", name="a run"), {"epoch": None, "tables": []})
        shown = web.json("api/model", name="a run", fresh=1)
        self.assertEqual(shown["epoch"], 3)
        text = self.folder / "text"
        self.rota("export", "lda", f"--model={out}", f"--output={text}")
        tables = {table["name"]: table for table in shown["tables"]}
        self.assertEqual(set(tables), {path.name for path in text.iterdir()} - {"README.txt"})
        lines = (text / "topic_map.csv").read_text().splitlines()
        self.assertEqual([tables["topic_map.csv"]["columns"], *tables["topic_map.csv"]["rows"]],
                         [lines[0].split(","), *[[json.loads(cell) for cell in line.split(",")] for line in lines[1:]]])
        self.assertEqual(files(), before)
        web.stop(self)

    def test_a_long_run_opens_fast(self):
        self.write_small_corpus()
        out = self.folder / "run"
        self.rota(*self.small_lda(out, "--epochs=2"))
        record = self.metrics(out)[-1]
        with open(out / "metrics.jsonl", "w") as metrics, open(out / "events.jsonl", "a") as events:
            for epoch in range(100_000):
                record["epoch"] = epoch
                text = json.dumps(record)[1:]
                metrics.write("{" + text + "\n")
                events.write('{"event":"epoch","time":%d,%s\n' % (1_700_000_000 + epoch, text))
                if epoch % 10 == 0:
                    events.write('{"event":"checkpoint","time":%d,"epoch":%d}\n' % (1_700_000_000 + epoch, epoch))
        web = Web(self, out)
        began = time.monotonic()
        run = web.json("api/run", name="run")
        took = time.monotonic() - began
        records = run["metrics"]["records"]
        self.assertEqual((len(records), records[0]["epoch"], records[-1]["epoch"]), (2000, 0, 99_999))
        self.assertEqual(len(run["events"]["records"]), 10_000)
        self.assertLess(took, 20, "a build without optimisation on a busy machine")
        memory = pathlib.Path(f"/proc/{web.process.pid}/status").read_text().split("VmHWM:")[1].split()[0]
        self.assertLess(int(memory), 300_000, "kB")
        web.stop(self)

    def test_a_report_is_one_file(self):
        out = self.train()
        other = self.train("other/a run", "--seed=8")
        file = self.folder / "the report.html"
        self.rota("report", out, other.parent, f"--output={file}")
        page = file.read_text()
        data = json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.S).group(1))
        self.assertEqual([run["name"] for run in data["runs"]], ["a run", "a run (2)"])
        self.assertEqual(data["runs"][0]["metrics"]["records"], self.metrics(out))
        self.assertEqual(data["runs"][1]["result"], self.result(other))
        self.assertNotRegex(page, r'(src|href)="(?!data:|#)', "nothing is loaded")
        self.assertIn("default-src 'none'", page)
        script = self.folder / "page.mjs"
        script.write_text(re.search(r'<script type="module">(.*?)</script>', page, re.S).group(1))
        self.program([shutil.which("node"), "--check", script])
        self.rota("report", "--compare", out, other, f"--output={file}")
        self.assertIn('id="data">{"compare":true,"runs":[', file.read_text())
        self.rota("report", out, "--compare", f"--output={file}", code=2, error="--compare needs at least two runs")
        self.rota("report", out, f"--output={file}")
        mine = self.folder / "mine.html"
        mine.write_text("<!doctype html>precious")
        self.rota("report", out, f"--output={mine}", code=73, error="no report")
        self.assertEqual(mine.read_text(), "<!doctype html>precious")

    def plot(self, *arguments):
        """The texts of the picture and its curves, each as a list of lines, each a list of points."""
        tag = "{http://www.w3.org/2000/svg}"
        picture = xml.etree.ElementTree.fromstring(self.rota("plot", *arguments).stdout)
        colours = {"#ddd", "#000"}  # of the grid and the axes
        paths = [path.get("d") for path in picture.iter(tag + "path") if path.get("stroke") not in colours]
        lines = [[line.split("L") for line in path.split("M")[1:]] for path in paths]
        return [text.text for text in picture.iter(tag + "text")], lines

    def test_a_plot(self):
        out = self.train("runs/a <run> & more")
        lines = self.metrics_so_far(out)
        texts, curves = self.plot(out)
        self.assertEqual([[len(line) for line in curve] for curve in curves], [[len(lines)]])
        self.assertIn("epoch", texts)
        self.assertTrue(any(text.startswith("objective") for text in texts), texts)
        # Another run, with a gap, and one that is not evaluated.
        other = self.folder / "runs/caf\u00e9"
        shutil.copytree(out, other)
        record = self.metrics(out)[0]
        records = [{**record, "epoch": epoch, "seconds": 1000 * epoch, "objective": None if epoch == 3 else 10.0 ** epoch}
                   for epoch in range(6)]
        (other / "metrics.jsonl").write_text("".join(json.dumps(one) + "\n" for one in records))
        fresh = self.folder / "runs/fresh"
        shutil.copytree(out, fresh)
        (fresh / "metrics.jsonl").unlink()
        texts, curves = self.plot(out, other, "--x=seconds")
        self.assertEqual([[len(line) for line in curve] for curve in curves[:2]], [[len(lines)], [3, 2]])
        self.assertEqual(texts[-2:], ["a <run> & more", "caf\u00e9"])
        self.assertIn("training time (min)", texts)
        self.assertIn("fresh has no evaluation yet", self.rota("plot", out.parent).stderr)
        self.assertIn("10\u2074", self.plot(other, "--log")[0])
        self.assertIn("tokens per second", " ".join(self.plot(other, "--y=items_per_second")[0]))
        self.rota("plot", fresh, code=66, error="no evaluation")
        self.rota("plot", out, "--y=objectve", code=2, error="objective, ")
        self.rota("plot", out, "--x=hours", code=2, error="epoch|seconds")
        self.rota("plot", out, "--format=png", code=2, error="svg")
        mine = self.folder / "mine.svg"
        mine.write_text("<svg/>")
        self.rota("plot", out, f"--output={mine}", code=73, error="no plot")
        self.assertEqual(mine.read_text(), "<svg/>")
        mine.write_text("")
        for arguments in (out, other):
            self.rota("plot", arguments, f"--output={mine}")
        self.assertEqual(mine.read_text(), self.rota("plot", other).stdout)

    def test_what_is_no_run(self):
        nothing = self.folder / "nothing"
        for command in ("web", "top", "report", "plot"):
            words = [f"--output={self.folder}/x.html"] if command == "report" else []
            self.rota(command, nothing, *words, code=66)
            self.rota(command, *words, code=2, error="which run?")
        nothing.mkdir()
        self.rota("top", nothing, code=66, error="no run here")
        self.rota("report", nothing, f"--output={self.folder}/x.html", code=66, error="no run here")
        self.rota("report", nothing, code=2, error="into which file?")
        self.rota("plot", nothing, code=66, error="no run here")
        self.rota("web", nothing, "--host=192.0.2.1", code=2, error="no address of this machine")
        web = Web(self, nothing)
        self.rota("web", nothing, f"--port={web.port}", code=2, error="in use")
        web.stop(self)

    def test_by_the_address_of_a_coordinator(self):
        self.write_small_corpus()
        out = self.folder / "run"
        run = self.start(*self.small_lda(out, "--epochs=1000000000", "--checkpoint_seconds=1"))
        self.wait_for("its address", lambda: (out / "address").exists() and (out / "metrics.jsonl").exists()
                      and self.metrics_so_far(out))
        address = (out / "address").read_text().strip()
        web = Web(self, address)
        brief = web.json("api/runs")["runs"][0]
        self.assertEqual((brief["state"], brief["app"]), ("running", "lda"))
        stream = (data["epoch"] for kind, data in web.follow(brief["name"], 0, 0) if kind == "metrics")
        first, second = next(stream), next(stream)
        self.assertLess(first, second)
        self.assertIn("phase training", self.rota("top", address).stdout)
        run.send_signal(signal.SIGINT)
        self.ended(run, 130)
        self.wait_for("the silence", lambda: web.json("api/runs")["runs"][0]["state"] == "stale")
        web.stop(self)


if __name__ == "__main__":
    unittest.main()
