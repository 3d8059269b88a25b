"""Matrix factorisation beside LIBMF, in turn: seconds of training to the held-out RMSE that LIBMF has after some
epochs.

usage: mf_race.py --libmf=PATH/mf-train [--epinions=FILE --jester=FILE] [--ratings=N] [--ranks=32,128] [--turns=3]
                  [--slices_per_shard=0]

--epinions is a .gz of lines `user item rating fold`, of which fold 0 is held out; of --jester (`user item rating`) a
tenth is held out, and so of N generated ratings of rank 16 with noise 0.3.  LIBMF (2 threads, as it was built) is run
without a validation set for its time, and once with one for its errors; Rota's time is that of metrics.jsonl, by two
workers of one thread and by one of two.  Both have the same lambda and rate of learning.  Epochs' times are medians
over all turns.
"""
import gzip
import json
import random
import statistics
import subprocess
import time

from bench_run import arguments, draw_ratings, records, rota, scratch_folder, train

AFTER = (5, 10, 20)
SHAPES = ((2, 1), (1, 2))
RATE = "0.1"


def divide(source, folder, name, held):
    """LIBMF allocates a row for each number up to the largest, so both programs are given numbers without gaps."""
    users, items = {}, {}
    with gzip.open(source, "rt") as lines, open(folder / f"{name}-train.txt", "w") as kept, \
            open(folder / f"{name}-valid.txt", "w") as held_out:
        for line in lines:
            user, item, rating, *_ = fields = line.split()
            numbers = users.setdefault(user, len(users)), items.setdefault(item, len(items))
            (held_out if held(fields) else kept).write("%d %d %s\n" % (*numbers, rating))


def libmf_epochs(program, file, valid, rank, penalty, epochs):
    """Seconds of every epoch, and held-out errors if there is a validation set."""
    command = ["stdbuf", "-oL", program, "-s", "2", "-k", str(rank), "-l2", str(penalty), "-r", RATE, "-t", str(epochs)]
    command += ["-p", str(valid)] if valid else []
    stamps, errors = [], []
    with subprocess.Popen([*command, str(file), "/dev/null"], stdout=subprocess.PIPE, text=True) as run:
        for line in run.stdout:
            fields = line.split()
            if fields and fields[0].isdigit():
                stamps.append(time.monotonic())
                errors += [float(fields[2])] if valid else []
    return [after - before for before, after in zip(stamps, stamps[1:])], errors


class Rota:
    def __init__(self, args, folder, train_file, valid, rank, penalty):
        self.args, self.folder, self.train, self.valid = args, folder, train_file, valid
        self.flags = [f"--rank={rank}", f"--lambda={penalty}", f"--learning_rate={RATE}", "--checkpoint_every=0",
                      f"--slices_per_shard={args.slices_per_shard}"]
        self.errors = {}

    def run(self, epochs, workers=2, threads=1):
        out = self.folder / "run"
        train(self.args, out, "mf", f"--input={self.train}", f"--epochs={epochs}", f"--workers={workers}",
              f"--threads={threads}", *self.flags)
        seconds = [record["seconds"] for record in records(out / "metrics.jsonl")]
        return [after - before for before, after in zip([0, *seconds], seconds)]

    def error_after(self, epochs):
        if epochs not in self.errors:
            self.run(epochs)
            said = rota(self.args, "evaluate", "mf", f"--model={self.folder / 'run'}", f"--input={self.valid}")
            self.errors[epochs] = json.loads(said)["rmse"]
        return self.errors[epochs]

    def epochs_to(self, error, most):
        """The first epoch whose held-out error is no higher; None if none up to `most` has one."""
        return next((n for n in range(1, most + 1) if self.error_after(n) <= error + 0.00005), None)  # it has four digits


def race(args, name, folder, rank, penalty):
    file, valid = folder / f"{name}-train.txt", folder / f"{name}-valid.txt"
    _, errors = libmf_epochs(args.libmf, file, valid, rank, penalty, max(AFTER))
    peer = Rota(args, folder, file, valid, rank, penalty)
    goals = []
    for after in AFTER:
        best = min(errors[:after])
        at = errors.index(best) + 1
        goals.append((after, best, at, peer.epochs_to(best, 2 * at)))
    theirs, ours = [], {shape: [] for shape in SHAPES}
    for _ in range(args.turns):
        theirs += libmf_epochs(args.libmf, file, None, rank, penalty, 12)[0]
        for shape in SHAPES:
            ours[shape] += peer.run(12, *shape)[1:]
    epoch = statistics.median(theirs)
    print(f"{name}, rank {rank}, lambda {penalty}: an epoch {epoch:.4f} s of LIBMF, "
          + ", ".join(f"{statistics.median(ours[s]):.4f} s of Rota {s[0]}x{s[1]}" for s in SHAPES), flush=True)
    for after, best, at, needed in goals:
        text = f"  best of {after} epochs: {best:.4f} after {at} epochs, {at * epoch:.3f} s; Rota "
        if needed is None:
            text += f"not there; best {min(peer.errors.values()):.4f}"
        else:
            text += f"{peer.errors[needed]:.4f} after {needed}"
            for shape in SHAPES:
                seconds = needed * statistics.median(ours[shape])
                text += f", {shape[0]}x{shape[1]} {seconds:.3f} s (ratio {at * epoch / seconds:.2f})"
        print(text, flush=True)


def main():
    parser = arguments(__doc__, libmf=str, epinions="", jester="", ratings=20_000_000, ranks="32,128", turns=3,
                       slices_per_shard=0)
    given = parser.parse_args()
    with scratch_folder() as folder:
        dice = random.Random(1)
        sets = []
        for name, file, penalty, held in (("epinions", given.epinions, 0.1, lambda f: f[3] == "0"),
                                          ("jester", given.jester, 0.1, lambda _: dice.random() < 0.1)):
            if file:
                divide(file, folder, name, held)
                sets.append((name, penalty))
        if given.ratings:
            raw = folder / "generated.txt"
            draw_ratings(raw, 200_000, 20_000, given.ratings, rank=16)
            rota(given, "split", "mf", f"--input={raw}", f"--output={folder / 'split'}", "--fraction=0.02")
            raw.unlink()
            for part in ("train", "valid"):
                (folder / "split" / f"{part}.txt").rename(folder / f"generated-{part}.txt")
            sets.append(("generated", 0.05))
        for name, penalty in sets:
            for rank in map(int, given.ranks.split(",")):
                race(given, name, folder, rank, penalty)


if __name__ == "__main__":
    main()
