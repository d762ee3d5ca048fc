import { createHmac } from 'node:crypto';
import { Me, OneTimeCode, OneTimeCodeRedeem, OneTimeCodeRequest } from '@firsthand/contract/people/people.ts';
import { one, transaction } from '../../../platform/db/sql.ts';
import type { Deps } from '../../../platform/deps.ts';
import { openEndpoint } from '../../../platform/http/endpoint.ts';
import { notConfigured, signInRefused } from '../../../platform/http/problem.ts';
import { addJob } from '../../../platform/jobs/queue.ts';
import { newId } from '../../../platform/lib/ids.ts';
import { equalSecrets } from '../../../platform/lib/keyring.ts';
import { answerSignedIn } from '../me.ts';
import { openedBy } from '../openings.ts';
import { openSession, recordFailure } from '../sessions.ts';
import { missingWays } from './ways.ts';

const LIFE_MS = 10 * 60_000;
const MAX_TRIES = 5;

/**
 * Derives the six digits of an id with a secret of this deployment. Nothing is stored, and each try to send them gives the
 * same digits. 2^48 values onto 10^6: the bias is below 10^-8.
 */
export function codeOf(deps: Pick<Deps, 'keyring'>, otpId: string): string {
  const [secret] = deps.keyring.derive('one-time codes');
  const digest = createHmac('sha256', secret).update(otpId).digest();
  return String(digest.readUIntBE(0, 6) % 1_000_000).padStart(6, '0');
}

export const requestOneTimeCode = openEndpoint({
  operationId: 'requestOneTimeCode',
  summary: 'Ask for a sign-in code by message',
  description: 'The answer is the same whether or not anybody has this number.',
  tag: 'Sign-in',
  credentials: ['sign_in'],
  addressLimit: 'sign_in',
  body: OneTimeCodeRequest,
  responses: { 202: OneTimeCode },
  errors: ['not_configured'],
  async handler(call) {
    const { deps, body } = call;
    const { one_time_code: missing } = missingWays(deps);
    if (missing !== undefined) throw notConfigured(missing);
    await call.limitAccount('one_time_code', body.phone_e164);
    const now = deps.clock.now();
    const id = newId('walotp', now.getTime());
    const expiresAt = new Date(now.getTime() + LIFE_MS);
    // A job looks up the number, so that this request takes the same time for known and unknown ones.
    await transaction(deps.db, async tx => {
      await tx.query('insert into one_time_codes (id, phone_e164, created_at, expires_at) values ($1, $2, $3, $4)', [
        id,
        body.phone_e164,
        now,
        expiresAt,
      ]);
      await addJob(tx, 'send_one_time_code', { otp_id: id });
    });
    return { status: 202, body: { otp_id: id, expires_at: expiresAt.toISOString() } };
  },
});

export const redeemOneTimeCode = openEndpoint({
  operationId: 'redeemOneTimeCode',
  summary: 'Sign in with a code',
  description: 'Five tries, within 10 minutes; then the code is dead.',
  tag: 'Sign-in',
  credentials: ['sign_in'],
  addressLimit: 'sign_in',
  body: OneTimeCodeRedeem,
  responses: { 200: Me },
  errors: ['unauthorized'],
  async handler(call) {
    const { deps, body, request } = call;
    const now = deps.clock.now();
    const known = await one<{ phone_e164: string }>(deps.db, 'select phone_e164 from one_time_codes where id = $1', [
      body.otp_id,
    ]);
    if (known) await call.limitAccount('one_time_code/redeem', known.phone_e164);
    // Counts the try before it checks the code, so that a failed or interrupted check counts too.
    const tried = await one(
      deps.db,
      `update one_time_codes set tries = tries + 1
       where id = $1 and used_at is null and expires_at > $2 and tries < $3 returning 1 as tried`,
      [body.otp_id, now, MAX_TRIES],
    );
    const right = equalSecrets(codeOf(deps, body.otp_id), body.code) && tried !== undefined;
    const openings = known ? await openedBy(deps.db, { phone_e164: known.phone_e164 }) : [];
    const opened =
      right && openings.length > 0
        ? await transaction(deps.db, async tx => {
            const used = await one(
              tx,
              'update one_time_codes set used_at = $2 where id = $1 and used_at is null returning 1 as used',
              [body.otp_id, now],
            );
            if (!used) return null;
            return openSession(tx, deps, request, { method: 'one_time_code', openings });
          })
        : null;
    if (opened) return answerSignedIn(call, opened);
    const reason = tried ? 'the code was wrong' : 'the code was used, dead or too old';
    await recordFailure(deps, request, openings, { method: 'one_time_code', reason });
    throw signInRefused();
  },
});
