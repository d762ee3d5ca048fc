"""The lines of PICTURES/views.tsv beside those of `sets.tsv`, as arrays."""

import csv
import os
from collections import Counter
from pathlib import Path

import numpy as np

HERE = Path(__file__).parent


def load():
    def table(path):
        return list(csv.DictReader(open(path, newline=""), delimiter="\t", quoting=csv.QUOTE_NONE))

    of = {row["sha256"]: row for row in table(HERE / "sets.tsv")}
    views = table(Path(os.environ["PICTURES"]) / "views.tsv")
    rows = {name: np.array([of[view["sha256"]][name] for view in views]) for name in ("use", "label", "generator", "released", "source")}
    rows["label"] = (rows["label"] == "generated").astype(int)
    rows["sha256"] = np.array([view["sha256"] for view in views])
    rows["way"] = np.array([view["way"] for view in views])
    rows["seen"] = np.array([[float(view[name]) for name in ("side", "quality", "bytes", "red", "green", "blue")] for view in views])
    # A generator is a source of generated pictures, a person one of genuine pictures.
    rows["who"] = np.where(rows["label"] == 1, rows["generator"], rows["source"])
    pictures = Counter(zip(rows["use"], rows["label"], rows["who"]))
    weight = np.array([1 / np.sqrt(pictures[key]) for key in zip(rows["use"], rows["label"], rows["who"])])
    for use in set(rows["use"]):
        for label in (0, 1):
            here = (rows["use"] == use) & (rows["label"] == label)
            weight[here] /= weight[here].sum()
    rows["weight"] = weight
    return rows
