"""Fits the regressions, sets the thresholds and writes the table of the generated pictures.

    PICTURES=folder python3 judge.py TABLE.md

Everything is fitted on the use `fit`. `choose` sets the threshold of each way of arriving: the score that 1% of its genuine pictures reach. `judge` gives every
number of the table. Intervals: 300 draws of whole sources (people, generators).
"""

import os
import sys
from pathlib import Path

import numpy as np
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from rows import load

PICTURES = Path(os.environ["PICTURES"])
HEADING = """# Pictures by generators, without a mark

Made with

```sh
CLONES=FOLDER PICTURES=FOLDER KEPT_APART=FILE forensics/training/ai/rebuild.sh
```

Models that were tried and are not shipped ([history](../../forensics/training/ai/HISTORY.md)). People, repositories and named generators of the three uses are
disjoint; the unnamed ones may include one of `fit`. Every picture, of either class, is a square crop of 400 to 1,024 pixels from a JPEG, compressed again at a quality drawn alike. The threshold of each way of arriving is
the score that 1% of the genuine pictures of `choose` reach; all other numbers are of `judge`. In brackets: 95% intervals over people and generators.
"""
WAYS = {"sent": "as sent", "small": "at 800 pixels", "messenger": "through a messenger"}


def fitted(features, views, model):
    fit = views["use"] == "fit"
    weight = views["weight"][fit] * fit.sum()
    name = model.steps[-1][0] if hasattr(model, "steps") else None
    model.fit(features[fit], views["label"][fit], **({f"{name}__sample_weight": weight} if name else {"sample_weight": weight}))
    chance = np.clip(model.predict_proba(features)[:, 1], 1e-5, 1 - 1e-5)
    return np.log(chance / (1 - chance))


def linear(c):
    return make_pipeline(StandardScaler(), LogisticRegression(C=c, max_iter=2000))


def trees():
    return HistGradientBoostingClassifier(max_iter=200, learning_rate=0.06, max_leaf_nodes=12, min_samples_leaf=30, l2_regularization=5, random_state=1)


def scores(views):
    statistics = np.load(PICTURES / "statistics.npy")
    texture = np.fromfile(PICTURES / "texture.f32", np.float32).reshape(len(views["use"]), -1)
    network = np.load(PICTURES / "network.npy")
    found = {
        "control: side, quality, mean colour": fitted(np.delete(views["seen"], 2, 1), views, trees()),
        "statistics of the noise, linear": fitted(statistics, views, linear(0.01)),
        "statistics of the noise, trees": fitted(statistics, views, trees()),
        "the trunk's shallow layer, linear": fitted(texture, views, linear(0.003)),
        "the trunk's shallow layer, trees": fitted(texture, views, trees()),
        "network": network.mean(1),
    }
    parts = [found[name] for name in list(found)[1:]]
    # On the pictures they were fitted on the parts are too sure of themselves, so each counts by its spread on those that choose.
    choose = views["use"] == "choose"
    found["all parts"] = sum((part - part[choose].mean()) / part[choose].std() for part in parts) / len(parts)
    return found


def threshold(score, views, way, share=0.01):
    genuine = (views["use"] == "choose") & (views["label"] == 0) & (views["way"] == way)
    return np.quantile(score[genuine], 1 - share)


def drawn(who, rng):
    names = np.unique(who)
    return np.concatenate([np.flatnonzero(who == name) for name in rng.choice(names, len(names))])


def draws_of(genuine, generated, views, draws=300):
    rng = np.random.default_rng(1)
    return [(genuine[drawn(views["who"][genuine], rng)], generated[drawn(views["who"][generated], rng)]) for _ in range(draws)]


def percent(share):
    return f"{100 * share:.1f}%"


def main(path):
    views = load()
    found = scores(views)
    np.savez(PICTURES / "scores.npz", **{name: value for name, value in found.items()})
    judge = views["use"] == "judge"
    lines = [HEADING]
    people = {use: len(set(views["who"][(views["use"] == use) & (views["label"] == 0)])) for use in ("fit", "choose", "judge")}
    count = {(use, label): int(((views["use"] == use) & (views["label"] == label) & (views["way"] == "sent")).sum()) for use in people for label in (0, 1)}
    lines += ["| use | genuine pictures | people | generated pictures | generators |", "|---|---|---|---|---|"]
    for use in people:
        generators = len(set(views["who"][(views["use"] == use) & (views["label"] == 1)]))
        lines.append(f"| {use} | {count[use, 0]:,} | {people[use]} | {count[use, 1]} | {generators} |")
    lines += ["", "| what | way | genuine doubted at the threshold | found at the threshold | AUC | found at 1% of the genuine judged |", "|---|---|---|---|---|---|"]
    pairs = {way: [np.flatnonzero(judge & (views["way"] == way) & (views["label"] == label)) for label in (0, 1)] for way in WAYS}
    draws = {way: draws_of(*pairs[way], views) for way in WAYS}
    for name, score in found.items():
        for way, words in WAYS.items():
            genuine, generated = pairs[way]
            bound = threshold(score, views, way)
            auc = lambda a, b: roc_auc_score(np.r_[np.zeros(len(a)), np.ones(len(b))], np.r_[score[a], score[b]])
            doubted = lambda a, b: np.mean(score[a] > bound)
            hits = lambda a, b: np.mean(score[b] > bound)
            at_one = lambda a, b: np.mean(score[b] > np.quantile(score[a], 0.99))
            cells = []
            for measure, form in ((doubted, percent), (hits, percent), (auc, lambda v: f"{v:.3f}"), (at_one, percent)):
                low, high = np.quantile([measure(*pair) for pair in draws[way]], [0.025, 0.975])
                cells.append(f"{form(measure(genuine, generated))} ({form(low)} to {form(high)})")
            lines.append(f"| {name} | {words} | {' | '.join(cells)} |")
    score = found["all parts"]
    lines += ["", "| generator | released | pictures | found as sent | at 800 pixels | through a messenger | AUC as sent |", "|---|---|---|---|---|---|---|"]
    released = dict(zip(views["generator"][judge], views["released"][judge]))
    for generator in sorted((g for g in released if g), key=lambda g: (released[g][-4:] if released[g][0] == "b" else released[g], g)):
        here = judge & (views["generator"] == generator)
        cells = [percent(np.mean(score[here & (views["way"] == way)] > threshold(score, views, way))) for way in WAYS]
        sent = here & (views["way"] == "sent")
        genuine = judge & (views["label"] == 0) & (views["way"] == "sent")
        auc = roc_auc_score(np.r_[np.zeros(genuine.sum()), np.ones(sent.sum())], np.r_[score[genuine], score[sent]])
        lines.append(f"| {generator} | {released[generator]} | {sent.sum()} | {' | '.join(cells)} | {auc:.2f} |")
    lines += ["", "| side of the crop, as sent | genuine | doubted | generated | found |", "|---|---|---|---|---|"]
    sent = judge & (views["way"] == "sent")
    over = score > threshold(score, views, "sent")
    for low, high in ((0, 600), (600, 800), (800, 2000)):
        side = sent & (views["seen"][:, 0] > low) & (views["seen"][:, 0] <= high)
        genuine, generated = side & (views["label"] == 0), side & (views["label"] == 1)
        lines.append(f"| {low or 400} to {high if high < 2000 else 1024} | {genuine.sum()} | {percent(over[genuine].mean())} | {generated.sum()} | {percent(over[generated].mean()) if generated.any() else '–'} |")
    text = "\n".join(lines) + "\n"
    Path(path).write_text(text)
    print(text)


if __name__ == "__main__":
    main(sys.argv[1])
