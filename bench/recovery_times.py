"""How long runs needed to continue after a loss, from the events that system tests left with ROTA_EVENTS_OUT=FOLDER.

    recovery_times.py FOLDER [WORD...]    only tests in whose names one of the words is

For each test: the number of losses; seconds from the detection of a loss until the job trained again, and until the
next epoch was committed: median (most).  Successive losses without training between them count as one, from the first.
"""
import collections
import json
import pathlib
import statistics
import sys


def spans(events):
    """Seconds to training and to the next commit (none if there was none), by loss."""
    since, trained, found = None, None, []
    for event in events:
        if event["event"] == "lost" and since is None:
            since, trained = event["time"], None
        if since is None:
            continue
        if event["event"] == "phase" and event["phase"] == "training" and trained is None:
            trained = event["time"] - since
        if event["event"] == "lost" and trained is not None:
            found.append((trained, None))
            since, trained = event["time"], None
        if event["event"] == "checkpoint" and trained is not None:
            found.append((trained, event["time"] - since))
            since = None
    return found + ([(trained, None)] if since is not None and trained is not None else [])


def read(file):
    events = []
    for line in file.read_text().splitlines():
        try:
            events.append(json.loads(line))
        except ValueError:
            pass  # cut off where a process was killed
    return events


def median_and_most(seconds):
    return f"{statistics.median(seconds):.2f} ({max(seconds):.2f})" if seconds else "-"


def main():
    folder, words = pathlib.Path(sys.argv[1]), sys.argv[2:]
    found = collections.defaultdict(list)
    for file in sorted(folder.glob("*.jsonl")):
        test = ".".join(file.name.split(".")[:3])
        if not words or any(word in test for word in words):
            found[test] += spans(read(file))
    for test, losses in found.items():
        if losses:
            commits = [commit for _, commit in losses if commit is not None]
            print(f"{test}: {len(losses)} losses, trains {median_and_most([t for t, _ in losses])}, "
                  f"commits {median_and_most(commits)}")
    every = [loss for losses in found.values() for loss in losses]
    print(f"all: {len(every)} losses, trains {median_and_most([t for t, _ in every])}, "
          f"commits {median_and_most([c for _, c in every if c is not None])}")


if __name__ == "__main__":
    main()
