import { randomUUID } from 'node:crypto';
import type { VerificationEvent, WebhookEvent } from '@firsthand/sdk';
import type { Case, InboxRow, Person, Store } from './store.ts';
import type { Texts } from './texts.ts';
import { isObject, type Json, senderOf, textOf, timeOf } from './whatsapp.ts';

/** A message of these types is somebody writing to us. Everything else (reactions, edits, calls, what is new) is only noted. */
const WRITTEN = new Set(['text', 'button', 'interactive', 'location', 'contacts', 'audio', 'sticker']);
const PICTURES = new Set(['image', 'video', 'document']);
const MINUTE_MS = 60_000;

/** The order of a message's states. `delivered` may follow `failed`; a late one never lowers what was reached. */
export const RANKS = ['sent', 'failed', 'delivered', 'read', 'played'] as const;

/** `verification.completed` and its like close a case: the next message of this person opens another. */
const CLOSES = new Set(['completed', 'expired', 'failed']);

export interface Conversation {
  store: Store;
  texts: Texts;
  /** Messages that were written before are not answered. */
  maxAgeMs: number;
  now(): number;
}

/** Decides what one kept item means. Runs inside a transaction and touches nothing outside; returns what became of the item. */
export function takeItem(
  to: Conversation,
  { kind, body, received_at }: Pick<InboxRow, 'kind' | 'body' | 'received_at'>,
): string {
  const json: unknown = JSON.parse(body);
  if (!isObject(json)) return 'noted: not an object';
  if (kind === 'status') return takeStatus(to, json, received_at);
  if (kind === 'event') return takeEvent(to, json as unknown as WebhookEvent);
  if (kind === 'code') return takeCode(to, json);
  if (kind === 'posted_link') return takePostedLink(to, json);
  const { message, contact } = json;
  if (!isObject(message)) return 'noted: no message';
  return takeMessage(to, message, isObject(contact) ? contact : null);
}

function takeMessage(to: Conversation, message: Json, contact: Json | null): string {
  const { store } = to;
  const type = textOf(message.type) ?? 'none';
  if (type === 'system') return takeSystem(store, message);
  if (message.group_id !== undefined) return 'noted: written to a group';
  const sender = senderOf({ message, contact });
  if (sender.userId === undefined && sender.waId === undefined) return 'noted: no sender';
  if (!WRITTEN.has(type) && !PICTURES.has(type)) return `noted: type ${type}`;
  const wroteAt = timeOf(message.timestamp);
  if (wroteAt === null) return 'noted: no time';
  const person = store.personOf(sender);
  store.run('update people set wrote_at = max(coalesce(wrote_at, 0), ?) where id = ?', wroteAt, person.id);
  const age = to.now() - wroteAt;
  if (age > to.maxAgeMs) return `too old: written ${Math.round(age / MINUTE_MS)} minutes ago`;
  const open = store.one<Case>('select * from cases where person = ? and closed_at is null', person.id);
  if (!open) openCase(to, person);
  else if (open.capture_url !== null) {
    sendLink(to, open, person, PICTURES.has(type) ? to.texts.photoInChat : to.texts.link);
  }
  return open ? 'done: asked again' : 'done: opened a case';
}

/** Somebody has a new number or a new user id. */
function takeSystem(store: Store, message: Json): string {
  const system = isObject(message.system) ? message.system : {};
  if (system.type !== 'user_changed_number' && system.type !== 'user_changed_user_id') {
    return `noted: system ${textOf(system.type) ?? 'notice'}`;
  }
  const [userId, waId] = [textOf(system.user_id), textOf(system.wa_id)];
  const formerId = textOf(system.previous_user_id) ?? textOf(message.from_user_id);
  const formerNumber = textOf(message.from);
  const person =
    (formerId && store.one<Person>('select * from people where user_id = ?', formerId)) ||
    (formerNumber && store.byNumber(formerNumber)) ||
    undefined;
  if (!person) return 'noted: nobody has the former id';
  // Whoever wrote under the new id already keeps it.
  if (userId !== undefined && store.one('select 1 from people where user_id = ?', userId))
    return 'noted: known already';
  if (waId !== undefined) store.run('update people set wa_id = null where wa_id = ? and id <> ?', waId, person.id);
  store.run(
    'update people set user_id = coalesce(?, user_id), wa_id = coalesce(?, wa_id) where id = ?',
    userId ?? null,
    waId ?? null,
    person.id,
  );
  return 'done: a person has new ids';
}

function openCase({ store, now }: Conversation, person: Person): void {
  const id = randomUUID();
  store.run('insert into cases (id, person, opened_at) values (?, ?, ?)', id, person.id, now());
  store.addTask({ line: `person:${person.id}`, kind: 'create', person: person.id, case_id: id }, now());
}

export function sendLink(
  { store, now }: Conversation,
  { id, capture_url }: Case,
  person: Pick<Person, 'id'>,
  text: string,
) {
  const payload = JSON.stringify({ text, url: capture_url });
  store.addTask({ line: `person:${person.id}`, kind: 'link', person: person.id, case_id: id, payload }, now());
}

function takeStatus({ store }: Conversation, status: Json, receivedAt: number): string {
  const error = Array.isArray(status.errors) && isObject(status.errors[0]) ? status.errors[0] : {};
  const details = isObject(error.error_data) ? textOf(error.error_data.details) : undefined;
  store.run(
    'insert into statuses (wamid, status, at, code, title) values (?, ?, ?, ?, ?) on conflict do nothing',
    String(status.id),
    String(status.status),
    timeOf(status.timestamp) ?? receivedAt,
    Number.isSafeInteger(Number(error.code)) ? Number(error.code) : null,
    details ?? textOf(error.title) ?? null,
  );
  return status.status === 'failed' ? `done: not delivered: ${error.code} ${details ?? error.title ?? ''}` : 'done';
}

/** A webhook of Firsthand, its signature checked. The newest `sequence` counts. */
function takeEvent(to: Conversation, event: WebhookEvent): string {
  const { store, now } = to;
  if (event.type === 'webhook.test') return 'noted: a test';
  const { data } = event;
  // By the case's id, because a webhook may overtake the answer; by the verification's, because redaction erases metadata.
  const one = store.one<Case>(
    'select * from cases where id = ? or verification_id = ?',
    data.metadata.bot_case ?? '',
    data.id,
  );
  if (!one) return 'noted: not a case of this bot';
  if (event.type === 'verification.redacted') return forgetCase(to, one);
  if (data.sequence <= one.sequence) return 'noted: older than what is known';
  store.run(
    `update cases set sequence = ?, status = ?, verification_id = ?,
       closed_at = case when ? then coalesce(closed_at, ?) else closed_at end where id = ?`,
    data.sequence,
    data.status,
    data.id,
    CLOSES.has(data.status) ? 1 : 0,
    now(),
    one.id,
  );
  if (one.person === null) return 'done';
  const person = { id: one.person };
  if (event.type === 'verification.reviewed' && data.review.decision === 'retake') {
    if (!store.one('select 1 from cases where person = ? and closed_at is null', one.person)) {
      openCase(to, store.one<Person>('select * from people where id = ?', one.person)!);
    }
    return 'done: opened another case';
  }
  const text = textFor(to.texts, event);
  if (text === undefined) return 'done';
  store.addTask(
    {
      line: `person:${person.id}`,
      kind: 'text',
      person: person.id,
      case_id: one.id,
      payload: JSON.stringify({ text }),
    },
    now(),
  );
  return 'done: told the person';
}

/** What an event means for whoever took the photos: their own words, no accusation. */
function textFor(texts: Texts, { type, data }: VerificationEvent): string | undefined {
  switch (type) {
    case 'verification.completed':
      return data.verdict?.label === 'verified' ? texts.verified : texts.waitsForPerson;
    case 'verification.expired':
      return texts.expired;
    case 'verification.failed':
      return texts.failed;
    case 'verification.reviewed':
      if (data.review.decision === 'approved') return texts.accepted;
      return data.review.decision === 'rejected' ? texts.rejected : undefined;
    default:
      return undefined;
  }
}

/** The verification was erased: so is what the bot knows of it, and of a person without another open case. */
function forgetCase({ store, now }: Conversation, { id, person }: Case): string {
  store.run('delete from tasks where case_id = ?', id);
  store.run(
    `update cases set status = 'redacted', person = null, capture_url = null, closed_at = coalesce(closed_at, ?) where id = ?`,
    now(),
    id,
  );
  if (person !== null && !store.one('select 1 from cases where person = ?', person)) {
    store.run('delete from people where id = ?', person);
  }
  return 'done: erased';
}

/** A sign-in code. It goes to a number only: WhatsApp sends no codes to a user id. */
function takeCode({ store, now }: Conversation, { phone_e164, code, expires_at }: Json): string {
  const digits = textOf(phone_e164)?.replace(/^\+/, '') ?? '';
  const to = store.byNumber(digits)?.wa_id ?? digits;
  const payload = JSON.stringify({ code, to });
  store.addTask({ line: `number:${to}`, kind: 'code', payload, expires_at: Date.parse(String(expires_at)) }, now());
  return 'done';
}

/** A link that somebody sends from the dashboard or the API, to a person who may never have written. */
function takePostedLink({ store, now }: Conversation, { phone_e164, text, link, expires_at }: Json): string {
  const digits = textOf(phone_e164)?.replace(/^\+/, '') ?? '';
  const url = textOf(link) ?? '';
  const person = store.byNumber(digits);
  const to = person?.wa_id ?? digits;
  // A button shows the link.
  const payload = JSON.stringify({ text: (textOf(text) ?? '').replace(url, '').trim(), url, to });
  const line = person ? `person:${person.id}` : `number:${to}`;
  const expiresAt = Date.parse(String(expires_at));
  store.addTask({ line, kind: 'link', person: person?.id ?? null, payload, expires_at: expiresAt }, now());
  return 'done';
}
