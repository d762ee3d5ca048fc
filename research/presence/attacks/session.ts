import { random } from '@firsthand/forensics/pixels/random.ts';
import type { Move, Session } from '@firsthand/forensics/presence/trace.ts';
import type { Film } from '@firsthand/forensics/simulate/film.ts';

const DIRECTIONS: readonly Move[] = ['left', 'right', 'up', 'down'];
/** When the challenge of a session without a server was issued. */
export const ISSUED = 1_760_000_000_000;

/** A way to get a capture accepted without a camera before the scene. */
export interface Attack {
  name: string;
  /** ISO/IEC 30107-3 speaks of instruments that are shown to the camera; everything else is injected behind it. */
  kind: 'genuine' | 'shown to the camera' | 'injected' | 'none';
  /** Returns the session that the server would see for a challenge; undefined for one without a trace. */
  make(seed: number, moves: readonly Move[]): Promise<Session | undefined>;
  /** Over HTTP, the genuine session is sent first, and counts when it comes again: under another link of its account, or in another account. */
  again?: 'account' | 'other account';
  /** The second time, photo and film are encoded anew. */
  anew?: boolean;
}

/** Draws moves as the server does: each at a right angle to the one before it. */
export function drawMoves(seed: number, count: number): Move[] {
  const rng = random(seed * 101 + 3);
  const moves: Move[] = [];
  for (let i = 0; i < count; i++) {
    const before = moves.at(-1);
    const choices = DIRECTIONS.filter(move => !before || sideways(move) !== sideways(before));
    moves.push(choices[Math.floor(rng.uniform(0, choices.length))]!);
  }
  return moves;
}

const sideways = (move: Move): boolean => move === 'left' || move === 'right';

/** Answers a challenge with a film that began eight seconds after it was issued, unless something is changed. */
export function answered(film: Film, moves: readonly Move[], change: Partial<Session> = {}): Session {
  return {
    challenge: { moves, issuedAt: ISSUED, expiresAt: ISSUED + 120_000 },
    trace: { ...film.trace, beganAt: ISSUED + 8_000 },
    still: film.still,
    second: film.second,
    ...change,
  };
}

/** Begins the film before the challenge, as a replay with its own times does. */
export const earlier = (session: Session, by: number): Session => ({
  ...session,
  trace: { ...session.trace, beganAt: session.challenge.issuedAt - by },
});
