"""Fits the single-still screen detector on measured features and writes its model file.

    python3 research/screen/train.py forensics/src/screen/model.generated.json bench/src/detection/folds.generated.json FEATURES.jsonl ...

Each line of a feature file is {"label", "source", "name", "v", "f"} as written by `measure.ts`. Sources are never split. The models in the second
file are fitted without one group of sources each, so that the benchmark needs no fitting; they leave out the network of the appearance, which has
seen these pictures. Their calibration and thresholds come from what each of them answers on the group that it did not see. The published model is fitted on all
groups, and `calibrate.ts` weighs the appearance beside it and sets its thresholds. KEPT_APART in the environment names a file of SHA-256 sums of
pictures that are kept apart for judging: with one of them, or another picture of its repository, nothing is fitted. Needs numpy, scipy, scikit-learn, xgboost.
"""
import gzip
import csv
import json
import os
import re
import sys
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import numpy as np
import xgboost as xgb
from scipy.optimize import minimize
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score

NAME = 'screen-still-15'
SIMULATED = 'simulated'
TREES = dict(n_estimators=600, max_depth=3, learning_rate=0.05, subsample=0.6, colsample_bytree=0.25,
             min_child_weight=8, reg_lambda=5, n_jobs=1, tree_method='hist', random_state=3)
# Weight of the trees' log odds in the sum; each logistic regression has weight 1.
TREES_SHARE = 2
SIMULATED_SHARE = 0.3
# Share of genuine pictures that reach each threshold. That of `confident` is extrapolated.
DOUBTFUL, CONFIDENT = 0.01, 0.0003
# Share of displays that the first stage clears, of those that its models did not see.
CLEARED = 0.01
# Least distance of `confident` above the highest genuine picture, in mean excesses of the highest tenth.
CONFIDENT_MARGIN = 1.5
# Measured but not used: the first distinguish one camera's processing from another's and cost 0.015 of AUC on held-out sources; `bands` is a
# network's answer, fitted on the same pictures.
LEFT_OUT = re.compile(r'chroma\d|bands$|appearance$|long_side$')
CONTEXT = re.compile(r'context\d+$')
WAVES = re.compile(r'wave\d')
TEXTURE = re.compile(r'texture\d+$')
VARIANTS = ('orig', 'msg', 'm1280', 'chat', 'squeezed', 'twice', 'shot', 'crop', 'half', 'q70')
FITTED_ON = (*VARIANTS, 'aug1', 'aug2', 'aug3', 'aug4')
LISTED = list(csv.DictReader(gzip.open(Path(__file__).parent / 'sets.tsv.gz', 'rt'), delimiter='\t', quoting=csv.QUOTE_NONE))
SOURCES = {use: {row['source'] or row['repository'].split('/')[0] for row in LISTED if row['use'] == use}
           for use in ('fit', 'choose', 'held', 'further', 'further-held')}
# Sources of genuine pictures used only for fitting.
LENT = sorted(SOURCES['fit'])
# Sources of genuine pictures that are held out to set thresholds. Not in the benchmark's table.
CHOSEN_ON = sorted(SOURCES['choose'])
# Long sides, in pixels, between which the size of a picture counts (`model.ts`).
FULL, LEAST = 1600, 700
# Parts into which all sources that are held out are divided.
GROUPS = 8
# Sources used only for calibration and thresholds, scored by the final model.
HELD = sorted(SOURCES['held'] | SOURCES['further-held'])
# Sources whose genuine pictures are fitted on, not their displays: most of these stand whole in a room, and with them fewer displays that fill the
# frame are found (HISTORY.md). Not in the benchmark's table.
FURTHER = sorted(SOURCES['further'])


def refuse_kept_apart(rows):
    """Ends the program if a measured picture, or another of its repository, is kept apart for judging."""
    if 'KEPT_APART' not in os.environ:
        return
    kept = {line.split()[0] for line in open(os.environ['KEPT_APART']) if line.strip() and not line.startswith('#')}
    repository = lambda row: '/'.join(row['name'].split('/')[:2])
    unknown = [row['name'] for row in rows if 'sha256' not in row]
    if unknown:
        sys.exit(f'{unknown[0]}: measured without its SHA-256; measure it again')
    found = {repository(row) for row in rows if row['sha256'] in kept}
    if found:
        sys.exit(f"kept apart for judging: {', '.join(sorted(found))}")


def load(paths):
    """Names and values by part of the model, labels, sources, variants and long sides (one row per picture and variant, NaN if not measured)."""
    rows = [json.loads(line) for path in paths for line in open(path)]
    refuse_kept_apart(rows)
    rows = [row for row in rows if row['label'] == 0 or row['source'] not in FURTHER]
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
    sides = np.array([max(row['width'], row['height']) for row in rows])
    return names, values, labels, sources, variants, sides


def weights(labels, sources):
    """Weights each source by the root of its size, and both classes equally within the real and the simulated part."""
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


def fit_bounded(z, y, w, strength):
    """Fits like LogisticRegression(C=strength), without negative weights."""
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


def train(names, values, y, sources, variants):
    """Fits tiles, tones and the trees on every picture, objects and texture on every variant of real ones, waves on unaltered real ones."""
    real, fit = sources != SIMULATED, np.isin(variants, FITTED_ON)
    of = lambda part, rows, **more: Linear(values[part][rows], y[rows], weights(y[rows], sources[rows]), **more)
    shown = {**values, 'tiles': drop_scales(values['tiles'], names['tiles'], np.random.default_rng(0))}
    tiles = Linear(shown['tiles'][fit], y[fit], weights(y[fit], sources[fit]))
    return {
        'tiles': tiles,
        'context': of('context', real & fit, strength=0.01),
        'waves': of('waves', real & (variants == 'orig'), strength=0.03, evidence=True),
        'texture': of('texture', real & fit, strength=0.1),
        'trees': Trees(everything(shown)[fit], y[fit], weights(y[fit], sources[fit])),
    }


PARTS = ('tiles', 'context', 'waves', 'texture')
# How many of them the first stage reads.
FIRST = 2
everything = lambda values: np.hstack([values[part] for part in PARTS])


def score(models, values):
    """Returns the sum of all parts, and that of the first stage."""
    parts = [models[part].score(values[part]) for part in PARTS]
    return np.column_stack([sum(parts) + TREES_SHARE * models['trees'].score(everything(values)), sum(parts[:FIRST])])


def without(held, names, values, y, sources, variants):
    """Returns the models fitted without some sources, and the scores of those sources' pictures."""
    test = np.isin(sources, held)
    rows = lambda mask: {part: values[part][mask] for part in values}
    models = train(names, rows(~test), y[~test], sources[~test], variants[~test])
    return test, score(models, rows(test)), export_models(names, models)


def held_apart(names, values, y, sources, variants):
    out = np.full((len(y), 2), np.nan)
    reported = sorted(set(sources) - {SIMULATED, *LENT, *CHOSEN_ON, *FURTHER})
    groups = [reported[k::GROUPS] + CHOSEN_ON[k::GROUPS] + FURTHER[k::GROUPS] for k in range(GROUPS)]
    with ProcessPoolExecutor(2) as pool:
        found = list(pool.map(without, groups, *([given] * len(groups) for given in (names, values, y, sources, variants))))
    for test, scores, _ in found:
        out[test] = scores
    return out, {'models': [models for _, _, models in found], 'groups': {source: i % GROUPS for i, source in enumerate(reported)}}


digits = lambda values: [float(f'{v:.6g}') for v in values]


def export_linear(names, linear):
    return {'features': names, 'mean': digits(linear.mean), 'scale': digits(linear.scale), 'weight': digits(linear.weight),
            'bias': round(linear.bias, 6)}


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


def export_models(names, models):
    return {
        'parts': [export_linear(names[part], models[part]) for part in PARTS],
        'features': [name for part in PARTS for name in names[part]],
        'trees': models['trees'].nodes,
        'treesBias': models['trees'].bias,
        'treesShare': TREES_SHARE,
    }


def export(models, platt, thresholds):
    return {'name': NAME, **models, 'platt': platt, 'thresholds': thresholds}


def calibration_error(y, p):
    """Expected calibration error in ten bins of equal width, with equal class weights."""
    w = np.where(y == 1, 0.5 / (y == 1).sum(), 0.5 / (y == 0).sum())
    bins = np.minimum(9, (p * 10).astype(int))
    return sum(abs((w * (p - y))[bins == k].sum()) for k in range(10))


def found_at(y, s, rate):
    negative = np.sort(s[y == 0])[::-1]
    return (s[y == 1] > negative[int(rate * len(negative))]).mean()


def passed_by(s, sources, rate):
    """Returns the score that a share `rate` of genuine pictures reaches, with sources weighted by the root of their size."""
    order = np.argsort(-s)
    w = np.array([1 / np.sqrt((sources == source).sum()) for source in sources[order]])
    return s[order][np.searchsorted(np.cumsum(w), rate * w.sum(), side='right')]


def fit_platt(given, y):
    """Fits log odds with equal class weights: coefficients and bias."""
    balance = np.where(y == 1, 0.5 / y.mean(), 0.5 / (1 - y.mean()))
    fit = LogisticRegression(C=1e6).fit(given, y, sample_weight=balance)
    return fit.coef_[0], float(fit.intercept_[0])


def thresholds_of(log_odds, sources, sets, unaltered):
    """Both thresholds, on genuine pictures: where the shares DOUBTFUL (of the worst of the sets) and CONFIDENT pass."""
    doubtful = max(passed_by(log_odds[part], sources[part], DOUBTFUL) for part in sets if part.any()) + 1e-6
    # So small a share cannot be read off a few hundred pictures. Extrapolates the exponential tail, and requires that no held-out genuine picture,
    # in any variant, is refused outright.
    negative = np.sort(log_odds[unaltered])[::-1]
    tail = negative[: max(1, len(negative) // 10)]
    slope = np.mean(tail - tail[-1])
    confident = max(max(log_odds[part].max() for part in sets if part.any()) + CONFIDENT_MARGIN * slope, doubtful + slope * np.log(DOUBTFUL / CONFIDENT))
    return {name: float(np.ceil(1e5 / (1 + np.exp(-s))) / 1e5) for name, s in (('doubtful', doubtful), ('confident', confident))}


def rates(log_odds, y, sources, variants, shown, thresholds):
    """Prints the quality by variant and by source."""
    p = 1 / (1 + np.exp(-log_odds))
    wrong = lambda part, band: f'{(p[part & (y == 0)] >= thresholds[band]).sum()} of {(part & (y == 0)).sum()}'
    for variant in VARIANTS:
        part = shown & (variants == variant)
        if len(set(y[part])) < 2:
            continue
        s, label = log_odds[part], y[part]
        found = [(p[part & (y == 1)] >= thresholds[band]).mean() for band in thresholds]
        print(f'{variant:5} AUC {roc_auc_score(label, s):.3f}  TPR at 1% {found_at(label, s, 0.01):.2f}  at 5% {found_at(label, s, 0.05):.2f}'
              f'  bands: found {found[0]:.2f} {found[1]:.2f} wrong {wrong(part, "doubtful")} {wrong(part, "confident")}'
              f'  ECE {calibration_error(label, p[part]):.3f}')
    for source in sorted(set(sources[shown])):
        part = shown & (variants == 'orig') & (sources == source)
        print(f'  {source:20} negatives {(y[part] == 0).sum():3} doubtful {(p[part & (y == 0)] >= thresholds["doubtful"]).sum():2}'
              f'  positives {(y[part] == 1).sum():3} found {(p[part & (y == 1)] >= thresholds["doubtful"]).sum():2}')


def calibrate(apart, y, sources, variants, sides):
    """Returns Platt's coefficients and both thresholds, all without the networks over the whole picture."""
    real = ~np.isnan(apart)
    reported = real & ~np.isin(sources, CHOSEN_ON + HELD + FURTHER)
    # Calibrated on reported pictures in every variant, each source held out. A small picture keeps less of a display, so the size counts too.
    halvings = np.log2(FULL / np.clip(sides, LEAST, FULL))
    (a, per_halving), b = fit_platt(np.column_stack([apart, halvings])[reported], y[reported])
    log_odds = a * apart + b + per_halving * halvings
    genuine, unfitted = real & (y == 0), np.isin(sources, HELD)
    thresholds = thresholds_of(log_odds, sources, (genuine & ~unfitted, genuine & unfitted), genuine & ~unfitted & (variants == 'orig'))
    rates(log_odds, y, sources, variants, reported, thresholds)
    return {'a': round(float(a), 6), 'b': round(b, 6), 'perHalving': round(float(per_halving), 6)}, thresholds


def first_stage(apart, y, sources, sides):
    """Returns how the first stage is calibrated, on the sources held for that, and below which log odds it clears a picture."""
    known = ~np.isnan(apart)
    halvings = np.log2(FULL / np.clip(sides, LEAST, FULL))
    given, held = np.column_stack([apart, halvings]), known & np.isin(sources, HELD)
    (a, per_halving), b = fit_platt(given[held], y[held])
    log_odds = a * apart + b + per_halving * halvings
    clears = np.quantile(log_odds[known & ~held & (y == 1)], CLEARED)
    print(f'first stage clears {(log_odds[held & (y == 0)] < clears).mean():.2f} of genuine pictures, {(log_odds[held & (y == 1)] < clears).sum()} displays')
    digits = lambda value: round(float(value), 6)
    return {'parts': FIRST, 'platt': {'a': digits(a), 'b': digits(b), 'perHalving': digits(per_halving)}, 'clears': digits(clears)}


def write(path, value):
    with open(path, 'w') as out:
        json.dump(value, out, separators=(',', ':'))
        out.write('\n')


def main():
    model_file, folds_file, *features = sys.argv[1:]
    names, values, y, sources, variants, sides = load(features)
    held = np.isin(sources, HELD)
    rows = lambda mask: ({part: values[part][mask] for part in values}, y[mask], sources[mask], variants[mask])
    apart = np.full((len(y), 2), np.nan)
    # Must come first: processes forked after a fit of trees would hang waiting for its threads.
    apart[~held], folds = held_apart(names, *rows(~held))
    models = train(names, *rows(~held))
    apart[held] = score(models, rows(held)[0])
    first = first_stage(apart[:, 1], y, sources, sides)
    platt, thresholds = calibrate(apart[:, 0], y, sources, variants, sides)
    write(folds_file, {'models': [export(fold, platt, thresholds) for fold in folds['models']], 'groups': folds['groups']})
    write(model_file, {**export(export_models(names, models), platt, thresholds), 'first': first})


if __name__ == '__main__':
    main()
