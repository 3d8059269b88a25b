#!/usr/bin/env python3
"""Jobs that `rota manifest kubernetes` writes, in a real Kubernetes, while pods are deleted and the node is drained.

usage: ROTA_BIN=build/release/bin tests/kubernetes/kubernetes_test.py FOLDER [TEST ...]
FOLDER: what build.sh made.  Needs root; takes 7 minutes, or 15 on a machine that has other work.

Kubernetes is 1.20 here, as Debian has it, so what is newer in the manifests is replaced (see for_1_20): the policy
for failures is left out, and of an indexed Job each index becomes a Job.
"""
import contextlib
import copy
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import time
import unittest

import yaml
from cluster import Cluster, rota_root

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
BIN = pathlib.Path(os.environ.get("ROTA_BIN", REPOSITORY / "build/release/bin")).resolve()
PLUGINS = BIN.parent / "lib/rota/plugins"
USER = 65532
LIMIT = 240  # seconds for anything that is awaited
LDA = ["lda", "--input=/data/docword.kos.txt.gz", "--topics=20", "--shards=8", "--checkpoint_seconds=1"]
PAGERANK = ["pagerank", "--input=/data/links.txt", "--shards=8", "--epochs=20"]


def for_1_20(documents):
    for document in documents:
        if document["kind"] != "Job":
            yield document
            continue
        spec = document["spec"]
        container = spec["template"]["spec"]["containers"][0]
        container["resources"]["requests"]["cpu"] = "50m"  # whatever this machine has
        del spec["podFailurePolicy"]
        if "completionMode" not in spec:
            yield document
            continue
        count = spec["completions"]
        for field in ("completionMode", "completions", "parallelism", "backoffLimitPerIndex"):
            del spec[field]
        for index in range(count):
            one = copy.deepcopy(document)
            one["metadata"]["name"] += f"-{index}"
            one["spec"]["backoffLimit"] = 20
            one["spec"]["template"]["spec"]["containers"][0]["env"] = [{"name": "JOB_COMPLETION_INDEX", "value": str(index)}]
            yield one


class KubernetesTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.cluster = CLUSTER
        cls.folder = cls.cluster.folder
        root = cls.folder / "image"
        rota_root(root, sorted(BIN.glob("rota*")), [PLUGINS / "lda.so", PLUGINS / "pagerank.so"])
        for tag in ("1", "2"):
            (root / "version").write_text(tag, encoding="utf-8")
            cls.cluster.load_image(f"localhost/rota:{tag}", root, "/usr/bin/rota")
        cls.data = cls.folder / "claims/data"
        cls.data.mkdir(parents=True)
        (cls.folder / "claims/runs").mkdir()
        shutil.copy(REPOSITORY / "apps/lda/sample/docword.kos.txt.gz", cls.data)
        (cls.data / "links.txt").write_text("".join(f"{i % 997} {i * i % 1009}\n" for i in range(20000)), encoding="utf-8")
        for claim in ("data", "runs"):
            cls.apply([
                {"apiVersion": "v1", "kind": "PersistentVolume", "metadata": {"name": claim}, "spec": {
                    "capacity": {"storage": "1Gi"}, "accessModes": ["ReadWriteOnce"], "storageClassName": "",
                    "claimRef": {"namespace": "default", "name": claim}, "local": {"path": str(cls.folder / "claims" / claim)},
                    "nodeAffinity": {"required": {"nodeSelectorTerms": [{"matchExpressions": [
                        {"key": "kubernetes.io/hostname", "operator": "In", "values": ["node"]}]}]}}}},
                {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": claim}, "spec": {
                    "accessModes": ["ReadWriteOnce"], "storageClassName": "", "volumeName": claim,
                    "resources": {"requests": {"storage": "1Gi"}}}}])
        cls.cluster.wait_for("the claims", lambda: cls.kubectl(
            "get", "pvc", "-o", "jsonpath={.items[*].status.phase}") == "Bound Bound")
        cls.models = {}

    @classmethod
    def kubectl(cls, *words, **settings):
        return cls.cluster.kubectl(*words, **settings).stdout

    @classmethod
    def apply(cls, documents):
        cls.kubectl("apply", "-f", "-", input=yaml.safe_dump_all(documents))

    def setUp(self):
        self.begin = time.monotonic()
        self.name = self._testMethodName.removeprefix("test_").replace("_", "-")[:30].rstrip("-")
        self.addCleanup(self.end)

    def end(self):
        if not self._outcome.success:
            self.say(self.kubectl("get", "pods,jobs", "-o", "wide"))
            for pod in self.pods():
                self.say(pod, self.kubectl("describe", "pod", pod, check=False)[-1500:],
                         self.kubectl("logs", pod, "--tail=20", check=False))
        self.kubectl("delete", "jobs,services,pods", "--all", "--grace-period=5")
        self.say(f"{time.monotonic() - self.begin:.1f} s")

    def say(self, *what):
        print("   ", self.name + ":", *what, flush=True)

    def start(self, job, *flags, image="localhost/rota:1"):
        run = subprocess.run([BIN / "rota", "manifest", "kubernetes", *job, f"--out=/runs/{self.out.name}", f"--image={image}",
                              "--claims=data:/data,runs:/runs", f"--name={self.name}", *flags],
                             capture_output=True, text=True, timeout=60, check=False)
        self.assertEqual(run.returncode, 0, run.stderr)
        self.apply(for_1_20(list(yaml.safe_load_all(run.stdout))))

    def make_keys(self):
        """As the head of the manifest says."""
        keys = self.folder / f"keys-{self.name}"
        subprocess.run([BIN / "rota", "keys", keys], check=True, capture_output=True)
        self.kubectl("create", "secret", "generic", f"{self.name}-observer", f"--from-file={keys}/observer.secret",
                     *(f"--from-file={one}" for one in keys.glob("*.public")))
        for role in ("coordinator", "scheduler", "kvstore", "worker"):
            self.kubectl("create", "secret", "generic", f"{self.name}-{role}", f"--from-file={keys}/{role}.secret")

    def model_of(self, job):
        """The model_hash of `rota train` on this machine."""
        key = tuple(job)
        if key not in self.models:
            out = self.folder / f"local-{len(self.models)}"
            subprocess.run([BIN / "rota", "train", *(word.replace("/data/", f"{self.data}/") for word in job), f"--out={out}"],
                           check=True, capture_output=True, timeout=LIMIT)
            self.models[key] = json.loads((out / "result.json").read_text(encoding="utf-8"))["model_hash"]
        return self.models[key]

    @property
    def out(self):
        return self.folder / "claims/runs" / f"{self.name}, it's $(HOME) été"

    def pods(self, component=None, phase=None):
        selector = f"app.kubernetes.io/instance={self.name}" + (f",app.kubernetes.io/component={component}" if component else "")
        pods = json.loads(self.kubectl("get", "pods", "-l", selector, "-o", "json"))["items"]
        return [pod["metadata"]["name"] for pod in pods if phase is None or pod["status"]["phase"] == phase]

    def events(self, name):
        file = self.out / "events.jsonl"
        lines = file.read_text(encoding="utf-8").splitlines() if file.exists() else []
        return [event for event in map(json.loads, lines) if event["event"] == name]

    def wait_for_epoch(self, epoch):
        self.cluster.wait_for(f"a checkpoint of epoch {epoch}",
                              lambda: any(event["epoch"] >= epoch for event in self.events("checkpoint")), LIMIT)

    def wait_until_complete(self, job):
        def jobs():
            return json.loads(self.kubectl("get", "jobs", "-l", f"app.kubernetes.io/instance={self.name}", "-o", "json"))["items"]
        self.cluster.wait_for("all Jobs", lambda: all(
            any(one["type"] == "Complete" for one in job["status"].get("conditions", ())) for job in jobs()), LIMIT)
        hashed = json.loads((self.out / "result.json").read_text(encoding="utf-8"))["model_hash"]
        self.say("model_hash", hashed)
        self.assertEqual(hashed, self.model_of(job))

    # One pod.

    def test_one_pod_trains(self):
        for job in (LDA + ["--epochs=20"], PAGERANK):
            with self.subTest(app=job[0]):
                self.name = f"one-pod-{job[0]}"
                self.start(job)
                self.wait_until_complete(job)

    def test_one_pod_is_deleted(self):
        job = LDA + ["--epochs=500"]
        self.start(job)
        self.wait_for_epoch(60)
        begin = time.monotonic()
        self.kubectl("delete", "pod", *self.pods())
        self.say(f"the pod was gone after {time.monotonic() - begin:.1f} s")
        self.wait_until_complete(job)
        self.assertEqual(len(self.events("resume")), 1)

    def test_the_image_is_updated(self):
        job = LDA + ["--epochs=500"]
        self.start(job)
        self.wait_for_epoch(60)
        self.kubectl("delete", "job", self.name)
        self.cluster.wait_for("the end of the pod", lambda: not self.pods(), LIMIT)
        self.start(job, image="localhost/rota:2")
        self.wait_until_complete(job)
        self.assertEqual(len(self.events("resume")), 1)

    def drain(self):
        """Until no pod is left.  The kubelet of 1.20 may take a minute for pods whose processes have ended."""
        self.addCleanup(self.kubectl, "uncordon", "node")
        self.kubectl("drain", "node", "--force", "--delete-emptydir-data", f"--timeout={LIMIT}s", timeout=LIMIT + 10)
        self.assertEqual(self.pods(phase="Running"), [])
        self.kubectl("uncordon", "node")

    def test_the_node_is_drained(self):
        job = LDA + ["--epochs=500"]
        self.start(job)
        self.wait_for_epoch(60)
        self.drain()
        self.wait_until_complete(job)
        self.assertEqual(len(self.events("resume")), 1)

    # A pod for each process, with keys.

    def start_pods(self, job, *flags):
        self.make_keys()
        self.start(job + ["--workers=2", *flags], "--pods")

    def test_pods_train(self):
        for job, flags in ((LDA + ["--epochs=20"], ["--stores=1"]), (PAGERANK, [])):
            with self.subTest(app=job[0]):
                self.name = f"pods-{job[0]}"
                self.start_pods(job, *flags)
                self.wait_until_complete(job)

    def delete(self, component):
        self.kubectl("delete", "pod", self.pods(component)[0])

    def kill(self, component):
        """The first process of such a pod, as if its node had lost its power."""
        for process in pathlib.Path("/proc").glob("[0-9]*"):
            with contextlib.suppress(OSError):
                words = (process / "cmdline").read_text(encoding="utf-8").split("\0")
                is_role = words[0] == f"{component}-0" or f"--role={component}" in words
                if is_role and f"--coordinator=tcp://{self.name}:7700" in words:
                    os.kill(int(process.name), signal.SIGKILL)
                    return
        self.fail(f"no {component} is running")

    def lose(self, component, how):
        job = LDA + ["--epochs=500"]
        self.start_pods(job, *(["--stores=1"] if component == "kvstore" else []))
        self.wait_for_epoch(60)
        begin = time.monotonic()
        how(component)
        self.say(f"a {component} was gone after {time.monotonic() - begin:.1f} s")
        self.wait_until_complete(job)

    def test_a_worker_is_deleted(self):
        self.lose("worker", self.delete)
        self.assertEqual(len(self.events("resume")), 0, "the others go on")
        self.assertEqual(len(self.events("joined")), 4, "its successor joins a scheduler and two workers")

    def test_a_worker_is_killed(self):
        self.lose("worker", self.kill)
        self.assertEqual((len(self.events("rollback")), len(self.events("resume"))), (1, 0), "the others go on")

    def test_a_store_is_killed_and_its_disk_is_lost(self):
        self.lose("kvstore", self.kill)
        self.assertEqual(len(self.events("rollback")), 1)

    def test_a_scheduler_is_killed(self):
        self.lose("scheduler", self.kill)
        self.assertEqual(len(self.events("rollback")), 1)

    def test_the_coordinator_is_deleted(self):
        self.lose("coordinator", self.delete)
        self.assertEqual(len(self.events("resume")), 1)

    def test_the_coordinator_is_killed(self):
        self.lose("coordinator", self.kill)
        self.assertEqual(len(self.events("resume")), 1)

    def test_all_pods_are_drained(self):
        job = LDA + ["--epochs=500"]
        self.start_pods(job)
        self.wait_for_epoch(60)
        self.drain()
        self.wait_until_complete(job)


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    with Cluster(pathlib.Path(sys.argv.pop(1)).resolve() / "bin") as CLUSTER:
        program = unittest.main(verbosity=2, exit=False)
    sys.exit(not program.result.wasSuccessful())
