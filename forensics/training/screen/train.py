"""Fits the single-still screen detector on measured features and writes its model file.

    python3 forensics/training/screen/train.py forensics/src/screen/model.json FEATURES.jsonl [FEATURES.jsonl ...]

Each line of a feature file is {"label", "source", "path", "v", "f"} as `measure.ts` writes it. A source is held apart whole:
scores for thresholds and calibration come from models that never saw the picture's source. Needs numpy, scikit-learn, xgboost.
"""
import json
import sys

import numpy as np
import xgboost as xgb
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score

SIMULATED = 'simulated'
TREES = dict(n_estimators=260, max_depth=3, learning_rate=0.05, subsample=0.7, colsample_bytree=0.3,
             min_child_weight=4, reg_lambda=3, n_jobs=2, tree_method='hist', random_state=7)
TREES_SHARE = 0.5


def load(paths):
    rows = [json.loads(line) for path in paths for line in open(path)]
    names = sorted({name for row in rows for name in row['f']})
    features = np.array([[row['f'].get(name, np.nan) for name in names] for row in rows])
    labels = np.array([row['label'] for row in rows])
    sources = np.array([row['source'].split('/')[0] for row in rows])
    variants = np.array([row['v'] for row in rows])
    return rows, names, features, labels, sources, variants


def weights(labels, sources):
    """Every source counts by the root of its size, both classes alike within the real and the simulated part."""
    w = np.ones(len(labels))
    for source in set(sources):
        w[sources == source] /= np.sqrt((sources == source).sum())
    for simulated in (True, False):
        part = (sources == SIMULATED) == simulated
        for label in (0, 1):
            cell = part & (labels == label)
            if cell.any():
                w[cell] *= (0.6 if simulated else 1.0) / w[cell].sum()
    return w * len(labels) / w.sum()


class Linear:
    def __init__(self, x, y, w):
        self.mean = np.nanmean(x, axis=0)
        self.scale = np.nanstd(x, axis=0) + 1e-6
        self.fit = LogisticRegression(C=0.02, max_iter=3000).fit(self.transform(x), y, sample_weight=w)

    def transform(self, x):
        return np.clip(np.nan_to_num((x - self.mean) / self.scale), -4, 4)

    def score(self, x):
        return self.fit.decision_function(self.transform(x))


def train(x, y, w):
    linear = Linear(x, y, w)
    trees = xgb.XGBClassifier(**TREES).fit(x, y, sample_weight=w)
    return linear, trees


def score(models, x):
    linear, trees = models
    return (1 - TREES_SHARE) * linear.score(x) + TREES_SHARE * trees.predict(x, output_margin=True)


def held_apart(x, y, sources):
    out = np.full(len(y), np.nan)
    for source in sorted(set(sources) - {SIMULATED}):
        test = sources == source
        out[test] = score(train(x[~test], y[~test], weights(y[~test], sources[~test])), x[test])
    return out


def export(names, models, platt, thresholds):
    linear, trees = models
    dump = json.loads(trees.get_booster().save_raw('json'))['learner']
    out = []
    for tree in dump['gradient_booster']['model']['trees']:
        left, right = tree['left_children'], tree['right_children']
        inner = [i for i in range(len(left)) if left[i] >= 0]
        leaves = [i for i in range(len(left)) if left[i] < 0]
        place = {node: k for k, node in enumerate(inner)} | {node: -(k + 1) for k, node in enumerate(leaves)}
        out.append({
            'feature': [tree['split_indices'][i] for i in inner],
            'threshold': [round(float(tree['split_conditions'][i]), 7) for i in inner],
            'left': [place[left[i]] for i in inner],
            'right': [place[right[i]] for i in inner],
            'missingLeft': [int(tree['default_left'][i]) for i in inner],
            'leaf': [round(float(tree['split_conditions'][i]), 6) for i in leaves],
        })
    base = float(dump['learner_model_param']['base_score'])
    digits = lambda values: [round(float(v), 6) for v in values]
    return {
        'name': 'screen-still-1',
        'features': names,
        'linear': {'mean': digits(linear.mean), 'scale': digits(linear.scale), 'weight': digits(linear.fit.coef_[0]),
                   'bias': round(float(linear.fit.intercept_[0]), 6)},
        'trees': out,
        'treesBias': float(np.log(base / (1 - base))),
        'treesShare': TREES_SHARE,
        'platt': platt,
        'thresholds': thresholds,
    }


def main():
    rows, names, x, y, sources, variants = load(sys.argv[2:])
    apart = held_apart(x, y, sources)
    real = (sources != SIMULATED) & (variants == 'orig')
    calibration = LogisticRegression(C=1e6).fit(apart[real].reshape(-1, 1), y[real])
    a, b = float(calibration.coef_[0, 0]), float(calibration.intercept_[0])
    p = 1 / (1 + np.exp(-(a * apart + b)))
    negative = np.sort(apart[real & (y == 0)])[::-1]
    # 1%: the quantile. 0.1%: no set of some hundred pictures holds it, so the tail's exponential slope is followed.
    tail = negative[: max(8, len(negative) // 10)]
    slope = np.mean(tail - tail[-1])
    doubtful = max(negative[int(0.01 * len(negative))], tail[-1] + slope * np.log(0.1 / 0.01))
    confident = max(negative[0] + 0.25 * slope, doubtful + slope * np.log(10))
    thresholds = {name: round(float(1 / (1 + np.exp(-(a * s + b)))), 5) for name, s in
                  (('doubtful', doubtful), ('confident', confident))}
    for variant in sorted(set(variants[sources != SIMULATED])):
        part = (sources != SIMULATED) & (variants == variant)
        auc = roc_auc_score(y[part], apart[part])
        found = [(p[part & (y == 1)] >= thresholds[band]).mean() for band in ('doubtful', 'confident')]
        wrong = [(p[part & (y == 0)] >= thresholds[band]).mean() for band in ('doubtful', 'confident')]
        print(f'{variant:6} AUC {auc:.3f}  found {found[0]:.2f} {found[1]:.2f}  wrong {wrong[0]:.3f} {wrong[1]:.3f}')
    print(thresholds)
    models = train(x, y, weights(y, sources))
    with open(sys.argv[1], 'w') as out:
        json.dump(export(names, models, {'a': round(a, 6), 'b': round(b, 6)}, thresholds), out, separators=(',', ':'))
        out.write('\n')


main()
