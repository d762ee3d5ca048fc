import { random } from '@firsthand/forensics/pixels/random.ts';
import { drawFilm, drawSensor, drawStage, handWay } from '@firsthand/forensics/simulate/film.ts';
import { filmOnDisplay, print, stillOnDisplay } from './displays.ts';
import { hilly, layered, ramped } from './layers.ts';
import {
  archiveWithRates,
  bentDisplay,
  heldPrint,
  knowsAll,
  popUp,
  relitStill,
  rollingView,
  twoLayers,
} from './mixtures.ts';
import { alignedStill, bentStill, forgedRing, ledIn, patchedStill } from './old-stills.ts';
import {
  brightnessWarped,
  brightnessWarpedWithSensor,
  depthWarped,
  pannedByHand,
  pannedStraight,
  scripted,
} from './programs.ts';
import {
  everywhere,
  foreignStill,
  fromArchive,
  noTrace,
  oldStill,
  replayed,
  restamped,
  sentAgain,
} from './recordings.ts';
import { type Attack, answered } from './session.ts';
import { timeWarped, twoStills } from './stocks.ts';

const genuine = (gyroscope: boolean): Attack => ({
  name: gyroscope ? 'genuine, with a motion sensor' : 'genuine, without a motion sensor',
  kind: 'genuine',
  async make(seed, moves) {
    const way = handWay(moves, random(seed));
    return answered(await drawFilm({ stage: drawStage(seed), way, sensor: drawSensor(seed), gyroscope }), moves);
  },
});

const genuineRolling: Attack = {
  name: 'genuine, sensor read row by row',
  kind: 'genuine',
  async make(seed, moves) {
    const stage = drawStage(seed);
    const way = handWay(moves, random(seed));
    const view = rollingView(stage, way);
    return answered(await drawFilm({ stage, way, view, sensor: drawSensor(seed), gyroscope: true }), moves);
  },
};

/** Every class of session, genuine ones first. */
export const classes: readonly Attack[] = [
  genuine(true),
  genuine(false),
  genuineRolling,
  noTrace,
  replayed,
  restamped,
  everywhere,
  sentAgain('account'),
  sentAgain('other account'),
  foreignStill,
  oldStill,
  relitStill,
  alignedStill(0.04),
  alignedStill(0.01),
  ledIn,
  bentStill,
  patchedStill(0.25),
  patchedStill(0.1),
  forgedRing,
  scripted,
  pannedStraight,
  pannedByHand(false),
  pannedByHand(true),
  depthWarped,
  brightnessWarped,
  brightnessWarpedWithSensor,
  twoLayers,
  knowsAll,
  hilly,
  ramped,
  layered,
  twoStills,
  timeWarped,
  print,
  heldPrint,
  popUp,
  stillOnDisplay(60),
  stillOnDisplay(90),
  stillOnDisplay(120),
  bentDisplay,
  filmOnDisplay,
  fromArchive('none'),
  fromArchive('at rest'),
  archiveWithRates,
  // At the end, because the place of a class chooses its subjects.
  sentAgain('account', true),
  sentAgain('other account', true),
];
