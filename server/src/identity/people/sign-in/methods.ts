import { SignInMethods } from '@firsthand/contract/people/people.ts';
import { ok, openEndpoint } from '../../../platform/http/endpoint.ts';
import { missingWays } from './ways.ts';

export const getSignInMethods = openEndpoint({
  operationId: 'getSignInMethods',
  summary: 'List the sign-in methods',
  tag: 'Sign-in',
  credentials: ['none'],
  responses: { 200: SignInMethods },
  async handler({ deps }) {
    const missing = missingWays(deps);
    return ok({
      providers: deps.config.providers.map(({ name, label }) => ({ name, label })),
      magic_link: missing.magic_link === undefined,
      one_time_code: missing.one_time_code === undefined,
      passkey: missing.passkey === undefined,
      ...(Object.keys(missing).length > 0 ? { missing } : {}),
    } satisfies SignInMethods);
  },
});
