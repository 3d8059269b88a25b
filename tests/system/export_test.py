"""rota export --output: a model's tables in each format, as the programs that read it see them."""
import json

import numpy as np
import scipy.io

from app_run import AppTest


class Export(AppTest):
    app = "pagerank"

    def export(self, model, format, code=0, error=None):
        out = self.folder / format
        self.rota("export", self.app, f"--model={model}", f"--output={out}", f"--format={format}", code=code, error=error)
        return out

    def test_texts_and_numbers(self):
        graph = self.folder / "graph"
        graph.write_text('1e3 größe\ngröße a"b,c\na"b,c 1e3\nнода größe\n')
        _, model = self.train("run", graph)
        names = ["1e3", "größe", 'a"b,c', "нода"]
        listed = json.loads((self.export(model, "json") / "ranks.json").read_text())
        self.assertEqual([row["node"] for row in listed], names)
        array = np.load(self.export(model, "npy") / "ranks.npy")
        self.assertEqual(array["node"].tolist(), names)
        self.assertEqual(array["rank"].tolist(), [row["rank"] for row in listed])
        self.assertAlmostEqual(sum(array["rank"]), 1)
        plain = self.export(model, "csv")
        self.assertEqual((plain / "ranks.csv").read_bytes(), (model / "model" / "ranks.csv").read_bytes())
        refused = self.export(model, "matrix_market", error="rota: ranks.csv has text: it stays CSV")
        self.assertEqual(sorted(file.name for file in refused.iterdir()), ["README.txt", "ranks.csv"])
        self.export(model, "csv", code=73, error="not an empty folder")
        self.rota("export", "pagerank", f"--model={model}", "--format=npy", code=2, error="--format=npy is for --output=DIR")
        self.assertEqual([], list(self.folder.glob(".text-*")))

    def test_numbers(self):
        self.app = "kmeans"
        rows = self.folder / "rows.csv"
        rows.write_text("".join(f"{i},{-i},{i % 3 / 8}\n" for i in range(50)))
        _, model = self.train("run", rows, "--clusters=3")
        array = np.load(self.export(model, "npy") / "assignments.npy")
        self.assertEqual(array.dtype.names, ("row", "cluster", "distance"))
        self.assertEqual(array["row"].tolist(), list(range(1, 51)))
        market = scipy.io.mmread(self.export(model, "matrix_market") / "assignments.mtx")
        self.assertEqual(market.tolist(), [[float(x) for x in row] for row in array.tolist()])
        listed = json.loads((self.export(model, "json") / "assignments.json").read_text())
        self.assertEqual([tuple(row.values()) for row in listed], array.tolist())
