import { randomBytes } from 'node:crypto';
import * as oidc from 'openid-client';
import { Type } from 'typebox';
import type { ProviderConfig } from '../../../platform/config/sign-in.ts';
import { one, type Tx, transaction } from '../../../platform/db/sql.ts';
import type { Deps } from '../../../platform/deps.ts';
import { type Answer, type Call, openEndpoint } from '../../../platform/http/endpoint.ts';
import { notFound } from '../../../platform/http/problem.ts';
import { rootOf } from '../../../platform/http/root.ts';
import { equalSecrets, sha256 } from '../../../platform/lib/keyring.ts';
import { cookieOptions, openSession, setSessionCookie } from '../sessions.ts';
import { beginFlow, endFlow, type Said } from './provider-client.ts';
import { linkIdentity, openedByProvider } from './provider-person.ts';
import { dashboardAt, returnPath } from './return-to.ts';

const FLOW_MS = 10 * 60_000;

/** Codes of `/dashboard/sign-in?error=…`. */
type Fault = 'cancelled' | 'expired' | 'not_invited' | 'provider_unavailable' | 'provider_failed';

const providerOf = (deps: Pick<Deps, 'config'>, name: string | undefined): ProviderConfig => {
  const provider = deps.config.providers.find(candidate => candidate.name === name);
  if (!provider) throw notFound();
  return provider;
};
const redirectUri = (deps: Pick<Deps, 'origins'>, provider: ProviderConfig): string =>
  `${deps.origins.public}/v1/auth/${provider.name}/callback`;

const redirect = (status: 302 | 303, location: string): Answer => ({ status, headers: { location } });
const toSignIn = ({ origins }: Pick<Deps, 'origins'>, fault: Fault): Answer =>
  redirect(303, `${dashboardAt(origins.public)}/sign-in?error=${fault}`);

/** Only the browser that began a sign-in may complete it. Each sign-in has its own cookie. */
const flowCookie = (deps: Pick<Deps, 'config'>, state: string): string =>
  `${deps.config.sessionCookie}_flow_${sha256(state).toString('hex').slice(0, 16)}`;
const flowCookieOptions = (deps: Pick<Deps, 'origins'>) => ({
  ...cookieOptions(deps),
  path: `${rootOf(deps.origins.public)}/v1/auth`,
});

export const startProvider = openEndpoint({
  operationId: 'startProviderSignIn',
  summary: 'Start the sign-in with an identity provider',
  description: 'Sends the browser to the provider. `return_to` is a path of this origin; anything else is ignored.',
  tag: 'Sign-in',
  credentials: ['sign_in'],
  addressLimit: 'sign_in',
  query: Type.Object({ return_to: Type.Optional(Type.String({ maxLength: 2_000 })) }, { additionalProperties: true }),
  responses: { 302: null, 303: null },
  async handler({ deps, params, query, reply }) {
    const provider = providerOf(deps, params.provider);
    const flow = await beginFlow(provider, redirectUri(deps, provider)).catch((error: unknown) => {
      deps.log.error({ err: error, provider: provider.name }, 'an identity provider cannot be reached');
      return null;
    });
    if (!flow) return toSignIn(deps, 'provider_unavailable');
    const browser = randomBytes(32).toString('base64url');
    await deps.db.query(
      `insert into provider_flows (state_digest, browser_digest, provider, verifier, nonce, return_to, expires_at)
       values ($1, $2, $3, $4, $5, $6, $7)`,
      [
        sha256(flow.state),
        sha256(browser),
        provider.name,
        flow.verifier,
        flow.nonce,
        returnPath(query.return_to, deps.origins.public),
        new Date(deps.clock.now().getTime() + FLOW_MS),
      ],
    );
    reply.setCookie(flowCookie(deps, flow.state), browser, { ...flowCookieOptions(deps), maxAge: FLOW_MS / 1_000 });
    return redirect(302, flow.url.href);
  },
});

interface FlowRow {
  browser_digest: Buffer;
  provider: string;
  verifier: string;
  nonce: string;
  return_to: string;
}

export const providerCallback = openEndpoint({
  operationId: 'finishProviderSignIn',
  summary: 'Finish the sign-in with an identity provider',
  description:
    'Where the provider sends the browser. Sets the session cookie and goes on to `return_to`; with any fault it goes to ' +
    '`/dashboard/sign-in?error=<code>` and opens no session.',
  tag: 'Sign-in',
  credentials: ['none'],
  query: Type.Object({}, { additionalProperties: true }),
  responses: { 303: null },
  async handler(call) {
    const { deps, params, request, reply } = call;
    const provider = providerOf(deps, params.provider);
    const state = (request.query as Record<string, unknown>).state;
    if (typeof state !== 'string') return toSignIn(deps, 'expired');
    const flow = await takeFlow(call, provider, state);
    if (!flow) return toSignIn(deps, 'expired');
    reply.clearCookie(flowCookie(deps, state), flowCookieOptions(deps));

    const callback = new URL(redirectUri(deps, provider));
    callback.search = new URL(request.url, deps.origins.public).search;
    const answer = await endFlow(provider, callback, { state, ...flow }).catch((error: unknown) => error as Error);
    if (answer instanceof Error) {
      deps.log.warn({ err: answer, provider: provider.name }, 'a sign-in with an identity provider failed');
      return toSignIn(deps, faultOf(answer));
    }
    const opened = await transaction(deps.db, tx => enter(tx, call, provider, answer));
    if (!opened) {
      deps.log.info({ provider: provider.name }, 'somebody signed in whom nobody invited');
      return toSignIn(deps, 'not_invited');
    }
    setSessionCookie(deps, reply, opened.token);
    return redirect(303, flow.return_to);
  },
});

/** Uses up the sign-in of a state. Null if it belongs to another provider or browser, or was used. */
async function takeFlow(
  { deps, request }: Pick<Call<unknown, unknown, unknown>, 'deps' | 'request'>,
  provider: ProviderConfig,
  state: string,
): Promise<FlowRow | null> {
  const flow = await one<FlowRow>(
    deps.db,
    `delete from provider_flows where state_digest = $1 and expires_at > $2
     returning browser_digest, provider, verifier, nonce, return_to`,
    [sha256(state), deps.clock.now()],
  );
  const browser = request.cookies[flowCookie(deps, state)];
  if (!flow || browser === undefined || flow.provider !== provider.name) return null;
  return equalSecrets(sha256(browser).toString('hex'), flow.browser_digest.toString('hex')) ? flow : null;
}

async function enter(
  tx: Tx,
  { deps, request }: Pick<Call<unknown, unknown, unknown>, 'deps' | 'request'>,
  provider: ProviderConfig,
  said: Said,
) {
  const arriving = { deps, request, provider, said };
  const openings = await openedByProvider(tx, arriving);
  const opened = await openSession(tx, deps, request, { method: `oidc:${provider.name}`, openings });
  if (opened) await linkIdentity(tx, arriving, opened.id);
  return opened;
}

function faultOf(error: Error): Fault {
  if (error instanceof oidc.AuthorizationResponseError) {
    return error.error === 'access_denied' ? 'cancelled' : 'provider_failed';
  }
  return error instanceof TypeError || error.name === 'TimeoutError' ? 'provider_unavailable' : 'provider_failed';
}
