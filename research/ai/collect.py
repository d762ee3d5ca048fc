"""Lists the pictures for the detector of generated pictures in `sets.tsv.gz` and copies them to PICTURES/found.

    CLONES=folder PICTURES=folder KEPT_APART=file python3 collect.py

CLONES holds a clone of each repository at OWNER/NAME. Generated pictures are those of `sources.tsv`, and of a repository that `photographic.tsv`
names only those it lists (by file name, or by path). Genuine ones are the genuine pictures of `../screen/sets.tsv.gz`, at most ten by one person. No repository with a
picture that KEPT_APART lists is used. Repositories of generated pictures are in the part that `sources.tsv` says, people in one of five by their names.
"""

import csv
import gzip
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
# Least short side in pixels, most pictures by one person, and parts.
SHORT, MOST_GENUINE, PARTS = 400, 10, 5


def table(path):
    opened = gzip.open(path, "rt", newline="") if path.suffix == ".gz" else open(path, newline="")
    return list(csv.DictReader(opened, delimiter="\t", quoting=csv.QUOTE_NONE))


def git(repository, *args):
    return subprocess.run(["git", "-C", CLONES / repository, *args], capture_output=True).stdout


def clone_of(repository, kept):
    """The commit and the pictures (path to SHA-256) of a repository's newest commit; no pictures if one of them is kept apart."""
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
    commit = git(repository, "rev-parse", "HEAD").decode().strip()
    if kept.intersection(pictures.values()):
        print("kept apart:", repository)
        return commit, {}
    return commit, pictures


def large_enough(data):
    try:
        return min(Image.open(io.BytesIO(data)).size) >= SHORT
    except Exception:
        return False


def owner(row):
    return row["source"] or row["repository"].split("/")[0]


def wanted():
    """(part, label, generator, released, source, repository, accepts path, most)."""
    photographic = {}
    for row in table(HERE / "photographic.tsv"):
        photographic.setdefault(row["repository"], set()).add(row["name"])
    for row in table(HERE / "sources.tsv"):
        names, pattern = photographic.get(row["repository"]), re.compile(row["pattern"])
        accepts = lambda path, names=names, pattern=pattern: bool(pattern.match(path)) and (names is None or path in names or path.split("/")[-1] in names)
        yield row["part"], "generated", row["generator"], row["released"], row["repository"].split("/")[0], row["repository"], accepts, int(row["most"])
    people = {}
    for row in table(HERE / "../screen/sets.tsv.gz"):
        if row["label"] == "genuine":
            people.setdefault((owner(row), row["repository"]), set()).add(row["path"])
    for (person, repository), paths in people.items():
        part = str(hashlib.sha1(person.encode()).digest()[2] % PARTS)
        yield part, "genuine", "", "", person, repository, paths.__contains__, MOST_GENUINE


def main():
    kept = {line.split()[0] for line in open(os.environ["KEPT_APART"]) if line.strip() and not line.startswith("#")}
    clones, rows, seen, taken = {}, [], set(), {}
    (PICTURES / "found").mkdir(parents=True, exist_ok=True)
    for part, label, generator, released, source, repository, accepts, most in wanted():
        if not (CLONES / repository).exists():
            continue
        if repository not in clones:
            clones[repository] = clone_of(repository, kept)
        commit, pictures = clones[repository]
        key = (source, generator)
        for path in sorted(filter(accepts, pictures), key=lambda path: hashlib.sha256(path.encode()).digest()):
            sha = pictures[path]
            if taken.get(key, 0) >= most or sha in seen:
                continue
            data = git(repository, "show", f"{commit}:{path}")
            if large_enough(data):
                seen.add(sha)
                taken[key] = taken.get(key, 0) + 1
                (PICTURES / "found" / sha).write_bytes(data)
                rows.append([part, label, generator, released, source, repository, commit, path, sha])
    with gzip.open(HERE / "sets.tsv.gz", "wt") as out:
        out.write("part\tlabel\tgenerator\treleased\tsource\trepository\tcommit\tpath\tsha256\n")
        out.writelines("\t".join(row) + "\n" for row in sorted(rows))


if __name__ == "__main__":
    main()
