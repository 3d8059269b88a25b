"""A Slurm of its own on this machine: one slurmctld and some slurmd over loopback, in a folder, at ports of its own."""
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import time

NEEDED = ("munged", "slurmctld", "slurmd", "srun", "sbatch", "scontrol")

CONFIGURATION = """ClusterName=rota
SlurmctldHost=localhost(127.0.0.1)
SlurmctldPort={control}
AuthType=auth/munge
AuthInfo=socket={socket},cred_expire=10
CredType=cred/munge
SlurmUser=root
SlurmdUser=root
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool-%n
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd-%n.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd-%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
JobCompType=jobcomp/none
MpiDefault=none
SwitchType=switch/none
SchedulerType=sched/backfill
SchedulerParameters=bf_interval=1,sched_interval=1,batch_sched_delay=0,sched_min_interval=0
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
PreemptType=preempt/partition_prio
PreemptMode=REQUEUE
ReturnToService=2
SlurmdParameters=config_overrides
KillWait=5
SlurmdTimeout=8
InactiveLimit=0
DefMemPerCPU=100
NodeName=n[1-{nodes}] NodeHostname={host} NodeAddr=127.0.0.1 Port=[{first}-{last}] CPUs=4 RealMemory=2000 State=UNKNOWN
PartitionName=low Nodes=ALL Default=YES PriorityTier=1 PreemptMode=REQUEUE GraceTime=3 MaxTime=1:00:00 State=UP
PartitionName=high Nodes=ALL PriorityTier=10 PreemptMode=OFF MaxTime=1:00:00 State=UP
"""


def is_installed():
    return os.geteuid() == 0 and all(shutil.which(name) for name in NEEDED)


def free_ports(count):
    """Consecutive ones, in which nothing listens now."""
    for first in range(17000 + os.getpid() % 9000, 32000, count):
        try:
            for port in range(first, first + count):
                with socket.socket() as one:
                    one.bind(("127.0.0.1", port))
            return first
        except OSError:
            continue
    raise RuntimeError("no free ports")


class SlurmCluster:
    def __init__(self, folder, nodes=4):
        self.folder = pathlib.Path(folder)
        self.folder.mkdir(mode=0o755)
        self.processes = []
        self.nodes = [f"n{i + 1}" for i in range(nodes)]
        first = free_ports(nodes + 1)
        self.munge = self.folder / "munge"
        self.munge.mkdir(mode=0o755)
        (self.folder / "state").mkdir()
        for node in self.nodes:
            (self.folder / f"spool-{node}").mkdir()
        self.configuration = self.folder / "slurm.conf"
        self.configuration.write_text(CONFIGURATION.format(
            folder=self.folder, socket=self.munge / "socket", host=socket.gethostname(), control=first, nodes=nodes,
            first=first + 1, last=first + nodes))
        self.environment = {**{name: value for name, value in os.environ.items() if not name.startswith("SLURM_")},
                            "SLURM_CONF": str(self.configuration)}

    def start(self):
        key = self.munge / "key"
        key.write_bytes(os.urandom(1024))
        key.chmod(0o600)
        self.launch("munged", "--foreground", "--force", f"--key-file={key}", f"--socket={self.munge / 'socket'}",
                    f"--pid-file={self.munge / 'pid'}", f"--log-file={self.munge / 'log'}",
                    f"--seed-file={self.munge / 'seed'}")
        self.wait_until(lambda: (self.munge / "socket").exists(), "munged")
        self.launch("slurmctld", "-D")
        for node in self.nodes:
            self.launch("slurmd", "-D", "-N", node)
        self.wait_until(lambda: self.output("sinfo", "-h", "-o", "%T %D") == f"idle {len(self.nodes)}", "nodes")

    def launch(self, *words):
        log = open(self.folder / f"{words[0]}-{len(self.processes)}.out", "wb")
        self.processes.append(subprocess.Popen(words, stdout=log, stderr=log, stdin=subprocess.DEVNULL,
                                               env=self.environment))
        log.close()

    def output(self, *words):
        return subprocess.run(words, capture_output=True, text=True, timeout=30, env=self.environment).stdout.strip()

    def wait_until(self, condition, what, seconds=60):
        end = time.monotonic() + seconds
        while not condition():
            if time.monotonic() > end:
                raise TimeoutError(f"{what}: not after {seconds} s; see {self.folder}")
            time.sleep(0.1)

    def state(self, job):
        """"COMPLETED", "RUNNING", ...: of jobs that ended, too, for a while."""
        for word in self.output("scontrol", "show", "job", "-o", str(job)).split():
            if word.startswith("JobState="):
                return word.partition("=")[2]
        return ""

    def submit(self, *words):
        return int(self.output("sbatch", "--parsable", *words))

    def crash(self, node):
        """Kills all processes of a node, as a machine that loses its power."""
        slurmd = self.processes[2 + self.nodes.index(node)]
        parents = {}
        for stat in pathlib.Path("/proc").glob("[0-9]*/stat"):
            try:
                words = stat.read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()
                parents[int(stat.parent.name)] = int(words[1])
            except OSError:  # it has just ended
                continue
        doomed = [slurmd.pid]
        for pid in doomed:
            doomed += [child for child, parent in parents.items() if parent == pid]
        for pid in doomed:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                continue

    def stop(self):
        for process in reversed(self.processes):
            if process.poll() is None:
                process.send_signal(signal.SIGTERM)
        for process in reversed(self.processes):
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
