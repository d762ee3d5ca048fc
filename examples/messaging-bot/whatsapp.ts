import { createHmac, timingSafeEqual } from 'node:crypto';

export type Json = Readonly<Record<string, unknown>>;

interface Item {
  key: string;
  kind: 'message' | 'status';
  body: Json;
}

export interface Delivery {
  items: Item[];
  /** What a person may look up: why something was not kept. */
  noted: string[];
}

export const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
export const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined;

/** True when Meta signed these bytes with the app's secret (`X-Hub-Signature-256`). */
export function isFromMeta(raw: Buffer, signature: string | undefined, appSecret: string): boolean {
  const expected = createHmac('sha256', appSecret).update(raw).digest();
  const given = Buffer.from(signature?.startsWith('sha256=') ? signature.slice(7) : '', 'hex');
  return given.length === expected.length && timingSafeEqual(given, expected);
}

/** Reads every message and status of a delivery: it may hold several entries, changes and items. Never throws. */
export function readDelivery(payload: unknown, phoneNumberId: string): Delivery {
  const delivery: Delivery = { items: [], noted: [] };
  if (!isObject(payload) || payload.object !== 'whatsapp_business_account') {
    delivery.noted.push('a body of another kind');
    return delivery;
  }
  for (const entry of listOf(payload.entry)) {
    for (const change of listOf(isObject(entry) ? entry.changes : undefined))
      readChange(change, phoneNumberId, delivery);
  }
  return delivery;
}

function readChange(change: unknown, phoneNumberId: string, { items, noted }: Delivery): void {
  const value = isObject(change) ? change.value : undefined;
  if (!isObject(change) || change.field !== 'messages' || !isObject(value)) {
    noted.push(`a change of ${isObject(change) ? String(change.field) : 'no known kind'}`);
    return;
  }
  const number = isObject(value.metadata) ? value.metadata.phone_number_id : undefined;
  if (number !== phoneNumberId) {
    noted.push('for another number of this app');
    return;
  }
  const contacts = listOf(value.contacts).filter(isObject);
  for (const message of listOf(value.messages)) {
    const id = isObject(message) ? textOf(message.id) : undefined;
    if (isObject(message) && id !== undefined) {
      items.push({ key: `message:${id}`, kind: 'message', body: { message, contact: contactOf(message, contacts) } });
    } else noted.push('a message without an id');
  }
  for (const status of listOf(value.statuses)) {
    const [id, state] = isObject(status) ? [textOf(status.id), textOf(status.status)] : [];
    if (isObject(status) && id !== undefined && state !== undefined) {
      items.push({ key: `status:${id}:${state}`, kind: 'status', body: status });
    } else noted.push('a status without an id');
  }
  for (const error of listOf(value.errors)) {
    noted.push(`an error of the account: ${isObject(error) ? `${error.code} ${error.title}` : 'unreadable'}`);
  }
}

/** The contact who wrote a message: matched by either id, or the only one. */
function contactOf(message: Json, contacts: readonly Json[]): Json | null {
  const own = contacts.find(
    ({ user_id, wa_id }) =>
      (user_id !== undefined && user_id === message.from_user_id) || (wa_id !== undefined && wa_id === message.from),
  );
  return own ?? (contacts.length === 1 ? contacts[0]! : null);
}

/** The ids of whoever wrote a message; either may be absent. */
export function senderOf({ message, contact }: { message: Json; contact: Json | null }) {
  return {
    userId: textOf(message.from_user_id) ?? textOf(contact?.user_id),
    waId: textOf(contact?.wa_id) ?? textOf(message.from),
  };
}

/** Seconds since 1970 as text, in milliseconds; null where it is none. */
export function timeOf(timestamp: unknown): number | null {
  const seconds = Number(timestamp);
  return (typeof timestamp === 'string' || typeof timestamp === 'number') && seconds > 0 ? seconds * 1_000 : null;
}
