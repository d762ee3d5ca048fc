import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import Provider from 'oidc-provider';

export interface Account {
  email: string;
  email_verified: boolean;
  name?: string;
}

/**
 * A real OpenID Connect provider on a port of its own. Its page asks for an account's id as the name; any password will do.
 * `redirectUri` is set once the service's address is known.
 */
export async function openIdentityProvider(accounts: Record<string, Account>) {
  const client = {
    client_id: 'firsthand',
    client_secret: 'a-secret-of-the-test',
    redirect_uris: ['http://localhost/set-later'],
  };
  let answer: (request: import('node:http').IncomingMessage, response: import('node:http').ServerResponse) => unknown;
  const server = createServer((request, response) => void answer(request, response));
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const issuer = `http://localhost:${(server.address() as AddressInfo).port}`;
  const start = (redirectUri: string) => {
    const provider = new Provider(issuer, {
      clients: [{ ...client, redirect_uris: [redirectUri], token_endpoint_auth_method: 'client_secret_basic' }],
      claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'] },
      conformIdTokenClaims: false,
      cookies: { keys: ['only of this test'] },
      findAccount: (_context, id) => {
        const account = accounts[id];
        return account && { accountId: id, claims: () => ({ sub: id, ...account }) };
      },
    });
    answer = provider.callback();
  };
  start('http://localhost/set-later');
  return {
    issuer,
    env: (name: string) => ({
      [`OIDC_${name}_ISSUER`]: issuer,
      [`OIDC_${name}_CLIENT_ID`]: client.client_id,
      [`OIDC_${name}_CLIENT_SECRET`]: client.client_secret,
    }),
    /** Takes sign-ins of the service at this address. */
    serve: (serviceUrl: string, name: string) => start(`${serviceUrl}/v1/auth/${name}/callback`),
    async close() {
      server.closeAllConnections();
      await new Promise(resolve => server.close(resolve));
    },
  };
}
