#!/usr/bin/env bash
# Rebuilds list, views, network, threshold and table of `generated-1`, the detector of generated pictures:
#   CLONES=folder PICTURES=folder KEPT_APART=file research/ai/rebuild.sh TABLE.md
# CLONES holds a clone of each repository of `sources.tsv` and of the genuine pictures of `../screen/sets.tsv.gz`, at OWNER/NAME. The network is judged by the
# parts that it was not fitted on; an hour on two cores. Needs numpy, pillow, scipy, scikit-learn, onnx and torch, and 20 GB.
set -euo pipefail
cd "$(dirname "$0")"
python3 collect.py
python3 views.py
python3 patches.py patches 0,1,2
cp "$PICTURES"/nets/patches.generated.* ../../forensics/src/ai/
node score.ts "$PICTURES" 3,4 >"$PICTURES/scores.tsv"
gzip -9nc "$PICTURES/scores.tsv" >scores.tsv.gz
python3 judge.py "$PICTURES/scores.tsv" "$1" ../../forensics/src/ai/genuine.generated.json
