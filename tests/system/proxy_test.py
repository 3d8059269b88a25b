"""Connections that are slow, uneven, half open or broken: a job over tcp with keys, through a proxy (fault_proxy.py).

ROTA_NETWORK_DRAWS above 0: more of it.  ROTA_NETWORK_OUT: a file for what every run took, a line of JSON each.
"""
import json
import os
import socket
import time

from by_hand import ByHand
from fault_proxy import FaultProxy
from rota_run import REVIEWS, RotaTest

OUT = os.environ.get("ROTA_NETWORK_OUT")
LONG = int(os.environ.get("ROTA_NETWORK_DRAWS", "0")) > 0
FLAGS = ["--app=mf", f"--input={REVIEWS}", "--rank=8", "--epochs=40", "--seed=7", "--checkpoint_seconds=0",
         "--peer_timeout_seconds=2", "--rejoin_seconds=5"]
NAMES = ("coordinator-0", "scheduler-0", "worker-0", "worker-1", "kvstore-0")


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as server:
        return server.getsockname()[1]


class Proxied(RotaTest):
    calm = None

    def setUp(self):
        super().setUp()
        self.keys = self.folder / "keys"
        self.rota("keys", self.keys)
        if Proxied.calm is None:
            words = [word.replace("--app=", "") for word in FLAGS]
            self.rota("train", *words, f"--out={self.folder}/calm")
            Proxied.calm = self.result(self.folder / "calm")

    def started(self, name):
        """Each process listens at 127.0.0.1, and the others reach it by its own loopback address."""
        self.proxy = FaultProxy()
        self.addCleanup(self.proxy.close)
        places, address = {}, None
        for i, process in enumerate(NAMES):
            host, port = f"127.0.0.{i + 2}", free_port()
            self.proxy.listen(process, (host, port), ("127.0.0.1", port))
            own = [f"--bind=127.0.0.1:{port}"]
            if process == "coordinator-0":
                address = f"tcp://{host}:{port}"
            else:
                own.append(f"--host={host}")
            places[process] = ([], own)
        return ByHand(self, self.folder / name, FLAGS, address, self.keys, places)

    def after_a_commit(self, name):
        run = self.started(name)
        self.assertTrue(run.until("a commit", lambda: self.committed(run.out)), run.log())
        return run

    def check(self, run, fault, mended_at):
        self.assertEqual(run.ended(), 0, run.log())
        self.expect_same(self.result(run.out), self.calm, why=run.log())
        self.assertGreater(self.proxy.bytes, 100_000, "everything goes through the proxy")
        again = [event["time"] for event in run.events("checkpoint") if event["time"] > mended_at]
        facts = {"fault": fault, "seconds": self.result(run.out)["seconds"], "lost": len(run.events("lost")),
                 "recovery": run.recovery(), "rollbacks": len(run.events("rollback")),
                 "started_again": sum(run.starts.values()) - len(NAMES),
                 "commit_after": round(again[0] - mended_at, 3) if again else None, "halves": self.proxy.halves,
                 "resets": self.proxy.resets, "connections": self.proxy.connections}
        if OUT:
            with open(OUT, "a", encoding="ascii") as file:
                file.write(json.dumps(facts) + "\n")
        return facts

    def test_messages_are_delayed_unevenly(self):
        run = self.started("delay")
        self.proxy.delay, self.proxy.jitter = 0.02, 0.02
        self.check(run, "delay 20 +- 20 ms", time.time())

    def test_connections_to_a_process_are_half_open(self):
        for name in ("worker-1", "coordinator-0") if LONG else ("worker-1",):
            with self.subTest(name=name):
                run = self.after_a_commit(f"half-{name}")
                self.proxy.half_open(name)
                self.check(run, f"half open: {name}", time.time())
                self.assertGreater(self.proxy.halves, 0)

    def test_connections_are_reset_in_turn(self):
        run = self.after_a_commit("resets")
        for turn in range(30):
            if not run.look():
                break
            self.proxy.reset(NAMES[turn % len(NAMES)])
            run.run_for(0.1)
        self.check(run, "resets in turn", time.time())
        self.assertGreater(self.proxy.resets, 20)

    def test_no_data_is_read_for_a_while(self):
        for seconds in (1, 5) if LONG else (3,):
            with self.subTest(seconds=seconds):
                run = self.after_a_commit(f"unread-{seconds}")
                self.proxy.reads_nothing = True
                run.run_for(seconds)
                self.proxy.reads_nothing = False
                self.check(run, f"no reads for {seconds} s", time.time())
