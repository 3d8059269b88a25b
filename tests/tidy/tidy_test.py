#!/usr/bin/env python3
"""Each rule of tidy.py is broken once in a small tree, and must be reported; a good tree must not be."""
import os
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
import tidy

VERSIONS = """| mark | now | where | raised when |
|---|---|---|---|
| project | 0.1.0 | there | then |
| protocol | 3 | there | then |
| record format | 2 | there | then |
| ABI stamp | rota-abi-2 | there | then |
| plugin symbol | rota_plugin_v1 | there | then |
"""
WITHOUT_TWIN = "# why\n\n" + "".join(f"{source}  tests/unit/core/base/clock_test.cc  why\n" for source in (
    "core/wire/zmq_transport.cc", "cli/show.cc", "apps/lda/push.cc", "io/lines.cc", "core/checkpoint/model_reader.cc", "core/job/plugin_host.cc"))

GOOD = {
    ".clang-format": "BasedOnStyle: Google\nColumnLimit: 120\n",
    "core/base/clock.cc": '#include "core/base/clock.h"\nlong now() { return std::chrono::steady_clock::now(); }\n',
    "core/base/clock.h": "#pragma once\nlong now();\n",
    "core/wire/zmq_transport.cc": '#include <zmq.hpp>\n\n#include "core/base/clock.h"\n',
    "worker/main.cc": '#include "kvstore/host_partitions.h"\nint main() { exit(0); }\n',
    "cli/show.cc": '#include "core/checkpoint/model_reader.h"\n',
    "include/rota/io/lines.h": '#pragma once\n#include "rota/error.h"\n',
    "io/lines.cc": '#include "rota/io/lines.h"\n',
    "io/words.h": '#pragma once\n#include "rota/io/lines.h"\n',
    "apps/lda/push.cc": '#include "apps/lda/push.h"\n\n#include "io/words.h"\n#include "rota/io/lines.h"\n'
                        '#include "rota/push.h"\n',
    "VERSIONS.md": VERSIONS,
    "CMakeLists.txt": "project(rota VERSION 0.1.0 LANGUAGES CXX)\n",
    "core/wire/codec.h": "#pragma once\ninline constexpr std::uint16_t kProtocolVersion = 3;\n",
    "core/wire/PROTOCOL.md": "# The protocol between Rota's processes, version 3\n\n| 4 | 2 | protocol version, 3 |\n",
    "core/records/json_records.h": "#pragma once\ninline constexpr unsigned kCommitFormat = 2;\n",
    "core/checkpoint/model_reader.cc": "constexpr unsigned kFormat = 2;\n",
    "include/rota/plugin.h": '#pragma once\nconstexpr char kStamp[] = "rota-abi-2";\nconst Plugin* rota_plugin_v1();\n',
    "core/job/plugin_host.cc": 'constexpr char kSymbol[] = "rota_plugin_v1";\n',
    "tests/tidy/without_twin.txt": WITHOUT_TWIN,
    "tests/unit/core/base/clock_test.cc": '#include "coordinator/coordinator.h"\n',
}


def breaches(extra, form=False, twins=True):
    """What is reported of the good tree with `extra`; `twins`: its new sources are listed as tested elsewhere."""
    files = {**GOOD, **extra}
    if twins:
        new = [name for name in extra if tidy.MIRRORED.match(name) and name not in GOOD]
        files["tests/tidy/without_twin.txt"] += "".join(f"{name}  tests/unit/core/base/clock_test.cc  why\n" for name in new)
    with tempfile.TemporaryDirectory() as root:
        for name, text in files.items():
            path = os.path.join(root, name)
            os.makedirs(os.path.dirname(path) or root, exist_ok=True)
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
        return [(file, line, rule) for file, line, rule, _ in tidy.run(root, form)]


class TidyTest(unittest.TestCase):
    def expect(self, file, text, rule, line=1):
        self.assertEqual(breaches({file: text}), [(file, line, rule)])

    def test_a_good_tree_is_not_reported(self):
        self.assertEqual(breaches({}, form=True), [])

    def test_arrows(self):
        for file, include in [
            ("core/base/a.cc", "core/runtime/node.h"),
            ("core/wire/a.cc", "worker/worker.h"),
            ("worker/a.cc", "kvstore/host_partitions.h"),
            ("worker/main.cc", "kvstore/partition.h"),
            ("coordinator/a.cc", "scheduler/scheduler.h"),
            ("cli/a.cc", "kvstore/partition.h"),
            ("core/serial/a.cc", "worker/worker.h"),
            ("cli/a.cc", "core/records/records.h"),
            ("include/rota/a.h", "core/base/status.h"),
            ("apps/lda/a.cc", "core/base/check.h"),
            ("apps/lda/a.cc", "apps/mf/ratings.h"),
            ("io/a.cc", "apps/lda/push.h"),
            ("io/a.cc", "apps/lasso/design/columns.h"),
            ("apps/linear_models/a.cc", "apps/lda/push.h"),
            ("include/rota/a.h", "rota/io/lines.h"),
            ("include/rota/io/a.h", "io/words.h"),
            ("core/base/a.cc", "rota/io/lines.h"),
            ("cli/a.cc", "rota/io/lines.h"),
            ("core/wire/a.cc", "../base/clock.h"),
        ]:
            with self.subTest(file=file, include=include):
                self.expect(file, f'#pragma once\n#include "{include}"\n', "arrow", 2)

    def test_doors(self):
        self.expect("core/wire/a.cc", "#include <zmq.hpp>\n", "door")
        self.expect("kvstore/a.cc", "#include <rocksdb/db.h>\n", "door")
        self.expect("core/base/a.cc", "#include <dlfcn.h>\n", "door")
        self.expect("cli/a.cc", "#include <boost/dll/shared_library.hpp>\n", "door")

    def test_clock_and_exit(self):
        self.expect("core/wire/a.cc", "auto t = std::chrono::system_clock::now();\n", "clock")
        self.expect("core/base/a.cc", "void f() { std::exit(3); }\n", "exit")
        self.assertEqual(breaches({"core/base/a.cc": "// never calls exit(3)\nvoid f() { status.exit(3); }\n"}), [])

    def test_headers(self):
        self.expect("core/base/a.h", "int f();\n", "header")
        self.expect("core/base/clock.cc", '#include <chrono>\n\n#include "core/base/clock.h"\n', "header")

    def test_size(self):
        self.expect("core/base/a.cc", "\n" * 601, "long", 601)
        self.expect("core/base/a.cc", "int x;" + " " * 115 + "\n", "wide")

    def test_markdown(self):
        self.expect("docs/a.md", "word " * 24 + "x\n", "wide")
        self.expect("docs/a.md", "```\n" + "x" * 121 + "\n```\n", "wide", 2)
        self.assertEqual(breaches({"docs/a.md": "| " + "x" * 150 + " |\n"}), [])
        self.expect("docs/a.md", "| " + "x" * 160 + " |\n", "wide")
        good = "[b](b.md), [code](../core/base/clock.h), [here](#the-end), [there](b.md#what-it-is), [web](https://a.org/b)\n\n# The end\n"
        pages = {"docs/a.md": good, "docs/b.md": "## What it is\n"}
        self.assertEqual(breaches(pages), [])
        for link in ("c.md", "core/base/clock.h", "b.md#what-it-was", "#the-start"):
            with self.subTest(link=link):
                self.assertEqual(breaches({**pages, "docs/a.md": f"\n[x]({link})\n"}), [("docs/a.md", 2, "link")])
        self.expect("docs/a.md", "\nSee `core/base/gone.cc`.\n", "citation", 2)
        self.assertEqual(breaches({"docs/a.md": "See `core/base/clock.cc`, and `my/own.cc`.\n"}), [])

    def test_events(self):
        page = "## events.jsonl\n\n| event | fields |\n|---|---|\n| `joined` | `role` |\n\n## Exit codes\n\n| `gone` | 1 |\n"
        code = 'void f() {\n  recorder_->event("joined", {{"role", name}});\n}\n'
        self.assertEqual(breaches({"docs/run-folder.md": page, "coordinator/a.cc": code}), [])
        self.assertEqual(breaches({"docs/run-folder.md": page, "coordinator/a.cc": code.replace("joined", "left")}),
                         [("coordinator/a.cc", 2, "event"), ("docs/run-folder.md", 5, "event")])
        self.assertEqual(breaches({"docs/run-folder.md": page, "coordinator/a.cc": code.replace('{"role", name}', '{"role", name},\n    {"pid", pid}')}),
                         [("coordinator/a.cc", 2, "event")])
        written = 'void f() {\n  json["event"] = "end";\n}\n'
        self.assertEqual(breaches({"docs/run-folder.md": page, "coordinator/a.cc": code, "cli/a.cc": written}),
                         [("cli/a.cc", 2, "event")])

    def test_functions(self):
        line = "  int x = 0;\n"
        self.assertEqual(breaches({"core/base/a.cc": "void f() {\n" + line * 68 + "}\n"}), [])
        self.expect("core/base/a.cc", "\nvoid f() {\n" + line * 69 + "}\n", "function", 2)
        self.expect("core/base/a.cc", "struct S {\n  void f() const noexcept {\n" + line * 69 + "  }\n};\n", "function", 2)
        self.expect("deploy/a.py", "def f():\n" + "    x = 0\n" * 70, "function")

    def test_twins(self):
        self.assertEqual(breaches({"core/base/a.cc": "int x;\n"}, twins=False), [("core/base/a.cc", 1, "twin")])
        self.assertEqual(breaches({"core/base/main.cc": "int x;\n"}, twins=False), [])
        for line in ("core/base/gone.cc  tests/unit/core/base/clock_test.cc  why",
                     "core/wire/zmq_transport.cc  tests/unit/core/base/gone_test.cc  why",
                     "core/wire/zmq_transport.cc  core/wire/zmq_transport.cc  why",
                     "core/wire/zmq_transport.cc  tests/unit/core/base/clock_test.cc",
                     "core/base/clock.cc  tests/unit/core/base/clock_test.cc  why"):
            with self.subTest(line=line):
                self.assertEqual(breaches({"tests/tidy/without_twin.txt": WITHOUT_TWIN + line + "\n"}, twins=False),
                                 [("tests/tidy/without_twin.txt", 9, "twin")])

    def test_versions(self):
        for file, now, raised in [
            ("CMakeLists.txt", "0.1.0", "0.2.0"),
            ("core/wire/codec.h", "= 3", "= 4"),
            ("core/wire/PROTOCOL.md", "version 3", "version 4"),
            ("core/wire/PROTOCOL.md", "version, 3", "version, 4"),
            ("core/records/json_records.h", "= 2", "= 3"),
            ("core/checkpoint/model_reader.cc", "= 2", "= 3"),
            ("include/rota/plugin.h", "abi-2", "abi-3"),
            ("include/rota/plugin.h", "_v1", "_v2"),
            ("core/job/plugin_host.cc", "_v1", "_v2"),
        ]:
            with self.subTest(file=file, now=now):
                found = breaches({file: GOOD[file].replace(now, raised)})
                self.assertEqual([(file, rule) for file, _, rule in found], [("VERSIONS.md", "version")])
        self.expect("VERSIONS.md", VERSIONS.replace("| protocol |", "| wire |"), "version")

    def test_citations(self):
        self.expect("core/base/a.cc", "// DESIGN" + ".md, section 8\nint x;\n", "citation")
        self.assertEqual(breaches({"core/base/a.cc": "// core/wire/PROTOCOL.md, and VERSIONS.md\nint x;\n"}), [])

    def test_names(self):
        self.expect("core/base/string_util.cc", "\n", "name")
        self.expect("core/base/Clock2.cc", "\n", "name")
        self.expect("core/base/clock.cc.orig", "\n", "name")

    def test_words_and_paths(self):
        self.expect("core/base/a.cc", "\n// TO" + "DO: later\n", "word", 2)
        self.expect("core/base/a.cc", "#if " + "0\n", "word")
        self.expect("core/base/a.cc", "\n// It starts ane" + "w.\n", "word", 2)
        self.expect("README.md", "No more tha" + "n two.\n", "word")
        self.assertEqual(breaches({"core/base/a.cc": "// A new start, renewed.\nint x;\n"}), [])
        self.expect("deploy/a.sh", "cd /ho" + "me/someone\n", "path")

    def test_format(self):
        self.assertEqual(breaches({"core/base/a.cc": "int   x ;\n"}, form=True), [("core/base/a.cc", 1, "format")])


if __name__ == "__main__":
    unittest.main()
