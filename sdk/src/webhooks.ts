import type { TestEvent, VerificationEvent, VerificationEventType } from './api.generated.ts';

export type { WebhookEventType } from './api.generated.ts';

/** The body of a webhook. Its `type` tells which. */
export type WebhookEvent =
  | { [T in VerificationEventType]: VerificationEvent & { type: T } }[VerificationEventType]
  | TestEvent;

/** The reason to reject a webhook. Answer 400 and read nothing else of it. */
export type WebhookFault =
  | 'missing_header'
  | 'bad_timestamp'
  | 'too_old'
  | 'too_new'
  | 'bad_signature'
  | 'bad_secret'
  | 'bad_body';

export class WebhookVerificationError extends Error {
  override name = 'WebhookVerificationError';
  readonly reason: WebhookFault;

  constructor(reason: WebhookFault, message: string) {
    super(message);
    this.reason = reason;
  }
}

/** Headers as a web `Headers`, or as Node.js and its frameworks provide them. */
export type WebhookHeaders =
  | { get(name: string): string | null }
  | Readonly<Record<string, string | readonly string[] | undefined>>;

export interface VerifyOptions {
  /** The allowed difference between the sender's clock and yours, either way; default 300. */
  toleranceSeconds?: number;
  /** Milliseconds since 1970; the current time unless given. */
  now?: number;
}

const PREFIX = 'whsec_';
const VERSION = 'v1,';
const DEFAULT_TOLERANCE_SECONDS = 300;
const encoder = new TextEncoder();

/**
 * Checks a webhook's signature (Standard Webhooks 1.0: HMAC-SHA256 over `id.timestamp.body`, compared in constant time)
 * and its age, and resolves to its body. Runs wherever Web Crypto does: Node.js, edge runtimes, browsers.
 *
 * @param payload the request body exactly as it came: bytes or text, never parsed and written again
 * @param secret `whsec_…`; several while a secret is being rotated
 * @throws {@link WebhookVerificationError} with a `reason`
 */
export async function verifyWebhook(
  payload: string | Uint8Array,
  headers: WebhookHeaders,
  secret: string | readonly string[],
  options: VerifyOptions = {},
): Promise<WebhookEvent> {
  if (typeof payload !== 'string' && !(payload instanceof Uint8Array)) {
    throw new WebhookVerificationError(
      'bad_body',
      'the body was already parsed; pass the raw bytes or text of the request, for example from express.raw()',
    );
  }
  if (Array.isArray(headers)) {
    throw new WebhookVerificationError(
      'missing_header',
      'the headers are a list of names and values, as in rawHeaders; pass request.headers',
    );
  }
  const secrets = secretsOf(secret);
  const id = header(headers, 'webhook-id');
  const timestamp = header(headers, 'webhook-timestamp');
  const signatures = header(headers, 'webhook-signature');
  checkAge(timestamp, options);
  const body = typeof payload === 'string' ? encoder.encode(payload) : payload;
  const signed = concat(encoder.encode(`${id}.${timestamp}.`), body);
  const given = signatures
    .split(' ')
    .filter(signature => signature.startsWith(VERSION))
    .map(signature => bytesOf(signature.slice(VERSION.length)));
  const keys = await Promise.all(secrets.map(one => importKey(one, 'verify')));
  const matches = await Promise.all(
    keys.flatMap(key =>
      given.map(signature => (signature ? crypto.subtle.verify('HMAC', key, signature, signed) : false)),
    ),
  );
  if (!matches.includes(true)) {
    throw new WebhookVerificationError('bad_signature', 'no signature of this webhook was made with a secret given');
  }
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body)) as WebhookEvent;
  } catch {
    throw new WebhookVerificationError('bad_body', 'the body is signed and is not JSON');
  }
}

/**
 * The three headers of a webhook, as the service makes them; for testing a receiver.
 *
 * @param at milliseconds since 1970; the current time unless given
 */
export async function signWebhook(
  id: string,
  body: string,
  secret: string,
  at = Date.now(),
): Promise<{ 'webhook-id': string; 'webhook-timestamp': string; 'webhook-signature': string }> {
  const timestamp = String(Math.floor(at / 1_000));
  const key = await importKey(secret, 'sign');
  const signature = await crypto.subtle.sign('HMAC', key, encoder.encode(`${id}.${timestamp}.${body}`));
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': `${VERSION}${btoa(String.fromCharCode(...new Uint8Array(signature)))}`,
  };
}

function secretsOf(secret: string | readonly string[] | undefined): readonly string[] {
  const secrets = typeof secret === 'string' ? [secret] : (secret ?? []);
  if (secrets.length === 0 || secrets.some(one => typeof one !== 'string' || one === '')) {
    throw new WebhookVerificationError('bad_secret', 'no secret was given; is its environment variable set?');
  }
  return secrets;
}

function header(headers: WebhookHeaders, name: string): string {
  const value = isHeaders(headers)
    ? headers.get(name)
    : (headers[name] ?? Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1]);
  if (Array.isArray(value)) {
    throw new WebhookVerificationError(
      'missing_header',
      `the header ${name} came as a list; pass the one value that the request carries`,
    );
  }
  if (typeof value !== 'string' || value === '') {
    throw new WebhookVerificationError('missing_header', `the header ${name} is missing`);
  }
  return value;
}

const isHeaders = (headers: WebhookHeaders): headers is { get(name: string): string | null } =>
  typeof (headers as { get?: unknown }).get === 'function';

function checkAge(timestamp: string, options: VerifyOptions): void {
  const { toleranceSeconds = DEFAULT_TOLERANCE_SECONDS, now = Date.now() } = options;
  if (!/^\d{1,12}$/.test(timestamp)) {
    throw new WebhookVerificationError('bad_timestamp', 'webhook-timestamp is not a number of seconds');
  }
  const age = Math.floor(now / 1_000) - Number(timestamp);
  if (age > toleranceSeconds) throw new WebhookVerificationError('too_old', `the webhook was signed ${age} s ago`);
  if (-age > toleranceSeconds) {
    throw new WebhookVerificationError(
      'too_new',
      `the webhook was signed ${-age} s in the future; are the clocks right?`,
    );
  }
}

function bytesOf(base64: string): Uint8Array<ArrayBuffer> | null {
  try {
    return Uint8Array.from(atob(base64), character => character.charCodeAt(0));
  } catch {
    return null;
  }
}

type HmacKey = Awaited<ReturnType<typeof crypto.subtle.importKey>>;

async function importKey(secret: string, use: 'sign' | 'verify'): Promise<HmacKey> {
  const bytes = bytesOf(secret.startsWith(PREFIX) ? secret.slice(PREFIX.length) : secret);
  if (!bytes || bytes.length === 0) {
    throw new WebhookVerificationError('bad_secret', 'a webhook secret is whsec_ followed by base64');
  }
  return crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, [use]);
}

function concat(a: Uint8Array, b: Uint8Array): Uint8Array<ArrayBuffer> {
  const both = new Uint8Array(a.length + b.length);
  both.set(a);
  both.set(b, a.length);
  return both;
}
