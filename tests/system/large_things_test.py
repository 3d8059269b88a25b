"""A slice, shards' states and a table that are larger than a message are sent whole, and such a run is resumed exactly.

bench/large_things.py does the same by hand, with gigabytes.
"""
import os
import pathlib
import signal

from rota_run import RotaTest, kill

PLUGIN = pathlib.Path(os.environ["ROTA_TEST_PLUGINS"]) / "large.so"


class LargeThings(RotaTest):
    def large(self, out, *flags):
        """A slice of 5 MB, the states of two of four shards of 3 MB each, and a table of 6 MB; messages of at most 1 MB."""
        data = self.folder / "input"
        data.write_text("nothing\n")
        return ["train", PLUGIN, f"--input={data}", "--slice_mb=5", "--state_mb=3", "--large_shards=2", "--table_mb=6",
                "--shards=4", "--eval_every=0", "--checkpoint_seconds=0", "--partitions=3", f"--out={out}", *flags]

    def test_a_killed_run_is_resumed_exactly(self):
        calm = self.folder / "calm"
        self.rota(*self.large(calm, "--epochs=25", "--workers=1"))

        out = self.folder / "killed"
        run = self.start(*self.large(out, "--epochs=25", "--workers=2", "--stores=1", "--max_message_mb=1",
                                      "--on_loss=stop"))
        self.wait_for("a commit", lambda: self.committed(out))
        kill([self.roles(out)["rota-worker-1"]], signal.SIGKILL)
        self.ended(run, 75)
        self.rota("resume", out, "--workers=4", "--stores=2")
        self.expect_same(self.result(out), self.result(calm), ["model_hash"])

    def test_an_unfinished_checkpoint_is_not_used(self):
        """80 MB for one partition, which keeps 64 MiB in memory; all is killed after the first commit, during the next."""
        flags = ["--slice_mb=30", "--state_mb=25", "--table_mb=1", "--partitions=1", "--epochs=3"]
        calm, out = self.folder / "calm", self.folder / "killed"
        self.rota(*self.large(calm, *flags, "--workers=1"))

        run = self.start(*self.large(out, *flags, "--workers=2"))
        self.wait_for("a commit", lambda: self.committed(out))
        self.kill_run(run, out)
        self.assertEqual([name for name in out.rglob("*.unfinished-*")], [])
        self.rota("resume", out, "--workers=3")
        self.expect_same(self.result(out), self.result(calm), ["model_hash"])
