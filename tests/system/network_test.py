"""A network that fails, with real packets: four machines (network namespaces), a job over tcp with keys, and the model
of an undisturbed run after every fault.

ROTA_NETWORK_DRAWS: how many runs meet faults drawn from a seed, one after the other (0); above 0 other tests are longer,
too.  ROTA_NETWORK_SEED: of the first.
ROTA_NETWORK_OUT: a file for what every run took, a line of JSON each.
"""
import json
import os
import random
import time
import unittest

import namespaces
from by_hand import ByHand
from rota_run import REVIEWS, RotaTest

DRAWS = int(os.environ.get("ROTA_NETWORK_DRAWS", "0"))
SEED = int(os.environ.get("ROTA_NETWORK_SEED", "1"))
OUT = os.environ.get("ROTA_NETWORK_OUT")
# Slices travel from worker to worker, parts to the store; of some seconds on such cables.
FLAGS = ["--app=mf", f"--input={REVIEWS}", "--rank=16", "--epochs=40", "--seed=7", "--checkpoint_seconds=0",
         "--peer_timeout_seconds=2", "--rejoin_seconds=30"]
MBIT = 50
HOME = {"coordinator-0": 0, "scheduler-0": 0, "worker-0": 1, "worker-1": 2, "kvstore-0": 3}
PORT = 7000
MEMORY_MORE = 128 << 20  # of a process that waits for a slow network, over the calm run's


class Network(RotaTest):
    @classmethod
    def setUpClass(cls):
        if reason := namespaces.why_not("nft", "ss"):
            raise unittest.SkipTest(reason)
        cls.machines = namespaces.Machines(4, mbit=MBIT)
        cls.addClassCleanup(cls.machines.close)
        cls.calm = None

    def setUp(self):
        super().setUp()
        self.addCleanup(self.mend)
        self.keys = self.folder / "keys"
        self.rota("keys", self.keys)
        if Network.calm is None:
            run = self.started("calm")
            self.assertEqual(run.ended(), 0, run.log())
            Network.calm = self.result(run.out)

    def started(self, name):
        places = {name: (self.machines[number].command(), []) for name, number in HOME.items()}
        return ByHand(self, self.folder / name, FLAGS, f"tcp://{self.machines[0].address}:{PORT}", self.keys, places)

    def mend(self):
        """The network is whole again."""
        for machine in self.machines.all:
            self.machines.mend(machine.number)
            machine.filter()
            self.machines.limit(machine.number, MBIT)

    # ---- faults of the network; each returns at once, and mend() undoes it ----

    def away(self, number):
        """Cuts the machine's link without notice."""
        self.machines.cut(number)

    def receives_nothing(self, number):
        """It can send and receives nothing, acknowledgements included."""
        self.machines[number].filter(incoming=[f"ip saddr {namespaces.PREFIX}.0/24 drop"])

    def sends_nothing(self, number):
        self.machines[number].filter(outgoing=[f"ip daddr {namespaces.PREFIX}.0/24 drop"])

    def apart(self, one, other):
        """The two do not reach each other; all others reach both."""
        self.machines[one].filter(incoming=[f"ip saddr {self.machines[other].address} drop"],
                                  outgoing=[f"ip daddr {self.machines[other].address} drop"])

    def lossy(self, percent):
        for machine in self.machines.all:
            machine.filter(incoming=[f"ip saddr {namespaces.PREFIX}.0/24 numgen random mod 100 < {percent} drop"])

    def refused(self, number):
        """All packets to the machine are answered with a reset."""
        self.machines[number].filter(incoming=[f"ip saddr {namespaces.PREFIX}.0/24 meta l4proto tcp reject with tcp reset"])

    def half_open(self, number):
        """Its existing connections drop all data, as after a reset of a firewall; new ones work."""
        established = self.machines[number].run("ss", "-H", "-t", "-n", "state", "established").stdout
        ends = [[place.rsplit(":", 1) for place in line.split()[2:4]] for line in established.splitlines()]
        self.assertTrue(ends)
        self.machines[number].filter(
            incoming=[f"ip saddr {peer} tcp sport {far} tcp dport {near} drop" for (_, near), (peer, far) in ends],
            outgoing=[f"ip daddr {peer} tcp sport {near} tcp dport {far} drop" for (_, near), (peer, far) in ends])

    def slow(self, mbit):
        for machine in self.machines.all:
            self.machines.limit(machine.number, mbit, latency="50ms")

    # ---- expectations ----

    def after_a_commit(self, name):
        run = self.started(name)
        self.assertTrue(run.until("a commit", lambda: self.committed(run.out)), run.log())
        return run

    def check(self, run, fault, mended_at, **facts):
        """The job has ended with the model of the undisturbed run."""
        self.assertEqual(run.ended(), 0, run.log())
        self.expect_same(self.result(run.out), self.calm, why=run.log())
        self.expect_each_epoch_once(run.out)
        again = [event["time"] for event in run.events("checkpoint") if event["time"] > mended_at]
        facts = {"fault": fault, "seconds": self.result(run.out)["seconds"], "lost": len(run.events("lost")),
                 "recovery": run.recovery(), "rollbacks": len(run.events("rollback")),
                 "started_again": sum(run.starts.values()) - len(HOME),
                 "commit_after": round(again[0] - mended_at, 3) if again else None, **facts}
        if OUT:
            with open(OUT, "a", encoding="ascii") as file:
                file.write(json.dumps(facts) + "\n")
        return facts

    def harmed(self, fault, seconds, *arguments):
        """A run whose network fails for this time after a commit."""
        run = self.after_a_commit(fault)
        getattr(self, fault)(*arguments)
        run.run_for(seconds)
        self.mend()
        return self.check(run, fault, time.time(), cut=seconds)

    def test_a_machine_is_cut_off_from_all(self):
        self.assertGreater(self.harmed("away", 3, HOME["worker-1"])["lost"], 0)

    @unittest.skipIf(DRAWS == 0, "of the long form")
    def test_the_coordinators_machine_is_cut_off(self):
        self.harmed("away", 3, HOME["coordinator-0"])

    def test_a_machine_receives_nothing(self):
        self.assertGreater(self.harmed("receives_nothing", 3, HOME["kvstore-0"])["lost"], 0)

    def test_a_machine_cannot_send(self):
        self.assertGreater(self.harmed("sends_nothing", 3, HOME["worker-0"])["lost"], 0)

    def test_two_machines_do_not_reach_each_other(self):
        run = self.after_a_commit("apart")
        self.apart(HOME["worker-0"], HOME["worker-1"])
        self.assertTrue(run.until("a loss", lambda: run.events("lost")), "it ended meanwhile")
        self.mend()
        self.check(run, "apart", time.time())

    def test_packets_are_lost(self):
        for percent in (5, 10) if DRAWS else (5,):
            with self.subTest(percent=percent):
                run = self.started(f"lossy-{percent}")
                self.lossy(percent)
                self.check(run, f"lossy {percent} %", time.time())
                self.mend()

    def descriptors(self, run):
        return {name: len(os.listdir(f"/proc/{process.pid}/fd")) for name, process in run.processes.items()}

    def test_connections_are_reset_repeatedly(self):
        run = self.after_a_commit("storm")
        before, resets = self.descriptors(run), 0
        end = time.monotonic() + 2
        while time.monotonic() < end and run.look():
            for machine in self.machines.all:
                machine.reset_connections()
            resets += 1
            run.run_for(0.2)
        mended_at = time.time()
        self.assertTrue(run.until("peace", lambda: time.time() > mended_at + 0.5), "it ended in the midst of it")
        if not run.events("lost"):
            for name, count in self.descriptors(run).items():
                self.assertLess(count, before[name] + 12, f"{name} has kept descriptors of connections that are gone")
        self.check(run, "storm", mended_at, resets=resets)

    def test_connections_are_half_open(self):
        """They are replaced by new connections, though the old ones are never closed."""
        run = self.after_a_commit("half-open")
        self.half_open(HOME["worker-0"])
        self.check(run, "half open", time.time())

    @unittest.skipIf(DRAWS == 0, "of the long form")
    def test_a_machine_refuses_all_connections_for_a_while(self):
        self.harmed("refused", 4, HOME["worker-1"])

    def test_a_slow_network_does_not_fill_the_memory(self):
        run = self.started("slow")
        self.slow(4)
        self.assertTrue(run.until("some time to pass", lambda: len(run.events("checkpoint")) >= 3), run.log())
        self.mend()
        self.check(run, "slow", time.time(), memory=self.result_memory(run))

    def result_memory(self, run):
        self.assertEqual(run.ended(), 0, run.log())
        most, calm = self.result(run.out)["peak_memory_bytes"], self.calm["peak_memory_bytes"]
        for name, bytes_ in most.items():
            self.assertLess(bytes_, calm[name] + MEMORY_MORE, name)
        return {name: [calm[name], most[name]] for name in most}

    @unittest.skipIf(DRAWS == 0, "ROTA_NETWORK_DRAWS says how many")
    def test_faults_drawn_from_a_seed(self):
        for seed in range(SEED, SEED + DRAWS):
            with self.subTest(seed=seed):
                self.drawn(random.Random(seed), f"drawn-{seed}")

    def drawn(self, draw, name):
        run, met = self.started(name), []
        number = lambda: draw.randrange(len(self.machines.all))
        while run.look() and len(met) < 12:
            run.run_for(draw.uniform(0.2, 2))
            fault = draw.choice(("away", "receives_nothing", "sends_nothing", "apart", "lossy", "refused", "half_open", "slow", "storm"))
            arguments = {"apart": lambda: draw.sample(range(4), 2), "lossy": lambda: [draw.randint(1, 15)],
                         "slow": lambda: [draw.randint(1, 10)], "storm": list}.get(fault, lambda: [number()])()
            seconds = draw.choice((0.3, 1, 3, 8))
            met.append((fault, arguments, seconds))
            if fault == "storm":
                for machine in self.machines.all:
                    machine.reset_connections()
                continue
            getattr(self, fault)(*arguments)
            run.run_for(seconds)
            self.mend()
        self.check(run, name, time.time(), met=met)
