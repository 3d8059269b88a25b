"""Shared parts of the system tests of single apps: training, one model for any number of processes, a kill and a resume,
and error messages."""
from rota_run import RotaTest

SHAPES = ((1, 1), (3, 2))  # workers, threads of each


class AppTest(RotaTest):
    app = None  # its name
    compared = (*RotaTest.compared, "objective")

    def command_line(self, out, file, *flags):
        return ["train", self.app, f"--input={file}", f"--out={out}", *flags]

    def train(self, name, file, *flags):
        """The result, and the folder of that name."""
        out = self.folder / name
        self.rota(*self.command_line(out, file, *flags))
        self.no_role_left(out)
        return self.result(out), out

    def train_shapes(self, name, file, *flags, compared=None):
        """One model of any workers and threads; returns its result."""
        with self.subTest(name):
            return self.expect_same_for(SHAPES, lambda workers, threads: self.train(
                f"{name}-{workers}x{threads}", file, *flags, f"--workers={workers}", f"--threads={threads}")[0],
                                        compared)

    def expect_one_model(self, name, file, *flags):
        """For any workers and threads, with separate stores, and for any interval of evaluations and checkpoints."""
        reference = self.train_shapes(name, file, *flags)
        result, _ = self.train(f"{name}-seldom", file, *flags, "--eval_every=0", "--checkpoint_every=0", "--stores=2")
        self.assertEqual(result["model_hash"], reference["model_hash"])

    def expect_resumed(self, file, *flags):
        """A run that is killed and resumed has the model of an undisturbed one.  Returns both folders, that one first."""
        flags = (*flags, "--checkpoint_seconds=0")
        reference, calm = self.train("calm", file, *flags)
        out = self.folder / "killed"
        run = self.start(*self.command_line(out, file, "--workers=2", *flags))
        self.wait_for("a commit", lambda: self.committed(out))
        self.kill_run(run, out)
        self.rota("resume", out, "--workers=1")
        self.expect_same(self.result(out), reference)
        return calm, out

    def expect_errors(self, name, cases):
        """cases: the file's content (None: no file), flags, the exit code, words of the message."""
        for content, flags, code, words in cases:
            with self.subTest(content=content, flags=flags):
                file = self.folder / name
                file.unlink(missing_ok=True)
                if content is not None:
                    file.write_bytes(content)
                self.rota(*self.command_line(self.folder / "bad", file, *flags), code=code, error=words)
