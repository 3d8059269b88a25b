"""The machines of namespaces.py: a network, links that can be cut, private folders."""
import pathlib
import shutil
import socket
import subprocess
import tempfile
import unittest

import namespaces

# Sends one line to the first client; and connects, within a second, to read a line.
SERVE = "import socket; s = socket.create_server(('', 7000)); print('up', flush=True); s.accept()[0].sendall(b'here\\n')"
ASK = "import socket, sys; print(socket.create_connection((sys.argv[1], 7000), 1).recv(9).decode(), end='')"


class Namespaces(unittest.TestCase):
    def setUp(self):
        if reason := namespaces.why_not():
            self.skipTest(reason)
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="rota-machines-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def test_a_network_that_can_be_cut_and_folders_of_their_own(self):
        before = {name for _, name in socket.if_nameindex()}
        (self.folder / "private").mkdir()
        (self.folder / "shared").write_text("for all")
        machines = namespaces.Machines(3, mbit=20, private=[self.folder / "private"])
        self.addCleanup(machines.close)
        self.assertEqual({name for _, name in socket.if_nameindex()}, before, "nothing outside has changed")
        for machine in machines.all:
            self.assertEqual(machine.run("cat", self.folder / "shared").stdout, "for all")
            machine.run("sh", "-c", f"hostname > {self.folder}/private/name")
        for machine in machines.all:
            name = (machine.inside(self.folder) / "private/name").read_text()
            self.assertEqual(name, f"machine-{machine.number}\n")
        self.assertFalse((self.folder / "private/name").exists())
        speaker = subprocess.Popen(machines[2].command("python3", "-c", SERVE), stdout=subprocess.PIPE, text=True)
        self.assertEqual(speaker.stdout.readline(), "up\n")
        self.assertEqual(len(machines[2].pids()), 1)
        ask = machines[0].command("python3", "-c", ASK, machines[2].address)
        machines.cut(2)
        self.assertNotEqual(subprocess.run(ask, capture_output=True).returncode, 0)
        machines.mend(2)
        sent = machines.bytes(0)[0]
        self.assertEqual(subprocess.run(ask, capture_output=True, text=True).stdout, "here\n")
        self.assertGreater(machines.bytes(0)[0], sent)
        speaker.communicate()
