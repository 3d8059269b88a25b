"""A small network of machines for the system tests: each is a network, mount and host-name namespace of this machine,
linked to one switch (veth and a bridge, in another namespace).  The system's own network is not changed, and everything
ends with the test process."""
import json
import os
import pathlib
import shutil
import signal
import subprocess
import time

TOOLS = ("ip", "tc", "unshare", "nsenter", "mount")
PREFIX = "10.77.0"


def why_not(*more_tools):
    """Why such a network is impossible here, for skipTest; None if it is possible."""
    if os.geteuid() != 0:
        return "network namespaces want root"
    missing = [tool for tool in (*TOOLS, *more_tools) if not (shutil.which(tool) or os.path.exists(f"/usr/sbin/{tool}"))]
    if missing:
        return "not installed: " + ", ".join(missing)
    tried = subprocess.run(["unshare", "--net", "--mount", "--uts", "sh", "-c",
                            "ip link add v0 type veth peer name v1 && ip link add b0 type bridge"],
                           capture_output=True, text=True)
    return f"no namespaces here: {tried.stderr.strip()}" if tried.returncode else ""


class Namespace:
    """Lives as long as a process in it; the first reads a pipe that closes with the test."""

    def __init__(self, script="true"):
        self.holder = subprocess.Popen(["unshare", "--net", "--mount", "--uts", "--propagation=private", "sh", "-ec",
                                        f"{script}\necho ready\nexec cat >/dev/null"],
                                       stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        if self.holder.stdout.readline() != "ready\n":
            raise RuntimeError("no namespace: " + self.holder.communicate()[1])

    def command(self, *words):
        """The command line that runs these words there.  Paths in it must be absolute: the folder becomes /."""
        return ["nsenter", f"--target={self.holder.pid}", "--net", "--mount", "--uts", "--", *map(str, words)]

    def run(self, *words, **options):
        return subprocess.run(self.command(*words), check=True, capture_output=True, text=True, **options)

    def pids(self):
        """Of all processes there but the holder."""
        mine = os.readlink(f"/proc/{self.holder.pid}/ns/net")
        found = []
        for entry in pathlib.Path("/proc").iterdir():
            try:
                if entry.name.isdigit() and os.readlink(entry / "ns/net") == mine:
                    found.append(int(entry.name))
            except OSError:
                pass  # it has ended
        return [pid for pid in found if pid != self.holder.pid]

    def close(self):
        while left := self.pids():
            for pid in left:
                try:
                    os.kill(pid, signal.SIGKILL)
                except ProcessLookupError:
                    pass
            time.sleep(0.01)
        self.holder.communicate()


class Machine(Namespace):
    def __init__(self, number, private):
        mounts = [f"mount -t tmpfs -o size=256m,mode=0755 machine-{number} '{folder}'" for folder in private]
        super().__init__("\n".join([f"hostname machine-{number}", "ip link set lo up", *mounts]))
        self.number = number
        self.address = f"{PREFIX}.{number + 1}"

    def filter(self, incoming=(), outgoing=()):
        """Replaces its nft rules for packets."""
        chains = [f"chain {hook} {{ type filter hook {hook} priority 0; policy accept;\n" + "\n".join(rules) + "\n}"
                  for hook, rules in (("input", incoming), ("output", outgoing))]
        self.run("nft", "-f", "-", input="table inet faults\ndelete table inet faults\n"
                 "table inet faults {\n" + "\n".join(chains) + "\n}\n")

    def reset_connections(self):
        """Ends all its TCP connections to other machines, as if the kernel had lost them."""
        self.run("ss", "--kill", "--tcp", "dst", f"{PREFIX}.0/24")

    def inside(self, path):
        """The path by which this process sees a path of the machine, a private one too."""
        return pathlib.Path(f"/proc/{self.holder.pid}/root{path}")


class Machines:
    """`count` machines, from 10.77.0.1, named from machine-0; their links carry at most `mbit` each way.  All see the
    same files, except for a private folder (empty, in memory) at each path of `private`, which must exist."""

    def __init__(self, count, mbit=None, private=()):
        self.all, self.switch = [], Namespace("ip link add br0 type bridge; ip link set br0 up")
        try:
            for number in range(count):
                machine = Machine(number, private)
                self.all.append(machine)
                cable = f"cable{number}"
                self.switch.run("ip", "link", "add", cable, "type", "veth", "peer", "name", "eth0", "netns",
                                machine.holder.pid)
                self.switch.run("ip", "link", "set", cable, "master", "br0", "up")
                machine.run("ip", "address", "add", f"{machine.address}/24", "dev", "eth0")
                machine.run("ip", "link", "set", "eth0", "up")
                if mbit:
                    self.limit(number, mbit)
        except BaseException:
            self.close()
            raise

    def __getitem__(self, number):
        return self.all[number]

    def cut(self, number):
        """Cuts the link without notice to either side."""
        self.switch.run("ip", "link", "set", f"cable{number}", "down")

    def mend(self, number):
        self.switch.run("ip", "link", "set", f"cable{number}", "up")

    def limit(self, number, mbit, latency="400ms"):
        """Limits its link each way; a packet that would wait for longer is lost."""
        limit = ("root", "tbf", "rate", f"{mbit}mbit", "burst", "128kb", "latency", latency)
        self.switch.run("tc", "qdisc", "replace", "dev", f"cable{number}", *limit)
        self.all[number].run("tc", "qdisc", "replace", "dev", "eth0", *limit)

    def bytes(self, number):
        """Bytes that the machine has sent and received, with frames."""
        facts = json.loads(self.all[number].run("ip", "-s", "-j", "link", "show", "eth0").stdout)[0]["stats64"]
        return facts["tx"]["bytes"], facts["rx"]["bytes"]

    def close(self):
        for namespace in (*self.all, self.switch):
            namespace.close()
