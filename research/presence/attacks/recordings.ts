import { random } from '@firsthand/forensics/pixels/random.ts';
import type { Move } from '@firsthand/forensics/presence/trace.ts';
import { drawFilm, drawSensor, drawStage, type Film, handWay } from '@firsthand/forensics/simulate/film.ts';
import { type Attack, answered, drawMoves, earlier } from './session.ts';

const filmed = (seed: number, moves: readonly Move[], gyroscope = false): Promise<Film> =>
  drawFilm({ stage: drawStage(seed), way: handWay(moves, random(seed)), sensor: drawSensor(seed), gyroscope });

export const noTrace: Attack = { name: 'no trace', kind: 'none', make: async () => undefined };

/** The still of another scene beside a live trace. */
export const foreignStill: Attack = {
  name: 'still of another scene, live trace',
  kind: 'injected',
  async make(seed, moves) {
    const film = await filmed(seed, moves, true);
    const other = await drawFilm({
      stage: drawStage(seed + 500_000),
      way: handWay(moves, random(seed + 1)),
      sensor: drawSensor(seed + 1),
      frames: 2,
    });
    return answered(film, moves, { still: other.still });
  },
};

/** An old still of the same scene, from a place beside that of the live trace. */
export const oldStill: Attack = {
  name: 'old still of the same scene, live trace',
  kind: 'injected',
  async make(seed, moves) {
    const film = await filmed(seed, moves, true);
    const way = handWay(['right'], random(seed + 2));
    const old = await drawFilm({ stage: drawStage(seed), way, sensor: drawSensor(seed + 2), frames: 2 });
    return answered(film, moves, { still: old.second });
  },
};

/** A genuine session sent again, with its own times. */
export const replayed: Attack = {
  name: 'replay with its own times',
  kind: 'injected',
  make: async (seed, moves) => earlier(answered(await filmed(seed, moves), moves), 3_600_000),
};

/** A genuine session sent again under another challenge, with forged times. */
export const restamped: Attack = {
  name: 'replay of other moves, forged times',
  kind: 'injected',
  async make(seed, moves) {
    let other = drawMoves(seed + 77, moves.length);
    for (let turn = 1; other.join() === moves.join(); turn++) other = drawMoves(seed + 77 + turn, moves.length);
    return answered(await filmed(seed, other), moves);
  },
};

/** A film in which the camera goes in all directions, to fit whatever is asked. */
export const everywhere: Attack = {
  name: 'replay of moves in all directions, forged times',
  kind: 'injected',
  async make(seed, moves) {
    return answered(await filmed(seed, ['left', 'up', 'right', 'right', 'down', 'left', 'up']), moves);
  },
};

/** A film of the real scene with just the asked moves, from an archive of films of all moves. `sensor`: whose motion samples go along. */
export const fromArchive = (sensor: 'none' | 'at rest'): Attack => ({
  name:
    sensor === 'none'
      ? 'film with the asked moves through a virtual camera'
      : 'film with the asked moves through a virtual camera, sensor of a phone at rest',
  kind: 'injected',
  async make(seed, moves) {
    const film = await filmed(seed, moves, sensor === 'at rest');
    const rng = random(seed + 3);
    const still = (): number => 0.004 * rng.normal();
    const motion = film.trace.motion.map(({ at }) => ({ at, rate: [still(), still(), still()] as const }));
    return answered({ ...film, trace: { ...film.trace, motion } }, moves);
  },
});

/** A genuine session that comes again under another link: the first whose moves are the same. The header gets the new request. */
export const sentAgain = (again: 'account' | 'other account', anew = false): Attack => ({
  name: `photo and film of a genuine session under a second link of ${again === 'account' ? 'the same' : 'another'} account, the same moves${anew ? ', encoded anew' : ''}`,
  kind: 'injected',
  make: async (seed, moves) => answered(await filmed(seed, moves, true), moves),
  again,
  ...(anew && { anew }),
});
