"""line_fit.cc in Python: the line y = a + b x through points, by least squares. The input has lines "X Y"."""
import numpy as np

import rota


class PointsPush(rota.Push):
    """Point i of the input belongs to shard i mod S. A part: the sums of r, r x, 1, x and x^2, r = y - a - b x."""

    def __init__(self, points):
        self.x, self.y = points[:, 0], points[:, 1]

    def items(self):
        return len(self.x)

    def residuals(self):
        a, b = self.table[0]
        return self.y - a - b * self.x

    def push(self, task, random):
        r, x = self.residuals(), self.x
        task.parts[0][:] += rota.sum_in_order(np.stack([r, r * x, np.ones_like(x), x, x * x], axis=1))
        return len(x)

    def evaluate(self, terms):
        terms["squares"] += rota.sum_in_order(self.residuals() ** 2)


class LineFit(rota.App):
    name, summary, items = "line_fit", "A line through points.", "points"
    tables = [rota.Table("line", keys=1, row_width=2, part_width=5, dense=True, started=True)]
    terms = [rota.Term("squares", "objective")]

    def load(self, hosted, common):
        points = rota.read_numbers(self.job.input, 2, "X Y")
        return [PointsPush(points[shard::self.job.shards].copy()) for shard in hosted]

    def pull(self, facts):
        return rota.RowPull(self.solve)

    def solve(self, sums, line):
        determinant = sums[2] * sums[4] - sums[3] * sums[3]
        line[0] += (sums[0] * sums[4] - sums[1] * sums[3]) / determinant
        line[1] += (sums[1] * sums[2] - sums[0] * sums[3]) / determinant

    def show(model):
        """Prints the line."""
        return "y = {:g} + {:g} x\n".format(*model.row(0, 0))

    commands = {"show": show}
