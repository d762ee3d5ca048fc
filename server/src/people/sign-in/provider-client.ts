import * as oidc from 'openid-client';
import type { ProviderConfig } from '../../config/sign-in.ts';

/** How long the provider's metadata is cached. */
const FRESH_MS = 60 * 60_000;
const TIMEOUT_SECONDS = 10;

interface Discovered {
  at: number;
  /** One for each authentication method that the provider accepts. The one that last worked comes first. */
  clients: Promise<oidc.Configuration[]>;
}
const discovered = new WeakMap<ProviderConfig, Discovered>();

/** The provider's verified claims about a person who signed in. */
export interface Claims {
  sub: string;
  [claim: string]: unknown;
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
export async function endFlow(provider: ProviderConfig, callback: URL, flow: Flow): Promise<Claims> {
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
  claims: oidc.IDToken,
  accessToken: string,
): Promise<Claims> {
  const wanted = ['email', 'name', ...(provider.roleClaim ? [provider.roleClaim] : [])];
  const complete = wanted.every(claim => claimOf(claims, claim) !== undefined);
  if (complete || !client.serverMetadata().userinfo_endpoint) return claims;
  const more = await oidc.fetchUserInfo(client, accessToken, claims.sub);
  // Signed claims take precedence over unsigned ones.
  return { ...more, ...claims };
}

/** A claim by its name, or `a.b` for member `b` of claim `a`. */
export function claimOf(claims: Readonly<Record<string, unknown>>, path: string): unknown {
  if (Object.hasOwn(claims, path)) return claims[path];
  return path
    .split('.')
    .reduce<unknown>(
      (value, part) =>
        typeof value === 'object' && value !== null && Object.hasOwn(value, part)
          ? (value as Record<string, unknown>)[part]
          : undefined,
      claims,
    );
}
