#!/usr/bin/env python3
"""Each rule of tidy.py is broken once in a small tree, and must be reported; a good tree must not be."""
import os
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
import tidy

GOOD = {
    ".clang-format": "BasedOnStyle: Google\nColumnLimit: 120\n",
    "base/clock.cc": '#include "base/clock.h"\nlong now() { return std::chrono::steady_clock::now(); }\n',
    "base/clock.h": "#pragma once\nlong now();\n",
    "wire/zmq_transport.cc": '#include <zmq.hpp>\n\n#include "base/clock.h"\n',
    "worker/main.cc": '#include "kvstore/host_partitions.h"\nint main() { exit(0); }\n',
    "cli/show.cc": '#include "kvstore/model_reader.h"\n',
    "apps/io/lines.h": '#pragma once\n#include "rota/error.h"\n',
    "apps/lda/shard.cc": '#include "apps/lda/shard.h"\n\n#include "apps/io/lines.h"\n#include "rota/push.h"\n',
    "tests/unit/CMakeLists.txt": "rota_test(base/clock_test.cc LABEL fast)\n",
    "tests/unit/base/clock_test.cc": '#include "coordinator/coordinator.h"\n',
}


def breaches(extra, form=False):
    with tempfile.TemporaryDirectory() as root:
        for name, text in {**GOOD, **extra}.items():
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
            ("base/a.cc", "wire/node.h"),
            ("wire/a.cc", "worker/worker.h"),
            ("worker/a.cc", "kvstore/host_partitions.h"),
            ("worker/main.cc", "kvstore/partition.h"),
            ("coordinator/a.cc", "scheduler/scheduler.h"),
            ("cli/a.cc", "kvstore/partition.h"),
            ("cli/a.cc", "coordinator/records.h"),
            ("include/rota/a.h", "base/status.h"),
            ("apps/lda/a.cc", "base/check.h"),
            ("apps/lda/a.cc", "apps/mf/ratings.h"),
            ("apps/io/a.cc", "apps/lda/shard.h"),
            ("wire/a.cc", "../base/clock.h"),
        ]:
            with self.subTest(file=file, include=include):
                self.expect(file, f'#pragma once\n#include "{include}"\n', "arrow", 2)

    def test_doors(self):
        self.expect("wire/a.cc", "#include <zmq.hpp>\n", "door")
        self.expect("kvstore/a.cc", "#include <rocksdb/db.h>\n", "door")
        self.expect("base/a.cc", "#include <dlfcn.h>\n", "door")
        self.expect("cli/a.cc", "#include <boost/dll/shared_library.hpp>\n", "door")

    def test_clock_and_exit(self):
        self.expect("wire/a.cc", "auto t = std::chrono::system_clock::now();\n", "clock")
        self.expect("base/a.cc", "void f() { std::exit(3); }\n", "exit")
        self.assertEqual(breaches({"base/a.cc": "// never calls exit(3)\nvoid f() { status.exit(3); }\n"}), [])

    def test_headers_and_tests(self):
        self.expect("base/a.h", "int f();\n", "header")
        self.expect("tests/unit/base/seed_test.cc", "\n", "unbuilt")

    def test_size(self):
        self.expect("base/a.cc", "\n" * 601, "long", 601)
        self.expect("base/a.cc", "int x;" + " " * 115 + "\n", "wide")

    def test_names(self):
        self.expect("base/string_util.cc", "\n", "name")
        self.expect("base/Clock2.cc", "\n", "name")
        self.expect("base/clock.cc.orig", "\n", "name")

    def test_words_and_paths(self):
        self.expect("base/a.cc", "\n// TO" + "DO: later\n", "word", 2)
        self.expect("base/a.cc", "#if " + "0\n", "word")
        self.expect("deploy/a.sh", "cd /ho" + "me/someone\n", "path")

    def test_format(self):
        self.assertEqual(breaches({"base/a.cc": "int   x ;\n"}, form=True), [("base/a.cc", 1, "format")])


if __name__ == "__main__":
    unittest.main()
