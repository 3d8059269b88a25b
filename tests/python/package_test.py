"""The wheel, installed into an environment of its own: it fits in process and by processes, without the build folder."""
import os
import pathlib
import shutil
import subprocess
import sys
import unittest

from python_run import LIMIT, SOURCE, PythonTest

BUILD = pathlib.Path(os.environ.get("ROTA_BIN", ".")).resolve().parent
CODE = """
import numpy as np, pathlib, rota, sys
assert pathlib.Path(rota.__file__).is_relative_to(sys.prefix), rota.__file__
X = np.random.default_rng(1).poisson(0.5, size=(200, 40)).astype(float)
hashes = {rota.LDA(n_components=3, max_iter=5, random_state=1, workers=workers).fit(X).model_hash_
          for workers in (0, 2)}
assert len(hashes) == 1, hashes
print(hashes.pop())
"""


@unittest.skipUnless((BUILD / "CPackConfig.cmake").exists(), "not run from a build folder")
class Wheel(PythonTest):
    def run_out(self, *words):
        environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
        done = subprocess.run(list(map(str, words)), capture_output=True, text=True, timeout=2 * LIMIT,
                              cwd=self.folder, env=environment)
        self.assertEqual(done.returncode, 0, (words, done.stdout, done.stderr))
        return done.stdout

    def test_a_wheel_works_in_a_virtual_environment(self):
        wheel = pathlib.Path(self.run_out(sys.executable, SOURCE / "python/build_wheel.py", BUILD,
                                          self.folder / "wheels").split()[-1])
        self.assertEqual(wheel.name, f"rota-{wheel.name.split('-')[1]}-cp311-cp311-linux_x86_64.whl")
        # In a path with a blank.
        place = self.folder / "an environment"
        self.run_out(sys.executable, "-m", "venv", "--system-site-packages", "--without-pip", place)
        self.run_out(place / "bin/python", "-m", "installer", wheel)
        model_hash = self.run_out(place / "bin/python", "-c", CODE).strip()
        self.assertEqual(len(model_hash), 32)
        print(f"wheel: {wheel.stat().st_size / 1e6:.1f} MB")
        # Unpacked alone it is the same package.
        shutil.unpack_archive(wheel, self.folder / "unpacked", "zip")
        for program in (self.folder / "unpacked/rota/bin").iterdir():
            program.chmod(0o755)  # which unpack_archive does not keep
        said = self.run_out(self.folder / "unpacked/rota/bin/rota", "lda")
        self.assertIn("rota train lda", said)
        self.assertTrue((self.folder / "unpacked/rota/py.typed").is_file())


@unittest.skipUnless(shutil.which("mypy"), "mypy is not installed")
class Types(PythonTest):
    def test_the_package_has_consistent_types(self):
        done = subprocess.run(["mypy", "--ignore-missing-imports", f"--cache-dir={self.folder}", SOURCE / "python/rota"],
                              capture_output=True, text=True, timeout=LIMIT, check=False)
        self.assertEqual(done.returncode, 0, done.stdout)


if __name__ == "__main__":
    unittest.main()
