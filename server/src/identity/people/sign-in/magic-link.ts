import { MagicLinkRequest, Me, Nothing, TokenRequest } from '@firsthand/contract/people/people.ts';
import { transaction } from '../../../platform/db/sql.ts';
import { openEndpoint } from '../../../platform/http/endpoint.ts';
import { notConfigured } from '../../../platform/http/problem.ts';
import { askForMail } from '../manage.ts';
import { redeemLink } from './redeem-link.ts';
import { missingWays } from './ways.ts';

export const requestMagicLink = openEndpoint({
  operationId: 'requestMagicLink',
  summary: 'Ask for a sign-in link by e-mail',
  description: 'The answer is the same whether or not anybody has this address. The link works once, for 10 minutes.',
  tag: 'Sign-in',
  credentials: ['sign_in'],
  addressLimit: 'sign_in',
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
  tag: 'Sign-in',
  credentials: ['sign_in'],
  addressLimit: 'sign_in',
  body: TokenRequest,
  responses: { 200: Me },
  errors: ['unauthorized'],
  handler: call => redeemLink(call, call.body.token, ['magic_link', 'invitation']),
});
