"""Writes the table of the generated pictures from the scores of `score.ts`.

    PICTURES=folder python3 judge.py TABLE.md SCORES.tsv ...

A picture's score is the mean of its crops. Each file holds the scores of one network, and sets thresholds of its own: where SHARE of the genuine pictures of three quarters of its people pass, who count by
the root of their pictures. The other quarter is judged. "At most" is the exact upper 95% bound (Clopper and Pearson, one-sided).
"""

import csv
import hashlib
import json
import os
import sys
from pathlib import Path

import numpy as np
from scipy.stats import beta
from sklearn.ensemble import HistGradientBoostingClassifier

PICTURES = Path(os.environ["PICTURES"])
SHARE, QUARTERS = 0.008, 4
WAYS = {"sent": "as sent", "small": "at 800 pixels", "messenger": "through a messenger"}
VIEWS = {row["sha"]: row for row in json.loads((PICTURES / "views.json").read_text())}


def area(theirs, genuine):
    genuine = np.sort(genuine)
    return (np.searchsorted(genuine, theirs, "left") + np.searchsorted(genuine, theirs, "right")).sum() / 2 / len(theirs) / len(genuine)


def passed_by(scores, people, share):
    order = np.argsort(-scores)
    size = {name: (people == name).sum() for name in set(people)}
    weight = np.array([1 / np.sqrt(size[name]) for name in people[order]])
    return scores[order][np.searchsorted(np.cumsum(weight), share * weight.sum(), side="right")]


def judged(path, way):
    """Label, source, score and how far it is above the threshold, of each picture of one network."""
    rows = [(VIEWS[line[0]], np.mean([float(value) for value in line[2:]])) for line in csv.reader(open(path), delimiter="\t") if line[1] == way]
    generated = np.array([row["label"] == "generated" for row, _ in rows])
    source = np.array([row["source"] for row, _ in rows])
    scores = np.array([score for _, score in rows])
    quarter = np.array([hashlib.sha1(name.encode()).digest()[3] % QUARTERS for name in source])
    hits = np.zeros(len(rows))
    for one in range(QUARTERS):
        sets = ~generated & (quarter != one)
        over = scores > passed_by(scores[sets], source[sets], SHARE)
        hits[~generated & (quarter == one)] = over[~generated & (quarter == one)]
        hits[generated] += over[generated] / QUARTERS
    return generated, source, scores, hits


def control(path, way):
    """AUC of trees over the mean colours, fitted on the parts that the network was fitted on."""
    here = {line[0] for line in csv.reader(open(path), delimiter="\t")}
    at = list(WAYS).index(way)
    known = [row for row in VIEWS.values() if row["sha"] not in here]
    theirs = [VIEWS[sha] for sha in here]
    values = lambda rows: np.array([[*row["colours"][at], row["sides"][at]] for row in rows])
    labels = lambda rows: np.array([row["label"] == "generated" for row in rows])
    trees = HistGradientBoostingClassifier(max_iter=100, max_leaf_nodes=8, min_samples_leaf=30, random_state=1).fit(values(known), labels(known))
    found = trees.predict_proba(values(theirs))[:, 1]
    return area(found[labels(theirs)], found[~labels(theirs)])


def main():
    table, *paths = sys.argv[1:]
    lines = ["| way | network | AUC | genuine doubted | found, mean over repositories | of all pictures | control: mean colour, AUC |", "|---|---|---|---|---|---|---|"]
    each = {}
    for way, title in WAYS.items():
        doubted, genuine, shares = 0, 0, {}
        for path in paths:
            generated, source, scores, hits = judged(path, way)
            found = {name: (hits[generated & (source == name)].mean(), area(scores[generated & (source == name)], scores[~generated]), (generated & (source == name)).sum()) for name in set(source[generated])}
            shares.update(found)
            n, k = (~generated).sum(), int(hits[~generated].sum())
            doubted, genuine = doubted + k, genuine + n
            lines.append(f"| {title} | `{Path(path).name.split('.')[0]}` | {area(scores[generated], scores[~generated]):.3f} | {k} of {n} | {np.mean([share for share, *_ in found.values()]):.2f} of {len(found)} | {hits[generated].mean():.2f} of {generated.sum()} | {control(path, way):.2f} |")
        bound = beta.ppf(0.95, doubted + 1, genuine - doubted)
        lines.append(f"| {title} | **both** | | {doubted} of {genuine}, at most {100 * bound:.1f}% | {np.mean([share for share, *_ in shares.values()]):.2f} of {len(shares)} | {np.average([share for share, *_ in shares.values()], weights=[n for *_, n in shares.values()]):.2f} | |")
        for name, (share, auc, n) in shares.items():
            each.setdefault((name, n), []).append(f"{share:.2f}, {auc:.2f}")
    lines += ["", "| repository | pictures | as sent: found, AUC | at 800 pixels | through a messenger |", "|---|---|---|---|---|"]
    lines += [f"| `{name}` | {n} | {' | '.join(cells)} |" for (name, n), cells in sorted(each.items(), key=lambda one: one[1], reverse=True)]
    Path(table).write_text("\n".join(lines) + "\n")
    print("\n".join(lines))


if __name__ == "__main__":
    main()
