#!/usr/bin/env bash
# Rebuilds lists, views, measurements, models, thresholds and the table of the detector of generated pictures:
#   CLONES=folder PICTURES=folder KEPT_APART=file forensics/training/ai/rebuild.sh
# CLONES holds a clone of each repository of `sources.tsv` and of the genuine pictures of `../screen/sets.tsv`, at OWNER/NAME. Needs numpy, pillow,
# scikit-learn and torch. What PICTURES holds already is not made again. MINUTES bounds the training of the network (8), so its numbers vary with the machine.
set -euo pipefail
cd "$(dirname "$0")"
python3 collect.py
python3 views.py
python3 features.py
node texture.ts "$PICTURES"
python3 network.py
python3 judge.py ../../../bench/results/generated.md
