#!/usr/bin/python3
"""The metrics of include/rota/metrics.h against scikit-learn's, on data with ties and with sure predictions.

Wants ROTA_PRINT_METRICS: the program print_metrics.  Run it with Debian's own Python.
"""
import json
import os
import subprocess
import unittest

import numpy as np
from sklearn import metrics

PROGRAM = os.environ["ROTA_PRINT_METRICS"]


def printed(truth, predicted, *words):
    lines = "".join(f"{y!r} {p!r}\n" for y, p in zip(truth.tolist(), predicted.tolist()))
    out = subprocess.run([PROGRAM, *words], input=lines, capture_output=True, text=True, check=True, timeout=60)
    return json.loads(out.stdout)


class MetricsOracleTest(unittest.TestCase):
    def expect(self, found, wanted):
        for name, value in wanted.items():
            with self.subTest(name):
                self.assertAlmostEqual(found[name], value, delta=1e-13 * max(1, abs(value)))

    def expect_errors(self, truth, predicted, found):
        self.expect(found, {"mse": metrics.mean_squared_error(truth, predicted),
                            "rmse": metrics.mean_squared_error(truth, predicted, squared=False),
                            "mae": metrics.mean_absolute_error(truth, predicted),
                            "r2": metrics.r2_score(truth, predicted)})

    def test_numbers(self):
        draw = np.random.default_rng(1)
        for rows, scale in ((2, 1), (50, 1e-3), (1000, 1e6)):
            truth = draw.normal(5, 2, rows) * scale
            predicted = truth + draw.standard_t(2, rows) * scale
            self.expect_errors(truth, predicted, printed(truth, predicted))
        constant = np.full(4, 2.5)
        self.expect_errors(constant, constant, printed(constant, constant))
        self.expect_errors(constant, constant + 1, printed(constant, constant + 1))

    def test_classes(self):
        draw = np.random.default_rng(2)
        for rows, digits in ((10, 1), (200, 1), (1000, 2), (1000, 17)):
            truth = draw.integers(0, 2, rows)
            truth[:2] = 0, 1
            chance = np.round(np.clip(0.3 + 0.3 * truth + 0.3 * draw.normal(size=rows), 0.01, 0.99), digits)
            self.expect_classes(truth, chance)

    def test_log_loss_of_certain_predictions_is_clipped(self):
        truth = np.array([0, 1, 1, 0, 1, 0])
        self.expect_classes(truth, np.array([0.0, 1.0, 0.0, 1.0, 1e-300, 0.5]))

    def expect_classes(self, truth, chance):
        found = printed(truth, chance, "classes")
        loss = metrics.log_loss(truth, chance)
        self.expect(found, {"accuracy": metrics.accuracy_score(truth, chance > 0.5),
                            "log_loss": loss,
                            "auc": metrics.roc_auc_score(truth, chance)})
        inside = np.all((chance > 0) & (chance < 1))
        self.assertEqual("log_loss_of_links" in found, bool(inside))
        if inside:
            self.expect(found, {"log_loss_of_links": loss})
