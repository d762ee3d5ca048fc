"""Fits the single-still screen detector on measured features and writes its model file.

    python3 forensics/training/screen/train.py forensics/src/screen/model.generated.json bench/src/detection/folds.generated.json FEATURES.jsonl ...

Each line of a feature file is {"label", "source", "name", "v", "f"} as `measure.ts` writes it. A source is held apart whole:
scores for thresholds and calibration come from models that never saw the picture's source. The second file keeps those models by
source, so that the benchmark can be run without fitting. Needs numpy, scikit-learn, xgboost.
"""
import json
import re
import sys

import numpy as np
import xgboost as xgb
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score

SIMULATED = 'simulated'
TREES = dict(n_estimators=200, max_depth=3, learning_rate=0.05, subsample=0.6, colsample_bytree=0.25,
             min_child_weight=8, reg_lambda=5, n_jobs=1, tree_method='hist', random_state=3)
# What tiles and tones show: two fits averaged. What things there are counts only between these log odds: a screen among things that
# look like an office is likelier one, but the want of them says nothing where a panel fills the frame, and a room may hold a screen.
SHARES = dict(linear=0.6, trees=0.4, context=1.3)
CONTEXT_RANGE = dict(least=1.0, most=3.0)
SIMULATED_SHARE = 0.3
# Measured and left out: they tell one camera's processing from another's, and cost 0.015 of AUC on sources held apart.
LEFT_OUT = re.compile(r'chroma\d')
CONTEXT = re.compile(r'context\d+$')
FITTED_ON = ('orig', 'q70', 'half', 'msg', 'crop', 'aug1', 'aug2', 'aug3', 'aug4')
# Sources that lend negatives to the fit and are not part of the benchmark.
LENT = ('mapillary', 'openMVG')


def load(paths):
    rows = [json.loads(line) for path in paths for line in open(path)]
    found = {name for row in rows for name in row['f'] if not LEFT_OUT.search(name)}
    names = sorted(name for name in found if not CONTEXT.match(name))
    contexts = sorted((name for name in found if CONTEXT.match(name)), key=lambda name: int(name[len('context'):]))
    features, context = (np.array([[row['f'].get(name, np.nan) for name in part] for row in rows])
                         for part in (names, contexts))
    labels = np.array([row['label'] for row in rows])
    sources = np.array([row['source'] for row in rows])
    variants = np.array([row['v'] for row in rows])
    return names, contexts, features, context, labels, sources, variants


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
                w[cell] *= (SIMULATED_SHARE if simulated else 1.0) / w[cell].sum()
    return w * len(labels) / w.sum()


def drop_scales(x, names, rng):
    """Hides the coarse scales of some rows, so that a small picture's missing features say nothing about its class."""
    x = x.copy()
    chance = rng.random(len(x))
    for prefix, share in (('s4_', 0.5), ('s2_', 0.15)):
        columns = [i for i, name in enumerate(names) if name.startswith(prefix)]
        x[np.ix_(chance < share, columns)] = np.nan
    return x


class Linear:
    def __init__(self, x, y, w, strength=0.02):
        self.mean = np.nanmean(x, axis=0)
        self.scale = np.nanstd(x, axis=0) + 1e-6
        self.fit = LogisticRegression(C=strength, max_iter=3000).fit(self.transform(x), y, sample_weight=w)

    def transform(self, x):
        return np.clip(np.nan_to_num((x - self.mean) / self.scale), -3, 3)

    def score(self, x):
        return self.fit.decision_function(self.transform(x))


def train_tiles(x, y, sources, names):
    w = weights(y, sources)
    x = drop_scales(x, names, np.random.default_rng(0))
    return Linear(x, y, w), xgb.XGBClassifier(**TREES).fit(x, y, sample_weight=w)


def train_context(context, y, sources):
    return Linear(context, y, weights(y, sources), strength=0.03)


def train(names, x, context, y, sources, variants):
    """Tiles and tones on every variant; things on real pictures as they are, whatever is done to those shows them alike."""
    fit = np.isin(variants, FITTED_ON)
    plain = (variants == 'orig') & (sources != SIMULATED)
    return (*train_tiles(x[fit], y[fit], sources[fit], names), train_context(context[plain], y[plain], sources[plain]))


def score(models, x, context):
    linear, trees, things = models
    return (SHARES['linear'] * linear.score(x) + SHARES['trees'] * trees.predict(x, output_margin=True)
            + SHARES['context'] * np.clip(things.score(context), CONTEXT_RANGE['least'], CONTEXT_RANGE['most']))


def held_apart(names, x, context, y, sources, variants):
    out = np.full(len(y), np.nan)
    folds = {}
    for source in sorted(set(sources) - {SIMULATED, *LENT}):
        test = sources == source
        folds[source] = train(names, x[~test], context[~test], y[~test], sources[~test], variants[~test])
        out[test] = score(folds[source], x[test], context[test])
    return out, folds


digits = lambda values: [float(f'{v:.6g}') for v in values]


def export_linear(names, linear):
    return {'features': names, 'mean': digits(linear.mean), 'scale': digits(linear.scale),
            'weight': digits(linear.fit.coef_[0]), 'bias': round(float(linear.fit.intercept_[0]), 6)}


def export_trees(trees):
    dump = json.loads(trees.get_booster().save_raw('json'))['learner']
    out = []
    for tree in dump['gradient_booster']['model']['trees']:
        left, right = tree['left_children'], tree['right_children']
        inner = [i for i in range(len(left)) if left[i] >= 0]
        leaves = [i for i in range(len(left)) if left[i] < 0]
        place = {node: k for k, node in enumerate(inner)} | {node: -(k + 1) for k, node in enumerate(leaves)}
        out.append({
            'feature': [tree['split_indices'][i] for i in inner],
            'threshold': [float(f"{tree['split_conditions'][i]:.7g}") for i in inner],
            'left': [place[left[i]] for i in inner],
            'right': [place[right[i]] for i in inner],
            'missingLeft': [int(tree['default_left'][i]) for i in inner],
            'leaf': [float(f"{tree['split_conditions'][i]:.4g}") for i in leaves],
        })
    base = float(dump['learner_model_param']['base_score'])
    return out, float(np.log(base / (1 - base)))


def export(names, contexts, models, platt, thresholds):
    linear, trees, things = models
    nodes, bias = export_trees(trees)
    return {
        'name': 'screen-still-2',
        'linear': export_linear(names, linear),
        'context': export_linear(contexts, things),
        'contextRange': CONTEXT_RANGE,
        'features': names,
        'trees': nodes,
        'treesBias': bias,
        'shares': SHARES,
        'platt': platt,
        'thresholds': thresholds,
    }


def calibration_error(y, p):
    """Ten bins of equal width, both classes counting alike."""
    w = np.where(y == 1, 0.5 / (y == 1).sum(), 0.5 / (y == 0).sum())
    bins = np.minimum(9, (p * 10).astype(int))
    return sum(abs((w * (p - y))[bins == k].sum()) for k in range(10))


def found_at(y, s, rate):
    negative = np.sort(s[y == 0])[::-1]
    return (s[y == 1] > negative[int(rate * len(negative))]).mean()


def calibrate(apart, y, sources, variants):
    """Platt's numbers and both thresholds from scores held apart; prints what they are worth."""
    real = ~np.isnan(apart)
    # Calibrated on pictures as they come, each source held apart, both classes counting alike.
    plain = real & (variants == 'orig')
    balance = np.where(y[plain] == 1, 0.5 / y[plain].mean(), 0.5 / (1 - y[plain].mean()))
    calibration = LogisticRegression(C=1e6).fit(apart[plain].reshape(-1, 1), y[plain], sample_weight=balance)
    a, b = float(calibration.coef_[0, 0]), float(calibration.intercept_[0])
    p = 1 / (1 + np.exp(-(a * apart + b)))
    genuine = lambda variant: np.sort(apart[real & (variants == variant) & (y == 0)])[::-1]
    # 1%: the quantile, in the worst of the ways pictures come. 0.1%: no set of some hundred pictures holds it, so the exponential slope
    # of the tail is followed.
    negative = genuine('orig')
    tail = negative[: len(negative) // 10]
    slope = np.mean(tail - tail[-1])
    doubtful = max(part[int(0.01 * len(part))] for part in map(genuine, ('orig', 'q70', 'msg')) if len(part)) + 1e-6
    # No genuine picture, held apart, in whatever variant, may be refused outright.
    worst = apart[real & (y == 0)].max()
    confident = max(worst + 0.05 * slope, negative[0] + 0.2 * slope, doubtful + slope * np.log(10))
    thresholds = {name: np.ceil(1e5 / (1 + np.exp(-(a * s + b)))) / 1e5 for name, s in
                  (('doubtful', doubtful), ('confident', confident))}
    for variant in ('orig', 'q70', 'half', 'msg', 'crop'):
        part = real & (variants == variant)
        if not part.any():
            continue
        s, label = apart[part], y[part]
        bands = [(p[part & (y == k)] >= thresholds[band]).mean() for k in (1, 0) for band in ('doubtful', 'confident')]
        print(f'{variant:5} AUC {roc_auc_score(label, s):.3f}  TPR at 1% {found_at(label, s, 0.01):.2f}  at 5% {found_at(label, s, 0.05):.2f}'
              f'  bands: found {bands[0]:.2f} {bands[1]:.2f} wrong {bands[2]:.3f} {bands[3]:.3f}  ECE {calibration_error(label, p[part]):.3f}')
    for source in sorted(set(sources[plain])):
        part = plain & (sources == source)
        print(f'  {source:20} negatives {(y[part] == 0).sum():3} doubtful {(p[part & (y == 0)] >= thresholds["doubtful"]).sum():2}'
              f'  positives {(y[part] == 1).sum():3} found {(p[part & (y == 1)] >= thresholds["doubtful"]).sum():2}')
    print(thresholds, {'a': a, 'b': b})
    return {'a': round(a, 6), 'b': round(b, 6)}, thresholds


def write(path, value):
    with open(path, 'w') as out:
        json.dump(value, out, separators=(',', ':'))
        out.write('\n')


def main():
    names, contexts, x, context, y, sources, variants = load(sys.argv[3:])
    apart, folds = held_apart(names, x, context, y, sources, variants)
    platt, thresholds = calibrate(apart, y, sources, variants)
    models = train(names, x, context, y, sources, variants)
    write(sys.argv[1], export(names, contexts, models, platt, thresholds))
    write(sys.argv[2], {source: export(names, contexts, fold, platt, thresholds) for source, fold in folds.items()})


if __name__ == '__main__':
    main()
