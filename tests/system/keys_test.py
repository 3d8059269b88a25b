"""Jobs over tcp with keys: the same models, no process without a key is accepted, and no secret leaks."""
import pathlib
import shutil
import subprocess

from rota_run import BIN, LIMIT, RotaTest

TCP = "--coordinator=tcp://127.0.0.1:0"


class Keys(RotaTest):
    def setUp(self):
        super().setUp()
        self.write_small_corpus()
        self.out = self.folder / "run"
        self.keys = self.made("keys")

    def made(self, name):
        self.rota("keys", self.folder / name)
        return self.folder / name

    def words(self, out, *more):
        return self.small_lda(out, "--eval_every=1000000", *more)

    def model_over_ipc(self, *flags):
        self.rota(*self.words(self.folder / "ipc", *flags))
        return self.result(self.folder / "ipc")["model_hash"]

    def endless(self, *flags):
        """A job over tcp that runs until it is signalled, and its address."""
        run = self.start(*self.words(self.out, "--epochs=100000000", TCP, *flags))
        self.wait_for("training", lambda: run.poll() is not None or (self.out / "checkpoint").exists() and
                      self.committed(self.out))
        self.assertIsNone(run.poll())
        return run, (self.out / "address").read_text().strip()

    def ends_well(self, run):
        """The job was not harmed, and ends at a signal."""
        run.terminate()
        self.ended(run, 143)

    @staticmethod
    def secrets(keys):
        return [file.read_text().split()[-1] for file in pathlib.Path(keys).glob("*.secret")]

    def log(self):
        return (self.out / "log/coordinator-0.log").read_text()

    def test_the_same_model_with_any_keys_and_no_secret_leaks(self):
        flags = ("--epochs=50", "--stores=1", "--checkpoint_seconds=0")
        expected = self.model_over_ipc(*flags)
        for keys in (self.out / "keys", self.keys):
            with self.subTest(keys=keys):
                given = () if keys == self.out / "keys" else (f"--keys={keys}",)
                run = self.start(*self.words(self.out, TCP, *flags, *given))
                self.wait_for("all roles", lambda: run.poll() is not None or len(self.roles(self.out)) == 5)
                secrets = self.secrets(keys)
                self.assertEqual(len(secrets), 5)
                for pid in [run.pid, *self.roles(self.out).values()]:
                    try:
                        seen = b"".join((pathlib.Path("/proc") / str(pid) / name).read_bytes()
                                        for name in ("cmdline", "environ"))
                        self.assertTrue(not any(secret.encode() in seen for secret in secrets))
                    except OSError:
                        pass  # it has ended
                output = "".join(run.communicate(timeout=LIMIT))
                self.assertEqual(run.returncode, 0, output)
                self.assertEqual(self.result(self.out)["model_hash"], expected)
                for file in self.out.rglob("*"):
                    if file.is_file() and file.parent.name != "keys":
                        text = file.read_bytes()
                        self.assertFalse(any(secret.encode() in text for secret in secrets), file)
                self.assertFalse(any(secret in output for secret in secrets))
                self.assertEqual((self.out / "keys").exists(), not given)
                if not given:
                    self.assertEqual(keys.stat().st_mode & 0o777, 0o700)
                    self.assertEqual({file.stat().st_mode & 0o777 for file in keys.iterdir()}, {0o600})
                shutil.rmtree(self.out)

    def test_status_and_resume_with_the_keys_of_the_run(self):
        run, address = self.endless()
        own = self.out / "keys"
        for where, keys in ((self.out, ()), (address, (f"--keys={own}",))):
            self.assertIn("phase", self.rota("status", where, *keys).stdout)
        self.rota("status", address, code=77, error="only one side has keys")
        # The coordinator's public key is not enough.
        shutil.copy(own / "coordinator.public", self.keys / "coordinator.public")
        self.rota("status", address, f"--keys={self.keys}", code=77, error="does not know this key")
        self.ends_well(run)
        before = self.secrets(own)
        run = self.start("resume", self.out, TCP)
        self.wait_for("resumed training", lambda: run.poll() is not None or 2 ==
                      [event["phase"] for event in self.events(self.out, "phase")].count("training"))
        self.assertEqual(self.secrets(own), before)
        self.ends_well(run)

    def intruder(self, address, role, keys, patience=20):
        """Starts a process with the job's options late; it repeats HELLO for `patience` seconds unless it is refused."""
        done = subprocess.run([BIN / f"rota-{role}", f"--flagfile={self.out}/flags.txt", f"--coordinator={address}",
                               f"--log_dir={self.folder}/intruder", f"--start_timeout_seconds={patience}", *keys],
                              capture_output=True, text=True, timeout=LIMIT)
        return done.returncode, done.stderr

    def test_a_key_is_good_for_its_own_role_alone(self):
        run, address = self.endless(f"--keys={self.keys}")
        forged = self.made("forged")
        shutil.copy(self.keys / "coordinator.public", forged / "coordinator.public")
        for kind in ("secret", "public"):
            text = (self.keys / f"scheduler.{kind}").read_text()
            (forged / f"worker.{kind}").write_text(text.replace("scheduler", "worker"))
        code, output = self.intruder(address, "worker", [f"--keys={forged}"], patience=3)
        self.assertEqual(code, 75, output)
        self.wait_for("the refusal", lambda: "with the key of a scheduler from worker-0" in self.log())
        self.assertEqual([event["role"] for event in self.events(self.out, "joined")].count("worker-0"), 1)
        self.ends_well(run)

    def test_processes_without_a_key_are_rejected(self):
        run, address = self.endless(f"--keys={self.keys}")
        unknown = self.made("unknown")
        shutil.copy(self.keys / "coordinator.public", unknown / "coordinator.public")
        self.assertEqual(self.intruder(address, "worker", [f"--keys={unknown}"])[0], 77)
        self.assertEqual(self.intruder(address, "worker", ["--insecure"])[0], 77)
        self.assertEqual(self.intruder(address, "worker", [])[0], 2)
        self.wait_for("a log line", lambda: "event=rejected_connections" in self.log())
        self.ends_well(run)
        for log in (self.out / "log").glob("*.log"):
            self.assertNotIn("event=refused", log.read_text(), "no foreign message was decoded")

    def test_keys_that_others_could_have_read_are_not_used(self):
        (self.keys / "worker.secret").chmod(0o640)
        self.rota(*self.words(self.out, "--epochs=2", TCP, f"--keys={self.keys}"),
                  code=77, error="worker.secret is open to others (mode 640): chmod go=")
        self.assertEqual(self.roles(self.out), {})
        self.rota("keys", self.keys, code=73)
        self.rota(*self.words(self.out, f"--keys={self.keys}"), code=2)  # not for ipc
