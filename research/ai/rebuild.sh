#!/usr/bin/env bash
# Rebuilds list, views, networks and the table of the detector of generated pictures:
#   CLONES=folder PICTURES=folder KEPT_APART=file research/ai/rebuild.sh TABLE.md
# CLONES holds a clone of each repository of `sources.tsv` and of the genuine pictures of `../screen/sets.tsv.gz`, at OWNER/NAME. Two networks, each
# judged by the parts that it was not fitted on; an hour on two cores. Needs numpy, pillow, scipy, scikit-learn, onnx and torch, and 20 GB.
set -euo pipefail
cd "$(dirname "$0")"
python3 collect.py
python3 views.py
python3 patches.py first 0,1,2
node score.ts "$PICTURES" first 3,4 >"$PICTURES/first.scores.tsv"
python3 patches.py second 2,3,4 650 2
node score.ts "$PICTURES" second 0,1 >"$PICTURES/second.scores.tsv"
python3 judge.py "$1" "$PICTURES/first.scores.tsv" "$PICTURES/second.scores.tsv"
