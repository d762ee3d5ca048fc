import { isTooSmallToClear } from '@firsthand/contract/capture/sizes.ts';
import { withParallax } from '../motion/signal.ts';
import type { TwoFrameTest } from '../motion/two-frames.ts';
import type { Picture } from '../pixels/picture.ts';
import { round } from '../pixels/round.ts';
import { bandOf, type ScreenSignal, type Thresholds } from '../signals.ts';
import { isTooSmallToTile, measureScreen, type Stages } from './features.ts';
import { drawHeatmap, hotTiles } from './heatmap.ts';
import model from './model.generated.json' with { type: 'json' };
import { clearedByFirst, clearedBySecond, type Model, predict } from './model.ts';

/** The published model and thresholds; `CARD.md` beside this file says what they were fitted on and where they fail. */
export const screenModel: Model = model;

const SEEN =
  'The whole picture looks like a display: coloured bands that do not follow the scene, or its contrast and cast.';

/** Appearance, in log odds, that about one genuine picture in a hundred reaches. */
const TELLING = 0.6;

/** What the network of bands says of about three genuine pictures in a hundred. It puts words and a heat map to a finding, and decides nothing. */
const BANDS_FROM = 1.25;

const STAGES: Stages = {
  first: features => clearedByFirst(screenModel, features) !== undefined,
  second: features => clearedBySecond(screenModel, features) !== undefined,
};

const withoutAnswer = (reason: NonNullable<ScreenSignal['reason']>): ScreenSignal => ({
  evaluated: false,
  screen_detected: false,
  confidence: 0,
  band: 'clear',
  reason,
});

/**
 * Detects whether an upright picture is a photograph of a display or a print, in about 55 ms where the first stage clears it, 120 where the second does and 150 elsewhere, at any
 * size. A two-frame test of the same subject, if given, shifts the probability. Not evaluated where `measureScreen` measures nothing, and where nothing is found in a picture too small to clear. The evidence of a
 * picture that the first or second stage cleared lacks `appearance` and `coloured_bands`.
 */
export async function detectScreen(
  picture: Picture,
  thresholds?: Thresholds['screen'],
  frames?: TwoFrameTest,
): Promise<ScreenSignal> {
  const measured = await measureScreen(picture, STAGES);
  if (!measured) return withoutAnswer(isTooSmallToTile(picture) ? 'too_small' : 'too_dark');
  const still = predict(screenModel, measured.features);
  const probability = withParallax(still, frames);
  const band = bandOf(probability, thresholds ?? screenModel.thresholds);
  const detected = band !== 'clear';
  const { features, part } = measured;
  if (!detected && isTooSmallToClear(part)) return withoutAnswer('too_small');
  const seen = features.bands > BANDS_FROM || features.appearance > TELLING;
  return {
    evaluated: true,
    screen_detected: detected,
    confidence: detected ? probability : 1 - probability,
    band,
    evidence: {
      probability: round(probability),
      ...(frames && { still_probability: round(still), two_frames: frames.answer }),
      lattice: round(features.any_lattice_max),
      tiles_with_rare_peaks: round(features.any_share30),
      neighbouring_tiles_that_agree: round(features.any_agree),
      bright_quadrilateral: round(features.quad),
      ...(features.appearance !== undefined && { appearance: round(features.appearance) }),
      ...(measured.bands && { coloured_bands: round(Math.max(0, features.bands - BANDS_FROM)) }),
      ...(detected && seen && { why: SEEN }),
      model: screenModel.name,
    },
    heat_tiles: hotTiles(picture, measured),
    heatmapPng: await drawHeatmap(picture, measured, seen ? 0 : undefined),
  };
}
