"""Matrix factorisation against NumPy: predictions, files of the model, and errors of input."""
import csv
import io
import json
import random

import numpy as np
from sklearn import metrics

from rota_run import REVIEWS, RotaTest


class Factors:
    """A model, read from its text files."""

    def __init__(self, folder):
        with open(folder / "model.csv", encoding="utf-8", newline="") as file:
            about = dict(list(csv.reader(file))[1:])
        self.base, self.mean = float(about["base"]), float(about["mean"])
        self.users, self.user_bias, self.p = self.read(folder / "users.csv")
        self.items, self.item_bias, self.q = self.read(folder / "items.csv")

    @staticmethod
    def read(path):
        with open(path, encoding="utf-8", newline="") as file:
            rows = list(csv.reader(file))[1:]
        numbers = np.array([row[1:] for row in rows], float)
        return [row[0] for row in rows], numbers[:, 0], numbers[:, 1:]

    def scores(self):
        return self.base + self.user_bias[:, None] + self.item_bias[None, :] + self.p @ self.q.T


class MfCommands(RotaTest):
    def run_well(self, *arguments, **options):
        return self.rota(*arguments, **options).stdout

    def train(self, name, file, *flags, app="mf"):
        out = self.folder / name
        self.run_well("train", app, f"--input={file}", f"--out={out}", "--rank=6", "--epochs=12", *flags)
        return out, Factors(out / "model")

    def ratings(self, name="ratings.csv", users=60, items=25, count=700, seed=2):
        """Ratings of named users and items, some of which need quotation marks; with a header and times."""
        dice = random.Random(seed)
        lines = ["user,item,rating,time"]
        self.seen = {}
        for at in range(count):
            user, item = f'u "{dice.randrange(users)}"', f"i,{dice.randrange(items)}"
            rating = round(dice.gauss(3, 1), 2)
            lines.append('"' + user.replace('"', '""') + f'","{item}",{rating},{dice.randrange(10 * count)}')
            self.seen.setdefault(user, []).append((item, rating))
        file = self.folder / name
        file.write_text("\n".join(lines) + "\n")
        return file

    def test_predict_and_evaluate(self):
        for number, (app, *flags) in enumerate((["mf"], ["mf", "--biases"], ["als", "--biases"], ["ccd"])):
            file = self.ratings()
            out, model = self.train(f"run{number}", file, *flags, app=app)
            scores = model.scores()
            pairs = [(u, i) for u in range(0, len(model.users), 7) for i in range(len(model.items))]
            asked = self.folder / "pairs.tsv"
            asked.write_text("".join(f"{model.users[u]}\t{model.items[i]}\n" for u, i in pairs) +
                             f"stranger\t{model.items[3]}\n{model.users[2]}\tnothing\nstranger\tnothing\n")
            output = np.array(self.run_well("predict", app, f"--model={out}", f"--input={asked}").split(), float)
            np.testing.assert_allclose(output[:-3], [scores[u, i] for u, i in pairs], rtol=1e-4, atol=1e-5)
            np.testing.assert_allclose(
                output[-3:], [model.mean + model.item_bias[3], model.mean + model.user_bias[2], model.mean], rtol=1e-5)
            errors, held = [], self.folder / "held.txt"
            with open(held, "w", encoding="utf-8") as text:
                for user, rated in self.seen.items():
                    for item, rating in rated[:2]:
                        text.write(f"{user}\t{item}\t{rating}\n")
                        errors.append(rating - scores[model.users.index(user), model.items.index(item)])
                text.write("stranger\tnothing\t4\n")
                errors.append(4 - model.mean)
            result = json.loads(self.run_well("evaluate", app, f"--model={out}", f"--input={held}"))
            self.assertEqual((result["ratings"], result["of_unknown_user_or_item"]), (len(errors), 1))
            self.assertAlmostEqual(result["rmse"], np.sqrt(np.mean(np.square(errors))), delta=1e-5)
            self.assertAlmostEqual(result["mae"], np.mean(np.abs(errors)), delta=1e-5)

    def recommended(self, *flags, app="mf"):
        found = {}
        for row in list(csv.reader(io.StringIO(self.run_well("recommend", app, *flags))))[1:]:
            found.setdefault(row[0], []).append((row[1], float(row[2])))
        return found

    def check_best(self, found, scores, names, excluded, top):
        self.assertEqual([item for item, _ in found],
                         [names[i] for i in np.argsort(-scores, kind="stable") if names[i] not in excluded][:top])
        np.testing.assert_allclose([score for _, score in found],
                                   [scores[names.index(item)] for item, _ in found], rtol=1e-4, atol=1e-5)

    def test_recommend(self):
        out, model = self.train("run", self.ratings(), "--biases")
        scores = model.scores()
        for flags, seen in (([], self.seen), (["--include_seen", "--threads=3"], {})):
            found = self.recommended(f"--model={out}", "--top=4", *flags)
            self.assertEqual(set(found), set(model.users))
            for u, user in enumerate(model.users):
                self.check_best(found[user], scores[u], model.items, [item for item, _ in seen.get(user, [])], 4)
        some = self.folder / "some.txt"
        some.write_text(model.users[5] + "\n" + model.users[1] + "\n")
        self.assertEqual(list(self.recommended(f"--model={out}", f"--users={some}")), [model.users[5], model.users[1]])
        some.write_text("stranger\n")
        self.rota("recommend", "mf", f"--model={out}", f"--users={some}", code=65, error="some.txt:1:")

    def test_new_users_are_folded_in(self):
        """Ridge regression on the items' factors, by NumPy."""
        out, model = self.train("run", self.ratings(), "--biases", "--lambda=0.3")
        file = self.folder / "new.csv"
        rated = [(model.items[i], 1 + i % 5) for i in range(9)]
        file.write_text("".join(f'newcomer,"{item}",{rating}\n' for item, rating in rated))
        x = np.hstack([model.q[:9], np.ones((9, 1))])
        y = np.array([rating for _, rating in rated]) - model.base - model.item_bias[:9]
        solution = np.linalg.solve(x.T @ x + 0.3 * 9 * np.eye(7), x.T @ y)
        scores = model.base + model.item_bias + np.hstack([model.q, np.ones((len(model.q), 1))]) @ solution
        found = self.recommended(f"--model={out}", f"--ratings={file}", "--top=5")
        self.assertEqual(list(found), ["newcomer"])
        self.check_best(found["newcomer"], scores, model.items, [item for item, _ in rated], 5)

    def test_implicit_ratings(self):
        """At the fixed point every row solves its equations (Hu, Koren and Volinsky, 2008); new users by the same ones."""
        dice = random.Random(4)
        pairs = [(dice.randrange(40), dice.randrange(25)) for _ in range(300)]
        file = self.folder / "used.txt"
        file.write_text("".join(f"u{u} i{i}\n" if at % 3 else f"u{u} i{i} 2\n" for at, (u, i) in enumerate(pairs)))
        out, model = self.train("run", file, "--implicit", "--alpha=2", "--lambda=0.5", "--lambda_by=row", "--epochs=3000",
                                "--workers=1", "--eval_every=0", "--checkpoint_every=0", app="als")
        self.assertEqual(model.base, 0)
        counts = np.zeros((len(model.users), len(model.items)))
        for at, (u, i) in enumerate(pairs):
            counts[model.users.index(f"u{u}"), model.items.index(f"i{i}")] += 1 if at % 3 else 2
        for rows, partners, used in ((model.p, model.q, counts), (model.q, model.p, counts.T)):
            for row, own in zip(rows, used):
                weights = 1 + 2 * own
                np.testing.assert_allclose(row, np.linalg.solve((partners.T * weights) @ partners + 0.5 * np.eye(6),
                                                                partners.T @ (weights * (own > 0))), atol=1e-4)
        own = np.zeros(len(model.items))
        own[[3, 8]] = 2, 1
        fold = self.folder / "new.txt"
        fold.write_text(f"newcomer {model.items[3]} 2\nnewcomer {model.items[8]}\n")
        weights = 1 + 2 * own
        scores = model.q @ np.linalg.solve((model.q.T * weights) @ model.q + 0.5 * np.eye(6), model.q.T @ (weights * (own > 0)))
        found = self.recommended(f"--model={out}", f"--ratings={fold}", "--top=5", app="als")
        self.check_best(found["newcomer"], scores, model.items, [model.items[3], model.items[8]], 5)
        known = self.recommended(f"--model={out}", "--top=3", app="als")
        self.check_best(known["u1"], model.scores()[model.users.index("u1")], model.items,
                        [f"i{i}" for u, i in pairs if u == 1], 3)
        output = self.run_well("show", "als", f"--model={out}")
        self.assertIn(f"implicit ratings of mean {counts.sum() / len(pairs):.6g}, epoch", output)
        self.assertNotIn("deviation", output)

    def test_similar_and_show(self):
        out, model = self.train("run", REVIEWS)
        rows = list(csv.reader(io.StringIO(self.run_well("similar", "mf", f"--model={out}", "--item=5", "--top=6"))))[1:]
        q = model.q / np.linalg.norm(model.q, axis=1, keepdims=True)
        cosines = q @ q[model.items.index("5")]
        order = [i for i in np.argsort(-cosines) if model.items[i] != "5"][:6]
        self.assertEqual([row[0] for row in rows], [model.items[i] for i in order])
        np.testing.assert_allclose([float(row[1]) for row in rows], cosines[order], rtol=1e-4)
        self.rota("similar", "mf", f"--model={out}", "--item=none", code=2)
        shown = self.run_well("show", "mf", f"--model={out}", "--factors=2", "--top=3")
        self.assertIn(f"{len(model.users)} users, {len(model.items)} items, 125622 ratings", shown)
        self.assertIn("weighted by counts", shown)
        strongest = np.argsort(-model.q.var(axis=0))[0]
        self.assertIn(f"factor {strongest + 1}\n  highest: {model.items[np.argmax(model.q[:, strongest])]} ", shown)

    def test_libmf_format(self):
        out, model = self.train("run", self.ratings(), "--biases")
        lines = (out / "model/libmf.txt").read_text().splitlines()
        self.assertEqual(lines[:4], ["f 0", f"m {len(model.users)}", f"n {len(model.items)}", "k 8"])
        rows = [line.split() for line in lines[5:]]
        self.assertEqual([row[0] for row in rows], [f"p{u}" for u in range(len(model.users))] +
                         [f"q{i}" for i in range(len(model.items))])
        self.assertEqual({row[1] for row in rows}, {"T"})
        numbers = np.array([row[2:] for row in rows], float)
        p, q = numbers[:len(model.users)], numbers[len(model.users):]
        np.testing.assert_allclose(p @ q.T, model.scores(), rtol=1e-5, atol=1e-5)

    def test_ratings_of_low_rank_are_learned(self):
        dice = np.random.default_rng(1)
        p, q = dice.normal(size=(400, 3)), dice.normal(size=(200, 3))
        users, items = dice.integers(400, size=60000), dice.integers(200, size=60000)
        ratings = (p[users] * q[items]).sum(axis=1) / np.sqrt(3) + 0.2 * dice.normal(size=60000)
        file, folder = self.folder / "drawn.txt", self.folder / "split"
        np.savetxt(file, np.column_stack((users, items, ratings)), "%d %d %.3f")
        self.run_well("split", "mf", f"--input={file}", f"--output={folder}", "--fraction=0.2")
        out, _ = self.train("run", folder / "train.txt", "--epochs=40", "--lambda=0.02")
        result = json.loads(self.run_well("evaluate", "mf", f"--model={out}", f"--input={folder / 'valid.txt'}"))
        self.assertLess(result["rmse"], 0.3)  # of ratings whose deviation is 1, with noise of 0.2

    def test_labels(self):
        """Predictions of a model of labels, and its errors, by scikit-learn."""
        dice, file, held = random.Random(4), self.folder / "labels.txt", self.folder / "held.txt"
        truth = [(u, i, 1 if dice.random() < (0.8 if u % 3 == i % 3 else 0.2) else -1) for u in range(60) for i in range(40)]
        dice.shuffle(truth)
        for path, part in ((file, truth[:1800]), (held, truth[1800:])):
            path.write_text("".join(f"u{u} i{i} {label}\n" for u, i, label in part))
        with open(held, "a", encoding="utf-8") as text:
            text.write("stranger i3 0\n")
        out, model = self.train("run", file, "--loss=logistic", "--biases", "--lambda=0.02")
        share = sum(label > 0 for *_, label in truth[:1800]) / 1800
        links = [model.scores()[model.users.index(f"u{u}"), model.items.index(f"i{i}")] for u, i, _ in truth[1800:]]
        chances = np.array([*(1 / (1 + np.exp(-np.array(links)))), share])
        output = np.array(self.run_well("predict", "mf", f"--model={out}", f"--input={held}").split(), float)
        np.testing.assert_allclose(output, chances, rtol=1e-5)
        labels = np.array([*(label > 0 for *_, label in truth[1800:]), False])
        result = json.loads(self.run_well("evaluate", "mf", f"--model={out}", f"--input={held}"))
        self.assertAlmostEqual(result["log_loss"], metrics.log_loss(labels, chances), delta=1e-5)
        self.assertAlmostEqual(result["accuracy"], np.mean((chances > 0.5) == labels))
        self.assertAlmostEqual(result["auc"], metrics.roc_auc_score(labels, chances), delta=1e-4)
        self.assertGreater(result["auc"], 0.65)
        self.assertEqual(result["of_unknown_user_or_item"], 1)
        self.rota("recommend", "mf", f"--model={out}", f"--ratings={held}", code=2, error="--loss=squared")

    def test_a_count_of_zero_is_no_observation(self):
        """In training, held-out data, data by shard, and seen items: als ignored it, bpr counted it as used."""
        lines = [f"u{u} i{i} {1 + (u + i) % 3}" for u in range(40) for i in range(30) if u % 2 == i % 2 and (u + i) % 5]
        zeros = [f"u{u} i{i} 0" for u in range(40) for i in range(30) if u % 2 != i % 2]
        files = [self.folder / name for name in ("plain.txt", "zeros.txt", "held.txt", "held_zeros.txt")]
        held = [f"u{u} i{i}" for u in range(40) for i in range(30) if u % 2 == i % 2 and (u + i) % 5 == 0]
        for file, text in zip(files, (lines, zeros[:99] + lines + zeros[99:], held, held + zeros)):
            file.write_text("\n".join(text) + "\n")
        for solver, flag in (("als", "--implicit"), ("mf", "--loss=bpr")):
            output = []
            for data, valid in ((files[0], files[2]), (files[1], files[3])):
                packed = self.folder / f"{solver}-{data.stem}-packed"
                flags = [flag, "--shards=3"]
                self.run_well("shard", solver, f"--input={data}", f"--valid={valid}", f"--output={packed}", *flags)
                hashes = []
                for name, source in (("text", [f"--input={data}", f"--valid={valid}"]), ("packed", [f"--input={packed}"])):
                    out = self.folder / f"{solver}-{data.stem}-by-{name}"
                    self.run_well("train", solver, f"--out={out}", "--seed=3", "--epochs=5", "--rank=6", *flags,
                                  *source)
                    result = self.result(out)
                    hashes.append((result["model_hash"], result["valid"], result["terms"]["valid_users"]))
                self.assertEqual(hashes[0], hashes[1])
                model = self.folder / f"{solver}-{data.stem}-by-text"
                output.append((hashes[0], self.run_well("evaluate", solver, f"--model={model}", f"--input={valid}", "--ranking"),
                             self.run_well("recommend", solver, f"--model={model}", "--top=30")))
            names = [sorted(one[2].splitlines()) for one in output]
            self.assertEqual(names[0], names[1])
            self.assertEqual(output[0][1], output[1][1])

    def test_split(self):
        file = self.ratings()
        folder = self.folder / "parts"
        split = ["split", "mf", f"--input={file}", f"--output={folder}", "--by=time", "--fraction=0.3"]
        self.run_well(*split)
        lines = file.read_text().splitlines()
        train, valid = [(folder / name).read_text().splitlines() for name in ("train.txt", "valid.txt")]
        self.assertEqual((train[0], valid[0]), (lines[0], lines[0]))
        self.assertEqual(sorted(train[1:] + valid[1:]), sorted(lines[1:]))
        self.assertEqual(len(valid) - 1, 210)
        before = (folder / "train.txt").read_bytes()
        self.rota(*split, code=2, error="exists and is not overwritten")
        self.assertEqual((folder / "train.txt").read_bytes(), before)
        self.run_well("split", "mf", f"--input={file}", f"--output={self.folder / 'one'}", "--by=leave_one_out")
        held = list(csv.DictReader((self.folder / "one/valid.txt").read_text().splitlines()))
        newest = {}
        for row in csv.DictReader(lines):
            newest.setdefault(row["user"], []).append(int(row["time"]))
        self.assertEqual({row["user"]: int(row["time"]) for row in held},
                         {user: max(times) for user, times in newest.items() if len(times) > 1})

    def test_errors_are_reported(self):
        good = "a b 1\nc d 2\n"
        for text, flags, code, word in ((good + "a b x\n", [], 65, "bad.txt:3:"), (None, [], 66, "bad.txt"),
                                        (good, ["--loss=bpr", "--rotate=users"], 2, "the items move")):
            with self.subTest(text=text, flags=flags):
                file = self.folder / "bad.txt"
                file.unlink(missing_ok=True)
                if text is not None:
                    file.write_text(text)
                self.rota("train", "mf", f"--input={file}", f"--out={self.folder / f'bad{flags}'}", *flags, code=code,
                          error=word)
