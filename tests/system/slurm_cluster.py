"""A Slurm of its own on this machine, in a folder: one slurmctld and some slurmd, over loopback at ports of its own, or in
the network namespaces of namespaces.py."""
import contextlib
import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import time

from rota_run import kill

NEEDED = ("munged", "slurmctld", "slurmd", "srun", "sbatch", "scontrol")

CONFIGURATION = """ClusterName=rota
SlurmctldHost={controller}
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
ProctrackType=proctrack/{tracking}
TaskPlugin=task/{tasks}
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
KillWait=20
SlurmdTimeout=8
InactiveLimit=0
DefMemPerCPU=100
{nodes}
{partitions}
PartitionName=low Nodes=ALL Default=YES PriorityTier=1 PreemptMode=REQUEUE MaxTime=1:00:00 State=UP
PartitionName=high Nodes=ALL PriorityTier=10 PreemptMode=OFF MaxTime=1:00:00 State=UP
"""
PARTITION = "PartitionName={name} Nodes={nodes} PriorityTier=1 PreemptMode={mode} GraceTime=3 MaxTime=1:00:00 State=UP"
# Of each version of control groups: the file that shows it, and Slurm's configuration for it.
MEMORY_LIMITS = {
    "/sys/fs/cgroup/memory/memory.limit_in_bytes": "CgroupPlugin=cgroup/v1\n",
    "/sys/fs/cgroup/cgroup.controllers": "CgroupPlugin=cgroup/v2\nIgnoreSystemd=yes\n",
}


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


def memory_limits():
    """cgroup.conf for what this machine has, or None."""
    for file, plugin in MEMORY_LIMITS.items():
        if os.path.exists(file):
            return plugin + "CgroupMountpoint=/sys/fs/cgroup\nConstrainRAMSpace=yes\n"
    return None


class SlurmCluster:
    """`partitions`: of each the number of its nodes, which are its own, and its PreemptMode; all nodes are in the
    partitions `low` and, by which jobs are preempted, `high`.  `machines`: a node in each; clients are on the first.
    `limits`: what memory_limits() said."""

    def __init__(self, folder, partitions, machines=None, limits=None):
        self.folder = pathlib.Path(folder)
        self.folder.mkdir(mode=0o755)
        self.processes = {}
        self.machines = machines
        self.partitions, lines, count = {}, [], 0
        for name, (size, mode) in partitions.items():
            self.partitions[name] = [f"n{count + i + 1}" for i in range(size)]
            lines.append(PARTITION.format(name=name, nodes=f"n[{count + 1}-{count + size}]", mode=mode))
            count += size
        self.nodes = [f"n{i + 1}" for i in range(count)]
        first = free_ports(count + 1)
        self.munge = self.folder / "munge"
        self.munge.mkdir(mode=0o755)
        (self.folder / "state").mkdir()
        for node in self.nodes:
            (self.folder / f"spool-{node}").mkdir()
        if limits:
            (self.folder / "cgroup.conf").write_text(limits)
        self.configuration = self.folder / "slurm.conf"
        self.configuration.write_text(CONFIGURATION.format(
            folder=self.folder, socket=self.munge / "socket", control=first, partitions="\n".join(lines),
            controller=f"machine-0({machines[0].address})" if machines else "localhost(127.0.0.1)",
            tracking="cgroup" if limits else "linuxproc", tasks="cgroup" if limits else "none",
            nodes="\n".join(self.node_line(number, first + 1 + number) for number in range(count))))
        self.environment = {**{name: value for name, value in os.environ.items() if not name.startswith("SLURM_")},
                            "SLURM_CONF": str(self.configuration)}

    def node_line(self, number, port):
        host, address = socket.gethostname(), "127.0.0.1"
        if self.machines:
            host, address = f"machine-{number}", self.machines[number].address
        return (f"NodeName=n{number + 1} NodeHostname={host} NodeAddr={address} Port={port} CPUs=4 RealMemory=2000 "
                "State=UNKNOWN")

    def command(self, *words, node=0):
        """The command line that runs these words on a node.  `ip netns exec` is not used: it hides control groups."""
        return self.machines[node].command(*words) if self.machines else [str(word) for word in words]

    def start(self):
        key = self.munge / "key"
        key.write_bytes(os.urandom(1024))
        key.chmod(0o600)
        self.launch("munged", ["munged", "--foreground", "--force", f"--key-file={key}",
                               f"--socket={self.munge / 'socket'}", f"--pid-file={self.munge / 'pid'}",
                               f"--log-file={self.munge / 'log'}", f"--seed-file={self.munge / 'seed'}"])
        self.wait_until(lambda: (self.munge / "socket").exists(), "munged")
        self.launch("slurmctld", self.command("slurmctld", "-D"))
        for number, node in enumerate(self.nodes):
            self.launch(node, self.command("slurmd", "-D", "-N", node, node=number))
        self.wait_until(lambda: self.output("sinfo", "-h", "-p", "low", "-o", "%T %D") == f"idle {len(self.nodes)}",
                        "nodes")

    def launch(self, name, words):
        with open(self.folder / f"{name}.out", "wb") as log:
            self.processes[name] = subprocess.Popen(words, stdout=log, stderr=log, stdin=subprocess.DEVNULL,
                                                    env=self.environment)

    def output(self, *words):
        return subprocess.run(self.command(*words), capture_output=True, text=True, timeout=30,
                              env=self.environment).stdout.strip()

    def wait_until(self, condition, what, seconds=60):
        end = time.monotonic() + seconds
        while not condition():
            if time.monotonic() > end:
                raise TimeoutError(f"{what}: not after {seconds} s; see {self.folder}")
            time.sleep(0.1)

    def facts(self, job):
        """What `scontrol show job` says, of jobs that ended, too, for a while: JobState, Restarts, ..."""
        return dict(re.findall(r"(\S+?)=(\S*)", self.output("scontrol", "show", "job", "-o", str(job))))

    def state(self, job):
        return self.facts(job).get("JobState", "")

    def restarts(self, job):
        return int(self.facts(job).get("Restarts", 0))

    def submit(self, *words):
        return int(self.output("sbatch", "--parsable", *words))

    def with_variables(self, *texts):
        """The processes of this cluster that have these variables, "NAME=VALUE"."""
        wanted = {os.fsencode(text) for text in (f"SLURM_CONF={self.configuration}", *texts)}
        found = []
        for entry in pathlib.Path("/proc").glob("[0-9]*"):
            try:
                if wanted <= set((entry / "environ").read_bytes().split(b"\0")):
                    found.append(int(entry.name))
            except OSError:  # it has just ended
                continue
        return found

    def crash(self, node):
        """Kills all processes of a node, as a machine that loses its power."""
        tasks = self.with_variables(f"SLURMD_NODENAME={node}")
        steps = set()  # whose daemons are their parents, and no children of slurmd
        for pid in tasks:
            try:
                steps.add(int(pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1]))
            except OSError:
                continue
        kill([self.processes[node].pid, *(steps & set(self.with_variables())), *tasks])

    def stop(self):
        if "slurmctld" in self.processes:
            self.output("scancel", "--user=root")
            try:
                self.wait_until(lambda: not self.output("squeue", "-h"), "jobs to end", 15)
            except TimeoutError:
                pass  # one of a node that was killed
        for process in reversed(self.processes.values()):
            if process.poll() is None:
                process.send_signal(signal.SIGTERM)
        for process in reversed(self.processes.values()):
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        kill(self.with_variables())  # daemons of steps that have not ended
        for node in self.nodes:
            for group in pathlib.Path("/sys/fs/cgroup").glob(f"*/slurm_{node}"):
                for inner in sorted(group.glob("**/"), reverse=True):  # the innermost first
                    with contextlib.suppress(OSError):
                        inner.rmdir()
