"""kmeans.cc in Python: every row joins its nearest centre, and every centre moves to the mean of its rows."""
import numpy as np

import rota


class RowsPush(rota.Push):
    """Row i of the input belongs to shard i mod S. A part: the sum of a centre's rows, and how many there are."""

    def __init__(self, rows):
        self.rows = rows

    def items(self):
        return len(self.rows)

    def nearest(self):
        """For each row its centre, and the squared distance, whose terms are added one by one as in C++."""
        centres = self.table.numbers
        squares = rota.sum_in_order((centres * centres).T)
        for columns, x in self.rows:
            terms = x * (x - 2 * centres[:, columns])
            distances = rota.sum_in_order(np.vstack([squares, terms.T]))
            yield int(distances.argmin()), distances.min(), columns, x

    def push(self, task, random):
        for key, _, columns, x in self.nearest():
            part = task.parts[key]
            part[columns] += x
            part[-1] += 1
        return len(self.rows)

    def evaluate(self, terms):
        for _, distance, _, _ in self.nearest():
            terms["inertia"] += distance


class KMeans(rota.App):
    name, summary, items = "kmeans_example", "k-means by Lloyd's iterations.", "rows"
    epochs, synchronous, takes_rows = 300, True, True
    options = (rota.Option("clusters", 8, "clusters", 1, 1e5, "Number of clusters, K."),)
    terms = [rota.Term("inertia", "normalised")]
    stop = rota.StopBelow(5e-324)  # no centre moved
    pull = rota.RowPull(lambda sums, centre: np.divide(sums[:-1], sums[-1], out=centre))

    def load(self, hosted, common):
        self.rows = rota.read_rows(self.job.input, self.job.options)
        shards = [range(shard, len(self.rows), self.job.shards) for shard in hosted]
        return [RowsPush([self.rows.row(number) for number in shard]) for shard in shards]

    def facts(self, facts):
        for number in range(min(self.job.options.clusters, len(self.rows))):
            facts.add(f"row {number}", np.bincount(*self.rows.row(number), self.rows.columns))
        facts.add("first", number + 1)

    def tables(self, facts):
        width = len(facts.numbers("row 0"))
        return [rota.Table("centres", facts.count("first"), width, width + 1, dense=True, started=True)]

    def start_row(self, facts, table, key, centre, random):
        centre[:] = facts.numbers(f"row {key}")
