import { Me, Nothing, type Passkey, type Role, SessionList, SwitchTenant } from '@firsthand/contract/people/people.ts';
import { many, one, type Queryable, transaction } from '../../platform/db/sql.ts';
import type { Deps } from '../../platform/deps.ts';
import { type Answer, type Call, noContent, ok, tenantEndpoint } from '../../platform/http/endpoint.ts';
import { type Principal, personOf, servedModes } from '../../platform/http/principal.ts';
import { invalidField, notFound, unauthorized } from '../../platform/http/problem.ts';
import { activityOf, audit } from '../audit/audit.ts';
import { acceptedPersons, openingsOfSession } from './openings.ts';
import { listPasskeys, presentPasskey } from './passkeys.ts';
import {
  clearSessionCookie,
  endSessions,
  moveSession,
  type OpenedSession,
  presentEntry,
  presentSession,
  setSessionCookie,
  standingSessions,
} from './sessions.ts';

interface MeRow {
  name: string | null;
  email: string | null;
  phone_e164: string | null;
  tenant_name: string;
  role: Role;
  method: string;
  created_at: Date;
  last_seen_at: Date;
  expires_at: Date;
  last_visit_at: Date | null;
}

async function readMe(
  db: Queryable,
  o: { personId: string; tenantId: string; sessionId: string; livemode: boolean },
): Promise<Me | null> {
  const row = await one<MeRow>(
    db,
    `select coalesce(m.name, p.name) as name, p.email, p.phone_e164, t.name as tenant_name, m.role,
       s.method, s.created_at, s.last_seen_at, s.expires_at, s.last_visit_at
     from sessions s join persons p on p.id = s.person_id
       join memberships m on m.person_id = p.id and m.tenant_id = $2 join tenants t on t.id = m.tenant_id
     where s.id = $1`,
    [o.sessionId, o.tenantId],
  );
  if (!row) return null;
  const places = await openingsOfSession(db, o.sessionId);
  const accounts = await many<{ id: string; name: string; role: Role; person_id: string }>(
    db,
    `select t.id, t.name, m.role, m.person_id from memberships m join tenants t on t.id = m.tenant_id
     where m.person_id = any($1) order by m.created_at, t.id`,
    [places.map(({ personId }) => personId)],
  );
  const waiting = new Set(places.flatMap(({ personId, accepted }) => (accepted ? [] : [personId])));
  const told = (invited: boolean) =>
    accounts.flatMap(({ person_id, ...account }) => (waiting.has(person_id) === invited ? [account] : []));
  const invitations = told(true);
  const passkeys: Passkey[] = (await listPasskeys(db, o.personId)).map(presentPasskey);
  return {
    person: {
      id: o.personId,
      ...(row.name === null ? {} : { name: row.name }),
      ...(row.email === null ? {} : { email: row.email }),
      ...(row.phone_e164 === null ? {} : { phone_e164: row.phone_e164 }),
    },
    tenant: { id: o.tenantId, name: row.tenant_name, role: row.role, livemode: o.livemode },
    tenants: told(false),
    ...(invitations.length === 0 ? {} : { invitations }),
    ...(row.last_visit_at ? { last_visit_at: row.last_visit_at.toISOString() } : {}),
    session: presentSession({ id: o.sessionId, ...row }),
    passkeys,
  };
}

/** Answers a sign-in with the cookie and the person. */
export async function answerSignedIn(
  call: Pick<Call<unknown, unknown, unknown>, 'deps' | 'reply'>,
  opened: OpenedSession,
): Promise<Answer> {
  setSessionCookie(call.deps, call.reply, opened.token);
  const me = await readMe(call.deps.db, { ...opened, sessionId: opened.id });
  if (!me) throw unauthorized();
  return ok(me);
}

async function answerMe(deps: Pick<Deps, 'db'>, principal: Principal): Promise<Answer> {
  const person = personOf(principal);
  const me = await readMe(deps.db, { ...person, personId: person.userId });
  if (!me) throw unauthorized();
  return ok(me);
}

const common = { tag: 'Me', credentials: ['session'] } as const;

export const getMe = tenantEndpoint({
  operationId: 'getMe',
  summary: 'Get the signed-in person',
  ...common,
  responses: { 200: Me },
  handler: ({ deps, principal }) => answerMe(deps, principal),
});

export const switchTenant = tenantEndpoint({
  operationId: 'switchTenant',
  summary: 'Switch to another account, or between live and test',
  description:
    'Holds for this session, and for where the next one begins. Switching to an account of `invitations` accepts the ' +
    'invitation.',
  ...common,
  body: SwitchTenant,
  responses: { 200: Me },
  async handler(call) {
    const { deps, principal, body } = call;
    const person = personOf(principal);
    if (!servedModes(deps.config.mode).includes(body.livemode)) {
      throw invalidField('livemode', 'not_allowed', `must be ${!body.livemode}: this deployment serves only that mode`);
    }
    const { tenant_id: tenantId, livemode } = body;
    const { sessionId } = person;
    const userId = await transaction(deps.db, async tx => {
      const place = (await openingsOfSession(tx, sessionId)).find(candidate => candidate.tenantId === tenantId);
      if (!place || !(await moveSession(tx, activityOf(call), sessionId, { place, livemode }))) throw notFound();
      return place.personId;
    });
    return answerMe(deps, { ...person, userId, tenantId, livemode });
  },
  errors: ['not_found'],
});

export const listSessions = tenantEndpoint({
  operationId: 'listSessions',
  summary: 'List my sessions, newest first',
  ...common,
  responses: { 200: SessionList },
  async handler({ deps, principal }) {
    const person = personOf(principal);
    const persons = await acceptedPersons(deps.db, person.sessionId);
    const rows = await standingSessions(deps.db, persons, deps.clock.now());
    return ok({ data: rows.map(row => presentEntry(row, person.sessionId)) });
  },
});

export const endSession = tenantEndpoint({
  operationId: 'endSession',
  summary: 'End one of my sessions',
  ...common,
  recent: true,
  async exists({ deps, principal, params }) {
    const persons = await acceptedPersons(deps.db, personOf(principal).sessionId);
    return (await standingSessions(deps.db, persons, deps.clock.now())).some(({ id }) => id === params.id);
  },
  responses: { 204: null },
  async handler(call) {
    const { sessionId } = personOf(call.principal);
    const id = call.params.id!;
    await transaction(call.deps.db, async tx => {
      const activity = activityOf(call);
      const ended = await endSessions(tx, activity.at, { persons: await acceptedPersons(tx, sessionId), id });
      if (ended.length === 0) throw notFound();
      await audit(tx, activity, { action: 'session.ended', target: id });
    });
    if (id === sessionId) clearSessionCookie(call.deps, call.reply);
    return noContent;
  },
});

export const endOtherSessions = tenantEndpoint({
  operationId: 'endOtherSessions',
  summary: 'End all my sessions but this one',
  ...common,
  recent: true,
  responses: { 204: null },
  async handler(call) {
    const { userId: personId, sessionId } = personOf(call.principal);
    await transaction(call.deps.db, async tx => {
      const activity = activityOf(call);
      const persons = await acceptedPersons(tx, sessionId);
      const ended = await endSessions(tx, activity.at, { persons, except: sessionId });
      await audit(tx, activity, { action: 'session.ended_others', target: personId, detail: { ended: ended.length } });
    });
    return noContent;
  },
});

export const signOut = tenantEndpoint({
  operationId: 'signOut',
  summary: 'Sign out',
  description: 'The session ends on every node, and the cookie is taken back.',
  tag: 'Sign-in',
  credentials: ['session'],
  body: Nothing,
  bodyOptional: true,
  responses: { 204: null },
  async handler(call) {
    const { userId: personId, sessionId: id } = personOf(call.principal);
    await transaction(call.deps.db, async tx => {
      const activity = activityOf(call);
      await endSessions(tx, activity.at, { persons: [personId], id });
      await audit(tx, activity, { action: 'session.signed_out', target: id });
    });
    clearSessionCookie(call.deps, call.reply);
    return noContent;
  },
});
