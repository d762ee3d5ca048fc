import { comparableEmail } from '@firsthand/contract/base/email-address.ts';
import * as oidc from 'openid-client';
import type { ProviderConfig } from '../../../platform/config/sign-in.ts';

/** How long the provider's metadata is cached. */
const FRESH_MS = 60 * 60_000;
const TIMEOUT_SECONDS = 10;

interface Discovered {
  at: number;
  /** One for each authentication method that the provider accepts. The one that last worked comes first. */
  clients: Promise<oidc.Configuration[]>;
}
const discovered = new WeakMap<ProviderConfig, Discovered>();

export type Claims = Readonly<Record<string, unknown>>;

/** What a provider says about a person who signed in: the signed ID token, and user info about the same `sub`. */
export interface Said {
  sub: string;
  token: Claims;
  /** Null: not asked, because the token says everything. */
  userInfo: Claims | null;
}

async function clientsOf(provider: ProviderConfig): Promise<oidc.Configuration[]> {
  const known = discovered.get(provider);
  if (known && Date.now() - known.at < FRESH_MS) return known.clients;
  const clients = discover(provider);
  discovered.set(provider, { at: Date.now(), clients });
  clients.catch(() => discovered.delete(provider));
  return clients;
}

async function discover(provider: ProviderConfig): Promise<oidc.Configuration[]> {
  // The settings allow http only for this machine.
  const insecure = provider.issuer.startsWith('http:') ? [oidc.allowInsecureRequests] : [];
  const found = await oidc.discovery(new URL(provider.issuer), provider.clientId, provider.clientSecret, undefined, {
    execute: insecure,
    timeout: TIMEOUT_SECONDS,
  });
  const server = found.serverMetadata();
  const supported = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
  const ways = [
    ...(supported.includes('client_secret_basic') ? [oidc.ClientSecretBasic(provider.clientSecret)] : []),
    ...(supported.includes('client_secret_post') ? [oidc.ClientSecretPost(provider.clientSecret)] : []),
  ];
  return ways.map(way => {
    const client = new oidc.Configuration(server, provider.clientId, undefined, way);
    client.timeout = TIMEOUT_SECONDS;
    for (const allow of insecure) allow(client);
    // The ID token's signature is checked, although it comes over TLS from the provider itself.
    oidc.enableNonRepudiationChecks(client);
    return client;
  });
}

export interface Flow {
  state: string;
  nonce: string;
  verifier: string;
}

/** Begins a sign-in: code flow with PKCE (S256), state and nonce. */
export async function beginFlow(provider: ProviderConfig, redirectUri: string): Promise<Flow & { url: URL }> {
  const [client] = await clientsOf(provider);
  if (!client) throw new Error('the provider takes no client secret');
  const flow = { state: oidc.randomState(), nonce: oidc.randomNonce(), verifier: oidc.randomPKCECodeVerifier() };
  const url = oidc.buildAuthorizationUrl(client, {
    redirect_uri: redirectUri,
    scope: provider.scopes,
    state: flow.state,
    nonce: flow.nonce,
    code_challenge: await oidc.calculatePKCECodeChallenge(flow.verifier),
    code_challenge_method: 'S256',
  });
  return { ...flow, url };
}

/**
 * Completes a sign-in: exchanges the code and checks `iss`, `aud`, nonce, times and signature. Throws if a check fails. Asks
 * the user info endpoint for claims that the ID token lacks.
 */
export async function endFlow(provider: ProviderConfig, callback: URL, flow: Flow): Promise<Said> {
  const clients = await clientsOf(provider);
  for (const [index, client] of clients.entries()) {
    try {
      const tokens = await oidc.authorizationCodeGrant(client, callback, {
        pkceCodeVerifier: flow.verifier,
        expectedState: flow.state,
        expectedNonce: flow.nonce,
        idTokenExpected: true,
      });
      if (index > 0) clients.unshift(...clients.splice(index, 1));
      return await withUserInfo(provider, client, tokens.claims()!, tokens.access_token);
    } catch (error) {
      // A provider may accept the secret in only one of two places without saying which. After a refusal the code is still valid.
      if (index + 1 < clients.length && isInvalidClient(error)) continue;
      throw error;
    }
  }
  throw new Error('the provider takes no client secret');
}

const isInvalidClient = (error: unknown): boolean =>
  (error instanceof oidc.ResponseBodyError && error.error === 'invalid_client') ||
  (error instanceof oidc.WWWAuthenticateChallengeError && error.status === 401);

async function withUserInfo(
  provider: ProviderConfig,
  client: oidc.Configuration,
  token: oidc.IDToken,
  accessToken: string,
): Promise<Said> {
  const { sub } = token;
  // An address without a word on its verification decides nothing: providers such as Okta and Authelia keep that word for user info.
  const wanted = ['email', 'email_verified', 'name', ...(provider.roleClaim ? [provider.roleClaim] : [])];
  const complete = wanted.every(claim => claimOf(token, claim) !== undefined);
  if (complete || !client.serverMetadata().userinfo_endpoint) return { sub, token, userInfo: null };
  // Throws if user info is about another `sub`.
  return { sub, token, userInfo: await oidc.fetchUserInfo(client, accessToken, sub) };
}

/**
 * Whether the answer leaves a claim out because it was too long, and says where to ask for it (OpenID Connect Core 5.6.2; Entra's groups
 * overage). Nobody asks there, so nothing was said. Any other answer without the claim has no value of it.
 */
export const isWithheld = ({ token, userInfo }: Said, path: string): boolean =>
  [token, userInfo].some(claims => {
    const names = claims?._claim_names;
    const held =
      typeof names === 'object' &&
      names !== null &&
      (Object.hasOwn(names, path) || Object.hasOwn(names, path.split('.')[0]!));
    return held || claims?.hasgroups === true || claims?.hasgroups === 'true';
  });

/** A claim of the token, or else of user info. */
export const claimIn = ({ token, userInfo }: Said, path: string): unknown =>
  claimOf(token, path) ?? (userInfo ? claimOf(userInfo, path) : undefined);

/**
 * The e-mail address that the provider says it verified, with a plain `true` in the same answer as the address. An answer
 * counts only for its own address. The token decides, if it says both.
 */
export function verifiedEmail({ token, userInfo }: Said): string | null {
  const answer = [token, userInfo].find(
    claims => claims && [claims.email, claims.email_verified].every(claim => (claim ?? undefined) !== undefined),
  );
  if (answer?.email_verified !== true || !isEmail(answer.email)) return null;
  return comparableEmail(answer.email);
}

const isEmail = (email: unknown): email is string =>
  typeof email === 'string' && email.length <= 254 && email.includes('@');

/** A claim by its name, or `a.b` for member `b` of claim `a`. An empty claim is absent. */
export function claimOf(claims: Claims, path: string): unknown {
  if (Object.hasOwn(claims, path)) return claims[path] ?? undefined;
  return path
    .split('.')
    .reduce<unknown>(
      (value, part) =>
        typeof value === 'object' && value !== null && Object.hasOwn(value, part)
          ? ((value as Record<string, unknown>)[part] ?? undefined)
          : undefined,
      claims,
    );
}
