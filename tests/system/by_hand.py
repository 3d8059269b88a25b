"""The programs of a job over tcp with keys, started one by one, and restarted as a batch system would."""
import subprocess
import time

from rota_run import BIN, LIMIT

TEMPORARY = 75


class ByHand:
    """`places`: by the name of a process ("worker-0"), the start of its command line and its own flags.  A process that
    ends with 75, or is killed, is restarted until the coordinator has ended with another code."""

    def __init__(self, test, out, flags, coordinator, keys, places):
        self.test, self.out = test, out
        self.address, self.keys, self.places = coordinator, keys, places
        (out / "log").mkdir(parents=True)
        workers = sum(name.startswith("worker-") for name in places)
        stores = sum(name.startswith("kvstore-") for name in places)
        lines = [*flags, f"--out={out}", f"--workers={workers}", f"--stores={stores}", ""]
        (out / "flags.txt").write_text("\n".join(lines))
        self.processes, self.starts = {}, {}
        for name in places:
            self._start(name)

    def _start(self, name):
        role, index = name.split("-")
        first, flags = self.places[name]
        again = name in self.starts
        flags = [*flags, "--resume"] if again and role == "coordinator" else flags
        self.starts[name] = self.starts.get(name, 0) + 1
        if self.starts[name] > 20:
            raise AssertionError(f"{name} ends repeatedly: {self.log(name)}")
        with open(self.out / "log" / f"{name}.stderr", "ab") as stderr:
            process = subprocess.Popen(
                [*first, BIN / f"rota-{role}", f"--flagfile={self.out}/flags.txt", f"--coordinator={self.address}",
                 f"--keys={self.keys}", f"--index={index}", *flags],
                stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=stderr)
        self.processes[name] = process
        self.test.addCleanup(self._end, process)

    @staticmethod
    def _end(process):
        if process.poll() is None:
            process.kill()
        process.wait()

    def log(self, name="coordinator-0"):
        return "".join(file.read_text(errors="replace") for file in
                       (self.out / "log" / f"{name}.log", self.out / "log" / f"{name}.stderr") if file.exists())

    def look(self):
        """Restarts processes.  Returns whether the job continues."""
        for name, process in self.processes.items():
            if process.poll() is None:
                continue
            if process.returncode == TEMPORARY or process.returncode < 0:
                self._start(name)
            elif name == "coordinator-0":
                return False
        return True

    def events(self, name):
        return self.test.events(self.out, name) if (self.out / "events.jsonl").exists() else []

    def recovery(self):
        """Seconds from the first loss to the last start of training; None if no process was lost."""
        lost = [event["time"] for event in self.events("lost")]
        trains = [event["time"] for event in self.events("phase") if event["phase"] == "training"]
        return round(trains[-1] - lost[0], 3) if lost else None

    def until(self, what, condition, seconds=LIMIT):
        """Restarts processes until the condition holds, or the job ends.  Returns whether it held."""
        end = time.monotonic() + seconds
        while self.look():
            if condition():
                return True
            self.test.assertLess(time.monotonic(), end, f"waited too long for {what}: {self.log()[-3000:]}")
            time.sleep(0.02)
        return False

    def run_for(self, seconds):
        """Restarts processes for this time, or until the job ends."""
        end = time.monotonic() + seconds
        self.until("time to pass", lambda: time.monotonic() >= end, seconds + LIMIT)

    def ended(self):
        """The coordinator's exit code, at the end; all others have ended too."""
        self.until("the end", lambda: False)
        code = self.processes["coordinator-0"].returncode
        end = time.monotonic() + LIMIT
        for name, process in self.processes.items():
            # A process restarted too late for its dismissal has no coordinator to wait for.
            if process.poll() is None and self.starts[name] > 1:
                process.terminate()
            process.wait(max(0.1, end - time.monotonic()))
        return code
