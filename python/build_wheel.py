#!/usr/bin/python3
"""Makes the wheel of `rota` from a build folder: the package, its modules, the apps and the programs.

usage: build_wheel.py BUILD OUTPUT_FOLDER

No network is needed.  The wheel is for CPython 3.11 on Debian 12: its programs are linked to Debian's libraries, which
the metadata list.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

from wheel.wheelfile import WheelFile

SOURCE = pathlib.Path(__file__).resolve().parents[1]
TAG = "cp311-cp311-linux_x86_64"
PROGRAMS = ("rota", "rota-coordinator", "rota-scheduler", "rota-worker", "rota-kvstore")


def main() -> None:
    build, output = (pathlib.Path(word).resolve() for word in sys.argv[1:])
    version = re.search(r"project\(rota VERSION (\S+)", (SOURCE / "CMakeLists.txt").read_text(encoding="utf-8"))[1]
    output.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        place = pathlib.Path(folder)
        package = place / "rota"
        for pattern, source, target in (("*.py", SOURCE / "python/rota", ""), ("py.typed", SOURCE / "python/rota", ""),
                                        ("*.so", build / "python/rota", ""),
                                        ("*.so", build / "lib/rota/plugins", "lib/rota/plugins"),
                                        *((name, build / "bin", "bin") for name in PROGRAMS)):
            found = list(source.glob(pattern))
            if not found:
                sys.exit(f"build_wheel.py: there is no {source / pattern}")
            (package / target).mkdir(parents=True, exist_ok=True)
            for file in found:
                shutil.copy(file, package / target)
        binaries = [file for file in package.rglob("*") if file.suffix == ".so" or file.parent.name == "bin"]
        subprocess.run(["strip", "--strip-unneeded", *binaries], check=True)
        write_facts(place / f"rota-{version}.dist-info", version, binaries)
        wheel = output / f"rota-{version}-{TAG}.whl"
        wheel.unlink(missing_ok=True)
        os.umask(0o022)
        with WheelFile(wheel, "w") as made:
            made.write_files(place)
    print(wheel)


def write_facts(folder: pathlib.Path, version: str, binaries: list[pathlib.Path]) -> None:
    """The metadata of the wheel."""
    folder.mkdir()
    needed = subprocess.run(["objdump", "-p", *binaries], check=True, capture_output=True, text=True).stdout
    libraries = sorted(set(re.findall(r"NEEDED\s+(\S+)", needed)))
    (folder / "METADATA").write_text(
        f"Metadata-Version: 2.1\nName: rota\nVersion: {version}\n"
        "Summary: Trains models by scheduling the updates of their parameters\nLicense: Apache-2.0\n"
        "Requires-Python: ==3.11.*\nRequires-Dist: numpy\nRequires-Dist: scipy\n\n"
        "For CPython 3.11 on Debian 12. The wheel has none of the libraries that it is linked to; Debian's packages of\n"
        f"them must be installed: {', '.join(libraries)}.\n", encoding="utf-8")
    (folder / "WHEEL").write_text(
        f"Wheel-Version: 1.0\nGenerator: rota {version}\nRoot-Is-Purelib: false\nTag: {TAG}\n", encoding="utf-8")
    shutil.copy(SOURCE / "LICENSE", folder)


if __name__ == "__main__":
    main()
