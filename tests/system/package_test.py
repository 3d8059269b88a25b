#!/usr/bin/env python3
"""The Debian packages and the container image, made from the build folder: installed in a new Debian, run, removed.

mmdebstrap makes that Debian once, as a root folder.  The packages are installed in it, and it is the image's base, in
place of one from a registry.  Ends with "OK (skipped=N)" where there is no root or container engine for that.
"""
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import tempfile
import unittest

from rota_run import A9A, BIN, KOS, LIMIT, SOURCE, RotaTest, kill

BUILD = BIN.parent
LDA = ("lda", str(KOS), ["--topics=10", "--epochs=3"])
SGD = ("sgd", str(A9A), ["--epochs=2"])
# Takes seconds: a run that is stopped, loses a worker, and continues.
LONG = ("lda", str(KOS), ["--topics=100", "--epochs=600", "--eval_every=100", "--checkpoint_seconds=0.2"])
DEBIAN_LIMIT = 300  # seconds for apt and mmdebstrap, which download
# As in images of Debian: without documentation, but with licences.
SLIM = [f"--dpkgopt=path-exclude=/usr/share/{part}/*" for part in ("man", "locale", "doc", "info")]
SLIM += ["--dpkgopt=path-include=/usr/share/doc/*/copyright"]
# What a careful user gives; and limits that a machine which is a container itself may set.
SAFE = ["--network=none", "--read-only", "--cap-drop=all", "--security-opt=no-new-privileges",
        "--ulimit=nofile=4096:4096", "--ulimit=nproc=4096:4096"]
IMAGE_BYTES_MOST = 60 << 20  # compressed

place = None  # the folder of all of this, removed at the end


def setUpModule():
    global place
    # In memory, if there is room: dpkg and layers of images sync every file.
    memory = os.statvfs("/dev/shm") if os.path.isdir("/dev/shm") else None
    usable = memory and not memory.f_flag & (os.ST_NOEXEC | os.ST_RDONLY) and memory.f_bavail * memory.f_bsize > 4 << 30
    place = pathlib.Path(tempfile.mkdtemp(prefix="rota-packages-", dir="/dev/shm" if usable else None))
    unittest.addModuleCleanup(shutil.rmtree, place, ignore_errors=True)
    if (BUILD / "CPackConfig.cmake").exists():
        run_out("cpack", "-G", "DEB", "-B", place / "packages", "--config", BUILD / "CPackConfig.cmake")


def run_out(*words, **options):
    """Runs a program, which must succeed; returns what it wrote to stdout."""
    options = {"capture_output": True, "text": True, "timeout": DEBIAN_LIMIT, **options}
    done = subprocess.run([str(word) for word in words], **options)
    if done.returncode != 0:
        raise AssertionError(f"{words} ended with {done.returncode}\n{done.stdout}\n{done.stderr}")
    return done.stdout


def packages():
    return sorted((place / "packages").glob("*.deb"))


def debian():
    """The root folder of a new Debian, made at the first call."""
    root = place / "debian"
    if root.exists():
        return root
    if os.geteuid() != 0 or not shutil.which("mmdebstrap"):
        raise unittest.SkipTest("a new Debian needs root and mmdebstrap")
    sources = run_out("apt-get", "indextargets", "--format", "deb $(REPO_URI) $(CODENAME) $(COMPONENT)",
                      "Created-By: Packages", "Origin: Debian")
    sources = "".join(sorted(set(sources.splitlines(keepends=True))))  # none are known before apt-get update
    # The hook, or a package with all of Perl merges /bin into /usr/bin.
    run_out("mmdebstrap", "--quiet", "--variant=apt", "--hook-dir=/usr/share/mmdebstrap/hooks/maybe-merged-usr",
            "--dpkgopt=force-unsafe-io", *SLIM, "bookworm", root, *(["-"] if sources else []), input=sources)
    return root


@unittest.skipUnless((BUILD / "CPackConfig.cmake").exists(), "not run from a build folder")
class PackageTest(RotaTest):
    def local_hash(self, job):
        app, data, flags = job
        out = self.folder / f"local-{app}"
        run_out(BIN / "rota", "train", app, f"--input={data}", *flags, f"--out={out}", timeout=LIMIT)
        return self.result(out)["model_hash"]


class Packages(PackageTest):
    def inside(self, *words):
        """Runs a program in the new Debian, with its own processes and mounts."""
        return run_out("unshare", "--mount", "--pid", "--fork", f"--root={debian()}", "--mount-proc=/proc", *words,
                       env={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "DEBIAN_FRONTEND": "noninteractive"})

    def files(self):
        """All paths of the new Debian, except what apt, dpkg and programs that ran keep."""
        passed = ("/var/", "/tmp/", "/run/", "/proc/")
        paths = run_out("find", debian(), "-xdev", "-printf", "/%P\n").splitlines()
        return {path for path in paths if not path.startswith(passed)}

    def test_complete_and_without_complaints_of_lintian(self):
        self.assertEqual([package.name.partition("_")[0] for package in packages()], ["librota-dev", "python3-rota", "rota"])
        if shutil.which("lintian"):
            run_out("lintian", "--allow-root", "--fail-on", "warning", *packages())
        paths = {line.split()[5].lstrip(".") for package in packages()
                 for line in run_out("dpkg-deb", "-c", package).splitlines()}
        commands = re.findall(r"^  rota ([a-z-]+) ", self.rota("help").stdout, re.M)
        self.assertIn("train", commands)
        pages = {"rota", *(f"rota-{command}" for command in commands if command != "agent"),  # which is for rota itself
                 *(path.split("/")[-1] for path in paths if path.startswith("/usr/bin/rota")),
                 *(f"rota-train-{app.stem}" for app in (BUILD / "lib/rota/plugins").glob("*.so"))}
        expected = {f"/usr/share/man/man1/{page}.1.gz" for page in pages}
        expected |= {"/usr/share/bash-completion/completions/rota", "/usr/share/zsh/vendor-completions/_rota",
                     "/usr/share/pkgconfig/rota.pc", "/usr/share/doc/rota/copyright",
                     "/usr/lib/python3/dist-packages/rota/__init__.py", "/usr/share/rota/template/try.sh"}
        self.assertEqual(expected - paths, set())

    def test_install_train_build_an_app_and_remove(self):
        root = debian()
        before = self.files()
        for package in packages():
            shutil.copy(package, root / "tmp")
        self.inside("apt-get", "-qq", "update")
        self.inside("sh", "-c", "apt-get install -qq -y --no-install-recommends /tmp/*.deb")
        added = self.files() - before
        app, data, flags = LDA
        shutil.copy(data, root / "tmp/data.gz")
        self.inside("rota", "train", app, "--input=/tmp/data.gz", *flags, "--out=/tmp/run")
        model_hash = self.local_hash(LDA)
        self.assertEqual(self.result(root / "tmp/run")["model_hash"], model_hash)
        # The same from Python, by processes.
        said = self.inside("python3", "-c", "import rota; print(rota.load('/tmp/run').model.model_hash); from rota "
                           "import _training; print(_training.train('lda', {'topics': 10, 'epochs': 3}, '/tmp/data.gz', "
                           "workers=2).model_hash)")
        self.assertEqual(said.split(), 2 * [model_hash])
        # With this machine's compiler, and what the packages and those that they depend on brought.
        search = ":".join(f"{root}/usr/{where}/pkgconfig" for where in ("share", "lib/x86_64-linux-gnu"))
        flags = run_out("pkg-config", "--cflags", "--libs", "rota",
                        env={**os.environ, "PKG_CONFIG_LIBDIR": search, "PKG_CONFIG_SYSROOT_DIR": str(root)})
        source = root / "usr/share/rota/template/line_fit.cc"
        run_out("g++", f"--sysroot={root}", "-Wall", "-Werror", "-fPIC", "-shared", source, *flags.split(),
                "-o", root / "tmp/line_fit.so")
        (root / "tmp/points.txt").write_text("".join(f"{x} {3 + 2 * x}\n" for x in range(-50, 50)))
        self.inside("rota", "train", "/tmp/line_fit.so", "--input=/tmp/points.txt", "--epochs=3", "--out=/tmp/line")
        self.assertEqual(self.inside("rota", "show", "/tmp/line_fit.so", "--model=/tmp/line"), "y = 3 + 2 x\n")
        with self.assertRaisesRegex(AssertionError, "apt install cmake make"):
            self.inside("rota", "new", "/tmp/app")
        self.inside("apt-get", "purge", "-qq", "-y", "--autoremove", "rota", "librota-dev", "python3-rota")
        self.assertIn("/usr/bin/rota", added)
        self.assertEqual(self.files() ^ before, set())


class Containers(PackageTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        if not shutil.which("podman") or not shutil.which("runc"):
            raise unittest.SkipTest("podman and runc are not installed")
        where = place / "podman"
        cls.engine = ["podman", f"--root={where}/root", f"--runroot={where}/run", f"--tmpdir={where}/tmp",
                      "--storage-driver=vfs", "--cgroup-manager=cgroupfs", f"--runtime={shutil.which('runc')}"]
        # Their locks are the machine's.
        cls.addClassCleanup(cls.podman, "volume", "rm", "--all", "--force")
        base = "localhost/debian:12-slim"
        archive = subprocess.Popen(["tar", "-C", debian(), "-c", "."], stdout=subprocess.PIPE)
        cls.podman("import", "-", base, stdin=archive.stdout, text=True)
        archive.communicate()
        tried = subprocess.run([*cls.engine, "run", "--rm", *SAFE, base, "true"], capture_output=True, text=True,
                               timeout=LIMIT)
        if tried.returncode != 0:
            raise unittest.SkipTest(f"podman cannot run a container here: {tried.stderr.strip()}")
        cls.podman("build", "--format=docker", "--isolation=chroot", f"--build-arg=BASE={base}", "-t", "rota",
                   f"--file={SOURCE}/deploy/Containerfile", place / "packages", timeout=DEBIAN_LIMIT)

    @classmethod
    def podman(cls, *words, **options):
        return run_out(*cls.engine, *words, **options)

    def words(self, volume, *arguments, options=()):
        """The command that runs rota in a container of the test's name; /out is the volume."""
        return [*self.engine, "run", f"--name={self.id()}", f"--volume={SOURCE}/apps:/data:ro",
                *([f"--volume={volume}:/out"] if volume else []), *SAFE, *options, "rota", *map(str, arguments)]

    def train(self, job):
        app, data, flags = job
        data = pathlib.Path(data).relative_to(SOURCE / "apps")
        return ["train", app, f"--input=/data/{data}", *flags, "--out=/out/run"]

    def start_run(self, job):
        """A run in a container that goes on; returns its folder as this machine sees it, and its first process."""
        run_out(*self.words("long", *self.train(job), "--continue", options=["--detach"]))
        self.addCleanup(self.podman, "rm", "--force", "--time=0", self.id())
        return self.run_folder("long"), int(self.asked("container", "State.Pid"))

    def run_folder(self, volume):
        return pathlib.Path(self.asked("volume", "Mountpoint", volume)) / "run"

    def asked(self, kind, field, name=None):
        return self.podman(kind, "inspect", "--format={{.%s}}" % field, name or self.id()).strip()

    def children(self, first):
        """Process ids and names of the children of a container's first process."""
        text = pathlib.Path(f"/proc/{first}/task/{first}/children").read_text(encoding="ascii")
        found = {}
        for pid in text.split():
            try:
                found[int(pid)] = pathlib.Path(f"/proc/{pid}/comm").read_text(encoding="utf-8").strip()
            except OSError:  # it has ended
                pass
        return found

    def test_the_same_models_as_outside(self):
        for job in (LDA, SGD):
            with self.subTest(app=job[0]):
                self.program(self.words(job[0], *self.train(job), options=["--rm", "--no-healthcheck"]))
                out = self.run_folder(job[0])
                self.assertEqual(self.result(out)["model_hash"], self.local_hash(job))
                self.assertEqual((out / "result.json").stat().st_uid, 65532)
        archive = place / "image.tar"
        self.podman("push", "--quiet", "rota", f"oci-archive:{archive}")
        print(f"image: {archive.stat().st_size / 1e6:.0f} MB, unpacked {self.asked('image', 'Size', 'rota')} bytes")
        self.assertLess(archive.stat().st_size, IMAGE_BYTES_MOST)

    def test_a_run_is_healthy_survives_a_crash_is_stopped_and_continues(self):
        out, first = self.start_run(LONG)
        self.wait_for("a checkpoint", lambda: self.committed(out))
        self.podman("healthcheck", "run", self.id())
        self.assertEqual(self.asked("container", "State.Health.Status"), "healthy")
        roles = {name: pid for pid, name in self.children(first).items()}
        kill([roles["rota-coordinato"]], signal.SIGSTOP)  # the kernel keeps 15 letters
        self.program([*self.engine, "healthcheck", "run", self.id()], code=1)
        kill([roles["rota-coordinato"]], signal.SIGCONT)
        kill([roles["rota-worker"]])
        self.wait_for("the rollback", lambda: self.events(out, "rollback"))
        rolled = len(self.events(out, "checkpoint"))
        self.wait_for("training after it", lambda: len(self.events(out, "checkpoint")) > rolled)
        # What a plugin starts may outlive it, and then belongs to the container's first process.
        self.podman("exec", self.id(), "sh", "-c", "sleep 2 & sleep 2 &")
        self.wait_for("its adoption", lambda: "sleep" in self.children(first).values())
        self.wait_for("its end", lambda: "sleep" not in self.children(first).values())
        self.podman("stop", "--time=60", self.id(), timeout=LIMIT)
        self.assertEqual(self.asked("container", "State.ExitCode"), "143")
        self.assertFalse((out / "result.json").exists(), "the run was too short to be stopped")
        saved = max(self.committed(out))
        self.program([*self.engine, "start", "--attach", self.id()])
        self.assertEqual([int(event["epoch"]) for event in self.events(out, "resume")][-1], saved)
        self.assertEqual(self.result(out)["model_hash"], self.local_hash(LONG))

    def test_what_has_not_begun_to_train_ends_at_once(self):
        reads = subprocess.Popen(self.words("unread", "train", "lda", "--input=-", "--out=/out/run",
                                            options=["--rm", "--interactive", "--no-healthcheck"]),
                                 stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(self._end, reads)
        self.wait_for("its start", lambda: self.id() in self.podman("ps", "--format={{.Names}}"))
        self.wait_for("reading", (self.run_folder("unread") / "input").exists)
        self.podman("stop", f"--time={LIMIT}", self.id(), timeout=LIMIT)
        self.assertEqual(reads.wait(timeout=LIMIT), 143)

    def test_folders_that_a_run_cannot_have_are_named(self):
        folder = self.folder / "of root"
        folder.mkdir(mode=0o755)
        for code, volume, flags, options, error in (
                (73, folder, [], [], "/out/run: Permission denied"),
                (73, None, [], [], "/out/run: Read-only file system"),
                (73, "out", [], ["--read-only-tmpfs=false"], "cannot make a folder in /tmp: Read-only"),
                (77, "root", ["--out=/out", "--continue"], [], "only your own runs can be continued: /out belongs to")):
            with self.subTest(error):
                words = self.words(volume, *self.train(LDA), *flags, options=["--rm", "--no-healthcheck", *options])
                self.program(words, code=code, error=error)


if __name__ == "__main__":
    unittest.main()
