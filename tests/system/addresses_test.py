"""Where processes listen and how others find them: ports, names, IPv6."""
import os
import pathlib
import shutil
import socket
import subprocess

from rota_run import BIN, RotaTest


def listening(pid):
    """Local addresses at which a process listens over tcp, as the kernel writes them."""
    inodes = set()
    for link in pathlib.Path(f"/proc/{pid}/fd").iterdir():
        try:
            inodes.add(os.readlink(link))
        except OSError:
            pass
    found = set()
    for table in ("tcp", "tcp6"):
        for line in pathlib.Path(f"/proc/{pid}/net/{table}").read_text().splitlines()[1:]:
            words = line.split()
            if words[3] == "0A" and f"socket:[{words[9]}]" in inodes:
                found.add(words[1].split(":")[0])
    return found


class Addresses(RotaTest):
    def setUp(self):
        super().setUp()
        self.write_small_corpus()
        self.out = self.folder / "run"

    def flags(self, *more):
        self.out.mkdir()
        file = self.out / "flags.txt"
        words = ["--app=lda", f"--input={self.folder}/data", f"--vocab={self.folder}/vocab", "--topics=2", "--seed=7",
                 "--workers=2", f"--out={self.out}", *more]
        file.write_text("\n".join(words) + "\n")
        return f"--flagfile={file}"

    def role(self, role, *arguments):
        process = subprocess.Popen([BIN / f"rota-{role}", *arguments], stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True)
        self.addCleanup(self._end, process)
        return process

    def address(self):
        file = self.out / "address"
        self.wait_for("the coordinator's address", file.exists)
        return file.read_text().strip()

    def start_job(self, flags, coordinator):
        """The coordinator's process and those of the others, which find it by the address in the run's folder."""
        first = self.role("coordinator", flags, f"--coordinator={coordinator}")
        address = self.address()
        others = [self.role("scheduler", flags, f"--coordinator={address}")]
        others += [self.role("worker", flags, f"--coordinator={address}", f"--index={i}") for i in range(2)]
        return first, others, address

    def ends_well(self, first, others):
        for process in (first, *others):
            self.ended(process)
        return self.result(self.out)["model_hash"]

    def model_over_ipc(self):
        self.rota(*self.small_lda(self.folder / "ipc", "--epochs=5"))
        return self.result(self.folder / "ipc")["model_hash"]

    def test_any_port_names_and_ipv6_train_the_same_model(self):
        expected = self.model_over_ipc()
        coordinators = ["tcp://localhost:0", "tcp://127.0.0.2:*"]
        if socket.has_ipv6 and pathlib.Path("/proc/net/if_inet6").exists():
            coordinators.append("tcp://[::1]:0")
        for coordinator in coordinators:
            with self.subTest(coordinator=coordinator):
                flags = self.flags("--epochs=5", "--insecure")
                first, others, address = self.start_job(flags, coordinator)
                self.assertEqual(address.rsplit(":", 1)[0], coordinator.rsplit(":", 1)[0])
                self.assertGreater(int(address.rsplit(":", 1)[1]), 0)
                self.assertEqual(self.ends_well(first, others), expected)
                log = (self.out / "log/coordinator-0.log").read_text()
                self.assertIn(f"event=listening address={address}", log)
                shutil.rmtree(self.out)

    def test_a_loopback_run_listens_only_on_loopback(self):
        flags = self.flags("--epochs=100000000", "--insecure")
        first, others, address = self.start_job(flags, "tcp://127.0.0.1:0")
        self.wait_for("an epoch", lambda: self.metrics(self.out))
        for process in (first, *others):
            self.assertEqual(listening(process.pid), {"0100007F"})
        for where in (address, self.out):
            self.assertIn("phase", self.rota("status", where).stdout)
        first.terminate()
        self.ended(first, 143)
        self.assertFalse((self.out / "address").exists())

    def test_an_address_of_another_machine_is_refused_at_once(self):
        """All were started, and waited for each other until the timeout."""
        self.rota("train", "lda", f"--input={self.folder}/data", "--topics=2", f"--out={self.out}", "--insecure",
                  "--coordinator=tcp://192.0.2.1:0", code=2,
                  error="--coordinator, without --bind: cannot listen at 192.0.2.1: it is no address of this machine")
        self.assertFalse((self.out / "flags.txt").exists())

    def test_a_port_in_use_is_not_retried(self):
        flags = self.flags("--insecure")
        with socket.create_server(("127.0.0.1", 0)) as taken:
            address = f"tcp://127.0.0.1:{taken.getsockname()[1]}"
            first = self.role("coordinator", flags, f"--coordinator={address}")
            output = self.ended(first, 2)
        self.assertIn(f"cannot listen at {address}: it is in use", output)
        self.assertFalse((self.out / "address").exists())
