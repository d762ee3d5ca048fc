"""Sets the threshold of the detector of generated pictures, judges it, and writes the table and the scores of genuine pictures that ship.

    python3 judge.py SCORES.tsv TABLE.md MODEL.json

SCORES are those of `score.ts` over the parts that the network was not fitted on. A genuine picture counts by the highest score of its forms; the threshold is what SHARE of them pass, a person
counting by the root of their pictures. It is judged in quarters of the people: set by three, judged by the fourth. "At most" is the exact upper 95% bound (Clopper and Pearson, one-sided).

The control: trees over mean colour and bytes a pixel, each fifth of the sources predicted by the other four. And to see what is left where colour and bytes say nothing, the pictures are weighed so that both
classes agree in them: overlap weights (Li, Morgan and Zaslavsky, 2018) by a logistic regression with squares and products.
"""

import csv
import hashlib
import json
import sys
from pathlib import Path

import numpy as np
from scipy.stats import beta
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import PolynomialFeatures, StandardScaler

MODEL, SHARE, QUARTERS, FIFTHS = "generated-1", 0.008, 4, 5
# The score of a picture that shows nothing: below all others.
NOTHING = -9
FORMS = {"found": "the file as it is", "sent": "compressed again", "small": "at 800 pixels", "messenger": "through a messenger"}


def area(theirs, genuine, weights=None):
    """AUC. `weights`: of theirs and of the genuine pictures."""
    of_theirs, of_genuine = weights or (np.ones(len(theirs)), np.ones(len(genuine)))
    order = np.argsort(genuine)
    below = np.concatenate([[0], np.cumsum(of_genuine[order])])
    sides = [below[np.searchsorted(genuine[order], theirs, side)] for side in ("left", "right")]
    return np.average((sides[0] + sides[1]) / 2 / below[-1], weights=of_theirs)


def passed_by(scores, people, share):
    order = np.argsort(-scores)
    size = {name: (people == name).sum() for name in set(people)}
    weight = np.array([1 / np.sqrt(size[name]) for name in people[order]])
    return float(scores[order][np.searchsorted(np.cumsum(weight), share * weight.sum(), side="right")])


def piece(names, count):
    return np.array([hashlib.sha1(name.encode()).digest()[count] % count for name in names])


def control(values, labels, fifth):
    """The AUC of the control."""
    found = np.zeros(len(labels))
    for one in range(FIFTHS):
        trees = HistGradientBoostingClassifier(max_iter=100, max_leaf_nodes=8, min_samples_leaf=30, random_state=1)
        found[fifth == one] = trees.fit(values[fifth != one], labels[fifth != one]).predict_proba(values[fifth == one])[:, 1]
    return area(found[labels], found[~labels])


def alike(values, labels):
    """What says the class by these values, and the weights of both classes that make it say nothing."""
    logistic = make_pipeline(StandardScaler(), PolynomialFeatures(2), LogisticRegression(C=1e3, max_iter=5000))
    odds = logistic.fit(values, labels).predict_proba(values)[:, 1]
    return odds, (1 - odds[labels], odds[~labels])


def bound(count, of):
    return beta.ppf(0.95, count + 1, of - count)


def main():
    scores, table, model = sys.argv[1:]
    pictures = {}
    for row in csv.DictReader(open(scores), delimiter="\t"):
        pictures.setdefault((row["label"], row["source"], row["sha"]), {})[row["form"]] = [float(row[name] or NOTHING) for name in ("score", "red", "green", "blue", "bytes")]
    pictures = {key: forms for key, forms in sorted(pictures.items()) if len(forms) == len(FORMS)}
    source = np.array([name for _, name, _ in pictures])
    generated = np.array([label == "generated" for label, *_ in pictures])
    values = {form: np.array([forms[form] for forms in pictures.values()]) for form in FORMS}
    highest = np.max([values[form][:, 0] for form in FORMS], 0)
    quarter, fifth = piece(source, QUARTERS), piece(source, FIFTHS)
    thresholds = [passed_by(highest[~generated & (quarter != one)], source[~generated & (quarter != one)], SHARE) for one in range(QUARTERS)]
    threshold = passed_by(highest[~generated], source[~generated], SHARE)
    n = int((~generated).sum())
    people, repositories = len(set(source[~generated])), sorted(set(source[generated]))

    lines = ["| form | AUC | genuine doubted | generated found, mean over repositories | of all pictures | control: colour and bytes, AUC | both classes weighed alike: colour and bytes, network, AUC | genuine doubted, likewise |", "|---|---|---|---|---|---|---|---|"]
    found = {}
    for form, title in FORMS.items():
        score, others = values[form][:, 0], values[form][:, 1:]
        over = np.array([score > one for one in thresholds])
        doubted = over[quarter, np.arange(len(score))]
        hits = over.mean(0)
        found[form] = [hits[generated & (source == name)].mean() for name in repositories]
        odds, weights = alike(others, generated)
        k = int(doubted[~generated].sum())
        lines.append(
            f"| {title} | {area(score[generated], score[~generated]):.3f} | {k} of {n}, at most {100 * bound(k, n):.1f}% | {np.mean(found[form]):.2f} of {len(repositories)} | {hits[generated].mean():.2f} of {generated.sum()} "
            f"| {control(others, generated, fifth):.2f} | {area(odds[generated], odds[~generated], weights):.2f}, {area(score[generated], score[~generated], weights):.2f} | {100 * np.average(doubted[~generated], weights=weights[1]):.1f}% |"
        )
    lines += ["", f"| repository | pictures | {' | '.join(FORMS.values())} |", "|---|---|" + "---|" * len(FORMS)]
    for i in np.argsort([-found["sent"][i] for i in range(len(repositories))]):
        lines.append(f"| `{repositories[i]}` | {(source == repositories[i]).sum()} | {' | '.join(f'{found[form][i]:.2f}' for form in FORMS)} |")
    Path(table).write_text("\n".join(lines) + "\n")
    print("\n".join(lines), f"\nthreshold {threshold:.3f}, of the quarters {thresholds}")
    genuine = sorted(round(one, 3) for one in highest[~generated])
    Path(model).write_text(json.dumps({"model": MODEL, "threshold": round(threshold, 3), "sources": people, "log_odds": genuine}, separators=(",", ":")) + "\n")


if __name__ == "__main__":
    main()
