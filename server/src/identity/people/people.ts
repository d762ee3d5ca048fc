import { type Fault, fault, required } from '@firsthand/contract/base/fault.ts';
import { isId } from '@firsthand/contract/base/ids.ts';
import { Invitation, InvitedPerson, Person, PersonPatch } from '@firsthand/contract/people/people.ts';
import { transaction } from '../../platform/db/sql.ts';
import { decodeCursor, Page, PageQuery, pageOf } from '../../platform/http/cursor.ts';
import { type Call, created, noContent, ok, tenantEndpoint } from '../../platform/http/endpoint.ts';
import type { Principal } from '../../platform/http/principal.ts';
import { notFound } from '../../platform/http/problem.ts';
import { activityOf, audit } from '../audit/audit.ts';
import { changeMember, invite, removeMember } from './manage.ts';
import { findMember, isMember, listMembers, type PersonRow, presentPerson } from './persons.ts';
import { endSessions } from './sessions.ts';

const common = { tag: 'People', credentials: ['session', 'secret'] } as const;
const owners = { ...common, role: 'owner', recent: true } as const;

const exists = ({
  deps,
  principal,
  params,
}: Pick<Call<unknown, unknown, Principal>, 'deps' | 'principal' | 'params'>) =>
  isMember(deps.db, principal.tenantId, params.id!);

export const listPeople = tenantEndpoint({
  operationId: 'listPeople',
  summary: "List the account's people, newest first",
  description: 'Owners and the secret key see addresses and numbers; everybody else names and roles.',
  ...common,
  query: PageQuery,
  responses: { 200: Page(Person) },
  async handler({ deps, principal, query }) {
    const after = query.cursor === undefined ? null : decodeCursor(query.cursor, id => isId('usr', id));
    const rows = await listMembers(deps.db, principal.tenantId, query.limit + 1, after);
    const full = principal.kind !== 'session' || principal.role === 'owner';
    const presented = (row: PersonRow) => presentPerson(row, full);
    return ok(pageOf(rows, query.limit, row => row.id, presented));
  },
});

/** An invitation needs an e-mail address, a phone number or both. */
const invitationFaults = (body: unknown): Fault[] =>
  typeof body === 'object' && body !== null && !('email' in body) && !('phone_e164' in body)
    ? [required('email', 'is required unless phone_e164 is sent', { unless: ['phone_e164'] })]
    : [];

export const invitePerson = tenantEndpoint({
  operationId: 'invitePerson',
  summary: 'Invite a person',
  description:
    'The person is mailed a link that signs them in once, within 7 days. Without SMTP, or with only a phone number, the ' +
    'answer carries it as `sign_in_url`. Somebody who signs in to another account of the deployment already proves the ' +
    'address or number here as well; until then nothing of theirs changes.',
  ...owners,
  body: Invitation,
  faults: invitationFaults,
  secretAnswer: ['sign_in_url'],
  responses: { 201: InvitedPerson },
  errors: ['already_member'],
  async handler(call) {
    const { deps, principal, body } = call;
    return transaction(deps.db, async tx => {
      const { personId, signInUrl } = await invite(tx, deps, activityOf(call), body);
      const row = await findMember(tx, principal.tenantId, personId);
      const answer = created({
        ...presentPerson(row!, true),
        ...(signInUrl === null ? {} : { sign_in_url: signInUrl }),
      });
      await call.keepAnswer(tx, answer);
      return answer;
    });
  },
});

export const patchPerson = tenantEndpoint({
  operationId: 'updatePerson',
  summary: "Change a person's role or name",
  description: "A changed role ends the person's sessions in the account.",
  ...owners,
  exists,
  body: PersonPatch,
  faults: body =>
    typeof body === 'object' && body !== null && Object.keys(body).length === 0
      ? [fault('body', 'too_few', 'must name a role or a name', { min: 1 })]
      : [],
  responses: { 200: Person },
  errors: ['last_owner'],
  async handler(call) {
    const { deps, principal, params } = call;
    return transaction(deps.db, async tx => {
      if (!(await changeMember(tx, activityOf(call), params.id!, call.body))) throw notFound();
      return ok(presentPerson((await findMember(tx, principal.tenantId, params.id!))!, true));
    });
  },
});

export const removePerson = tenantEndpoint({
  operationId: 'removePerson',
  summary: 'Remove a person',
  description: "The person's sessions in the account end with this answer.",
  ...owners,
  exists,
  responses: { 204: null },
  errors: ['last_owner'],
  async handler(call) {
    const removed = await transaction(call.deps.db, tx => removeMember(tx, activityOf(call), call.params.id!));
    if (!removed) throw notFound();
    return noContent;
  },
});

export const endPersonsSessions = tenantEndpoint({
  operationId: 'endPersonsSessions',
  summary: "End a person's sessions in the account",
  ...owners,
  exists,
  responses: { 204: null },
  async handler(call) {
    const { deps, params } = call;
    await transaction(deps.db, async tx => {
      const activity = activityOf(call);
      const ended = await endSessions(tx, activity.at, { persons: [params.id!] });
      await audit(tx, activity, {
        action: 'person.sessions_ended',
        target: params.id!,
        detail: { ended: ended.length },
      });
    });
    return noContent;
  },
});
