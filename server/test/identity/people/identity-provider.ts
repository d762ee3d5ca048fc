import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { base64url, exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose';
import Provider, { type Configuration } from 'oidc-provider';
import { bodyOf, openServer } from '../../support/local-server.ts';
import type { Visitor } from './visitor.ts';

export interface Account {
  email?: string;
  email_verified?: boolean;
  name?: string;
  groups?: string[];
}

/** The real `oidc-provider` in this process. Whoever comes is signed in as `as`, without a form. */
export async function openProvider(o: { redirectUris: (issuer: string) => string[]; post?: boolean }) {
  const accounts = new Map<string, Account>();
  const state = { as: '', deny: false };
  let handle: RequestListener = () => {};
  const { url: issuer, close } = await openServer((request, response) => handle(request, response));
  const configuration: Configuration = {
    clients: [
      {
        client_id: 'firsthand',
        client_secret: 'a-secret-that-both-know',
        redirect_uris: o.redirectUris(issuer),
        ...(o.post ? { token_endpoint_auth_method: 'client_secret_post' } : {}),
      },
    ],
    pkce: { required: () => true },
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name', 'groups'] },
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_context, interaction) => `/sign-in/${interaction.uid}` },
    findAccount: (_context, sub) => ({ accountId: sub, claims: async () => ({ sub, ...accounts.get(sub) }) }),
    async loadExistingGrant(context) {
      const grant = new context.oidc.provider.Grant({
        clientId: context.oidc.client!.clientId,
        accountId: context.oidc.session!.accountId!,
      });
      grant.addOIDCScope('openid email profile');
      await grant.save();
      return grant;
    },
    cookies: { keys: ['a-key-of-the-provider-in-the-tests'] },
    ttl: { Session: 3_600, Grant: 3_600, Interaction: 600, AccessToken: 600, IdToken: 600, AuthorizationCode: 60 },
  };
  const provider = new Provider(issuer, configuration);
  const callback = provider.callback();
  handle = (request, response) => {
    if (!request.url?.startsWith('/sign-in/')) return void callback(request, response);
    const result = state.deny
      ? { error: 'access_denied', error_description: 'the person declined' }
      : { login: { accountId: state.as } };
    void provider.interactionFinished(request, response, result, { mergeWithLastSubmission: false });
  };

  /** The browser's way through the provider, from the redirect there until the redirect back. */
  async function visitProvider(url: string): Promise<string> {
    const cookies = new Map<string, string>();
    let at = url;
    for (let hop = 0; hop < 10; hop += 1) {
      const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
      const answer = await fetch(at, { redirect: 'manual', headers: cookie ? { cookie } : {} });
      for (const line of answer.headers.getSetCookie()) {
        const pair = line.split(';')[0]!;
        cookies.set(pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1));
      }
      const location = answer.headers.get('location');
      if (!location) throw new Error(`the provider answered ${answer.status}: ${await answer.text()}`);
      at = new URL(location, at).href;
      if (!at.startsWith(issuer)) return at;
    }
    throw new Error('the provider sends in circles');
  }

  return { issuer, accounts, state, visitProvider, close };
}

export interface Forgery {
  /** Instead of the honest ones. */
  claims?: JWTPayload;
  /** `none`: unsigned; `hs256`: under the client's secret; `foreign`: under a key that the provider does not publish. */
  signature?: 'none' | 'hs256' | 'foreign';
  tamper?: (token: string) => string;
}

/** A provider that answers with whatever ID token and user info a test asks for. */
export async function openForger() {
  const { publicKey, privateKey } = await generateKeyPair('RS256');
  const foreign = await generateKeyPair('RS256');
  const jwk = { ...(await exportJWK(publicKey)), kid: 'published', alg: 'RS256', use: 'sig' };
  const state = { nonce: '', forgery: {} as Forgery, userInfo: {} as JWTPayload };
  const { url: issuer, close } = await openServer((request, response) => void answer(request, response));

  async function idToken(): Promise<string> {
    const { claims = {}, signature, tamper = token => token } = state.forgery;
    const now = Math.floor(Date.now() / 1_000);
    const payload = {
      iss: issuer,
      aud: 'firsthand',
      sub: 'forged',
      email: 'victim@people.example',
      email_verified: true,
      name: 'Victim',
      nonce: state.nonce,
      iat: now,
      exp: now + 300,
      ...claims,
    };
    if (signature === 'none') {
      return `${base64url.encode('{"alg":"none"}')}.${base64url.encode(JSON.stringify(payload))}.`;
    }
    const jwt = new SignJWT(payload);
    if (signature === 'hs256') {
      return jwt.setProtectedHeader({ alg: 'HS256' }).sign(Buffer.from('a-secret-that-both-know'));
    }
    const key = signature === 'foreign' ? foreign.privateKey : privateKey;
    return tamper(await jwt.setProtectedHeader({ alg: 'RS256', kid: 'published' }).sign(key));
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const json = (body: unknown) => {
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    };
    switch (request.url?.split('?')[0]) {
      case '/.well-known/openid-configuration':
        return json({
          issuer,
          authorization_endpoint: `${issuer}/authorize`,
          token_endpoint: `${issuer}/token`,
          jwks_uri: `${issuer}/jwks`,
          userinfo_endpoint: `${issuer}/me`,
          response_types_supported: ['code'],
          subject_types_supported: ['public'],
          id_token_signing_alg_values_supported: ['RS256', 'none', 'HS256'],
        });
      case '/jwks':
        return json({ keys: [jwk] });
      case '/me':
        return json({ sub: 'forged', ...state.userInfo });
      default: {
        await bodyOf(request);
        return json({ access_token: 'a', token_type: 'Bearer', expires_in: 300, id_token: await idToken() });
      }
    }
  }

  /** Signs a browser in through the provider of this name, which answers so. */
  async function signIn(visitor: Visitor, name: string, forgery: Forgery, userInfo: JWTPayload = {}) {
    const started = await visitor.ask(`/v1/auth/${name}/start`);
    const { searchParams } = new URL(started.headers.get('location')!);
    Object.assign(state, { nonce: searchParams.get('nonce')!, forgery, userInfo });
    const path = `/v1/auth/${name}/callback?code=c&state=${searchParams.get('state')}`;
    return { visitor, reply: await visitor.ask(path, { site: 'cross-site' }) };
  }
  return { issuer, state, signIn, close };
}

/** Settings for a provider of this name. */
export const providerSettings = (name: string, issuer: string, more: Record<string, string> = {}) =>
  Object.fromEntries(
    Object.entries({ ISSUER: issuer, CLIENT_ID: 'firsthand', CLIENT_SECRET: 'a-secret-that-both-know', ...more }).map(
      ([member, value]) => [`OIDC_${name}_${member}`, value],
    ),
  );
