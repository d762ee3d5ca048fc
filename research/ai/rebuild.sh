#!/usr/bin/env bash
# Rebuilds lists, views, trunks and the table of the detector of generated pictures:
#   CLONES=folder PICTURES=folder KEPT_APART=file research/ai/rebuild.sh
# CLONES holds a clone of each repository of `sources.tsv` and of the genuine pictures of `../screen/sets.tsv`, at OWNER/NAME. Needs numpy, pillow,
# scikit-learn, onnx and torch, and a device that torch can train on. What PICTURES holds already is not made again. SECONDS_OF_TRAINING bounds the training of all 16 trunks (370), so numbers vary with the machine.
set -euo pipefail
cd "$(dirname "$0")"
python3 collect.py
python3 views.py
python3 pack.py
python3 patches.py "$PICTURES/views" "$PICTURES/out" "${SECONDS_OF_TRAINING:-370}"
python3 judge.py "$PICTURES/out" ../../../bench/results/generated.md
