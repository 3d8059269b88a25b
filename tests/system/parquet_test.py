"""Parquet through DuckDB's library: the model is that of the same table as CSV, with files of two writers."""
import ctypes
import os
import pathlib
import unittest

from object_server import KEY, REGION, SECRET, Server
from rota_run import SOURCE, RotaTest

NPM = pathlib.Path(os.environ.get("ROTA_NPM", SOURCE / "deploy/npm/node_modules"))
DUCKDB = NPM / "@duckdb/node-bindings-linux-x64/libduckdb.so"
WRITER = """
import { parquetWriteFile } from 'NPM/hyparquet-writer/src/node.js'
const n = 300
const numbers = (f) => Array.from({ length: n }, (_, i) => f(i))
parquetWriteFile({ filename: process.argv[2], rowGroupSize: [70, 230], columnData: [
  { name: '1', data: numbers(i => i % 13 / 8), type: 'DOUBLE' },
  { name: '2', data: numbers(i => i % 7 ? i * i % 11 : null), type: 'INT32', nullable: true },
  { name: '3', data: numbers(i => ['no', 'yes'][(i % 13 > 6) * 1]), type: 'STRING' }] })
"""


@unittest.skipUnless(DUCKDB.exists() and (NPM / "hyparquet-writer").exists(),
                     "DuckDB's library is not there: deploy/setup.sh tests")
class Parquet(RotaTest):
    def setUp(self):
        super().setUp()
        self.env = {**os.environ, "ROTA_DUCKDB": str(DUCKDB)}
        self.runs = 0

    def write(self, name, query, form="parquet"):
        """A file of what this query gives, and the same as CSV."""
        duck, database, connection = ctypes.CDLL(str(DUCKDB)), ctypes.c_void_p(), ctypes.c_void_p()
        self.assertEqual(duck.duckdb_open(None, ctypes.byref(database)), 0)
        self.assertEqual(duck.duckdb_connect(database, ctypes.byref(connection)), 0)
        for file, options in ((self.folder / name, "FORMAT parquet, ROW_GROUP_SIZE 2048"),
                              (self.folder / (name + ".csv"), "FORMAT csv, HEADER")):
            sql = f"COPY ({query}) TO '{file}' ({options})"
            self.assertEqual(duck.duckdb_query(connection, sql.encode(), None), 0, sql)
        duck.duckdb_disconnect(ctypes.byref(connection))
        duck.duckdb_close(ctypes.byref(database))
        return self.folder / name, self.folder / (name + ".csv")

    def train(self, app, source, *flags, code=0, error="", env=None):
        self.runs += 1
        out = self.folder / f"run-{self.runs}"
        done = self.rota("train", app, f"--input={source}", "--seed=3", "--epochs=2", f"--out={out}", *flags,
                         env=env or self.env, code=code, error=error)
        return self.result(out)["model_hash"] if code == 0 else done.stderr

    def test_rows_of_all_types_are_those_of_csv(self):
        query = ("SELECT (i % 17) / 8.0 AS x, (i % 5)::TINYINT AS \"a,\"\"b\", (i % 9)::DECIMAL(9, 2) / 4 AS d, "
                 "CASE WHEN i % 6 > 0 THEN i % 4 END AS missing, ['no', 'yes'][1 + (i % 17 > 8)::INT]::ENUM('no', 'yes') "
                 "AS class FROM range(9000) t(i)")
        parquet, csv = self.write("rows [1]*.parquet", query)
        flags = ("--target=class", "--missing=zero")
        expected = self.train("sgd", csv, *flags)
        for workers in (1, 2):
            self.assertEqual(self.train("sgd", parquet, *flags, f"--workers={workers}"), expected)
        self.train("sgd", parquet, "--target=class", code=65, error="column 'missing': a value is missing")
        self.train("sgd", parquet, "--target=none", code=65, error="there is no column")

    def test_a_file_of_another_writer_behind_a_url(self):
        (self.folder / "write.mjs").write_text(WRITER.replace("NPM", str(NPM)))
        file, csv = self.folder / "other", self.folder / "other.csv"
        self.program(["node", self.folder / "write.mjs", file])
        lines = [f"{i % 13 / 8},{i * i % 11 if i % 7 else ''},{('no', 'yes')[i % 13 > 6]}\n" for i in range(300)]
        csv.write_text("x,y,z\n" + "".join(lines))
        server = Server()
        self.addCleanup(server.close)
        server.objects["bucket/other"] = file.read_bytes()
        env = self.env | {"AWS_ENDPOINT_URL": server.url, "AWS_ACCESS_KEY_ID": KEY, "AWS_SECRET_ACCESS_KEY": SECRET,
                          "AWS_REGION": REGION, "no_proxy": "127.0.0.1"}
        expected = self.train("kmeans", csv, "--target=z", "--missing=zero", "--clusters=3")
        for source in (file, "s3://bucket/other"):  # its columns are called 1, 2 and 3: no row of numbers
            found = self.train("kmeans", source, "--target=3", "--missing=zero", "--clusters=3", env=env)
            self.assertEqual(found, expected)

    def test_lists_become_columns_and_structures_are_refused(self):
        query = "SELECT [i % 7, i % 5, i % 3]::DOUBLE[] AS v, i % 2 AS w FROM range(500) t(i)"
        parquet, _ = self.write("lists.parquet", query)
        (self.folder / "flat.csv").write_text(
            "v.1,v.2,v.3,w\n" + "".join(f"{i % 7},{i % 5},{i % 3},{i % 2}\n" for i in range(500)))
        self.assertEqual(self.train("kmeans", parquet, "--clusters=3"),
                         self.train("kmeans", self.folder / "flat.csv", "--clusters=3"))
        ragged, _ = self.write("ragged.parquet", "SELECT range(1 + i % 2) AS v FROM range(9) t(i)")
        self.train("kmeans", ragged, "--clusters=3", code=65, error="lists of 1 to 2 numbers")
        nested, _ = self.write("nested.parquet", "SELECT {'a': i, 'b': 'x'} AS s FROM range(9) t(i)")
        self.train("kmeans", nested, "--clusters=3", code=65, error="STRUCT(a BIGINT, b VARCHAR)")

    def test_entries(self):
        query = ("SELECT 'page ' || (i * 7 % 50) AS target, 'x' AS note, 'page ' || (i * i % 50) AS source "
                 "FROM range(900) t(i)")
        parquet, csv = self.write("edges.parquet", query)
        flags = ("--columns=source,target",)
        self.assertEqual(self.train("pagerank", parquet, *flags), self.train("pagerank", csv, *flags))

    def test_documents(self):
        text = "'w' || (i % 11) || ' w' || (i % 3) || ' other'"
        lines, _ = self.write("text.parquet", f"SELECT i AS id, {text} AS body FROM range(200) t(i)")
        lists, _ = self.write("lists.parquet", f"SELECT i AS id, string_split({text}, ' ') AS body FROM range(200) t(i)")
        (self.folder / "text").write_text("".join(f"w{i % 11} w{i % 3} other\n" for i in range(200)))
        expected = self.train("lda", self.folder / "text", "--topics=3")
        for source in (lines, lists):
            self.assertEqual(self.train("lda", source, "--topics=3"), expected)
        two, _ = self.write("two.parquet", "SELECT 'a' AS title, 'b c' AS body")
        self.train("lda", two, "--topics=3", code=65, error="the columns 'title', 'body' have words")

    def test_without_the_library_or_with_a_damaged_file(self):
        parquet, _ = self.write("rows.parquet", "SELECT i AS a, i % 3 AS b FROM range(5000) t(i)")
        missing = {**self.env, "ROTA_DUCKDB": str(self.folder / "libduckdb.so")}
        self.train("kmeans", parquet, "--clusters=3", code=66, error="libduckdb.so", env=missing)
        (self.folder / "libduckdb.so").write_text("none")
        self.assertIn("ROTA_DUCKDB=/PATH/libduckdb.so",
                      self.train("kmeans", parquet, "--clusters=3", code=66, env=missing))
        damaged = self.folder / "damaged"
        damaged.write_bytes(parquet.read_bytes()[:-100])
        self.train("kmeans", damaged, "--clusters=3", code=65, error=f"{damaged}: ")
