"""Fits the single-still screen detector on measured features and writes its model file.

    python3 forensics/training/screen/train.py [--keep-tiles] forensics/src/screen/model.generated.json bench/src/detection/folds.generated.json FEATURES.jsonl ...

Each line of a feature file is {"label", "source", "name", "v", "f"} as `measure.ts` writes it. A source is held apart whole:
scores for thresholds and calibration come from models that never saw the picture's source. The second file keeps those models by
reported source, so that the benchmark can be run without fitting. Thresholds are set on the genuine pictures of the reported sources and of
those that `sets.tsv` lists to choose on. `--keep-tiles` takes the part over tiles and tones, which simulated pairs and random variants go
into, from the two files as they are (from the model, which never saw them, for sources to choose on) and fits the rest anew. Needs numpy,
scipy, scikit-learn, xgboost.
"""
import csv
import json
import re
import sys
from pathlib import Path

import numpy as np
import xgboost as xgb
from scipy.optimize import minimize
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score

SIMULATED = 'simulated'
TREES = dict(n_estimators=200, max_depth=3, learning_rate=0.05, subsample=0.6, colsample_bytree=0.25,
             min_child_weight=8, reg_lambda=5, n_jobs=1, tree_method='hist', random_state=3)
# What tiles and tones show: two fits averaged. What tones say in the linear one counts up to some log odds: a bright thing on a dark ground
# has them too. What things there are counts only between these log odds: a screen among things that look like an office is likelier one,
# but the want of them says nothing where a panel fills the frame, and a room may hold a screen. So with waves through all tiles and
# with the texture of fine detail.
SHARES = dict(linear=0.6, trees=0.4, context=1.5, waves=0.9, texture=1.0)
TONES_MOST = 1.7
CONTEXT_RANGE = dict(least=1.0, most=3.0)
WAVES_RANGE = dict(least=-1.5, most=0.25)
TEXTURE_RANGE = dict(least=-0.5, most=3.0)
SIMULATED_SHARE = 0.3
# Measured and left out: they tell one camera's processing from another's, and cost 0.015 of AUC on sources held apart.
LEFT_OUT = re.compile(r'chroma\d')
CONTEXT = re.compile(r'context\d+$')
WAVES = re.compile(r'wave\d')
TEXTURE = re.compile(r'texture\d+$')
TILES = re.compile(r's\d_|any_')
REPORTED = ('orig', 'q70', 'half', 'msg', 'crop')
# Half the size keeps no fine detail of a display: fitted on too, it takes more elsewhere than it gives there.
TEXTURE_ON = ('orig', 'q70', 'msg', 'crop')
FITTED_ON = (*REPORTED, 'aug1', 'aug2', 'aug3', 'aug4')
LISTED = list(csv.DictReader(open(Path(__file__).parent / 'sets.tsv'), delimiter='\t', quoting=csv.QUOTE_NONE))
OWNERS = {use: {row['repository'].split('/')[0] for row in LISTED if row['use'] == use} for use in ('fit', 'choose')}
# Sources that lend genuine pictures to the fit alone.
LENT = sorted(OWNERS['fit'])
# Sources of genuine pictures that are held apart in turn for thresholds, and are not part of the benchmark's table.
CHOSEN_ON = sorted(OWNERS['choose'])


def load(paths):
    """Labels, sources, variants and, by part of the model, names and values (a row a picture and variant, NaN where not measured)."""
    rows = [json.loads(line) for path in paths for line in open(path)]
    found = sorted({name for row in rows for name in row['f'] if not LEFT_OUT.search(name)})
    by_number = lambda part: sorted(filter(part.match, found), key=lambda name: int(re.search(r'\d+', name)[0]))
    names = {
        'tiles': [name for name in found if not any(part.match(name) for part in (CONTEXT, WAVES, TEXTURE))],
        'context': by_number(CONTEXT),
        'waves': [name for name in found if WAVES.match(name)],
        'texture': by_number(TEXTURE),
    }
    values = {part: np.array([[row['f'].get(name, np.nan) for name in names[part]] for row in rows]) for part in names}
    labels = np.array([row['label'] for row in rows])
    sources = np.array([row['source'] for row in rows])
    variants = np.array([row['v'] for row in rows])
    return names, values, labels, sources, variants


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
    """Logistic regression over clipped, standardised features. With `evidence`, more of a feature never speaks against a display."""

    def __init__(self, x, y, w, strength=0.02, evidence=False):
        self.mean = np.nanmean(x, axis=0)
        self.scale = np.nanstd(x, axis=0) + 1e-6
        if evidence:
            self.weight, self.bias = fit_bounded(self.transform(x), y, w, strength)
        else:
            fit = LogisticRegression(C=strength, max_iter=3000).fit(self.transform(x), y, sample_weight=w)
            self.weight, self.bias = fit.coef_[0], float(fit.intercept_[0])

    def transform(self, x):
        return np.clip(np.nan_to_num((x - self.mean) / self.scale), -3, 3)

    def score(self, x):
        return self.transform(x) @ self.weight + self.bias

    def capped(self, x, part, most):
        """The score, of which the columns that `part` marks give no more than `most`."""
        terms = self.transform(x) * self.weight
        return terms[:, ~part].sum(axis=1) + self.bias + np.minimum(most, terms[:, part].sum(axis=1))


def fit_bounded(z, y, w, strength):
    """As LogisticRegression(C=strength) fits, with no negative weight."""
    sign = 2 * y - 1

    def loss(p):
        margin = sign * (z @ p[:-1] + p[-1])
        slope = -w * sign / (1 + np.exp(margin))
        return (strength * (w @ np.logaddexp(0, -margin)) + p[:-1] @ p[:-1] / 2,
                np.append(strength * (z.T @ slope) + p[:-1], strength * slope.sum()))

    bounds = [(0, None)] * z.shape[1] + [(None, None)]
    found = minimize(loss, np.zeros(z.shape[1] + 1), jac=True, method='L-BFGS-B', bounds=bounds, options=dict(maxiter=1000))
    return found.x[:-1], float(found.x[-1])


class Trees:
    def __init__(self, x, y, w):
        fit = xgb.XGBClassifier(**TREES).fit(x, y, sample_weight=w)
        self.nodes, self.bias = export_trees(fit)
        self.score = lambda values: fit.predict(values, output_margin=True)


class KeptLinear(Linear):
    """The linear part of a model file, tiles and tones together."""

    def __init__(self, model, names):
        parts = (model['linear'], model['tones'])
        of = lambda key: np.array([value for part in parts for value in part[key]])
        found = of('features').tolist()
        columns = [found.index(name) for name in names]
        self.mean, self.scale, self.weight = (of(key)[columns] for key in ('mean', 'scale', 'weight'))
        self.bias = sum(part['bias'] for part in parts)


class KeptTrees:
    """The trees of a model file."""

    def __init__(self, model, names):
        assert model['features'] == names, 'the features measured are not those of the trees that are kept'
        self.nodes, self.bias = model['trees'], model['treesBias']

    def score(self, x):
        return self.bias + sum(self.leaves(tree, x.astype(np.float32)) for tree in self.nodes)

    @staticmethod
    def leaves(tree, x):
        if not tree['feature']:
            return np.full(len(x), tree['leaf'][0])
        feature, threshold, left, right, missing, leaf = (
            np.array(tree[key]) for key in ('feature', 'threshold', 'left', 'right', 'missingLeft', 'leaf'))
        at = np.zeros(len(x), int)
        while (at >= 0).any():
            k = np.maximum(at, 0)
            value = x[np.arange(len(x)), feature[k]]
            go_left = np.where(np.isnan(value), missing[k] == 1, value < threshold[k])
            at = np.where(at >= 0, np.where(go_left, left[k], right[k]), at)
        return leaf[-at - 1]


def train_tiles(x, y, sources, names):
    w = weights(y, sources)
    x = drop_scales(x, names, np.random.default_rng(0))
    return Linear(x, y, w), Trees(x, y, w)


def train(names, values, y, sources, variants, kept):
    """Tiles and tones on every variant; things and waves on real pictures as they are, texture also recompressed, by messenger and cropped."""
    if kept:
        linear, trees = KeptLinear(kept, names['tiles']), KeptTrees(kept, names['tiles'])
    else:
        fit = np.isin(variants, FITTED_ON)
        linear, trees = train_tiles(values['tiles'][fit], y[fit], sources[fit], names['tiles'])
    real = sources != SIMULATED
    plain = real & (variants == 'orig')
    w = weights(y[plain], sources[plain])
    fine = real & np.isin(variants, TEXTURE_ON)
    return {
        'linear': linear,
        'trees': trees,
        'context': Linear(values['context'][plain], y[plain], w, strength=0.03),
        'waves': Linear(values['waves'][plain], y[plain], w, strength=0.03, evidence=True),
        'texture': Linear(values['texture'][fine], y[fine], weights(y[fine], sources[fine]), strength=0.1),
        'tones': np.array([not TILES.match(name) for name in names['tiles']]),
    }


def score(models, values):
    between = lambda part, bounds: np.clip(models[part].score(values[part]), bounds['least'], bounds['most'])
    linear = models['linear'].capped(values['tiles'], models['tones'], TONES_MOST)
    return (SHARES['linear'] * linear + SHARES['trees'] * models['trees'].score(values['tiles'])
            + SHARES['context'] * between('context', CONTEXT_RANGE) + SHARES['waves'] * between('waves', WAVES_RANGE)
            + SHARES['texture'] * between('texture', TEXTURE_RANGE))


def held_apart(names, values, y, sources, variants, kept):
    out = np.full(len(y), np.nan)
    folds = {}
    rows = lambda mask: {part: values[part][mask] for part in values}
    for source in sorted(set(sources) - {SIMULATED, *LENT}):
        test = sources == source
        folds[source] = train(names, rows(~test), y[~test], sources[~test], variants[~test], kept and kept(source))
        out[test] = score(folds[source], rows(test))
    return out, folds


digits = lambda values: [float(f'{v:.6g}') for v in values]


def export_linear(names, linear, part=None):
    """`part` marks the columns that are written; all without it."""
    part = np.ones(len(names), bool) if part is None else part
    return {'features': [name for name, kept in zip(names, part) if kept], 'mean': digits(linear.mean[part]),
            'scale': digits(linear.scale[part]), 'weight': digits(linear.weight[part]), 'bias': round(linear.bias, 6)}


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


def export(names, models, platt, thresholds):
    return {
        'name': 'screen-still-4',
        'linear': export_linear(names['tiles'], models['linear'], ~models['tones']),
        'tones': export_linear(names['tiles'], models['linear'], models['tones']) | {'bias': 0},
        'tonesMost': TONES_MOST,
        'context': export_linear(names['context'], models['context']),
        'contextRange': CONTEXT_RANGE,
        'waves': export_linear(names['waves'], models['waves']),
        'wavesRange': WAVES_RANGE,
        'texture': export_linear(names['texture'], models['texture']),
        'textureRange': TEXTURE_RANGE,
        'features': names['tiles'],
        'trees': models['trees'].nodes,
        'treesBias': models['trees'].bias,
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


def passed_by(s, sources, rate):
    """The score that a share `rate` of genuine pictures reach, sources counting by the root of their size."""
    order = np.argsort(-s)
    w = np.array([1 / np.sqrt((sources == source).sum()) for source in sources[order]])
    return s[order][np.searchsorted(np.cumsum(w), rate * w.sum(), side='right')]


def calibrate(apart, y, sources, variants):
    """Platt's numbers and both thresholds from scores held apart; prints what they are worth."""
    real = ~np.isnan(apart)
    reported = real & ~np.isin(sources, CHOSEN_ON)
    # Calibrated on reported pictures as they come, each source held apart, both classes counting alike.
    plain = reported & (variants == 'orig')
    balance = np.where(y[plain] == 1, 0.5 / y[plain].mean(), 0.5 / (1 - y[plain].mean()))
    calibration = LogisticRegression(C=1e6).fit(apart[plain].reshape(-1, 1), y[plain], sample_weight=balance)
    a, b = float(calibration.coef_[0, 0]), float(calibration.intercept_[0])
    p = 1 / (1 + np.exp(-(a * apart + b)))
    # 1% of genuine pictures, in the worst of the ways pictures come.
    genuine = [real & (variants == variant) & (y == 0) for variant in ('orig', 'q70', 'msg')]
    doubtful = max(passed_by(apart[part], sources[part], 0.01) for part in genuine if part.any()) + 1e-6
    # 0.1%: no set of some hundred pictures holds it. The exponential slope of the tail is followed, and no genuine picture held apart,
    # in whatever variant, may be refused outright.
    negative = np.sort(apart[genuine[0]])[::-1]
    tail = negative[: len(negative) // 10]
    slope = np.mean(tail - tail[-1])
    confident = max(apart[real & (y == 0)].max() + 1.5 * slope, doubtful + slope * np.log(10))
    thresholds = {name: np.ceil(1e5 / (1 + np.exp(-(a * s + b)))) / 1e5 for name, s in
                  (('doubtful', doubtful), ('confident', confident))}
    wrong = lambda part, band: f'{(p[part & (y == 0)] >= thresholds[band]).mean():.3f}'
    for variant in REPORTED:
        part = reported & (variants == variant)
        if not part.any():
            continue
        s, label = apart[part], y[part]
        found = [(p[part & (y == 1)] >= thresholds[band]).mean() for band in thresholds]
        print(f'{variant:5} AUC {roc_auc_score(label, s):.3f}  TPR at 1% {found_at(label, s, 0.01):.2f}  at 5% {found_at(label, s, 0.05):.2f}'
              f'  bands: found {found[0]:.2f} {found[1]:.2f} wrong {wrong(part, "doubtful")} {wrong(part, "confident")}'
              f'  ECE {calibration_error(label, p[part]):.3f}; to choose on, wrong {wrong(real & ~reported & (variants == variant), "doubtful")}')
    for source in sorted(set(sources[real])):
        part = real & (variants == 'orig') & (sources == source)
        print(f'  {source:20} negatives {(y[part] == 0).sum():3} doubtful {(p[part & (y == 0)] >= thresholds["doubtful"]).sum():2}'
              f'  positives {(y[part] == 1).sum():3} found {(p[part & (y == 1)] >= thresholds["doubtful"]).sum():2}')
    print(thresholds, {'a': a, 'b': b})
    return {'a': round(a, 6), 'b': round(b, 6)}, thresholds


def write(path, value):
    with open(path, 'w') as out:
        json.dump(value, out, separators=(',', ':'))
        out.write('\n')


def main():
    keep = '--keep-tiles' in sys.argv
    model_file, folds_file, *features = [argument for argument in sys.argv[1:] if argument != '--keep-tiles']
    names, values, y, sources, variants = load(features)
    kept_model, kept_folds = (json.load(open(path)) if keep else None for path in (model_file, folds_file))
    apart, folds = held_apart(names, values, y, sources, variants, keep and (lambda source: kept_folds.get(source, kept_model)))
    platt, thresholds = calibrate(apart, y, sources, variants)
    models = train(names, values, y, sources, variants, kept_model)
    write(model_file, export(names, models, platt, thresholds))
    write(folds_file, {source: export(names, fold, platt, thresholds) for source, fold in folds.items() if source not in CHOSEN_ON})


if __name__ == '__main__':
    main()
