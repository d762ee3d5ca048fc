import { Me, TokenRequest } from '@firsthand/contract/people/people.ts';
import { openEndpoint } from '../../../platform/http/endpoint.ts';
import { redeemLink } from './redeem-link.ts';

export const redeemFirstRun = openEndpoint({
  operationId: 'redeemFirstRunLink',
  summary: 'Sign in with the link of the first start',
  description:
    'Takes the token of `dashboard_url` in first-run.json, and of `firsthand sign-in-link`. Once, within 24 hours.',
  tag: 'Sign-in',
  credentials: ['sign_in'],
  addressLimit: 'sign_in',
  body: TokenRequest,
  responses: { 200: Me },
  errors: ['unauthorized'],
  handler: call => redeemLink(call, call.body.token, ['first_run']),
});
