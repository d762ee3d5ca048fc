import type { Me, Role } from '@firsthand/contract/people/people.ts';
import { invite } from '../../../src/identity/people/manage.ts';
import { openedBy } from '../../../src/identity/people/openings.ts';
import { type OpenedSession, openSession } from '../../../src/identity/people/sessions.ts';
import { transaction } from '../../../src/platform/db/sql.ts';
import { undescribed } from '../../support/conformance.ts';
import type { Reply, TestService } from '../../support/harness.ts';

/** How a browser on the service's own page, with its cookies, sends requests. */
export interface Visitor {
  cookies: Map<string, string>;
  /** The `Set-Cookie` headers of the last answer. */
  set: string[];
  ask<T = unknown>(path: string, o?: VisitorRequest): Promise<Reply<T>>;
}

export interface VisitorRequest {
  method?: string;
  body?: unknown;
  headers?: Record<string, string | undefined>;
  /** Of the browser; absent: a page of ours. Null: the header is not sent. */
  site?: string | null;
  /** Where the request comes from, as a trusted proxy says; an address of its own unless given, so that no limit is another test's. */
  from?: string;
}

let addresses = 0;
/** An address that no other request has. */
export function freshAddress(): string {
  addresses += 1;
  return `10.${(addresses >> 16) & 255}.${(addresses >> 8) & 255}.${addresses & 255}`;
}

/** A browser with a cookie jar. It follows no redirects. */
export function visit(service: { url: string }): Visitor {
  const visitor: Visitor = {
    cookies: new Map(),
    set: [],
    async ask<T>(path: string, o: VisitorRequest = {}) {
      const method = o.method ?? (o.body === undefined ? 'GET' : 'POST');
      const cookie = [...visitor.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
      const site = o.site === undefined ? 'same-origin' : o.site;
      const headers: Record<string, string> = {
        ...(cookie === '' ? {} : { cookie }),
        ...(site === null ? {} : { 'sec-fetch-site': site }),
        ...(o.body === undefined ? {} : { 'content-type': 'application/json' }),
        'x-forwarded-for': o.from ?? freshAddress(),
      };
      for (const [name, value] of Object.entries(o.headers ?? {})) {
        if (value === undefined) delete headers[name];
        else headers[name] = value;
      }
      const answer = await fetch(path.startsWith('http') ? path : `${service.url}${path}`, {
        method,
        headers,
        redirect: 'manual',
        ...(o.body === undefined ? {} : { body: JSON.stringify(o.body) }),
      });
      const text = await answer.text();
      visitor.set = answer.headers.getSetCookie();
      for (const line of visitor.set) {
        const [pair, ...attributes] = line.split('; ');
        const at = pair!.indexOf('=');
        const gone = attributes.some(attribute => /^max-age=0$|^expires=Thu, 01 Jan 1970/i.test(attribute));
        if (gone) visitor.cookies.delete(pair!.slice(0, at));
        else visitor.cookies.set(pair!.slice(0, at), pair!.slice(at + 1));
      }
      const json = answer.headers.get('content-type')?.startsWith('application/json') ?? false;
      const body = (json ? JSON.parse(text) : text) as T;
      const wrong = path.startsWith('http') ? null : undescribed(method, path, answer.status, body);
      if (wrong) throw new Error(wrong);
      return { status: answer.status, headers: answer.headers, text, body };
    },
  };
  return visitor;
}

export const tokenOf = (url: string): string => new URL(url).hash.replace(/^#(first|token)=/, '');

/** Signs in with the link of the first start. */
export async function signInAsOwner(service: TestService): Promise<Visitor & { me: Me }> {
  const visitor = visit(service);
  const reply = await visitor.ask<Me>('/v1/auth/first-run', { body: { token: tokenOf(service.dashboardUrl) } });
  if (reply.status !== 200) throw new Error(`signing in was answered ${reply.status}: ${reply.text}`);
  return Object.assign(visitor, { me: reply.body });
}

/** As much of a request as a session is opened with. */
const REQUEST = { id: 'test', ip: '127.0.0.1', headers: {}, cookies: {} } as never;
let people = 0;

/** A person of a role with an open session; the session is opened behind the API's back, at no cost of its limits. */
export async function signedIn(
  service: TestService,
  o: { tenantId: string; role: Role; livemode?: boolean; email?: string },
): Promise<Visitor & { personId: string; sessionId: string; cookie: string }> {
  const { deps } = service;
  people += 1;
  const email = o.email ?? `person-${people}@people.example`;
  const opened = await transaction(deps.db, async tx => {
    const activity = { tenantId: o.tenantId, actor: { kind: 'system' as const }, at: deps.clock.now() };
    const { personId } = await invite(tx, { ...deps, mailer: null }, activity, { email, role: o.role });
    await tx.query('update persons set last_livemode = $2 where id = $1', [personId, o.livemode ?? true]);
    const openings = await openedBy(tx, { email });
    return openSession(tx, deps, REQUEST, { method: 'invitation', openings, prefer: personId });
  });
  return withSession(service, opened);
}

/** Somebody who has proved this address anew, as with a mailed link. */
export async function signInAgain(service: TestService, email: string) {
  const { deps } = service;
  const opened = await transaction(deps.db, async tx => {
    return openSession(tx, deps, REQUEST, { method: 'magic_link', openings: await openedBy(tx, { email }) });
  });
  return withSession(service, opened);
}

function withSession({ url, deps }: TestService, opened: OpenedSession | null) {
  if (!opened) throw new Error('no session was opened');
  const visitor = visit({ url });
  visitor.cookies.set(deps.config.sessionCookie, opened.token);
  const cookie = `${deps.config.sessionCookie}=${opened.token}`;
  return Object.assign(visitor, { personId: opened.personId, sessionId: opened.id, cookie });
}
