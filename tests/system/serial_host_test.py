#!/usr/bin/env python3
"""The serial host against real jobs: for every app the same model, bit for bit, and the same terms of the evaluation,
in one go and with all objects restored after every epoch.

Wants ROTA_BIN, ROTA_SERIAL_HASH (the program serial_hash) and ROTA_TEST_PLUGINS (a folder with the templates' plugins).
"""
import json
import os
import pathlib
import random

import rota_run

SERIAL_HASH = os.environ["ROTA_SERIAL_HASH"]
PLUGINS = pathlib.Path(os.environ["ROTA_TEST_PLUGINS"])
INSTALLED = rota_run.BIN.parent / "lib/rota/plugins"
SAMPLES = rota_run.SOURCE / "apps"


class SerialHostTest(rota_run.RotaTest):
    def write(self, name, lines):
        path = self.folder / name
        path.write_text("".join(line + "\n" for line in lines))
        return path

    def expect_same(self, plugin, data, **options):
        options = {name: str(value) for name, value in options.items()}
        out = self.folder / f"run-{len(list(self.folder.iterdir()))}"
        self.rota("train", plugin, f"--input={data}", f"--out={out}", "--workers=2", "--checkpoint_seconds=0",
                  *(f"--{name}={value}" for name, value in options.items()))
        result = self.result(out)
        for restore in ((), ("--restore",)):
            serial = self.program([SERIAL_HASH, plugin, data, *restore, *(f"{n}={v}" for n, v in options.items())], timeout=rota_run.LIMIT)
            found = json.loads(serial.stdout)
            self.assertEqual(found["epochs"], result["epochs"])
            self.assertEqual(found["model_hash"], result["model_hash"], f"{restore} {options}")
            self.assertEqual(found["terms"], self.metrics(out)[-1]["terms"])

    def test_line_fit(self):
        draw = random.Random(1)
        points = self.write("points", (f"{draw.gauss(0, 3)!r} {draw.gauss(1, 2)!r}" for _ in range(301)))
        self.expect_same(PLUGINS / "line_fit.so", points, epochs=4)
        self.expect_same(PLUGINS / "line_fit.so", points, epochs=4, shards=5, partitions=3, staleness=2, workers=3)

    def test_small_mf(self):
        draw = random.Random(2)
        ratings = self.write("ratings", (f"{u} {i} {draw.gauss(3, 1)!r}" for u in range(40) for i in range(30)
                                         if draw.random() < 0.5))
        self.expect_same(PLUGINS / "small_mf.so", ratings, epochs=5, rank=3)
        self.expect_same(PLUGINS / "small_mf.so", ratings, epochs=3, shards=3, slices_per_shard=4, seed=9)

    def test_pagerank(self):
        draw = random.Random(3)
        graph = self.write("graph", (f"{draw.randrange(300)} {min(draw.randrange(300), draw.randrange(300))}"
                                     for _ in range(2000)))
        self.expect_same(INSTALLED / "pagerank.so", graph)
        self.expect_same(INSTALLED / "pagerank.so", graph, epochs=7, shards=7, partitions=5, tolerance=0)

    def test_kmeans(self):
        draw = random.Random(4)
        rows = self.write("rows", ("0 " + " ".join(f"{j}:{draw.gauss(j % 3, 1)!r}" for j in range(1, 12)
                                                   if draw.random() < 0.6) for _ in range(400)))
        self.expect_same(INSTALLED / "kmeans.so", rows, clusters=5)
        self.expect_same(INSTALLED / "kmeans.so", rows, clusters=9, shards=3, partitions=4, seed=5, restarts=3)

    def test_lasso(self):
        draw = random.Random(5)
        rows = self.write("rows", (f"{draw.gauss(0, 1)!r} " + " ".join(f"{j}:{draw.gauss(0, 1)!r}" for j in range(1, 40)
                                                                       if draw.random() < 0.5) for _ in range(200)))
        self.expect_same(INSTALLED / "lasso.so", rows, path=5, intercept="false")
        self.expect_same(INSTALLED / "lasso_rows.so", rows, path=3)
        self.expect_same(INSTALLED / "lasso_rows.so", rows, path=3, shards=5, staleness=1, schedulers=2)

    def test_sgd(self):
        draw = random.Random(6)
        rows = self.write("rows", (f"{draw.randrange(3)} " + " ".join(f"{j}:{draw.gauss(0, 1)!r}" for j in range(1, 40)
                                                                      if draw.random() < 0.5) for _ in range(200)))
        self.expect_same(INSTALLED / "sgd.so", rows, loss="softmax", epochs=3)
        self.expect_same(INSTALLED / "sgd.so", rows, loss="squared", optimizer="ftrl", l1=0.01, sync_rows=20, shards=5,
                         partitions=3, epochs=2)
        self.expect_same(INSTALLED / "linear.so", rows, loss="hinge", solver="svm", l2=0.01, one_against_rest="true", epochs=5)

    def test_medlda(self):
        draw = random.Random(7)
        rows = self.write("rows", (f"{draw.choice((1, -1))} " + " ".join(f"{j}:{draw.randrange(1, 4)}" for j in range(1, 40)
                                                                         if draw.random() < 0.3) for _ in range(200)))
        self.expect_same(INSTALLED / "medlda.so", rows, topics=5, margin=8, epochs=4)
        self.expect_same(INSTALLED / "medlda.so", rows, topics=30, shards=3, slices_per_shard=4, partitions=3, epochs=3)

    def test_lda(self):
        self.expect_same(INSTALLED / "lda.so", SAMPLES / "lda/sample/docword.kos.txt.gz", topics=20, epochs=3)
