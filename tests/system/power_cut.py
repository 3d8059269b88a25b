"""What is left of a folder when the power is cut, from the records of power_cut.cc."""
import pathlib
import random

KINDS = ("synced", "names", "drawn")


class Trace:
    def __init__(self, log):
        """The records of a log, in order: kind, which inode, content."""
        self.records = []
        with open(log, "rb") as file:
            while head := file.readline():
                kind, inode, born, size = head.decode().split()
                content = file.read(int(size))
                assert len(content) == int(size), "a record is cut off"
                self.records.append((kind, (int(inode), int(born)), content))

    def points(self):
        """Numbers of records after which more is durable."""
        return [i + 1 for i, (kind, _, _) in enumerate(self.records) if kind in "FD"]

    def left(self, count, root, kind, seed=0):
        """The files that are left if the power is cut after `count` records: paths and contents; None for a folder.

        synced: only synced data.  names: all names as programs saw them, and only synced content of files.
        drawn: one or the other for every folder and file, drawn from the seed; of a file perhaps a part.
        """
        draw = random.Random(seed)
        durable, seen, files, written = {}, {}, {}, {}
        for what, inode, content in self.records[:count]:
            {"D": durable, "L": seen, "F": files, "W": written}[what][inode] = content
            if what == "D":
                seen[inode] = content
            if what == "F":
                written[inode] = content
        found = {}

        def file(inode):
            if kind != "drawn" or draw.random() < 0.5 or inode not in written:
                return files.get(inode, b"")
            whole = written[inode]
            # Synced content stays, followed by a part of the other.
            least = len(files.get(inode, b"")) if whole.startswith(files.get(inode, b"")) else len(whole)
            return whole[:draw.randint(least, len(whole))]

        def walk(inode, path):
            found[path] = None
            as_seen = kind == "names" or (kind == "drawn" and draw.random() < 0.5)
            for line in (seen if as_seen else durable).get(inode, b"").decode().splitlines():
                number, born, type_, name = line.split(" ", 3)
                child = (int(number), int(born))
                if type_ == "d":
                    walk(child, path / name)
                elif type_ == "f":
                    found[path / name] = file(child)

        walk(root, pathlib.PurePath())
        return found

    @staticmethod
    def make(left, folder):
        for path, content in left.items():
            if content is None:
                (folder / path).mkdir(parents=True, exist_ok=True)
            else:
                (folder / path).write_bytes(content)
