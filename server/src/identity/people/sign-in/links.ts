import { MagicLinkRequest, Me, Nothing, TokenRequest } from '@firsthand/contract/people/people.ts';
import { transaction } from '../../../platform/db/sql.ts';
import { type Answer, type Call, openEndpoint } from '../../../platform/http/endpoint.ts';
import { notConfigured, signInRefused } from '../../../platform/http/problem.ts';
import { askForMail } from '../manage.ts';
import { answerSignedIn } from '../me.ts';
import { openSession, recordFailure } from '../sessions.ts';
import { findToken, openedByToken, type Purpose, useToken } from '../tokens.ts';
import { missingWays } from './ways.ts';

const common = { tag: 'Sign-in', credentials: ['sign_in'], addressLimit: 'sign_in' } as const;
const redeeming = { ...common, body: TokenRequest, responses: { 200: Me }, errors: ['unauthorized'] } as const;

export const requestMagicLink = openEndpoint({
  operationId: 'requestMagicLink',
  summary: 'Ask for a sign-in link by e-mail',
  description: 'The answer is the same whether or not anybody has this address. The link works once, for 10 minutes.',
  ...common,
  body: MagicLinkRequest,
  responses: { 202: Nothing },
  errors: ['not_configured'],
  async handler({ deps, body }) {
    const { magic_link: missing } = missingWays(deps);
    if (missing !== undefined) throw notConfigured(missing);
    // A job looks up the address, so that this request takes the same time for known and unknown ones.
    await transaction(deps.db, tx =>
      askForMail(tx, { purpose: 'magic_link', email: body.email, tenantId: null, at: deps.clock.now() }),
    );
    return { status: 202, body: {} };
  },
});

export const redeemMagicLink = openEndpoint({
  operationId: 'redeemMagicLink',
  summary: 'Sign in with the token of a link',
  description: 'Takes the tokens of mailed links and of invitations. Opening a link uses nothing up; this does.',
  ...redeeming,
  handler: call => redeemLink(call, call.body.token, ['magic_link', 'invitation']),
});

export const redeemFirstRun = openEndpoint({
  operationId: 'redeemFirstRunLink',
  summary: 'Sign in with the link of the first start',
  description:
    'Takes the token of `dashboard_url` in first-run.json, and of `firsthand sign-in-link`. Once, within 24 hours.',
  ...redeeming,
  handler: call => redeemLink(call, call.body.token, ['first_run']),
});

/** Signs a person in with the token of a link, once. */
async function redeemLink(
  call: Call<unknown, unknown, unknown>,
  token: string,
  purposes: readonly Purpose[],
): Promise<Answer> {
  const { deps, request } = call;
  const opened = await transaction(deps.db, async tx => {
    const used = await useToken(tx, token, purposes, deps.clock.now());
    if (!used) return null;
    return openSession(tx, deps, request, {
      method: used.purpose,
      openings: await openedByToken(tx, used),
      prefer: used.person_id,
    });
  });
  if (opened) return answerSignedIn(call, opened);
  const dead = await findToken(deps.db, token);
  if (dead) {
    const detail = { method: purposes[0]!, reason: 'the link was used or is too old' };
    await recordFailure(deps, request, await openedByToken(deps.db, dead), detail, dead.person_id);
  }
  throw signInRefused();
}
