#!/usr/bin/env python3
"""The Debian packages: complete, clean for lintian, and able to train from where they are unpacked."""
import json
import os
import pathlib
import shutil
import subprocess
import unittest

from rota_run import BIN, KOS, LIMIT, RotaTest

BUILD = BIN.parent
JOB = ["lda", f"--input={KOS}", "--topics=10", "--epochs=3"]


@unittest.skipUnless((BUILD / "CPackConfig.cmake").exists(), "not run from a build folder")
class PackageTest(RotaTest):
    def run_out(self, *words, **options):
        run = subprocess.run(words, capture_output=True, text=True, timeout=LIMIT, **options)
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)
        return run.stdout

    def trained(self, rota, out):
        self.run_out(rota, "train", *JOB, f"--out={self.folder / out}")
        return json.loads((self.folder / out / "result.json").read_text(encoding="utf-8"))["model_hash"]

    def test_the_packages_are_clean_and_train(self):
        self.run_out("cpack", "-G", "DEB", "-B", self.folder, "--config", BUILD / "CPackConfig.cmake")
        packages = sorted(self.folder.glob("*.deb"))
        self.assertEqual([package.name.partition("_")[0] for package in packages], ["librota-dev", "rota"])
        if shutil.which("lintian"):
            self.run_out("lintian", "--allow-root", "--fail-on", "warning", *packages)
        root = self.folder / "root"
        for package in packages:
            self.run_out("dpkg-deb", "-x", package, root)
        for path in ("bin/rota", "bin/rota-worker", "lib/x86_64-linux-gnu/rota/plugins/lda.so", "include/rota/plugin.h",
                     "share/man/man1/rota-train-lda.1.gz", "share/man/man1/rota-worker.1.gz",
                     "share/bash-completion/completions/rota", "share/zsh/vendor-completions/_rota",
                     "share/rota/template/try.sh", "share/doc/rota/copyright"):
            found = list((root / "usr").glob(path.replace("x86_64-linux-gnu", "*")))
            self.assertTrue(found or (root / "usr" / path.replace("/x86_64-linux-gnu", "")).exists(), path)
        # Nothing of the build folder is needed.
        moved = pathlib.Path(shutil.move(root, self.folder / "elsewhere"))
        self.assertEqual(self.trained(moved / "usr/bin/rota", "packaged"), self.trained(BIN / "rota", "built"))
        depends = self.run_out("dpkg-deb", "-f", packages[1], "Depends")
        for library in ("libzmq5", "librocksdb", "libtbb12"):
            self.assertIn(library, depends)


if __name__ == "__main__":
    unittest.main()
