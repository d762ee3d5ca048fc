"""Writes the table of the generated pictures from the scores of `patches.py`.

    python3 judge.py OUT TABLE.md

`choose` sets the thresholds, `judge` gives every number of the first table. In the second, generators of `fit` are judged by trunks that saw none of their family nor
of their repositories. Intervals: 200 draws of whole sources (people, generators); the bound beside "doubted" is exact (Clopper and Pearson, one-sided).
"""

import json
import sys
from pathlib import Path

import numpy as np

OUT = Path(sys.argv[1])
WAYS = {"sent": "as sent", "small": "at 800 pixels", "messenger": "through a messenger"}
FAMILIES = {
    "Stable Diffusion and PixArt": {"Zeqiang-Lai"},
    "DALL-E 2 and Midjourney 3": {"dcsan"},
    "FLUX, Qwen-Image and Hunyuan": {"jyoung105", "Tencent-Hunyuan"},
    "gpt-image-1": {"jamez-bondos", "dabirdwell"},
    "Nano Banana and Gemini": {"sameerjoshi", "tastymooncakes", "dabirdwell"},
    "unnamed": {"ML72"},
}

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


def auc(genuine, theirs):
    everyone = np.r_[genuine, theirs]
    values, at = np.unique(everyone, return_inverse=True)
    counts = np.bincount(at, minlength=len(values))
    ranks = (np.cumsum(counts) - (counts - 1) / 2)[at]
    return (ranks[len(genuine) :].sum() - len(theirs) * (len(theirs) + 1) / 2) / (len(genuine) * len(theirs))


def upper(hits, of, level=0.95):
    """The rate at which so few hits have a chance of 5%."""
    from math import comb

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


def line(title, score, theirs_at, one, strict=None):
    genuine = np.flatnonzero((use == "judge") & ~generated & (way == one))
    theirs = np.flatnonzero(theirs_at & (way == one) & ~np.isnan(score))
    bound = np.quantile(score[(use == "choose") & ~generated & (way == one)], 0.99) if strict is None else strict
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


def main():
    heading = "| trunk | way | genuine doubted, 95% bound | found | AUC | found at 1% of the genuine judged |\n|---|---|---|---|---|---|"
    lines = [heading]
    judged = (use == "judge") & generated
    kinds = ("half", "full", "both")
    for name, theirs in (("all", judged), ("all and portraits", judged & (source != "andygock"))):
        for kind in kinds:
            if (score := found.get(f"{kind}, {name}")) is not None:
                lines += [line(f"{kind}{'' if name == 'all' else ', portraits fitted too'}", score, theirs, one) for one in WAYS]
    lines += ["", "One threshold for all ways: the highest score of a genuine picture of `choose`.", "", heading]
    for kind in kinds:
        if (score := found.get(f"{kind}, all")) is not None:
            strict = score[(use == "choose") & ~generated].max()
            lines += [line(kind, score, judged, one, strict) for one in WAYS]
    lines += ["", "Without the family", "", heading]
    means = {kind: [] for kind in kinds}
    for name, sources in FAMILIES.items():
        for kind in kinds:
            if (score := found.get(f"{kind}, {name}")) is None:
                continue
            theirs = generated & (use == "fit") & np.isin(source, list(sources))
            if name in ("gpt-image-1", "Nano Banana and Gemini"):
                theirs &= np.char.startswith(generator, "gpt") == (name == "gpt-image-1")
            lines += [line(f"{name}, {kind}", score, theirs, one) for one in WAYS]
            means[kind] += [auc(score[(use == "judge") & ~generated & (way == one)], score[theirs & (way == one)]) for one in WAYS]
    lines += ["", *(f"{kind}: mean AUC {np.mean(values):.3f}" for kind, values in means.items() if values)]
    for kind in kinds:
        if (score := found.get(f"{kind}, all")) is None:
            continue
        lines += ["", f"| generator judged by {kind} | pictures | found as sent | at 800 pixels | through a messenger | AUC as sent | at 800 pixels | through a messenger |", "|---|---|---|---|---|---|---|---|"]
        for name in sorted(set(generator[judged])):
            cells, areas = [], []
            for one in WAYS:
                bound = np.quantile(score[(use == "choose") & ~generated & (way == one)], 0.99)
                theirs = score[judged & (generator == name) & (way == one)]
                cells.append(percent(np.mean(theirs > bound)))
                areas.append(f"{auc(score[(use == 'judge') & ~generated & (way == one)], theirs):.2f}")
            lines.append(f"| {name} | {len(theirs)} | {' | '.join(cells)} | {' | '.join(areas)} |")
    text = "\n".join(lines) + "\n"
    Path(sys.argv[2]).write_text(text)
    print(text)


if __name__ == "__main__":
    main()
