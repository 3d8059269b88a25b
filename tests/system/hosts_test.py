"""`rota train --hosts`: agents, run on this machine by a replacement of ssh (as_ssh.py).  machines_test.py uses a real
sshd and a network."""
import json
import os
import pathlib
import signal

from rota_run import KOS, LIMIT, SOURCE, RotaTest, kill

AS_SSH = SOURCE / "tests/system/as_ssh.py"
JOB = ["lda", f"--input={KOS}", "--topics=50", "--epochs=25", "--seed=7", "--checkpoint_seconds=0"]


class Hosts(RotaTest):
    @classmethod
    def setUpClass(cls):
        cls.reference = None

    def setUp(self):
        super().setUp()
        self.notes = self.folder / "ssh.notes"
        self.private = self.folder / "private"
        self.private.mkdir()
        os.environ["AS_SSH_NOTES"] = str(self.notes)
        os.environ["XDG_RUNTIME_DIR"] = str(self.private)
        self.out = self.folder / "run"

    def words(self, hosts, *flags, out=None):
        return ["train", *JOB, f"--out={out or self.out}", f"--hosts={hosts}", f"--ssh={AS_SSH}",
                "--coordinator=tcp://127.0.0.1:0", *flags]

    def calm(self):
        if Hosts.reference is None:
            self.rota("train", *JOB, f"--out={self.folder}/calm")
            Hosts.reference = self.result(self.folder / "calm")
        return Hosts.reference

    def ssh(self):
        """The calls of the replacement of ssh; its child process is the agent."""
        return [json.loads(line) for line in self.notes.read_text().splitlines()] if self.notes.exists() else []

    def remote(self):
        """Process ids of the roles that agents started, by name."""
        agents = {call["pid"] for call in self.ssh()}
        found = {}
        for entry in pathlib.Path("/proc").iterdir():
            try:
                if not entry.name.isdigit() or int((entry / "stat").read_text().rsplit(")", 1)[1].split()[1]) not in agents:
                    continue
                words = (entry / "cmdline").read_bytes().decode().split("\0")
            except OSError:
                continue  # it has ended
            flagfile = next((word for word in words if word.startswith("--flagfile=")), None)
            if flagfile:
                found[pathlib.Path(flagfile.split("=")[1]).stem] = int(entry.name)
        return found

    def check(self, run, error=""):
        stderr = self.ended(run)
        self.expect_same(self.result(self.out), self.calm())
        self.assertIn(error, stderr)
        self.nothing_left()

    def nothing_left(self):
        self.no_role_left(self.out)
        self.wait_for("agents to end", lambda: not any(pathlib.Path(f"/proc/{call['pid']}").exists() for call in self.ssh()))
        self.assertEqual(self.remote(), {})
        self.assertEqual(list(self.private.iterdir()), [], "folders of keys and sockets are gone")

    def test_the_same_model_and_no_secret_leaks(self):
        self.calm()
        run = self.start(*self.words("localhost,noisy-b:2", "--stores=2"))
        self.wait_for("all roles", lambda: run.poll() is not None or len(self.remote()) == 5)
        remote = self.remote()
        secrets = [file.read_text().split()[-1] for file in (self.out / "keys").glob("*.secret")]
        self.assertEqual(len(secrets), 5)
        for pid in [run.pid, *remote.values(), *(call["pid"] for call in self.ssh())]:
            try:
                seen = b"".join((pathlib.Path("/proc") / str(pid) / name).read_bytes() for name in ("cmdline", "environ"))
                self.assertFalse(any(secret.encode() in seen for secret in secrets))
            except OSError:
                pass  # it has ended
        keys = {file.name for folder in self.private.iterdir() for file in folder.rglob("*.secret")}
        self.assertEqual(keys, {"worker.secret", "kvstore.secret"}, "an agent never has the coordinator's")
        self.check(run)
        self.assertEqual(self.result(self.out)["options"]["workers"], "3", "as many as slots")
        self.assertEqual(list(self.out.glob("own-*")), [], "all have the same folder")
        self.assertEqual({call["host"] for call in self.ssh()}, {"localhost", "noisy-b"})
        for call in self.ssh():
            self.assertRegex(call["command"], r"^exec '/[^']*/rota' agent$")
        for file in self.out.rglob("*"):
            if file.is_file() and file.parent.name != "keys":
                self.assertFalse(any(secret.encode() in file.read_bytes() for secret in secrets), file)

    def harmed(self, pick, error):
        self.calm()
        run = self.start(*self.words("a,b:2", "--stores=1"))
        self.wait_for("a commit", lambda: run.poll() is not None or self.committed(self.out))
        kill([pick()])
        self.check(run, error)
        self.assertTrue(self.events(self.out, "rollback"))

    def test_a_remote_worker_is_killed(self):
        self.harmed(lambda: self.remote()["worker-2"], "rota: worker-2 ended with signal 9 (Killed) on b; restarting it")
        self.assertEqual(len(self.ssh()), 2, "by the agent that was there")

    def test_an_agent_is_killed(self):
        self.harmed(lambda: next(call["pid"] for call in self.ssh() if call["host"] == "b"),
                    "rota: worker-1 ended with the loss of the connection to b: ")
        self.assertEqual([call["host"] for call in self.ssh()].count("b"), 2)

    def test_nothing_outlives_the_launcher(self):
        run = self.start(*self.words("a,b:2", "--epochs=1000000"))
        self.wait_for("a commit", lambda: run.poll() is not None or self.committed(self.out))
        self.assertEqual(len(self.remote()), 3)
        kill([run.pid])
        run.communicate()
        self.wait_for("agents to end", lambda: not any(pathlib.Path(f"/proc/{call['pid']}").exists() for call in self.ssh()))
        self.assertEqual(self.remote(), {})
        self.assertEqual([p for p in self.private.iterdir() if p.name.startswith("rota-agent-")], [])

    def test_a_signal_ends_the_run_with_a_checkpoint(self):
        self.calm()
        run = self.start(*self.words("a,b:2"))
        self.wait_for("a commit", lambda: run.poll() is not None or self.committed(self.out))
        self.rota("status", self.out)
        run.send_signal(signal.SIGINT)
        self.assertEqual(run.wait(LIMIT), 130, run.communicate())
        self.nothing_left()
        self.check(self.start("resume", self.out, "--hosts=c:2", f"--ssh={AS_SSH}", "--coordinator=tcp://127.0.0.1:0",
                              "--workers=2"))
        self.assertEqual(self.ssh()[-1]["host"], "c")

    def test_an_unreachable_host_is_named(self):
        done = self.rota(*self.words("a,no-b"), code=1, error="no agent on no-b")
        self.assertIn("Could not resolve hostname no-b", done.stderr)
        self.nothing_left()

    def test_a_wrong_remote_path_is_named(self):
        self.rota(*self.words("a", "--remote_rota=/nowhere/rota"), code=1, error="/nowhere/rota: not found")
        # Its files are Rota's, and nothing was committed.
        self.assertTrue((self.out / "place").exists())
        self.rota(*self.words("a", "--epochs=1"))

    def test_an_agent_refuses_malformed_requests(self):
        hello = json.dumps({"kind": "hello", "silence_ms": 60000}).encode()
        for sent, code in ((b"", 0), (b"\xff" * 100 + b"\n", 65), (b"GET / HTTP/1.1\r\n\r\n", 65), (hello + b"\n", 0),
                           (hello[:20], 0), (b"{}\n", 65),
                           (b'{"kind":"start","start":1,"role":"sh","index":0,"run":"/"}\n', 65)):
            with self.subTest(sent=sent):
                agent = self.rota("agent", input=sent, text=False, code=code)
                self.assertTrue(agent.stdout.startswith(b"\nrota-agent speaks "))
                self.assertEqual(list(self.private.iterdir()), [])

    def test_invalid_hosts_are_refused(self):
        listed = self.folder / "listed"
        listed.write_text("a\n# b\n\n$(touch pwned)\n")
        for flags, code, words in ((["--hosts=a;id"], 2, "is not a host"),
                                   ([f"--hosts={listed}"], 2, f"{listed}:4: '$(touch pwned)' is not a host"),
                                   ([f"--hosts={self.folder}/nothing"], 66, "nothing"),
                                   (["--hosts=a", "--remote_rota=/a';id'"], 2, "cannot be started on another machine"),
                                   (["--hosts=a", "--ssh=no-such-program"], 2, "there is no program 'no-such-program'"),
                                   (["--remote_rota=/a"], 2, "is for --hosts")):
            with self.subTest(flags=flags):
                self.rota("train", *JOB, f"--out={self.out}", f"--ssh={AS_SSH}",
                          "--coordinator=tcp://127.0.0.1:0", *flags, code=code, error=words)
                self.assertEqual(self.ssh(), [])
                self.assertFalse((self.out / "result.json").exists())
