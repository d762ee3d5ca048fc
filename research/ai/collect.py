"""Lists the pictures for the detector of generated pictures in `sets.tsv` and copies them to PICTURES.

    CLONES=folder PICTURES=folder KEPT_APART=file python3 collect.py

CLONES holds a clone of each repository at OWNER/NAME. Generated pictures are those of `sources.tsv`, and of a repository that `photographic.tsv`
names only those it lists (by file name, or by path). Genuine ones are the genuine pictures of `../screen/sets.tsv`. No repository with a
picture that KEPT_APART lists is used. Repositories and generators never serve two uses.
"""

import gzip
import csv
import hashlib
import io
import json
import os
import re
import subprocess
from pathlib import Path

from PIL import Image

HERE = Path(__file__).parent
CLONES = Path(os.environ["CLONES"])
PICTURES = Path(os.environ["PICTURES"])
PICTURE = re.compile(r"\.(jpe?g|png|webp|hei[cf]|avif|tiff?|bmp)$", re.I)
# Least short side in pixels, and most pictures by one person.
SHORT, MOST_GENUINE = 400, {"fit": 13, "choose": 24, "judge": 10}


def table(path):
    opened = gzip.open(path, "rt", newline="") if path.suffix == ".gz" else open(path, newline="")
    return list(csv.DictReader(opened, delimiter="\t", quoting=csv.QUOTE_NONE))


def git(repository, *args):
    return subprocess.run(["git", "-C", CLONES / repository, *args], capture_output=True).stdout


def clone_of(repository, kept):
    """The commit and the pictures (path to SHA-256) of a repository's newest commit; no pictures if one of them is kept apart. Remembered in PICTURES/index."""
    index = PICTURES / "index" / f"{repository.replace('/', '+')}.json"
    if not index.exists():
        lines = git(repository, "ls-tree", "-r", "-z", "HEAD").decode(errors="replace").split("\0")
        pictures = {}
        command = ["git", "-C", CLONES / repository, "cat-file", "--batch"]
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
            for meta, path in (line.split("\t", 1) for line in lines if PICTURE.search(line)):
                process.stdin.write((meta.split()[2] + "\n").encode())
                process.stdin.flush()
                answer = process.stdout.readline().split()
                if len(answer) == 3:
                    pictures[path] = hashlib.sha256(process.stdout.read(int(answer[2]))).hexdigest()
                    process.stdout.read(1)
            process.stdin.close()
        index.parent.mkdir(parents=True, exist_ok=True)
        commit = git(repository, "rev-parse", "HEAD").decode().strip()
        index.write_text(json.dumps({"commit": commit, "pictures": pictures}))
    found = json.loads(index.read_text())
    if found.get("kept") or kept.intersection(found["pictures"].values()):
        print("kept apart:", repository)
        return found["commit"], {}
    return found["commit"], found["pictures"]


def large_enough(data):
    try:
        image = Image.open(io.BytesIO(data))
        return min(image.size) >= SHORT
    except Exception:
        return False


def use_of_genuine(row, known):
    """`people.tsv` says who fits and who chooses thresholds; everyone else judges."""
    return known.get(owner(row), "judge")


def owner(row):
    return row["source"] or row["repository"].split("/")[0]


def wanted():
    """(use, label, generator, released, source, repository, accepts path, most)."""
    photographic = {}
    for row in table(HERE / "photographic.tsv"):
        photographic.setdefault(row["repository"], set()).add(row["name"])
    for row in table(HERE / "sources.tsv"):
        names = photographic.get(row["repository"])
        pattern = re.compile(row["pattern"])
        yield (row["use"], "generated", row["generator"], row["released"], row["repository"].split("/")[0], row["repository"],
               lambda path, names=names, pattern=pattern: bool(pattern.match(path))
               and (names is None or path in names or path.split("/")[-1] in names), int(row["most"]))
    people, known = {}, {row["person"]: row["use"] for row in table(HERE / "people.tsv")}
    for row in table(HERE / "../screen/sets.tsv.gz"):
        if row["label"] == "genuine":
            people.setdefault((use_of_genuine(row, known), owner(row), row["repository"]), set()).add(row["path"])
    for (use, person, repository), paths in people.items():
        yield use, "genuine", "", "", person, repository, paths.__contains__, MOST_GENUINE[use]


def main():
    kept = {line.split()[0] for line in open(os.environ["KEPT_APART"]) if line.strip() and not line.startswith("#")}
    clones, rows, seen, taken, uses = {}, [], set(), {}, {}
    for use, label, generator, released, source, repository, accepts, most in wanted():
        if not (CLONES / repository).exists():
            continue
        # A repository with several people serves the use of the first.
        if any(uses.setdefault(name, use) != use for name in (repository, source, generator) if name):
            if label == "generated":
                raise SystemExit(f"{repository} or {generator} serves two uses")
            continue
        if repository not in clones:
            clones[repository] = clone_of(repository, kept)
        commit, pictures = clones[repository]
        paths = sorted((p for p in pictures if accepts(p)), key=lambda p: hashlib.sha256(p.encode()).digest())
        key = (source, generator)
        for path in paths:
            sha = pictures[path]
            if taken.get(key, 0) >= most or sha in seen:
                continue
            copy = PICTURES / "found" / sha
            data = copy.read_bytes() if copy.exists() else git(repository, "show", f"{commit}:{path}")
            if not large_enough(data):
                continue
            seen.add(sha)
            taken[key] = taken.get(key, 0) + 1
            copy.parent.mkdir(parents=True, exist_ok=True)
            if not copy.exists():
                copy.write_bytes(data)
            rows.append([use, label, generator, released, source, repository, commit, path, sha])
    with gzip.open(HERE / "sets.tsv.gz", "wt") as out:
        out.write("use\tlabel\tgenerator\treleased\tsource\trepository\tcommit\tpath\tsha256\n")
        out.writelines("\t".join(row) + "\n" for row in sorted(rows))


if __name__ == "__main__":
    main()
