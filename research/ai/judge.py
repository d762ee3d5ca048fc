"""Writes the table of the generated pictures from the scores of `patches.py`.

    PICTURES=folder python3 judge.py OUT TABLE.md

`choose` sets the thresholds, `judge` gives every number of the first table. In the second, generators of `fit` are judged by trunks that saw none of their family nor
of their repositories. Intervals: 200 draws of whole sources (people, generators); the bound beside "doubted" is exact (Clopper and Pearson, one-sided).
"""

import csv
import json
import os
import sys
from math import comb
from pathlib import Path

import numpy as np
from sklearn.ensemble import HistGradientBoostingClassifier

from shared import FAMILIES, auc

OUT = Path(sys.argv[1])
HEADING = """# Pictures by generators, without a mark

Made with

```sh
CLONES=FOLDER PICTURES=FOLDER KEPT_APART=FILE research/ai/rebuild.sh
```

Nothing of this ships ([history](../../research/ai/HISTORY.md)). The trunk of the screen detector was trained end to end on patches of 160 to 192 pixels at full size: `half` begins with a step of two
pixels, as the trunk that ships, `full` with a step of one, `both` is the mean of the two. Every picture, of either class, is a square crop of a JPEG, compressed again at a quality drawn alike; views that judge are 384 pixels wide.
The threshold of each way of arriving is the score that 1% of the genuine pictures of `choose` reach. In brackets: 95% intervals over people and generators. "At most" is the exact upper 95% bound.
"""
WAYS = {"sent": "as sent", "small": "at 800 pixels", "messenger": "through a messenger"}

views = json.load(open(OUT / "views.json"))
use, label, source, generator, way = (np.array([v[i] for v in views]) for i in range(1, 6))
generated = label == "generated"
who = np.where(generated, generator, source)
found = dict(np.load(OUT / "scores.npz"))


def both(name):
    """The mean of the two trunks, each in units of its spread over the genuine pictures of `choose`."""
    parts = [found[f"{kind}, {name}"] for kind in ("half", "full")]
    choose = (use == "choose") & ~generated
    return sum((part - part[choose].mean()) / part[choose].std() for part in parts) / 2


for name in ["all", "all and portraits", *FAMILIES]:
    if all(f"{kind}, {name}" in found for kind in ("half", "full")):
        found[f"both, {name}"] = both(name)


def upper(hits, of, level=0.95):
    """The rate at which so few hits have a chance of 5%."""
    low, high = hits / of, 1.0
    for _ in range(60):
        middle = (low + high) / 2
        chance = sum(comb(of, k) * middle**k * (1 - middle) ** (of - k) for k in range(hits + 1))
        low, high = (middle, high) if chance > 1 - level else (low, middle)
    return high


def drawn(at, rng):
    names = np.unique(who[at])
    of = {name: at[who[at] == name] for name in names}
    return np.concatenate([of[name] for name in rng.choice(names, len(names))])


def percent(share):
    return f"{100 * share:.1f}%"


def line(title, score, theirs_at, one):
    genuine = np.flatnonzero((use == "judge") & ~generated & (way == one))
    theirs = np.flatnonzero(theirs_at & (way == one) & ~np.isnan(score))
    bound = threshold(score, one)
    rng = np.random.default_rng(1)
    draws = [(drawn(genuine, rng), drawn(theirs, rng)) for _ in range(200)]
    hits = int((score[genuine] > bound).sum())

    def cell(measure, form):
        low, high = np.quantile([measure(*pair) for pair in draws], [0.025, 0.975])
        return f"{form(measure(genuine, theirs))} ({form(low)} to {form(high)})"

    cells = [
        f"{hits} of {len(genuine)}, at most {percent(upper(hits, len(genuine)))}",
        cell(lambda a, b: np.mean(score[b] > bound), percent),
        cell(lambda a, b: auc(score[a], score[b]), lambda v: f"{v:.2f}"),
        cell(lambda a, b: np.mean(score[b] > np.quantile(score[a], 0.99)), percent),
    ]
    return f"| {title} | {WAYS[one]} | {' | '.join(cells)} |"


def threshold(score, one):
    return np.quantile(score[(use == "choose") & ~generated & (way == one)], 0.99)


def control():
    """What the bytes and the mean colour of a view say."""
    listed = {(line["sha256"][:20], line["way"]): line for line in csv.DictReader(open(Path(os.environ["PICTURES"]) / "views.tsv", newline=""), delimiter="\t")}
    seen = [listed[tuple(v[0][:-4].split("-"))] for v in views]
    values = np.array([[float(line[name]) for name in ("bytes", "red", "green", "blue")] for line in seen])
    trees = HistGradientBoostingClassifier(max_iter=100, max_leaf_nodes=8, min_samples_leaf=30, random_state=1)
    return trees.fit(values[use == "fit"], generated[use == "fit"]).predict_proba(values)[:, 1]


def crossed(score, theirs, share):
    """Thresholds from four fifths of the people of `choose` and `judge`, at this share of their pictures; judged on the other fifth. The mean of 20 such partings."""
    left = ~generated & (use != "fit")
    people = np.unique(source[left])
    rng = np.random.default_rng(1)
    for one in WAYS:
        here, hits, shares = left & (way == one), [], []
        for _ in range(20):
            fifth = dict(zip(rng.permutation(people), np.arange(len(people)) % 5))
            part = np.array([fifth.get(name, -1) for name in source])
            bounds = [np.quantile(score[here & (part != i)], 1 - share) for i in range(5)]
            hits.append(sum((score[here & (part == i)] > bound).sum() for i, bound in enumerate(bounds)))
            shares.append(np.mean([(score[theirs & (way == one)] > bound).mean() for bound in bounds]))
        yield f"{np.mean(hits):.1f} of {here.sum()}", percent(np.mean(shares))


def main():
    heading = "| trunk | way | genuine doubted | found | AUC | found at 1% of the genuine judged |\n|---|---|---|---|---|---|"
    lines = [HEADING, "| use | genuine pictures | people | generated pictures | generators |", "|---|---|---|---|---|"]
    sent = way == "sent"
    for one in ("fit", "choose", "judge"):
        here = sent & (use == one)
        lines.append(f"| {one} | {(here & ~generated).sum()} | {len(set(source[here & ~generated]))} | {(here & generated).sum()} | {len(set(generator[here & generated]))} |")
    lines += [
        "",
        "Repositories and people of the three uses are disjoint, some generators are not: pictures by FLUX.1 dev and a relative of Qwen-Image are in `fit` too, from other repositories,",
        "RealVisXL is made from Stable Diffusion XL, and the unnamed ones may be any. \"Portraits fitted too\": the pictures by RealVisXL and FLUX.1 dev fit and no longer judge.",
        "",
        heading,
    ]
    judged = (use == "judge") & generated
    others = judged & (source != "andygock")
    lines += [line("control: bytes and mean colour", control(), judged, one) for one in WAYS]
    for name, theirs in (("all", judged), ("all and portraits", others)):
        for kind in ("half", "full", "both"):
            lines += [line(f"{kind}{'' if name == 'all' else ', portraits fitted too'}", found[f"{kind}, {name}"], theirs, one) for one in WAYS]
    lines += ["", "## By generator", "", "`both`, at the thresholds above.", "", "| generator | pictures | found as sent | at 800 pixels | through a messenger | AUC as sent | at 800 pixels | through a messenger |", "|---|---|---|---|---|---|---|---|"]
    score = found["both, all"]
    for name in sorted(set(generator[judged])):
        theirs = {one: score[judged & (generator == name) & (way == one)] for one in WAYS}
        cells = [percent(np.mean(theirs[one] > threshold(score, one))) for one in WAYS]
        cells += [f"{auc(score[(use == 'judge') & ~generated & (way == one)], theirs[one]):.2f}" for one in WAYS]
        lines.append(f"| {name} | {len(theirs['sent'])} | {' | '.join(cells)} |")
    lines += ["", "## Generators left out in turn", "", "`both`, fitted without one family of generators and without its repositories, in a third of the time.", "", heading.replace("trunk", "family left out")]
    means = {kind: [] for kind in ("half", "full", "both")}
    for name, sources in FAMILIES.items():
        theirs = generated & (use == "fit") & np.isin(source, list(sources))
        if "dabirdwell" in sources:
            theirs &= np.char.startswith(generator, "gpt") == (name == "gpt-image-1")
        for kind, values in means.items():
            score = found[f"{kind}, {name}"]
            values += [auc(score[(use == "judge") & ~generated & (way == one)], score[theirs & (way == one)]) for one in WAYS]
        lines += [line(f"{name} ({(theirs & sent).sum()})", found[f"both, {name}"], theirs, one) for one in WAYS]
    lines += ["", f"Mean AUC over families and ways: {', '.join(f'`{kind}` {np.mean(values):.2f}' for kind, values in means.items())}."]
    lines += [
        "",
        "## Thresholds from more people",
        "",
        "Computed after the numbers above were seen, so it flatters. Thresholds come from four fifths of the people of `choose` and `judge` together and meet the other fifth; means of 20 partings.",
        "",
        "| trunk, portraits fitted too | share of genuine pictures at the threshold | doubted as sent, found | at 800 pixels | through a messenger |",
        "|---|---|---|---|---|",
    ]
    for kind in ("full", "both"):
        for share in (0.01, 0.005):
            cells = [f"{doubted}, {hits}" for doubted, hits in crossed(found[f"{kind}, all and portraits"], others, share)]
            lines.append(f"| {kind} | {percent(share)} | {' | '.join(cells)} |")
    text = "\n".join(lines) + "\n"
    Path(sys.argv[2]).write_text(text)
    print(text)


if __name__ == "__main__":
    main()
