"""Inputs behind URLs: the same model as from files, and what servers do wrong ends as an error, never as another model."""
import gzip
import os
import random
import subprocess
import time

from object_server import KEY, REGION, SECRET, Server
from rota_run import RotaTest


def rows(count, seed=1, width=8):
    """LIBSVM text of this many rows."""
    dice = random.Random(seed)
    lines = []
    for _ in range(count):
        columns = sorted(dice.sample(range(1, 40), width))
        lines.append(f"{dice.choice((-1, 1))} " + " ".join(f"{c}:{dice.randint(-99, 99) / 16}" for c in columns))
    return ("\n".join(lines) + "\n").encode()


class RemoteInput(RotaTest):
    def setUp(self):
        super().setUp()
        self.runs = 0

    def serve(self, **options):
        server = Server(**options)
        self.addCleanup(server.close)
        return server

    def environment(self, server=None, **more):
        kept = {name: value for name, value in os.environ.items()
                if not name.startswith("AWS_") and not name.lower().endswith("_proxy")}
        kept |= {"HOME": str(self.folder), "ROTA_INPUT_TIMEOUT": "2", "ROTA_INPUT_TRIES": "3"}
        if server:
            kept |= {"AWS_ENDPOINT_URL": server.url, "AWS_ACCESS_KEY_ID": KEY, "AWS_SECRET_ACCESS_KEY": SECRET,
                     "AWS_REGION": REGION}
        return {name: value for name, value in (kept | more).items() if value is not None}

    def train(self, source, env, *flags, app="kmeans", code=0, error=""):
        self.runs += 1
        out = self.folder / f"run-{self.runs}"
        own = {"kmeans": ("--clusters=3", "--seed=3", "--epochs=2"), "sgd": ("--epochs=2", "--seed=3"),
               "lda": ("--topics=2", "--seed=3", "--epochs=2")}[app]
        flags = (f"--input={source}", "--shards=4", *own, *(flags or ("--workers=1",)))
        done = self.rota("train", app, *flags, f"--out={out}", env=env, code=code, error=error)
        for secret in (SECRET, "tokentoken"):
            self.assertNotIn(secret, done.stdout + done.stderr)
            for file in out.glob("**/*"):
                if file.is_file():
                    self.assertNotIn(secret.encode(), file.read_bytes(), file)
        return self.result(out)["model_hash"] if code == 0 else done.stderr

    def local(self, *contents, app="kmeans", flags=(), names=None):
        """The model's hash of files with this content."""
        folder = self.folder / f"local-{self.runs}"
        folder.mkdir()
        for i, content in enumerate(contents):
            (folder / (names[i] if names else f"part-{i}")).write_bytes(content)
        return self.train(folder, self.environment(), "--workers=1", *flags, app=app)

    def test_s3_gives_the_model_of_files(self):
        server, parts = self.serve(token="tokentoken"), [rows(6000, 1), rows(500, 2), rows(9, 3)]
        expected = self.local(*parts)
        folder = "b-1/data of 1+1/größe"
        server.objects = {f"{folder}/part-0 a": parts[0], f"{folder}/part-1+b&=?.gz": gzip.compress(parts[1]),
                          f"{folder}/part-2ü": parts[2], f"{folder}/part-1 empty": b"", f"{folder}/_SUCCESS": b"",
                          f"{folder}/.hidden": b"no", f"{folder}/": b"", f"{folder}/below/x": b"no"}
        env = self.environment(server, AWS_SESSION_TOKEN="tokentoken")
        for workers in (1, 2):
            self.assertEqual(self.train(f"s3://{folder}/", env, f"--workers={workers}"), expected)
        self.assertGreater(len(parts[0]), 300_000)  # several blocks
        self.assertTrue(any(asked and not asked.startswith("bytes=0-")
                            for asked in server.ranges_of(f"{folder}/part-0 a")))
        listed = ",".join(f"s3://{folder}/{name}" for name in ("part-0 a", "part-1+b&=?.gz", "part-2ü"))
        self.assertEqual(self.train(listed, env), expected)

    def test_credentials_from_the_files_of_other_programs(self):
        server = self.serve(token="tokentoken")
        server.objects["bucket/rows"] = rows(50)
        (self.folder / ".aws").mkdir()
        (self.folder / ".aws/credentials").write_text(
            "[default]\naws_access_key_id = other\naws_secret_access_key = other\n[mine]\n"
            f"aws_access_key_id = {KEY}\naws_secret_access_key={SECRET}\naws_session_token = tokentoken\n")
        (self.folder / ".aws/config").write_text(f"[profile mine]\nregion = {REGION}\nendpoint_url = {server.url}/\n")
        self.train("s3://bucket/rows", self.environment(AWS_PROFILE="mine"))
        self.train("s3://bucket/rows", self.environment(AWS_ENDPOINT_URL=server.url), code=77, error="does not know the key")
        self.train("s3://bucket/rows", self.environment(AWS_PROFILE="none"), code=77, error="there are no credentials")

    def test_refusals_have_their_exit_code_and_say_what_to_do(self):
        server = self.serve(token="tokentoken")
        server.objects["bucket/rows"] = rows(50)
        right = {"AWS_SESSION_TOKEN": "tokentoken"}
        for source, env, code, error in (
                ("s3://bucket/rows", {"AWS_SECRET_ACCESS_KEY": "wrong", **right}, 77, "check AWS_SECRET_ACCESS_KEY"),
                ("s3://bucket/rows", {"AWS_ACCESS_KEY_ID": "wrong", **right}, 77, "check AWS_ACCESS_KEY_ID"),
                ("s3://bucket/rows", {"AWS_SESSION_TOKEN": "old"}, 77, "have expired"),
                ("s3://bucket/rows", {"AWS_REGION": "eu-west-9", **right}, 2, f"set AWS_REGION={REGION}"),
                ("s3://bucket/none", right, 66, "there is no such object"),
                ("s3://bucket/none/", right, 66, "there are no objects"),
                ("s3:///rows", right, 2, "no name of a bucket"),
                (server.url + "/bucket/rows", {}, 77, "refuses (403)"),
                ("http://user:pass-word@127.0.0.1/x", {}, 2, "user or a password"),
                ("https://127.0.0.1/x?X-Amz-Signature=pass-word", {}, 2, "signature or a token"),
                ("http://127.0.0.1:1/x", {"ROTA_INPUT_TRIES": "1"}, 75, "connect")):
            with self.subTest(source=source, env=env):
                text = self.train(source, self.environment(server, **env), code=code, error=error)
                self.assertNotIn("pass-word", text)

    def test_more_than_a_page_of_objects(self):
        server, part = self.serve(), rows(2)
        server.objects = {f"bucket/many/{i:04}": part for i in range(1100)}
        flags = ("--workers=2", "--epochs=1")
        expected = self.local(part * 1100, flags=("--epochs=1",))
        self.assertEqual(self.train("s3://bucket/many/", self.environment(server), *flags), expected)

    def test_an_object_that_is_cut_is_read_on_from_there(self):
        server, data = self.serve(signed=False), rows(6000)
        server.objects["rows"] = data
        expected = self.local(data)
        looks = [None] * 3  # of the launcher, of the scheduler and of the worker
        server.faults["rows"] = [*looks, ("cut", 5000), None, ("cut", 40_000), ("cut", 10),
                                 ("status", 503, {"Retry-After": "1"}), ("stall", 70_000, 4), ("cut", 0)]
        self.assertEqual(self.train(server.url + "/rows", self.environment()), expected)
        begins = [asked.split("-")[0] for asked in server.ranges_of("rows")]
        for begin in (16384 + 5000, 81920 + 40_000, 121_920 + 10):  # after what came before each cut
            self.assertIn(f"bytes={begin}", begins)

    def test_a_server_that_does_not_recover_ends_the_job(self):
        server, data = self.serve(signed=False), rows(6000)
        server.objects["rows"] = data
        for faults, error in (([("status", 503, {"Retry-After": "1"})] * 90, "refuses for now (503)"),
                              ([("stall", 0, 3)] * 90, "Timeout"), ([("stall", 9, 3)] * 90, "partial file"),
                              ([None] + [("cut", 0)] * 90, "partial file")):
            with self.subTest(error=error):
                server.faults["rows"] = list(faults)
                begun = time.monotonic()
                self.train(server.url + "/rows", self.environment(ROTA_INPUT_TRIES="1", ROTA_INPUT_TIMEOUT="1"), code=75,
                           error=error)
                self.assertLess(time.monotonic() - begun, 30)

    def test_an_object_that_changes_never_makes_another_model(self):
        server, old, new = self.serve(), rows(6000), rows(6000, 7)
        env = self.environment(server)
        changed = "has changed since"

        # While a worker reads it: behind its first part, and further on.
        for begin in ("bytes=16384-", "bytes=81920-"):
            server.objects["bucket/rows"] = old

            def change(begin=begin):
                if server.requests[-1][1].startswith(begin):
                    server.objects["bucket/rows"] = new

            server.faults["bucket/rows"] = [change] * 40
            self.train("s3://bucket/rows", env, code=65, error="bucket/rows: the object " + changed)
        # Between a list and the first look at an object.
        server.objects, server.listed = {"bucket/x/rows": new}, {"bucket/x/rows": old}
        self.train("s3://bucket/x/", env, code=65, error="bucket/x/rows: the object " + changed)

    def test_two_workers_that_see_different_versions(self):
        server = self.serve()
        old, new = rows(40), rows(40, 7)  # as large: one look is all that each process needs
        server.objects.update({"bucket/rows": rows(30), "bucket/more": old})
        looks = []

        def look():
            looks.append(1)
            if len(looks) == 4:  # those of the launcher, of the scheduler and of one worker
                server.objects["bucket/more"] = new

        server.faults["bucket/more"] = [look] * 20
        text = self.train("s3://bucket/rows,s3://bucket/more", self.environment(server), "--workers=4", code=65,
                          error="has another content than that of")
        self.assertIn(": s3://bucket/more; --input=", text)

    def test_a_resumed_run_whose_object_has_changed(self):
        server, out = self.serve(), self.folder / "resumed"
        server.objects.update({"bucket/x/1": rows(2000), "bucket/x/2": rows(2000)})
        env = self.environment(server)
        run = subprocess.Popen(
            self.command("train", "sgd", "--input=s3://bucket/x/", "--epochs=100000", "--shards=2", f"--out={out}"),
            env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(self._end, run)
        self.wait_for("a checkpoint", lambda: self.committed(out))
        self.kill_run(run, out)
        server.objects["bucket/x/2"] = rows(2000, 7)
        self.rota("resume", out, env=env, code=65, error="was made with: s3://bucket/x/2; --input=s3://bucket/x/")

    def test_a_plain_server_without_parts_or_versions(self):
        data = rows(3000)
        expected = self.local(data)
        for options in ({"ranges": False}, {"versions": False}, {"ranges": False, "versions": False}):
            with self.subTest(options=options):
                server = self.serve(signed=False, **options)
                server.objects["rows.txt"] = data
                server.faults["rows.txt"] = [None, ("cut", 30_000)]
                for workers in (1, 2):
                    found = self.train(server.url + "/rows.txt?v=1", self.environment(), f"--workers={workers}")
                    self.assertEqual(found, expected)

    def test_https_wants_a_certificate_that_it_knows(self):
        pem = self.folder / "server.pem"
        self.program(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=rota test",
                      "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", pem, "-out", self.folder / "ca.pem"])
        with open(pem, "a") as both:
            both.write((self.folder / "ca.pem").read_text())
        server, data = self.serve(signed=False, certificate=pem), rows(300)
        server.objects["rows"] = data
        source = server.url + "/rows"
        known = self.environment(CURL_CA_BUNDLE=str(self.folder / "ca.pem"))
        self.assertEqual(self.train(source, known), self.local(data))
        self.train(source, self.environment(), code=77, error="certificate")
        # Nothing leads from there to a server without one.
        plain = self.serve(signed=False)
        plain.objects["rows"] = data
        server.faults["rows"] = [("status", 302, {"Location": plain.url + "/rows"})]
        self.train(source, known, code=77, error="rotocol")
        self.assertEqual(plain.requests, [])
        server.objects["other"] = rows(300, 8)
        server.faults["other"] = [("status", 302, {"Location": server.url + "/rows"})] * 9
        self.assertEqual(self.train(server.url + "/other", known), self.local(data))

    def test_all_readers_take_urls(self):
        server = self.serve()
        env = self.environment(server)
        import numpy as np
        import scipy.sparse
        matrix = scipy.sparse.random(60, 9, 0.5, "csr", random_state=np.random.RandomState(4))
        scipy.sparse.save_npz(self.folder / "rows.npz", matrix)
        np.save(self.folder / "rows.npy", matrix.toarray())
        (self.folder / "rows.csv").write_text("a,b\n" + "".join(f"{i % 7},{i % 5}\n" for i in range(50)))
        (self.folder / "words").write_text("a b c\nb c d\n" * 9)
        (self.folder / "vocab").write_text("a\nb\nc\n")
        for name in ("rows.npz", "rows.npy", "rows.csv", "words", "vocab"):
            server.objects[f"bucket/{name}"] = (self.folder / name).read_bytes()
        for name in ("rows.npz", "rows.npy", "rows.csv"):
            with self.subTest(name=name):
                self.assertEqual(self.train(f"s3://bucket/{name}", env), self.train(self.folder / name, env))
        np.save(self.folder / "counts.npy", matrix.toarray().round(1) * 10)
        server.objects["bucket/counts.npy"] = (self.folder / "counts.npy").read_bytes()
        self.assertEqual(self.train("s3://bucket/counts.npy", env, "--shards=0", app="lda"),
                         self.train(self.folder / "counts.npy", env, "--shards=0", app="lda"))
        self.assertEqual(self.train("s3://bucket/words", env, "--vocab=s3://bucket/vocab", app="lda"),
                         self.train(self.folder / "words", env, f"--vocab={self.folder}/vocab", app="lda"))
        # Parts of one object for each worker; data by shard; a command; the run can be read without the server.
        server.objects["bucket/rows"] = data = rows(3000)
        stream = ("--stream=true", "--workers=2")
        self.assertEqual(self.train("s3://bucket/rows", env, *stream, app="sgd"), self.local(data, app="sgd", flags=stream))
        whole = self.train("s3://bucket/rows", env)
        run = self.folder / f"run-{self.runs}"
        self.rota("shard", "kmeans", "--input=s3://bucket/rows", "--shards=4", f"--output={self.folder}/packed", env=env)
        self.assertEqual(self.train(self.folder / "packed", self.environment()), whole)
        (self.folder / "few").write_bytes(data[:data.index(b"\n", 2000) + 1])
        server.objects["bucket/few"] = (self.folder / "few").read_bytes()
        predicted = [self.rota("predict", "kmeans", f"--model={run}", f"--input={source}", env=env).stdout
                     for source in ("s3://bucket/few", self.folder / "few")]
        self.assertEqual(predicted[0], predicted[1])
        self.assertGreater(len(predicted[0]), 20)
        asked = len(server.requests)
        self.rota("show", "kmeans", f"--model={run}", env=self.environment())
        self.assertEqual(len(server.requests), asked)
