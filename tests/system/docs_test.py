#!/usr/bin/env python3
"""The documents: their commands run, their code is that of the template, and the page of options is up to date.

A block of ```sh in README.md or docs/*.md is run, in the order of the page, in a fresh folder that looks like the top of
the source.  A comment <!-- not run: why --> on the line before a block excludes it.
"""
import os
import pathlib
import re
import subprocess

import cli_reference
from rota_run import BIN, LIMIT, SOURCE, RotaTest

PAGES = ["README.md", *sorted(f"docs/{page.name}" for page in (SOURCE / "docs").glob("*.md"))]
BLOCK = re.compile(r"(?:^<!-- not run: (?P<why>.*?) -->\n)?^```sh\n(?P<code>.*?)^```$", re.M | re.S)
PLUGINS = pathlib.Path(os.environ["ROTA_TEST_PLUGINS"])


def text_of(page):
    return (SOURCE / page).read_text(encoding="utf-8")


class DocsTest(RotaTest):
    def run_page(self, page, text):
        """Runs the page's blocks as one script."""
        folder = self.folder / page.replace("/", "-")
        folder.mkdir()
        for name in ("apps", "deploy"):
            (folder / name).symlink_to(SOURCE / name)
        (folder / "line_fit.so").symlink_to(PLUGINS / "line_fit.so")
        (folder / "points.txt").write_text("".join(f"{x} {3 + 2 * x}\n" for x in range(-50, 50)))
        code = "".join(block.group("code") for block in BLOCK.finditer(text) if not block.group("why"))
        environment = {**os.environ, "PATH": f"{BIN}:{os.environ['PATH']}"}
        return folder, subprocess.run(["bash", "-euo", "pipefail", "-c", code], cwd=folder, capture_output=True, text=True,
                                      timeout=LIMIT, env=environment)

    def test_the_commands_of_every_page_run(self):
        for page in PAGES:
            with self.subTest(page=page):
                folder, done = self.run_page(page, text_of(page))
                self.assertEqual(done.returncode, 0, done.stderr)
                if page == "README.md":
                    self.assertIn("y = 3 + 2 x\n", done.stdout)
                    hashes = {self.result(folder / run)["model_hash"] for run in ("line-run", "line-run-2")}
                    self.assertEqual(len(hashes), 1)

    def test_a_command_that_fails_is_reported(self):
        _, done = self.run_page("wrong.md", "```sh\nrota train line_fitt --input=points.txt --out=run\ntrue\n```\n")
        self.assertEqual(done.returncode, 2)

    def test_blocks_are_not_excluded_without_a_reason(self):
        for page in PAGES:
            for block in BLOCK.finditer(text_of(page)):
                if block.group("why") is not None:
                    self.assertGreater(len(block.group("why").split()), 3, f"{page}: {block.group('why')}")
            self.assertEqual(text_of(page).count("```sh\n"), len(list(BLOCK.finditer(text_of(page)))), page)

    def test_the_code_of_the_readme_is_that_of_the_template(self):
        code = re.search(r"^```cpp\n(.*?)^```$", text_of("README.md"), re.M | re.S).group(1)
        template = text_of("apps/template/line_fit.cc")
        for part in code.split("  // ...\n"):
            self.assertIn(part, template)

    def test_the_page_of_options_matches_the_programs(self):
        self.assertEqual(text_of("docs/cli.md"), cli_reference.reference(),
                         "run: tests/system/cli_reference.py >docs/cli.md")
