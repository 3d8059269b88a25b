#!/usr/bin/env python3
"""The repository's own rules, as far as a program can see them.

usage: tidy.py [ROOT] [--no-format]

Prints "file:line: rule: what" for each breach, and exits with 1 if there is one.
"""
import ast
import os
import re
import subprocess
import sys

sys.dont_write_bytecode = True
import functions

LINES_MAX = 600
COLUMNS_MAX = 120
TABLE_COLUMNS_MAX = 160  # a row of a table in Markdown cannot be broken
FUNCTION_LINES_MAX = 70
SOURCES = (".h", ".cc")
TEXTS = SOURCES + (".md", ".txt", ".cmake", ".sh", ".py", ".json", ".in", ".supp")

# Which folders a folder may include from, beside itself (docs/internals/architecture.md, "Arrows").
ROLE = {"core/runtime", "core/checkpoint", "core/rounds", "core/wire", "core/job", "core/base", "include/rota"}
CLI = {"core/runtime", "core/checkpoint", "core/job", "core/wire", "core/base", "include/rota"}
ARROWS = {
    "include/rota": set(),
    "include/rota/io": {"include/rota"},
    "core/base": {"include/rota"},
    "core/http": {"core/base", "include/rota"},
    "core/sources": {"core/base", "include/rota"},
    "core/job": {"core/sources", "core/base", "include/rota"},
    "core/wire": {"core/base", "include/rota"},
    "core/rounds": {"core/wire", "core/base", "include/rota"},
    "core/records": {"core/job", "core/base", "include/rota"},
    "core/checkpoint": {"core/runtime", "core/records", "core/rounds", "core/job", "core/wire", "core/base", "include/rota"},
    "core/runtime": {"core/job", "core/wire", "core/base", "include/rota"},
    "core/serial": {"core/rounds", "core/job", "core/base", "include/rota"},
    "scheduler": ROLE,
    "coordinator": ROLE | {"core/records", "core/http"},
    "worker": ROLE,
    "kvstore": ROLE,
    "cli": CLI | {"cli/commands", "cli/remote"},
    "cli/commands": CLI | {"cli/launcher", "cli/processes", "cli/folders", "cli/web", "core/http", "include/rota/io"},
    "cli/web": CLI | {"core/http", "core/records"},
    "cli/launcher": CLI | {"cli/remote", "cli/processes", "cli/folders", "cli/web"},
    "cli/remote": CLI | {"cli/processes", "cli/folders"},
    "cli/processes": CLI,
    "cli/folders": CLI | {"include/rota/io"},
    "io": {"include/rota/io", "include/rota"},
    "python/module": CLI | {"cli/folders", "core/records", "core/rounds", "core/serial"},
    "apps/linear_models": {"include/rota/io", "include/rota", "io"},
}
# Those of the apps, which are not named above.
APP = {"include/rota/io", "include/rota", "io", "apps/linear_models"}
# Arrows for one file each: (from, to).
EXCEPTIONS = {("worker/main.cc", "kvstore/host_partitions.h")}

# What only one file, or one component, may include.
DOORS = [
    (re.compile(r"^zmq(\.hpp|\.h|_addon\.hpp)$"), {"core/wire/zmq_transport.cc", "core/wire/zmq_frames.h",
     "core/wire/zmq_listener.h", "core/wire/authenticator.cc", "core/wire/keys.cc"}, "ZeroMQ"),
    (re.compile(r"^rocksdb/"), {"core/checkpoint/checkpoint_file.cc"}, "RocksDB"),
    (re.compile(r"^httplib\.h$"), {"core/http/http_server.cc"}, "cpp-httplib"),
    (re.compile(r"^(boost/dll/.*|dlfcn\.h)$"), {"core/job/plugin_host.cc", "core/sources/library.cc"},
     "opening libraries"),
    (re.compile(r"^curl/"), {"core/sources/http_client.cc"}, "libcurl"),
]
CLOCK = re.compile(r"(system|steady|high_resolution)_clock|\bclock_gettime\b|\bgettimeofday\b|\bstd::time\(|\btime\((nullptr|NULL|0)\)")
CLOCK_FILE = "core/base/clock.cc"
PROGRAMS_BESIDE = ("tests/", "bench/")  # no part of what is installed: they may look inside, and measure
EXIT = re.compile(r"(?<![\w:.>])(std::|::)?(exit|quick_exit)\s*\(")

# Sources that stand without a test of their own name, and the list that says why.
MIRRORED = re.compile(r"^(include/rota|core/\w+|scheduler|coordinator|worker|kvstore|cli(/\w+)?|io|python/module|apps/(?!template/|examples/)\w+(/\w+)?)/\w+\.cc$")
WITHOUT_TWIN = "tests/tidy/without_twin.txt"

# Where each mark of VERSIONS.md stands in the code: all of them must say what the page says.
VERSIONS = "VERSIONS.md"
MARKS = {
    "project": [("CMakeLists.txt", r"project\(rota VERSION ([\d.]+)")],
    "protocol": [("core/wire/codec.h", r"kProtocolVersion = (\d+);"),
                 ("core/wire/PROTOCOL.md", r"processes, version (\d+)"),
                 ("core/wire/PROTOCOL.md", r"\| protocol version, (\d+) \|")],
    "record format": [("core/records/json_records.h", r"kCommitFormat = (\d+);"),
                      ("core/checkpoint/model_reader.cc", r"kFormat = (\d+);")],
    "ABI stamp": [("include/rota/plugin.h", r"\"(rota-abi-\d+)\"")],
    "plugin symbol": [("include/rota/plugin.h", r"Plugin\* (rota_plugin_v\d+)\("),
                      ("core/job/plugin_host.cc", r"kSymbol\[\] = \"(\w+)\"")],
}
# Markdown: its links, and the page that lists every event of a run.
LINK = re.compile(r"\]\(([^)\s]+)\)")
# A source file that a document names.
SOURCE = re.compile(r"`((?:apps|cli|coordinator|core|include|kvstore|scheduler|tests|worker)/[\w/]+\.(?:cc|h|py|sh))`")
FENCE = re.compile(r"^```.*?^```$", re.M | re.S)
EVENTS = "docs/run-folder.md"
EVENT = re.compile(r"""(?:\bevent(?:_now)?\(|\["event"\] = )"(\w+)\"""")
# A call with its fields: event("name", {{"field", value}, ...});
EVENT_CALL = re.compile(r"""\bevent\("(\w+)",(.*?)\);$""", re.M | re.S)
# Of the launcher's stream of records, which is no file.
NOT_IN_EVENTS = {"epoch", "message", "working", "result"}

DOCUMENT = re.compile(r"(?<![\w./-])((?:[\w.-]+/)*[A-Z][A-Z_]*\.md)\b")

BANNED_NAMES = re.compile(r"(^|_)(util|utils|common|misc|helper|helpers|manager|ctx|aux)(_|$)")
BANNED_ENDINGS = (".bak", ".orig", ".back", ".rej", "~", ".swp")
# In pieces, so that this file does not report itself.
BANNED_WORDS = re.compile("TO" + r"DO\b|FIX" + r"ME\b|\bXX" + r"X\b|^\s*#\s*if\s+0\b")
MACHINE_PATHS = re.compile(r"(?<![\w.$}])/(wo" + r"rk|ho" + r"me|ro" + r"ot)/")
# Phrases that have a plainer form ("restarted", "any process that", "also", "at most").
MANNERISMS = re.compile(r"\b(ane" + r"w|whoeve" + r"r|likewis" + r"e|nobod" + r"y|so man" + r"y|no more tha" + r"n)\b", re.I)
WORD_LISTS = ("io/stop_words.cc", "apps/lda/sample/vocab.kos.txt")  # data, not prose
INCLUDE = re.compile(r'^\s*#\s*include\s*(["<])([^">]+)[">]')


class Tree:
    """The files of a repository, as git would track them, or all of them where there is no git."""

    def __init__(self, root):
        self.root = root
        self.files = sorted(self._list())
        self.breaches = []
        self._lines = {}

    def _list(self):
        command = ["git", "-C", self.root, "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
        if os.path.exists(os.path.join(self.root, ".git")):
            names = subprocess.run(command, capture_output=True, check=True, text=True).stdout.split("\0")
            return [name for name in set(names) if name and os.path.isfile(os.path.join(self.root, name))]
        found = []
        for folder, folders, names in os.walk(self.root):
            folders[:] = [name for name in folders if name not in ("build", ".git")]
            found += [os.path.relpath(os.path.join(folder, name), self.root) for name in names]
        return found

    def lines(self, file):
        if file not in self._lines:
            with open(os.path.join(self.root, file), encoding="utf-8", errors="replace") as text:
                self._lines[file] = text.read().split("\n")
        return self._lines[file]

    def report(self, file, line, rule, what):
        self.breaches.append((file, line, rule, what))

    def sources(self):
        return [f for f in self.files if f.endswith(SOURCES)]

    def texts(self):
        return [f for f in self.files if f.endswith(TEXTS) or f in (".ci/run", ".editorconfig")]


def without_comments(line):
    return re.sub(r'"(\\.|[^"\\])*"', '""', line).split("//")[0]


def folder_of(file):
    """The component that a file belongs to, or None for those that may include anything."""
    parts = file.split("/")
    if parts[0] == "include":
        return "include/rota/io" if parts[2:3] == ["io"] else "include/rota"
    if parts[0] in ("apps", "core", "cli", "python") and len(parts) > 2:
        return "/".join(parts[:2])
    return parts[0] if parts[0] in ARROWS else None


def target_of(path):
    """The component that an include names, or None if it is not of this repository."""
    return folder_of("include/" + path if path.startswith("rota/") else path)


def check_includes(tree):
    for file in tree.sources():
        folder = folder_of(file)
        for number, line in enumerate(tree.lines(file), 1):
            match = INCLUDE.match(line)
            if not match:
                continue
            path = match.group(2)
            if ".." in path.split("/"):
                tree.report(file, number, "arrow", f"{path}: includes are named from the top of the tree")
            for door, allowed, what in DOORS:
                if door.match(path) and file not in allowed and not file.startswith(PROGRAMS_BESIDE):
                    tree.report(file, number, "door", f"{path}: only {', '.join(sorted(allowed))} may include {what}")
            target = target_of(path)
            if folder is None or target is None or target == folder:
                continue
            if (file, path) in EXCEPTIONS:
                continue
            allowed = ARROWS.get(folder, APP)
            if target not in allowed:
                tree.report(file, number, "arrow", f"{folder} may not include {path}")


def check_doors_in_code(tree):
    for file in tree.sources():
        if file.startswith(PROGRAMS_BESIDE):
            continue
        for number, line in enumerate(tree.lines(file), 1):
            code = without_comments(line)
            if CLOCK.search(code) and file != CLOCK_FILE:
                tree.report(file, number, "clock", f"only {CLOCK_FILE} reads a clock")
            if EXIT.search(code) and os.path.basename(file) != "main.cc":
                tree.report(file, number, "exit", "only a main.cc ends the process")


def check_headers(tree):
    for file in tree.sources():
        if file.endswith(".h") and not any(line.strip() == "#pragma once" for line in tree.lines(file)):
            tree.report(file, 1, "header", "#pragma once is missing")


def check_own_header_first(tree):
    """A source includes its own header first, so compiling it shows that the header needs nothing before it."""
    for file in tree.sources():
        header = file[:-len(".cc")] + ".h"
        if not file.endswith(".cc") or file.startswith(PROGRAMS_BESIDE) or header not in tree.files:
            continue
        named = re.sub(r"^include/", "", header)
        first = next((m.group(2) for m in map(INCLUDE.match, tree.lines(file)) if m), None)
        if first != named:
            tree.report(file, 1, "header", f"include {named} first")


def check_size(tree):
    for file in tree.sources():
        lines = tree.lines(file)
        if len(lines) - 1 > LINES_MAX:
            tree.report(file, LINES_MAX + 1, "long", f"{len(lines) - 1} lines; at most {LINES_MAX}")
        for number, line in enumerate(lines, 1):
            if len(line) > COLUMNS_MAX:
                tree.report(file, number, "wide", f"{len(line)} columns; at most {COLUMNS_MAX}")


def check_markdown(tree):
    """Lines fit into a window, and links within the repository lead somewhere."""
    for file in tree.files:
        if not file.endswith(".md"):
            continue
        text = "\n".join(tree.lines(file))
        for number, line in enumerate(tree.lines(file), 1):
            most = TABLE_COLUMNS_MAX if line.lstrip().startswith("|") else COLUMNS_MAX
            for source in SOURCE.findall(line):
                if not os.path.exists(os.path.join(tree.root, source)):
                    tree.report(file, number, "citation", f"there is no {source}")
            if len(line) > most:
                tree.report(file, number, "wide", f"{len(line)} columns; at most {most} (tests/tidy/wrap_markdown.py)")
        prose = FENCE.sub(lambda fence: "\n" * fence.group().count("\n"), text)
        for link in LINK.finditer(prose):
            path, _, anchor = link.group(1).partition("#")
            if re.match(r"[a-z]+:", path):
                continue
            target = os.path.normpath(os.path.join(os.path.dirname(file), path)) if path else file
            number = prose.count("\n", 0, link.start()) + 1
            if not os.path.exists(os.path.join(tree.root, target)):
                tree.report(file, number, "link", f"there is no {target}")
            elif anchor and target.endswith(".md") and anchor not in anchors(tree, target):
                tree.report(file, number, "link", f"{target} has no heading for #{anchor}")


def anchors(tree, file):
    """Names of the headings of a Markdown file, as forges make them."""
    headings = (re.sub(r"[^\w\- ]", "", line.lstrip("#").strip().lower()) for line in tree.lines(file) if line.startswith("#"))
    return {heading.replace(" ", "-") for heading in headings}


def check_events(tree):
    """The page of a run's folder lists the events that the code records with their fields, all of them and no others."""
    if EVENTS not in tree.files:
        return
    listed, described = {}, {}
    section = ""
    for number, line in enumerate(tree.lines(EVENTS), 1):
        section = line if line.startswith("## ") else section
        found = re.match(r"\| `(\w+)` \|", line)
        if found and section == "## events.jsonl":
            listed[found.group(1)] = number
            described[found.group(1)] = set(re.findall(r"`(\w+)`", line))
    recorded = {}
    for file in tree.sources():
        if file.startswith(("coordinator/", "core/", "cli/")):
            for number, line in enumerate(tree.lines(file), 1):
                for name in EVENT.findall(line):
                    recorded.setdefault(name, (file, number))
            text = "\n".join(tree.lines(file))
            for call in EVENT_CALL.finditer(text):
                for field in re.findall(r'\{"(\w+)",', call.group(2)):
                    if field not in described.get(call.group(1), {field}):
                        tree.report(file, text.count("\n", 0, call.start()) + 1, "event",
                                    f"{EVENTS} does not list '{field}' of '{call.group(1)}'")
    for name in sorted(set(recorded) - set(listed) - NOT_IN_EVENTS):
        tree.report(*recorded[name], "event", f"{EVENTS} does not list '{name}'")
    for name in sorted(set(listed) - set(recorded)):
        tree.report(EVENTS, listed[name], "event", f"nothing records '{name}'")


def check_functions(tree):
    for file in tree.files:
        found = []
        if file.endswith(SOURCES):
            found = [(first, last) for first, last, _ in functions.functions("\n".join(tree.lines(file)))]
        elif file.endswith(".py"):
            nodes = ast.walk(ast.parse("\n".join(tree.lines(file))))
            found = [(node.lineno, node.end_lineno) for node in nodes if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))]
        for first, last in found:
            if last - first + 1 > FUNCTION_LINES_MAX:
                tree.report(file, first, "function", f"{last - first + 1} lines; at most {FUNCTION_LINES_MAX}")


def check_twins(tree):
    """tests/unit mirrors the tree, or the list says what tests a source instead, and why."""
    files, listed = set(tree.files), {}
    for number, line in enumerate(tree.lines(WITHOUT_TWIN) if WITHOUT_TWIN in files else [], 1):
        if not line.strip() or line.startswith("#"):
            continue
        words = line.split(None, 2)
        listed[words[0]] = number
        if len(words) < 3:
            tree.report(WITHOUT_TWIN, number, "twin", "say: SOURCE TEST why")
        elif not words[1].startswith("tests/") or words[1] not in files:
            tree.report(WITHOUT_TWIN, number, "twin", f"there is no test {words[1]}")
        if not MIRRORED.match(words[0]) or words[0] not in files:
            tree.report(WITHOUT_TWIN, number, "twin", f"there is no source {words[0]}")
    for file in tree.files:
        if not MIRRORED.match(file) or os.path.basename(file) == "main.cc":
            continue
        twin = "tests/unit/" + re.sub(r"^include/", "", file)[:-len(".cc")] + "_test.cc"
        if twin in files and file in listed:
            tree.report(WITHOUT_TWIN, listed[file], "twin", f"{twin} is there")
        if twin not in files and file not in listed:
            tree.report(file, 1, "twin", f"write {twin}, or say in {WITHOUT_TWIN} what tests it instead")


def check_versions(tree):
    if VERSIONS not in tree.files:
        return
    stated = {}
    for number, line in enumerate(tree.lines(VERSIONS), 1):
        cells = [cell.strip() for cell in line.split("|")]
        if len(cells) > 3 and cells[1] in MARKS:
            stated[cells[1]] = (number, cells[2])
    for mark, places in MARKS.items():
        if mark not in stated:
            tree.report(VERSIONS, 1, "version", f"the mark '{mark}' is missing")
            continue
        for file, pattern in places:
            found = re.search(pattern, "\n".join(tree.lines(file))) if file in tree.files else None
            if not found:
                tree.report(VERSIONS, stated[mark][0], "version", f"{mark}: not found in {file}")
            elif found.group(1) != stated[mark][1]:
                tree.report(VERSIONS, stated[mark][0], "version", f"{mark}: {file} has {found.group(1)}")


def check_citations(tree):
    known = {os.path.basename(file) for file in tree.files}
    for file in tree.texts():
        for number, line in enumerate(tree.lines(file), 1):
            for document in DOCUMENT.findall(line):
                if os.path.basename(document) not in known:
                    tree.report(file, number, "citation", f"there is no {document}")


def check_names(tree):
    for file in tree.files:
        stem = os.path.basename(file).split(".")[0]
        if BANNED_NAMES.search(stem):
            tree.report(file, 1, "name", "say what is inside")
        if file.endswith(BANNED_ENDINGS):
            tree.report(file, 1, "name", "an editor's leftover")
        if file.endswith(SOURCES) and not re.fullmatch(r"[a-z0-9_]+\.(h|cc)", os.path.basename(file)):
            tree.report(file, 1, "name", "sources are named in snake_case")


def check_words(tree):
    for file in tree.texts():
        for number, line in enumerate(tree.lines(file), 1):
            if file.endswith(SOURCES) and BANNED_WORDS.search(line):
                tree.report(file, number, "word", "nothing is left for later in the code")
            mannerism = MANNERISMS.search(line)
            if mannerism and file not in WORD_LISTS:
                tree.report(file, number, "word", f"'{mannerism.group()}': write it plainly")
            if MACHINE_PATHS.search(line):
                tree.report(file, number, "path", "a path of one machine")


def check_format(tree):
    files = tree.sources()
    if not files:
        return
    command = ["clang-format", "--dry-run", "--Werror", "-style=file"] + files
    run = subprocess.run(command, cwd=tree.root, capture_output=True, text=True)
    if run.returncode == 0:
        return
    seen = set()
    for match in re.finditer(r"^(\S+?):(\d+):\d+: error", run.stderr, re.M):
        if match.group(1) not in seen:
            seen.add(match.group(1))
            tree.report(match.group(1), int(match.group(2)), "format", "run clang-format -i")
    if not seen:
        tree.report(".clang-format", 1, "format", run.stderr.strip().split("\n")[0])


CHECKS = [check_includes, check_doors_in_code, check_headers, check_own_header_first, check_size, check_markdown, check_events,
          check_functions, check_twins,
          check_versions, check_citations, check_names, check_words]


def run(root, form):
    tree = Tree(root)
    for check in CHECKS:
        check(tree)
    if form:
        check_format(tree)
    return sorted(tree.breaches)


def main(arguments):
    form = "--no-format" not in arguments
    names = [argument for argument in arguments if not argument.startswith("--")]
    root = names[0] if names else os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
    breaches = run(root, form)
    for file, line, rule, what in breaches:
        print(f"{file}:{line}: {rule}: {what}")
    return 1 if breaches else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
