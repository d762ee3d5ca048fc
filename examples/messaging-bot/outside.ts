import { createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { isObject, type Json, textOf } from './whatsapp.ts';

const TIMEOUT_MS = 20_000;
const MAX_AGE_MS = 5 * 60_000;

/** A request that was not taken, by Meta or by Firsthand. */
export class Refused extends Error {
  /** `later`: try again. `template`: the 24 hours have passed. `never`: the same again gets the same answer. */
  readonly next: 'later' | 'template' | 'never';
  /** The whole number is too fast, so every receiver waits. */
  readonly everybody: boolean;

  constructor(next: Refused['next'], message: string, everybody = false) {
    super(message);
    this.next = next;
    this.everybody = everybody;
  }
}

export const WINDOW_CLOSED = 131_047;
/** Limits of the app, of the account and of the number: https://developers.facebook.com/documentation/business-messaging/whatsapp/support/error-codes */
const TOO_FAST = new Set([4, 80_007, 130_429]);
/** 131056: too many messages to this receiver. The others are Meta's own faults, and maintenance. */
const FOR_NOW = new Set([1, 2, 131_000, 131_016, 131_056, 131_057, 133_004]);

export interface Graph {
  /** `https://graph.facebook.com/vNN.N` */
  url: string;
  phoneNumberId: string;
  token: string;
}

export interface Sent {
  wamid: string;
  /** As Meta knows the receiver. */
  waId: string | undefined;
  userId: string | undefined;
}

/** Sends one message. Its answer says only that Meta took it: delivery is told by statuses. */
export async function sendMessage({ url, phoneNumberId, token }: Graph, message: Json): Promise<Sent> {
  const { status, body } = await post(`${url}/${phoneNumberId}/messages`, JSON.stringify(message), {
    authorization: `Bearer ${token}`,
  });
  if (status >= 200 && status < 300) {
    const first = (value: unknown): Json => (Array.isArray(value) && isObject(value[0]) ? value[0] : {});
    const wamid = textOf(first(body.messages).id);
    if (wamid === undefined) throw new Refused('never', 'the answer has no message id');
    const contact = first(body.contacts);
    return { wamid, waId: textOf(contact.wa_id), userId: textOf(contact.user_id) };
  }
  const error = isObject(body.error) ? body.error : {};
  const code = Number(error.code);
  const text = `${error.code ?? `HTTP ${status}`} ${textOf(error.message) ?? ''}`.trim();
  if (code === WINDOW_CLOSED) throw new Refused('template', text);
  if (TOO_FAST.has(code) || (status === 429 && code !== 131_056)) throw new Refused('later', text, true);
  throw new Refused(FOR_NOW.has(code) || status >= 500 ? 'later' : 'never', text);
}

export interface FirsthandApi {
  url: string;
  tenantId: string;
  /** The first signs; each is accepted. */
  botSecrets: readonly string[];
}

/** Creates a verification under the bot's signature. Repeating it with the same key creates nothing new. */
export async function createVerification(
  { url, tenantId, botSecrets }: FirsthandApi,
  request: Json,
  idempotencyKey: string,
): Promise<{ id: string; captureUrl: string }> {
  const raw = JSON.stringify({ ...request, tenant_id: tenantId });
  const { status, body } = await post(`${url}/v1/verifications`, raw, {
    ...botHeaders(raw, botSecrets[0]!),
    'idempotency-key': idempotencyKey,
  });
  const [id, captureUrl] = [textOf(body.id), textOf(body.capture_url)];
  if (status === 201 && id !== undefined && captureUrl !== undefined) return { id, captureUrl };
  const error = isObject(body.error) ? body.error : {};
  const text = `${textOf(error.code) ?? `HTTP ${status}`} ${textOf(error.message) ?? ''}`.trim();
  throw new Refused(status === 408 || status === 409 || status === 429 || status >= 500 ? 'later' : 'never', text);
}

async function post(url: string, body: string, headers: Record<string, string>) {
  try {
    const answer = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body,
      redirect: 'error',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    const json: unknown = await answer.json().catch(() => ({}));
    return { status: answer.status, body: isObject(json) ? json : {} };
  } catch (error) {
    throw new Refused('later', `no answer: ${error instanceof Error ? error.message : String(error)}`);
  }
}

const signatureOf = (secret: string, timestamp: string, raw: string | Buffer): Buffer =>
  createHmac('sha256', secret).update(`${timestamp}.`).update(raw).digest();

function botHeaders(raw: string, secret: string, now = Date.now()): Record<string, string> {
  const timestamp = String(now);
  return { 'x-bot-auth': signatureOf(secret, timestamp, raw).toString('hex'), 'x-bot-auth-timestamp': timestamp };
}

/** True when Firsthand signed these bytes within the last five minutes. */
export function isFromFirsthand(raw: Buffer, headers: IncomingHttpHeaders, secrets: readonly string[], now: number) {
  const [signature, timestamp] = [headers['x-bot-auth'], headers['x-bot-auth-timestamp']];
  if (typeof signature !== 'string' || typeof timestamp !== 'string' || !/^\d{1,16}$/.test(timestamp)) return false;
  if (Math.abs(now - Number(timestamp)) > MAX_AGE_MS) return false;
  const given = Buffer.from(signature, 'hex');
  return secrets
    .map(secret => signatureOf(secret, timestamp, raw))
    .map(expected => given.length === expected.length && timingSafeEqual(given, expected))
    .includes(true);
}
