"""small_mf.cc in Python: matrix factorisation by gradient descent. The input has lines "USER ITEM RATING"."""
import numpy as np

import rota


class MfPush(rota.Push):
    state = ("users",)  # their factors

    def __init__(self, options, ratings):
        self.options, self.ratings = options, ratings
        self.users = np.zeros((int(ratings[:, 0].max(initial=-1)) + 1, options.rank))

    def items(self):
        return len(self.ratings)

    def census(self):
        return np.bincount(self.ratings[:, 1].astype(int))

    def attach(self, shape):
        place = {key: (number, row) for number, keys in enumerate(shape.cut) for row, key in enumerate(keys.tolist())}
        self.by_slice = [[] for _ in shape.cut]
        for user, item, rating in self.ratings.tolist():
            self.by_slice[place[item][0]].append((int(user), place[item][1], rating))

    def start(self, own, common):
        self.users = own.uniforms(self.users.shape) / np.sqrt(float(self.options.rank))

    def push_slice(self, task, items, random):
        for user, row, rating in self.by_slice[task.slice]:
            p, q = self.users[user], items[row]
            error, old = rating - rota.sum_in_order(p * q), p.copy()
            p += self.options.step * (error * q - self.options.penalty * p)
            q += self.options.step * (error * old - self.options.penalty * q)
        return len(self.by_slice[task.slice])

    def evaluate_visit(self, number, items, terms):
        for user, row, rating in self.by_slice[number]:
            terms["squares"] += (rating - rota.sum_in_order(self.users[user] * items[row])) ** 2


class Mf(rota.App):
    name, summary, items = "small_mf", "Matrix factorisation by stochastic gradient descent.", "ratings"
    options = (rota.Option("rank", 8, "factors", 1, 4096, "Factors of a user and of an item."),
               rota.Option("step", 0.02, "", 0, 1, "The size of a step."),
               rota.Option("penalty", 0.02, "", 0, 1e6, "The penalty of squared factors."))
    evaluating_pass, schedule = True, rota.RotationSchedule()
    tables, terms = [rota.Table("items", sliced=True)], [rota.Term("squares", "objective")]
    scores = [rota.Score("rmse", "squares", scale="root_mean")]

    def load(self, hosted, common):
        ratings = rota.read_numbers(self.job.input, 3, "USER ITEM RATING", whole=2)
        ratings[:, 0], shard = np.divmod(ratings[:, 0], self.job.shards)  # each user belongs to one shard
        return [MfPush(self.job.options, ratings[shard == number]) for number in hosted]

    def slice(self, keys):
        return np.zeros((len(keys), self.job.options.rank))

    def start(self, facts, number, items, keys, random):
        items[:] = random.uniforms(items.shape) / np.sqrt(float(self.job.options.rank))
