"""Thousands of foreign connections to every port of a job with keys, and malformed messages with a valid key: training
continues.

Over loopback, to processes that this test started.
"""
import os
import pathlib
import random
import re
import resource
import shutil
import socket
import time

from rota_run import LIMIT, SOURCE, RotaTest
from zmq_client import Client, new_pair

TCP = "--coordinator=tcp://127.0.0.1:0"
GOLDEN = SOURCE / "tests/golden/messages.hex"
PER_PORT = int(os.environ.get("ROTA_ATTACKS_PER_PORT", "250"))
ZMTP3 = b"\xff" + bytes(8) + b"\x7f\x03\x00"  # the signature, and version 3.0
LENGTH = (1 << 63).to_bytes(8, "big")
FLOOD = 5000


def greeting(mechanism, server=0):
    return ZMTP3 + mechanism.ljust(20, b"\0") + bytes([server]) + bytes(31)


def openings(rng):
    """First bytes of foreign connections, without end."""
    junk = lambda most: rng.randbytes(rng.randrange(1, most))
    while True:
        yield junk(500)
        yield b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"
        # The record and the handshake header of a TLS 1.2 client hello.
        yield b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + rng.randbytes(508)
        yield b"\x01\x00" + b"\x02\x00a"  # ZMTP 1.0: an anonymous peer, and a message
        yield b"\xff" + bytes(8) + b"\x7f\x01\x05\x00\x00" + b"\x00\x01a"  # 2.0: a DEALER, and a message
        yield greeting(b"NULL") + b"\x04\x19\x05READY\x0bSocket-Type\x00\x00\x00\x06DEALER" + junk(300)
        yield greeting(b"PLAIN") + b"\x04\x0c\x05HELLO\x01a\x01b" + junk(300)
        yield greeting(b"CURVE") + b"\x04\xc8\x05HELLO" + rng.randbytes(194)
        yield greeting(b"CURVE") + b"\x06" + LENGTH + junk(300)  # a command of 2^63 bytes
        yield greeting(b"NULL") + b"\x02" + LENGTH + junk(300)  # a frame of as many
        yield greeting(b"CURVE", 1) + junk(300)  # another server


class Attacks(RotaTest):
    descriptors = None  # limit of each process; None: the system's

    def command(self, *arguments):
        limit = ["prlimit", f"--nofile={self.descriptors}:{self.descriptors}"] if self.descriptors else []
        return limit + super().command(*arguments)

    def begin(self):
        self.write_small_corpus()
        self.out, self.keys = self.folder / "run", self.folder / "keys"
        self.rota("keys", self.keys)
        self.run_ = self.start(*self.words(self.out, "--epochs=100000000", TCP, f"--keys={self.keys}"))
        self.wait_for("training", lambda: self.run_.poll() is not None or len(self.committed(self.out)) > 1)
        self.assertIsNone(self.run_.poll())
        self.ports = self.listening()

    def words(self, out, *more):
        return self.small_lda(out, "--shards=2", "--workers=1", "--stores=1", "--eval_every=1000000",
                              "--checkpoint_seconds=0", *more)

    def logs(self):
        return {log.stem: log.read_text() for log in (self.out / "log").glob("*.log")}

    def listening(self):
        """Port by process."""
        ports = {name: int(match.group(1)) for name, text in self.logs().items()
                 if (match := re.search(r"event=listening address=tcp://127\.0\.0\.1:(\d+)", text))}
        self.assertEqual(set(ports), {"coordinator-0", "scheduler-0", "worker-0", "kvstore-0"})
        return ports

    def key(self, role, kind):
        return (self.keys / f"{role}.{kind}").read_text().split()[-1].encode()

    def measured(self):
        """Resident bytes and open descriptors of every process."""
        found = {}
        for name, pid in self.roles(self.out).items():
            status = pathlib.Path(f"/proc/{pid}/status").read_text()
            resident = int(re.search(r"VmRSS:\s+(\d+) kB", status).group(1)) * 1024
            found[name] = (resident, len(os.listdir(f"/proc/{pid}/fd")))
        self.assertEqual(len(found), 4)
        return found

    def most(self, seconds):
        """The maximum of each during this time: connections and files are opened when they are used."""
        most, end = self.measured(), time.monotonic() + seconds
        while time.monotonic() < end:
            time.sleep(0.05)
            for name, now in self.measured().items():
                most[name] = tuple(map(max, most[name], now))
        return most

    def keeps_training(self):
        """Two more epochs are committed."""
        at = self.committed(self.out)[-1]
        self.wait_for("training", lambda: self.run_.poll() is not None or (self.committed(self.out) or [0])[-1] > at + 1)
        self.assertIsNone(self.run_.poll())

    def flat(self):
        """Memory and descriptors have not grown."""
        self.keeps_training()
        flat = lambda: all(now[1] <= self.before[name][1] + 2 for name, now in self.measured().items())
        self.wait_for("descriptors to be closed", flat)
        for name, (resident, _) in self.measured().items():
            self.assertLess(resident, 1.1 * self.before[name][0] + 3e6, name)

    def unharmed(self):
        """No process was lost, and the model is that of an undisturbed run."""
        self.keeps_training()
        self.assertEqual(self.events(self.out, "lost"), [])
        self.run_.terminate()
        self.ended(self.run_, 143)
        last = self.committed(self.out)[-1]
        calm = self.folder / "calm"
        self.rota(*self.words(calm, f"--epochs={last}", "--checkpoint_every=0"))
        record = (self.out / f"checkpoint/epoch-{last:08}/commit.json").read_text()
        self.assertIn(self.result(calm)["model_hash"], record)

    def address(self, name):
        """The address of a process, and its public key."""
        return f"tcp://127.0.0.1:{self.ports[name]}", self.key(name.rsplit("-", 1)[0], "public")

    def strangers(self, held):
        """Opens PER_PORT connections to every port.  Half of them send little or nothing, and are kept open."""
        rng = random.Random(7)
        for port in self.ports.values():
            words = openings(rng)
            for i in range(PER_PORT):
                peer = socket.create_connection(("127.0.0.1", port), timeout=LIMIT)
                if i % 2 == 0:
                    held.append(peer)
                    peer.sendall(greeting(b"CURVE")[: (0, 1, 12)[i // 2 % 3]])
                    continue
                with peer:
                    peer.sendall(next(words))

    def unknown_keys(self):
        unknown = new_pair()
        for name in self.ports:
            address, server = self.address(name)
            tries = [(None, None), (server, unknown), (unknown[0], unknown)]
            if name != "coordinator-0":  # observers may connect only to the coordinator
                tries.append((server, (self.key("observer", "public"), self.key("observer", "secret"))))
            for server_key, pair in tries:
                with Client(address, server_key, pair) as client:
                    client.send([os.urandom(64), os.urandom(100)])

    def key_holder(self):
        """Malformed messages with the key of a store; they are refused on arrival."""
        rng = random.Random(8)
        pair = (self.key("kvstore", "public"), self.key("kvstore", "secret"))
        lines = [line.split()[1:] for line in GOLDEN.read_text().splitlines() if not line.startswith("#")]
        recorded = [[bytes.fromhex(word) if word != "-" else b"" for word in line] for line in lines]
        whole = recorded[0]  # a message of another job; the others have no header
        self.assertEqual(lines[0][0][:8], "524f5441", "ROTA")
        for name in self.ports:
            address, server = self.address(name)
            with Client(address, server, pair) as client:
                self.assertTrue(client.send([rng.randbytes(64)]), name)
                client.send([b""])
                client.send([b""] * 1000)
                client.send([rng.randbytes(64)] * 65)
                for frames in recorded[1:]:
                    client.send(frames)
                    client.send([whole[0], *frames])
                for at in range(len(whole[0])):
                    client.send([whole[0][:at] + bytes([whole[0][at] ^ 1]) + whole[0][at + 1:], *whole[1:]])
                client.send(whole)
            self.wait_for(f"a refusal of {name}", lambda: "event=refused" in self.logs()[name])
            with Client(address, server, pair) as client:
                client.send([bytes(65 << 20)])  # over --max_message_mb: the connection is closed

    def flood(self, port):
        """Silent connections.  Some wait in the backlog: the process cannot accept all of them."""
        held = []
        for number in range(FLOOD):
            if number % 50 == 0:
                time.sleep(0.002)  # faster connections would be dropped by the system
            peer = socket.socket()
            peer.setblocking(False)
            peer.connect_ex(("127.0.0.1", port))
            held.append(peer)
        return held

    def test_silent_connections_by_the_thousand(self):
        """They took all descriptors, and the run ended: "cannot write commit.json: Too many open files"."""
        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        if hard < FLOOD + 100:
            self.skipTest(f"this user may open {hard} files")
        resource.setrlimit(resource.RLIMIT_NOFILE, (FLOOD + 100, hard))
        self.addCleanup(resource.setrlimit, resource.RLIMIT_NOFILE, (soft, hard))
        for self.descriptors in (1024, 4096):
            with self.subTest(descriptors=self.descriptors):
                self.begin()
                for name, port in self.ports.items():
                    held = self.flood(port)
                    try:
                        self.wait_for(f"a log line of {name}", lambda: "event=rejected_connections" in self.logs()[name])
                        self.keeps_training()
                    finally:
                        for peer in held:
                            peer.close()
                self.unharmed()
                shutil.rmtree(self.folder)
                self.folder.mkdir()

    def test_strangers_and_a_key_holder(self):
        self.begin()
        self.before = self.most(1.5)
        held = []
        try:
            self.strangers(held)
            # A client with a key gets an answer.
            self.rota("status", f"tcp://127.0.0.1:{self.ports['coordinator-0']}", f"--keys={self.keys}")
            self.unknown_keys()
            for name in self.ports:
                self.wait_for(f"a log line of {name}", lambda: "event=rejected_connections" in self.logs()[name])
            self.assertFalse([name for name, text in self.logs().items() if "event=refused" in text],
                             "a foreign message was decoded")
            self.key_holder()
            for peer in held:  # until the process closes the connection
                peer.settimeout(LIMIT)
                try:
                    while peer.recv(4096):
                        pass
                except ConnectionResetError:
                    pass
        finally:
            for peer in held:
                peer.close()
        for name, text in self.logs().items():
            self.assertLess(text.count("rejected_connections") + text.count("event=refused"), 60, f"{name}: they do not fill the disk")
        self.flat()
        self.unharmed()
