import { randomInt } from 'node:crypto';
import type { PictureStep } from '@firsthand/contract/capture/steps.ts';
import {
  CHALLENGE_TTL_SECONDS,
  Challenge,
  ChallengeRequest,
  MOVES,
  type Move,
} from '@firsthand/contract/verification/presence.ts';
import { one, transaction } from '../../platform/db/sql.ts';
import { created, openEndpoint } from '../../platform/http/endpoint.ts';
import { invalidField, Problem } from '../../platform/http/problem.ts';
import { newId } from '../../platform/lib/ids.ts';
import { lockKept, readCurrent } from '../verifications/advance.ts';
import { capturesOf, heldBy } from '../verifications/row.ts';
import { CAPTURE_ROUTE, openSlot, unknownStep } from './accepting.ts';

/** From this attempt at one photo on, a challenge has three moves: a prepared film then fits by chance less often. */
const THREE_MOVES_FROM = 2;

/** Challenges of a step: five for each photo it takes and five more. The limit bounds how often a film can be tried. */
const limitOf = (step: PictureStep): number => 5 * step.max + 5;

/**
 * Draws moves. Each is at right angles to the one before: a hand comes back by itself after a move, so the way back
 * proves nothing.
 */
export function drawMoves(count: number): Move[] {
  const moves: Move[] = [];
  while (moves.length < count) {
    const last = moves.at(-1);
    const choice = MOVES.filter(move => last === undefined || isSideways(move) !== isSideways(last));
    moves.push(choice[randomInt(choice.length)]!);
  }
  return moves;
}

const isSideways = (move: Move): boolean => move === 'left' || move === 'right';

export const createChallenge = openEndpoint({
  operationId: 'createChallenge',
  summary: 'Get the moves of a camera session',
  description:
    'For an image step of a verification that requires `depth`. Film while the person makes the moves, upload the film as a ' +
    'trace and send `challenge_id`, `trace_key` and `trace_sha256` with the photo. A challenge works for one photo of this ' +
    'step; asking again ends the one before.',
  ...CAPTURE_ROUTE,
  body: ChallengeRequest,
  responses: { 201: Challenge },
  errors: ['unknown_step', 'step_full', 'verification_closed', 'expired', 'redacted'],
  async handler({ deps, params, body }) {
    // Runs in its own transaction, so an expiry found here is kept even when the request is refused.
    await readCurrent(deps, params.token!);
    return transaction(deps.db, async tx => {
      const row = await lockKept(tx, deps, params.token!);
      const named = row.config.steps.find(step => step.key === body.step_key);
      if (!named || named.type === 'text') throw unknownStep(body.step_key);
      if (named.type === 'upload' || row.config.mode === 'audit') {
        throw invalidField('step_key', 'unknown_reference', 'must name a step that takes live photos');
      }
      const now = deps.clock.now();
      const held = heldBy(await capturesOf(tx, row.id));
      const step = openSlot(row, held, body.step_key, now);

      const counted = await one<{ issued: number }>(
        tx,
        'select count(*)::int as issued from challenges where verification_id = $1 and step_key = $2',
        [row.id, step.key],
      );
      const issued = counted!.issued;
      if (issued >= limitOf(step)) {
        throw new Problem('too_many_requests', 'This step has had too many challenges. Send the photo without one.', {
          retryAfterSeconds: Math.max(1, Math.ceil((row.expires_at.getTime() - now.getTime()) / 1_000)),
        });
      }
      await tx.query(
        `update challenges set expires_at = least(expires_at, $3)
         where verification_id = $1 and step_key = $2 and capture_id is null`,
        [row.id, step.key, now],
      );
      const attempts = issued - (held[step.key] ?? 0);
      const challenge = {
        id: newId('chl', now.getTime()),
        moves: drawMoves(attempts < THREE_MOVES_FROM ? 2 : 3),
        expiresAt: new Date(now.getTime() + CHALLENGE_TTL_SECONDS * 1_000),
      };
      await tx.query(
        'insert into challenges (id, verification_id, step_key, moves, issued_at, expires_at) values ($1, $2, $3, $4, $5, $6)',
        [challenge.id, row.id, step.key, challenge.moves, now, challenge.expiresAt],
      );
      return created({
        challenge_id: challenge.id,
        moves: challenge.moves,
        issued_at: now.toISOString(),
        expires_at: challenge.expiresAt.toISOString(),
      });
    });
  },
});
