#!/usr/bin/env python3
"""`rota manifest kubernetes`: the options of a run as objects of Kubernetes, checked with its schemas."""
import pathlib
import re
import shutil
import subprocess
import unittest

import yaml
from rota_run import BIN, RotaTest

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
EXAMPLES = REPOSITORY / "deploy/kubernetes"
PACKAGES = REPOSITORY / "deploy/npm"
WHERE = ["--input=/data/docs.txt", "--out=/runs/topics", "--image=registry.example/rota:1",
         "--claims=docs:/data,runs:/runs"]
TOPICS = ["--name=topics", "--topics=100", "--threads=8", "--pod_memory=16Gi"]
WRITTEN = {"one-pod.yaml": ["lda", *WHERE, *TOPICS, "--workers=2"],
           "pods.yaml": ["lda", *WHERE, *TOPICS, "--workers=4", "--pods"]}
HOSTILE = ["it's \"so\": # no", "$(HOME) $$ $", "été ✓", "- a\\n", "{a: [b]}", "&a *b !c", "a\tb", " a ", "%x", "@y", "`z`"]


def manifest(*words):
    return subprocess.run([BIN / "rota", "manifest", "kubernetes", *words], capture_output=True, text=True, timeout=60)


def pod_of(job):
    return job["spec"]["template"]["spec"]


def arguments_of(job):
    """As the process gets them."""
    return [word.replace("$$", "$") for word in pod_of(job)["containers"][0]["args"]]


class ManifestTest(RotaTest):
    def written(self, *words):
        run = manifest(*words)
        self.assertEqual((run.returncode, run.stderr), (0, ""))
        return run.stdout

    @unittest.skipUnless(shutil.which("node") and (PACKAGES / "node_modules/kubernetes-models").exists(),
                         "SCHEMAS OF KUBERNETES ARE NOT INSTALLED: deploy/setup.sh tests")
    def problems(self, text):
        run = subprocess.run(["node", pathlib.Path(__file__).with_name("kubernetes_schema.cjs"), PACKAGES], input=text,
                             capture_output=True, text=True, timeout=60)
        self.assertEqual((run.returncode, run.stderr), (0, ""))
        return run.stdout.splitlines()

    def test_every_document_is_valid(self):
        for words in (*WRITTEN.values(), ["lda", *WHERE, "--pods", "--stores=2", "--insecure"],
                      ["lda", *WHERE, *(f"--vocab=/data/{text}" for text in HOSTILE)]):
            with self.subTest(words=words):
                self.assertEqual(self.problems(self.written(*words)), [])
        self.assertEqual(self.problems((EXAMPLES / "claims.yaml").read_text(encoding="utf-8")), [])

    def test_the_schemas_refuse_what_is_wrong(self):
        whole = self.written(*WRITTEN["pods.yaml"])
        for right, wrong, expected in (
                ("backoffLimit: 20", "backoffLimit: many", "backoffLimit must be integer"),
                ("restartPolicy: Never", "restartPolicy: 5", "restartPolicy must be string"),
                ("- action: FailIndex", "- action: Fail", "action must be equal to one of the allowed values"),
                ("operator: In", "", "must have required property operator"),
                ("backoffLimitPerIndex", "backofLimitPerIndex", "/spec/backofLimitPerIndex is not known"),
                ("mountPath: /tmp", "mountPath: /tmp\n              reedOnly: true",
                 "/spec/template/spec/containers/0/volumeMounts/0/reedOnly is not known")):
            with self.subTest(wrong=wrong):
                self.assertIn(right, whole)
                self.assertTrue(any(expected in one for one in self.problems(whole.replace(right, wrong))), expected)

    def test_the_arguments_are_those_of_the_command_line(self):
        for text in HOSTILE:
            flags = [f"--vocab=/data/{text}", "--topics=7"]
            written = self.written("lda", *WHERE, *flags)
            with self.subTest(text=text):
                [job] = yaml.safe_load_all(written)
                self.assertEqual(sorted(arguments_of(job)), sorted(["train", "lda", "--continue", *WHERE[:2], *flags]))
                if shutil.which("kubectl"):  # reads YAML as Kubernetes does
                    (self.folder / "run.yaml").write_text(written, encoding="utf-8")
                    (self.folder / "kustomization.yaml").write_text("resources: [run.yaml]\n", encoding="utf-8")
                    read = subprocess.run(["kubectl", "kustomize", self.folder], capture_output=True, text=True, timeout=60)
                    self.assertEqual(read.returncode, 0, read.stderr)
                    self.assertEqual(yaml.safe_load(read.stdout), job)

    def test_pods_have_the_slices_that_the_app_chooses(self):
        self.assertIn("- --slices_per_shard=8\n", self.written("mf", *WHERE, "--pods"))
        self.assertNotIn("slices", self.written("mf", *WHERE))

    def test_pods_are_not_tried_again_after_the_documented_codes(self):
        documented = re.search(r"^\| ([\d, ]+) \| leaves it.*\n\| ([\d, ]+) \| fails", (REPOSITORY / "docs/run-folder.md")
                               .read_text(encoding="utf-8"), re.M).groups()
        codes = sorted(int(code) for row in documented for code in row.split(", "))
        for words in WRITTEN.values():
            for job in yaml.safe_load_all(self.written(*words)):
                if job["kind"] == "Job":
                    self.assertEqual(job["spec"]["podFailurePolicy"]["rules"][0]["onExitCodes"]["values"], codes)

    def test_wrong_command_lines_are_usage(self):
        for words, expected in (
                (["lda", *WHERE, "--topix=3"], "the nearest is --topics"),
                (["lda", *WHERE, "--topics=none"], "--topics"),
                (["lda", *WHERE, "--hosts=a"], "--hosts: the manifest decides it"),
                (["lda", *WHERE, "--input=data.txt"], "--input=data.txt: the path in a pod begins with /"),
                (["lda", *WHERE, "--out=run"], "--out=run: the path in a pod begins with /"),
                (["lda", *WHERE, "--out=/data"], "--out: name a folder within the claim, such as /data/run"),
                (["lda", *WHERE, "--out=/other/run"], "is in no claim"),
                (["lda", *WHERE, "--claims=docs"], "--claims: 'docs' is no claim"),
                (["lda", *WHERE, "--pod_memory=8"], "no amount with a unit"),
                (["lda", *WHERE, "--name=Topics"], "is no name for Kubernetes"),
                (["lda", *WHERE, "--pods", "--spares=1"], "--spares"),
                (["lda", *WHERE[:2]], "--image is missing")):
            with self.subTest(words=words[-1]):
                run = manifest(*words)
                self.assertEqual((run.returncode, run.stdout), (2, ""), run.stderr)
                self.assertIn(expected, run.stderr)
        run = subprocess.run([BIN / "rota", "manifest", "slurm", "lda"], capture_output=True, text=True, timeout=60)
        self.assertEqual(run.returncode, 2)
        self.assertIn("for which cluster manager?", run.stderr)

    def test_the_examples_are_what_the_command_writes(self):
        for name, words in WRITTEN.items():
            with self.subTest(example=name):
                self.assertEqual((EXAMPLES / name).read_text(encoding="utf-8"), self.written(*words),
                                 f"write it again: rota manifest kubernetes {' '.join(words)} > deploy/kubernetes/{name}")

    def test_the_example_of_jobset_has_the_same_pods(self):
        service, *jobs = yaml.safe_load_all(self.written(*WRITTEN["pods.yaml"]))
        jobset = yaml.safe_load((EXAMPLES / "jobset.yaml").read_text(encoding="utf-8"))
        self.assertEqual(len(jobset["spec"]["replicatedJobs"]), len(jobs))
        for replicated, job in zip(jobset["spec"]["replicatedJobs"], jobs):
            role = job["metadata"]["labels"]["app.kubernetes.io/component"]
            with self.subTest(role=role):
                self.assertEqual((replicated["name"], replicated.get("replicas", 1)), (role, 1))
                # Its own service has pods' names: JOBSET-JOB-0-0.JOBSET
                args = pod_of(job)["containers"][0]["args"]
                args[3] = args[3].replace("topics:", "topics-coordinator-0-0.topics:")
                self.assertEqual(replicated["template"]["spec"], job["spec"])


if __name__ == "__main__":
    unittest.main()
