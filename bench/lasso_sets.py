"""Real data sets for lasso_race.py, made of the files of a folder that is not part of the repository (--data_folder).

Each has a response that is a number, for the squared loss, or one of two labels.  Words and areas are predicted from
the others: by whether they occur, or for the squared loss by how often.
"""
import gzip

import numpy as np
import scipy.sparse


def numbers(file, skip=0):
    with gzip.open(file, "rt") as text:
        return np.loadtxt(text, skiprows=skip, dtype=np.int64, ndmin=2)


def libsvm(file):
    from sklearn.datasets import load_svmlight_file
    return load_svmlight_file(str(file), zero_based=False)


def labels(x, y, positive):
    return x, np.where(positive(y), 1.0, -1.0)


def counts(entries):
    rows, columns, times = entries.T[:3] if entries.shape[1] > 2 else (*entries.T[:2], np.ones(len(entries)))
    return scipy.sparse.csr_matrix((times.astype(float), (rows - 1, columns - 1)))


def others(x, share, log=False):
    """The column that occurs in a share of the rows that is nearest to this one, predicted from the rest."""
    present = np.bincount(x.indices, minlength=x.shape[1]) / x.shape[0]
    target = int(np.abs(present - share).argmin())
    found = x[:, target].toarray().ravel()
    keep = np.delete(np.arange(x.shape[1]), target)
    x = x[:, keep]
    x = x[:, np.bincount(x.indices, minlength=x.shape[1]) > 0]
    return x, np.log1p(found) if log else np.where(found > 0, 1.0, -1.0)


def most_frequent(x, first, last):
    """The columns that are the first-th to the last-th in the number of rows."""
    order = np.argsort(-np.bincount(x.indices, minlength=x.shape[1]), kind="stable")
    return x[:, np.sort(order[first:last])]


def weighted(x):
    """log(1 + count), times the logarithm of a word's rarity, of rows of norm 1."""
    rarity = np.log(x.shape[0] / np.maximum(np.bincount(x.indices, minlength=x.shape[1]), 1)) + 1
    x = scipy.sparse.csr_matrix((np.log1p(x.data) * rarity[x.indices], x.indices, x.indptr), x.shape)
    return scipy.sparse.diags(1 / np.maximum(np.sqrt(x.multiply(x).sum(axis=1).A1), 1e-9)) @ x


def binary(x):
    return scipy.sparse.csr_matrix((np.ones_like(x.data), x.indices, x.indptr), x.shape)


class Sets:
    def __init__(self, folder):
        self.folder = folder

    def wiki(self):
        return counts(numbers(self.folder / "wikipedia-en/docword.enwiki26k.txt.gz", 3))

    def blog(self, columns=slice(None)):
        x, y = libsvm(self.folder / "blogfeedback/blogfeedback_train.libsvm.gz")
        return x[:, columns], y

    def kdd(self, rows=1, columns=None):
        x, y = libsvm(self.folder / "kddcup99/kddcup10.libsvm.gz")
        return x[::rows, :columns], y[::rows]

    def a9a(self):
        return libsvm(self.folder / "a9a/a9a.gz")

    def a9a_twice(self):
        """Every column twice, and the sums of neighbours."""
        x, y = self.a9a()
        return scipy.sparse.hstack((x, x, x[:, :-1] + x[:, 1:])).tocsr(), y

    def riboflavin(self):
        return libsvm(self.folder / "riboflavin/riboflavin.libsvm.gz")

    def ratings(self):
        """A column for every user and every item."""
        user, item, rating = numbers(self.folder / "epinions/ratings.txt.gz").T[:3]
        rows = np.arange(len(user))
        x = scipy.sparse.csr_matrix((np.ones(2 * len(rows)),
                                     (np.tile(rows, 2), np.concatenate((user, user.max() + item)) - 1)))
        return x[:, np.bincount(x.indices, minlength=x.shape[1]) > 0], rating.astype(float)

    def centred_ratings(self):
        x, rating = self.ratings()
        return x, rating - rating.mean()

    def make(self, name):
        """Rows by columns, and the response."""
        sets = {
            "one": lambda: labels(*self.blog(slice(0, 1)), lambda y: y > 0),
            "blog8": lambda: labels(*self.blog(slice(50, 58)), lambda y: y > 0),
            "kdd22": lambda: self.kdd(rows=10, columns=22),
            "kdd": self.kdd,
            "a9a": self.a9a,
            "a9a_twice": self.a9a_twice,
            "blog": lambda: labels(*self.blog(), lambda y: y > 0),
            "msweb": lambda: others(counts(numbers(self.folder / "msweb/msweb.txt.gz")), 0.03),
            "pages300": lambda: others(binary(most_frequent(self.wiki(), 2700, 3001)), 0.03),
            "riboflavin": lambda: labels(*self.riboflavin(), lambda y: y > np.median(y)),
            "kos": lambda: others(counts(numbers(self.folder / "kos/docword.kos.txt.gz", 3)), 0.1),
            "wiki8k": lambda: others(weighted(most_frequent(self.wiki()[::3][:7770], 6000, 14316)), 0.02),
            "wiki47k": lambda: others(weighted(self.wiki()[::2][:12748]), 0.1),
            "wiki_counts": lambda: others(self.wiki(), 0.1),
            "dorothea": lambda: libsvm(self.folder / "dorothea/dorothea_train.libsvm.gz"),
            "epinions": lambda: labels(*self.ratings(), lambda y: y >= 4),
            "blog_number": self.blog,
            "riboflavin_number": self.riboflavin,
            "epinions_number": self.centred_ratings,
            "wiki_number": lambda: others(self.wiki(), 0.1, log=True),
        }
        return sets[name]()
