#!/usr/bin/env python3
"""Manual pages and the completion of the shells: both are made from the declarations of the options."""
import shutil
import subprocess
import unittest

import cli_reference
from rota_run import BIN, RotaTest

PROGRAMS = ("rota-coordinator", "rota-kvstore", "rota-scheduler", "rota-worker")


def output(*words):
    run = subprocess.run([BIN / "rota", *words], capture_output=True, text=True, timeout=60)
    assert run.returncode == 0, run.stderr
    return run.stdout


class ShellHelpTest(RotaTest):
    def test_every_command_app_and_program_has_a_manual_page(self):
        pages = [(), *((name,) for name in (*cli_reference.COMMANDS, *PROGRAMS)),
                 *(("train", app) for app in cli_reference.APPS), ("predict", "lda")]
        for words in pages:
            with self.subTest(page=words):
                page = output("man", *words)
                self.assertRegex(page, r"^\.TH \S+ 1 ")
                for section in ("NAME", "SYNOPSIS", "DESCRIPTION"):
                    self.assertIn(f"\n.SH {section}\n", page)
                if shutil.which("man"):
                    shown = subprocess.run(["man", "--warnings", "-l", "-"], input=page, capture_output=True, text=True,
                                           timeout=60)
                    self.assertEqual((shown.returncode, shown.stderr), (0, ""))
        self.assertIn("--topics=N", output("man", "train", "lda").replace("\\-", "-"))

    def test_an_unknown_command_has_no_manual_page(self):
        run = subprocess.run([BIN / "rota", "man", "trian"], capture_output=True, text=True, timeout=60)
        self.assertEqual(run.returncode, 2)
        self.assertIn("did you mean 'train'?", run.stderr)

    def completed(self, line):
        script = 'source <(rota completion bash); COMP_LINE=$1; COMP_POINT=${#1}; _rota 2>/dev/null; echo "${COMPREPLY[@]}"'
        return subprocess.run(["bash", "-c", script, "bash", line], capture_output=True, text=True, timeout=60, check=True,
                              env={"PATH": f"{BIN}:/usr/bin:/bin"}).stdout.split()

    def test_bash_completes_commands_apps_flags_and_choices(self):
        self.assertEqual(self.completed("rota tr"), ["train"])
        self.assertEqual(self.completed("rota train ld"), ["lda"])
        self.assertEqual(self.completed("rota train lda --input=a.txt --topi"), ["--topics="])
        self.assertEqual(self.completed("rota train lasso --loss=s"), ["squared"])
        self.assertIn("pagerank", self.completed("rota show "))
        self.assertNotIn("pagerank", self.completed("rota predict "))
        self.assertEqual(self.completed("rota nonsense "), [])

    @unittest.skipUnless(shutil.which("zsh"), "zsh is not installed")
    def test_zsh_reads_its_script(self):
        subprocess.run(["zsh", "-n"], input=output("completion", "zsh"), text=True, timeout=60, check=True)


if __name__ == "__main__":
    unittest.main()
