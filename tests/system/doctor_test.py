#!/usr/bin/env python3
"""`rota doctor`: what is wrong on this machine or on others is named, with what to do, before a run meets it."""
import os
import subprocess

from rota_run import BIN, SOURCE, RotaTest

AS_SSH = SOURCE / "tests/system/as_ssh.py"


class DoctorTest(RotaTest):
    def doctor(self, *words):
        run = subprocess.run([BIN / "rota", "doctor", *words], capture_output=True, text=True, timeout=60,
                             env={**os.environ, "AS_SSH_NOTES": str(self.folder / "notes")})
        return run.returncode, run.stdout

    def test_a_good_machine_has_nothing_to_do(self):
        subprocess.run([BIN / "rota", "keys", self.folder / "keys"], check=True, capture_output=True, timeout=60)
        code, said = self.doctor(self.folder / "run", f"--keys={self.folder / 'keys'}")
        self.assertEqual(code, 0, said)
        self.assertNotIn("FAIL", said)
        for part in ("rota 0.", "processors", "open files", "name: ", "tcp: any port", f"{self.folder}: ", "keys: "):
            self.assertIn(f"good  {part}" if part != "processors" else part, said)
        self.assertEqual(sorted(path.name for path in self.folder.iterdir()), ["keys"], "nothing is left behind")

    def test_wrong_keys_and_folders_are_named_with_the_exit_code_of_a_run(self):
        subprocess.run([BIN / "rota", "keys", self.folder / "keys"], check=True, capture_output=True, timeout=60)
        (self.folder / "keys/worker.secret").chmod(0o644)
        code, said = self.doctor(self.folder, f"--keys={self.folder / 'keys'}")
        self.assertEqual(code, 77, said)
        self.assertIn("FAIL  keys of worker: ", said)
        self.assertIn("chmod go=", said)
        (self.folder / "open").mkdir()
        (self.folder / "open").chmod(0o777)
        code, said = self.doctor(self.folder / "open")
        self.assertEqual(code, 77, said)
        self.assertIn("can be changed by everybody", said)

    def test_other_machines_report_and_are_reached_both_ways(self):
        hosts = [f"--ssh={AS_SSH}", f"--remote_rota={BIN / 'rota'}"]
        code, said = self.doctor(self.folder / "run", "--hosts=localhost,noisy-localhost", *hosts)
        self.assertIn("localhost: good  can be reached from here at tcp://", said)
        self.assertIn("localhost: good  open files", said)
        self.assertIn("noisy-localhost: FAIL", said, "its name does not resolve")
        self.assertNotEqual(code, 0)

    def test_a_machine_without_rota_is_named(self):
        code, said = self.doctor(f"--ssh={AS_SSH}", "--hosts=localhost", "--remote_rota=/nowhere/rota")
        self.assertEqual(code, 1, said)
        self.assertIn("localhost: FAIL  no agent: ", said)

    def test_another_version_is_named(self):
        other = self.folder / "rota"
        other.write_text("#!/bin/sh\necho version 0.0.1\n")
        other.chmod(0o755)
        code, said = self.doctor(f"--ssh={AS_SSH}", "--hosts=localhost", f"--remote_rota={other}")
        self.assertEqual(code, 78, said)
        self.assertIn("another version of Rota", said)


if __name__ == "__main__":
    import unittest
    unittest.main()
