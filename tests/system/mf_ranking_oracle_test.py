"""`rota evaluate mf --ranking` against scikit-learn's ndcg_score and roc_auc_score, and plain NumPy."""
import gzip
import json

import numpy as np
from sklearn.metrics import ndcg_score, roc_auc_score

from mf_commands_test import REVIEWS, Factors
from rota_run import RotaTest


def pairs(path):
    with open(path, encoding="utf-8") as file:
        return [tuple(line.split()[:2]) for line in file]


def by_scikit_learn(model, seen, held_out, top):
    """Over users with held-out items that they have not seen."""
    scores = model.scores()
    user_of, item_of = ({name: i for i, name in enumerate(names)} for names in (model.users, model.items))
    relevant, excluded = np.zeros(scores.shape, bool), np.zeros(scores.shape, bool)
    for table, list_ in ((relevant, held_out), (excluded, seen)):
        for user, item in list_:
            if user in user_of and item in item_of:
                table[user_of[user], item_of[item]] = True
    found = {"precision": [], "recall": [], "ndcg": [], "auc": []}
    for u in np.flatnonzero((relevant & ~excluded).any(axis=1)):
        truth, score = relevant[u, ~excluded[u]], scores[u, ~excluded[u]]
        hits = truth[np.argsort(-score, kind="stable")[:top]].sum()
        found["precision"].append(hits / top)
        found["recall"].append(hits / truth.sum())
        found["ndcg"].append(ndcg_score([truth], [score], k=top) if len(truth) > 1 else 1.0)
        if not truth.all():
            found["auc"].append(roc_auc_score(truth, score))
    return found, int((relevant & excluded).sum())


class MfRankingOracle(RotaTest):
    def ranked(self, out, file, *flags):
        return json.loads(self.rota("evaluate", "mf", f"--model={out}", f"--input={file}", "--ranking", *flags).stdout)

    def expect(self, result, model, seen, held_out, top):
        wanted, trained = by_scikit_learn(model, seen, held_out, top)
        for name, values in wanted.items():
            self.assertAlmostEqual(result[name], np.mean(values), 9, name)
        self.assertEqual((result["users"], result["auc_users"], result["top"], result["seen_in_training"]),
                         (len(wanted["ndcg"]), len(wanted["auc"]), top, trained))

    def test_rankings(self):
        parts, data = self.folder / "parts", self.folder / "data.txt"
        with gzip.open(REVIEWS, "rt") as file:
            data.write_text("".join(line for line in file if int(line.split()[0]) <= 400))
        self.rota("split", "mf", f"--input={data}", f"--output={parts}", "--fraction=0.3")
        out = self.folder / "run"
        self.rota("train", "mf", f"--input={parts / 'train.txt'}", f"--out={out}", "--rank=5", "--epochs=3", "--biases")
        model, seen, held_out = Factors(out / "model"), pairs(parts / "train.txt"), pairs(parts / "valid.txt")
        for top in (1, 5, 100):
            self.expect(self.ranked(out, parts / "valid.txt", f"--top={top}", "--threads=2"), model, seen, held_out, top)
        odd = self.folder / "odd.txt"
        odd.write_text("stranger 3 5\n" + "".join(f"{u} {i} 1\n" for u, i in [*held_out[:300], *held_out[:9], *seen[:70]]) +
                       f"{seen[0][0]} nothing 2\n")
        result = self.ranked(out, odd)
        self.assertEqual(result["of_unknown_user_or_item"], 2)
        self.expect(result, model, seen, pairs(odd), 10)
        none = self.folder / "none.txt"
        none.write_text("stranger 3 5\n")
        self.assertEqual(self.ranked(out, none)["ndcg"], None)
        few = self.folder / "few.txt"
        few.write_text("".join(f"{u} {i} 1\n" for u, i in seen[:1000]))
        self.expect(self.ranked(out, parts / "valid.txt", f"--seen={few}"), model, seen[:1000], held_out, 10)

    def test_errors_are_reported(self):
        data = self.folder / "data.txt"
        data.write_text("a x 1\nb y 2\na y 3\n")
        out = self.folder / "run"
        self.rota("train", "mf", f"--input={data}", f"--out={out}", "--rank=2", "--epochs=1")
        empty = self.folder / "empty.txt"
        empty.write_text("")
        self.rota("evaluate", "mf", f"--model={out}", f"--input={empty}", "--ranking", code=65, error="empty.txt")
        self.assertIn("--ranking", self.rota("evaluate", "mf", f"--model={out}", f"--input={data}", "--top=3").stderr)
        held = self.folder / "held.txt"
        held.write_text("b x 1\n")
        data.rename(self.folder / "moved.txt")
        self.rota("evaluate", "mf", f"--model={out}", f"--input={held}", "--ranking", code=66, error="--seen")
        self.assertEqual(self.ranked(out, held, f"--seen={self.folder / 'moved.txt'}")["recall"], 1)
