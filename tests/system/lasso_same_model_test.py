"""One Lasso model, bit for bit, for any processes and threads."""
import numpy as np
import scipy.sparse
from sklearn.datasets import dump_svmlight_file

from app_run import AppTest
from rota_run import DOROTHEA

BY_COLUMNS = {"working_set": ["--nointercept", "--lambda_ratio=0.02"],
              "folds": ["--loss=logistic", "--path=4", "--lambda_ratio=0.1", "--folds=3", "--standardize"]}
BY_ROWS = {"priority": [], "stale": ["--staleness=2"],
           "in_turn": ["--order=round_robin"], "random": ["--order=random"],
           "schedulers": ["--schedulers=2"]}


class LassoSameModel(AppTest):
    app = "lasso"

    def test_by_columns(self):
        for name, flags in BY_COLUMNS.items():
            self.train_shapes(name, DOROTHEA, "--seed=7", *flags)

    def test_by_rows(self):
        self.app = "lasso_rows"
        file = self.folder / "small.libsvm"
        dice = np.random.default_rng(5)
        x = scipy.sparse.random(600, 3000, 0.04, format="csr", random_state=dice)
        dump_svmlight_file(x, x[:, :100] @ dice.normal(size=100), str(file), zero_based=False)
        found = {name: self.train_shapes(name, file, "--seed=7", "--lambda_ratio=0.2",
                                         "--tolerance=1e-3", *flags) for name, flags in BY_ROWS.items()}
        self.assertNotEqual(found["priority"]["model_hash"], found["stale"]["model_hash"])
