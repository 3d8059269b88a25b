"""--metrics, read by Debian's Prometheus: what it has of a run is what the run's records have, no counter falls when the
coordinator is killed, and the alerts and the dashboard of deploy/monitoring work with it."""
import http.client
import json
import math
import re
import shutil
import socket
import subprocess
import time
import unittest
import urllib.parse
import urllib.request

from rota_run import SOURCE, KOS, RotaTest, kill

MONITORING = SOURCE / "deploy/monitoring"
INSTALLED = shutil.which("prometheus") and shutil.which("promtool")
SCRAPE_SECONDS = 1
FIRST_SECONDS = 20  # Prometheus opens its database, and waits for its own place in the interval


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def get(port, path="/metrics", method="GET", host=None):
    """(status, body)"""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
    connection.request(method, path, headers={"Host": host} if host else {})
    answer = connection.getresponse()
    body = answer.read().decode()
    connection.close()
    return answer.status, body


@unittest.skipUnless(INSTALLED, "prometheus and promtool, of Debian's package prometheus")
class Prometheus(RotaTest):
    def setUp(self):
        super().setUp()
        self.port, self.own_port = free_port(), free_port()
        self.out = self.folder / "run"

    def start_prometheus(self):
        config = self.folder / "prometheus.yml"
        config.write_text(
            f"global: {{scrape_interval: {SCRAPE_SECONDS}s, evaluation_interval: 1s}}\n"
            f"rule_files: ['{MONITORING}/alerts.yml']\n"
            f"scrape_configs: [{{job_name: rota, static_configs: [{{targets: ['127.0.0.1:{self.port}']}}]}}]\n")
        self.program(["promtool", "check", "config", config])
        with open(self.folder / "prometheus.log", "wb") as log:
            server = subprocess.Popen(
                ["prometheus", f"--config.file={config}", f"--storage.tsdb.path={self.folder}/tsdb",
                 f"--web.listen-address=127.0.0.1:{self.own_port}"], stdout=log, stderr=log)
        self.addCleanup(self._end, server)

    def ask(self, query, at=None):
        """The samples of an instant query: [(labels, value)]."""
        words = {"query": query, **({"time": at} if at else {})}
        url = f"http://127.0.0.1:{self.own_port}/api/v1/query?{urllib.parse.urlencode(words)}"
        try:
            with urllib.request.urlopen(url, timeout=10) as answer:
                found = json.load(answer)
        except urllib.error.HTTPError as error:
            self.assertEqual(error.code, 503, (query, error.read()))  # it reads its database
            return []
        except OSError:
            return []  # it does not listen yet
        return [(one["metric"], float(one["value"][1])) for one in found["data"]["result"]]

    def value(self, query, at=None):
        found = self.ask(query, at)
        self.assertEqual(len(found), 1, query)
        return found[0][1]

    def train(self, command="train", *flags):
        words = self.lda(self.out, f"--valid={KOS}", "--topics=20", "--epochs=100000", "--eval_every=1", "--workers=2",
                         "--checkpoint_seconds=0.5", *flags) if command == "train" else ["resume", self.out, *flags]
        return self.start(*words, f"--metrics=127.0.0.1:{self.port}")

    def wait_for_epochs(self, run, more=3):
        start = self.ask("rota_epoch")
        aim = (start[0][1] if start else 0) + more
        self.wait_for("epochs in Prometheus",
                      lambda: self.assertIsNone(run.poll()) or self.ask(f"rota_epoch >= {aim} and on (instance) (up == 1)"))

    def expect_the_records(self):
        """At one moment, Prometheus has what metrics.jsonl has until the epoch of its newest scrape."""
        at = time.time()
        epoch = self.value("rota_epoch", at)
        records = [m for m in self.metrics(self.out) if m["epoch"] <= epoch]
        newest = records[-1]
        self.assertEqual(newest["epoch"], epoch)
        for metric, field in (("rota_objective", "objective"), ("rota_valid_score", "valid"), ("rota_epochs", "epochs"),
                              ("rota_items_per_second", "items_per_second"), ("rota_training_seconds", "seconds")):
            self.assertEqual(self.value(metric, at), newest[field], metric)
        for name, number in newest["terms"].items():
            self.assertEqual(self.value(f'rota_term{{name="{name}"}}', at), number, name)
        self.assertEqual(self.value("rota_computed_epochs_total", at), len(records))
        for metric, field in (("items", "items"), ("sent_bytes", "bytes_sent"), ("slice_bytes", "slice_bytes"),
                              ("exchange_bytes", "exchange_bytes")):
            self.assertEqual(self.value(f"rota_{metric}_total", at), sum(m.get(field, 0) for m in records), metric)
        for field in ("compute_seconds", "wire_seconds", "wait_seconds"):
            for worker in (0, 1):
                self.assertAlmostEqual(self.value(f'rota_worker_{field}_total{{worker="worker-{worker}"}}', at),
                                       sum(m[field][worker] for m in records), places=6)
        for field in ("memory_bytes", "peak_memory_bytes"):
            for worker in (0, 1):
                self.assertEqual(self.value(f'rota_worker_{field}{{worker="worker-{worker}"}}', at), newest[field][worker])
                self.assertGreater(newest[field][worker], 1e6)
        return epoch

    def expect_the_dashboard(self):
        dashboard = json.loads((MONITORING / "grafana-dashboard.json").read_text())
        queries = [target["expr"] for panel in dashboard["panels"] for target in panel["targets"]]
        self.assertGreater(len(queries), 10)
        for query in queries:
            found = self.ask(query.replace("$__rate_interval", "5s").replace("$run", ".*"))
            self.assertTrue(found, query)
            self.assertFalse([one for one in found if math.isnan(one[1])], query)
        self.assertEqual(len({panel["id"] for panel in dashboard["panels"]}), len(dashboard["panels"]))

    def expect_the_server(self):
        address = re.search(r"metrics +(\S+)", self.rota("status", self.out).stdout).group(1)
        self.assertEqual(address, f"http://127.0.0.1:{self.port}/metrics")
        self.assertEqual(self.events(self.out, "metrics")[-1]["address"], address)
        status, text = get(self.port)
        self.assertEqual(status, 200)
        self.program(["promtool", "check", "metrics"], input=text, error="")
        self.assertEqual(subprocess.run(["promtool", "check", "metrics"], input=text, capture_output=True, text=True).stderr, "")
        self.assertEqual([get(self.port, "/")[0], get(self.port, "/events.jsonl")[0]], [404, 404])
        self.assertEqual([get(self.port, method=method)[0] for method in ("POST", "PUT", "DELETE")], [405] * 3)
        self.assertEqual(get(self.port, host="rebound.example")[0], 421)

    def test_a_run_that_is_killed_and_resumed(self):
        self.start_prometheus()
        run = self.train()
        self.wait_for_epochs(run)
        self.expect_the_records()
        self.expect_the_server()
        # The launcher starts the coordinator again.
        kill([self.roles(self.out)["rota-coordinator-0"]])
        self.wait_for("a restart", lambda: self.events(self.out, "resume"))
        self.wait_for_epochs(run)
        self.kill_run(run, self.out)
        run = self.train("resume")
        self.wait_for_epochs(run)
        counters = [name for name in re.findall(r"# TYPE (\S+) counter", get(self.port)[1])]
        self.assertGreaterEqual(len(counters), 11)
        for counter in counters:
            self.assertTrue(self.ask(counter), counter)
            self.assertEqual({value for _, value in self.ask(f"resets({counter}[10m])")}, {0}, counter)
        self.assertEqual(self.value("rota_resumes_total"), 2)
        lost = len(self.events(self.out, "rollback"))
        self.assertEqual(self.value("rota_rollbacks_total"), lost)
        self.expect_the_dashboard()
        # One that was pending while the run recovered is there until the rules are evaluated again.
        self.wait_for("the end of all alerts", lambda: self.ask("ALERTS") == [])
        self.assertEqual(len(json.load(urllib.request.urlopen(
            f"http://127.0.0.1:{self.own_port}/api/v1/rules", timeout=10))["data"]["groups"][0]["rules"]), 5)
        run.terminate()
        self.ended(run, 143)
        self.wait_for("the target to be down", lambda: self.value("up") == 0)

    def test_the_rules(self):
        self.program(["promtool", "check", "rules", MONITORING / "alerts.yml"])
        self.program(["promtool", "test", "rules", MONITORING / "alerts_test.yml"])
        names = lambda file: set(re.findall(r"(?:alert|alertname): (\w+)", (MONITORING / file).read_text()))
        self.assertEqual(names("alerts.yml"), names("alerts_test.yml"), "each alert has a test")


class Addresses(RotaTest):
    def test_an_address_that_cannot_be(self):
        self.write_small_corpus()
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            taken.listen()
            port = taken.getsockname()[1]
            for place, error in ((f"127.0.0.1:{port}", f"--metrics: cannot listen at 127.0.0.1:{port}: the port is in use"),
                                 ("192.0.2.1:0", "--metrics: cannot listen at 192.0.2.1:0: it is no address of this machine"),
                                 ("127.0.0.1:port", "--metrics"), ("no.such.host.invalid:0", "--metrics: cannot listen at 'no.such.host.invalid'")):
                with self.subTest(place=place):
                    out = self.folder / "run"
                    self.rota(*self.small_lda(out, f"--metrics={place}"), code=2, error=error)
                    if place.endswith(str(port)):
                        run_of_two = self.folder / "resumed"
                        self.rota(*self.small_lda(run_of_two, "--epochs=2", "--shards=2"))
                        (run_of_two / "result.json").unlink()
                        done = self.rota("resume", run_of_two, f"--metrics={place}")
                        self.assertIn(error, done.stderr)
                        self.assertIn("the run continues without", self.events(run_of_two, "warning")[0]["what"])
                    shutil.rmtree(out, ignore_errors=True)

    def test_no_client_can_hold_the_server(self):
        """With more idle connections than it serves at a time, the run goes on as it would; then it answers again."""
        self.write_small_corpus()
        out = self.folder / "run"
        run = self.start(*self.small_lda(out, "--metrics=127.0.0.1:0", "--epochs=1000000"))
        self.wait_for("an epoch", lambda: (out / "events.jsonl").exists() and self.events(out, "epoch"))
        port = int(re.search(r":(\d+)/metrics", self.events(out, "metrics")[0]["address"]).group(1))
        idle = [socket.create_connection(("127.0.0.1", port), timeout=10) for _ in range(12)]
        self.addCleanup(lambda: [one.close() for one in idle])
        before = self.events(out, "epoch")[-1]["epoch"]
        self.wait_for("epochs", lambda: self.events(out, "epoch")[-1]["epoch"] > before + 50)
        for one in idle:
            one.close()
        self.assertEqual(get(port)[0], 200)
        run.terminate()
        self.ended(run, 143)


if __name__ == "__main__":
    unittest.main()
