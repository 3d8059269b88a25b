"""One Lasso model, bit for bit, for any processes and threads."""
from app_run import AppTest
from rota_run import DOROTHEA

BY_COLUMNS = {"working_set": ["--nointercept", "--lambda_ratio=0.02"],
              "folds": ["--loss=logistic", "--path=4", "--lambda_ratio=0.1", "--folds=3", "--standardize"]}
BY_ROWS = {"priority": ["--order=priority"], "stale": ["--order=priority", "--staleness=2"],
           "in_turn": ["--order=round_robin"], "random": ["--order=random"],
           "schedulers": ["--order=priority", "--schedulers=2"]}


class LassoSameModel(AppTest):
    app = "lasso"

    def test_by_columns(self):
        for name, flags in BY_COLUMNS.items():
            self.train_shapes(name, DOROTHEA, "--seed=7", *flags)

    def test_by_rows(self):
        file = self.folder / "small.libsvm"
        self.rota("generate", "lasso", "--rows=600", "--columns=3000", "--seed=5", f"--output={file}")
        found = {name: self.train_shapes(name, file, "--seed=7", "--partition=rows", "--lambda_ratio=0.2",
                                         "--tolerance=1e-3", *flags) for name, flags in BY_ROWS.items()}
        self.assertNotEqual(found["priority"]["model_hash"], found["stale"]["model_hash"])
