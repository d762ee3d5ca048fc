"""Lists the views for `patches.py` in PICTURES/views/views.json and copies the trunk there: PICTURES=folder python3 pack.py"""

import gzip
import csv
import json
import os
import shutil
from pathlib import Path

HERE = Path(__file__).parent
VIEWS = Path(os.environ["PICTURES"]) / "views"

rows = csv.DictReader(gzip.open(HERE / "sets.tsv.gz", "rt", newline=""), delimiter="\t", quoting=csv.QUOTE_NONE)
views = []
for row in rows:
    for way in ("sent", "small", "messenger"):
        file = f"{row['sha256'][:20]}-{way}.jpg"
        if (VIEWS / file).exists():
            views.append([file, row["use"], row["label"], row["source"], row["generator"], way])
json.dump(views, open(VIEWS / "views.json", "w"))
shutil.copy(HERE / "../../src/screen/context.generated.onnx", VIEWS)
