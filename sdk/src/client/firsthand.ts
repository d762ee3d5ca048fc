import type {
  CreateVerificationRequest,
  EndUserView,
  GeoPoint,
  StreamEventsQuery,
  UploadUrlRequest,
  Verification,
} from '../api.generated.ts';
import { type VerifyOptions, verifyWebhook, type WebhookEvent, type WebhookHeaders } from '../webhooks.ts';
import { FirsthandError, TimeoutError } from './errors.ts';
import { type Call, type ClientOptions, List, type Page, type RequestOptions, sleep, Transport } from './request.ts';
import {
  Api,
  type CapturesResource,
  type EventsResource,
  OPERATIONS,
  type Resources,
  type VerificationsResource,
  type WebhooksResource,
} from './resources.generated.ts';

export interface WaitOptions extends RequestOptions {
  /** Milliseconds to wait at most; default 300,000. Give up later than the link expires to wait for the person too. */
  waitMs?: number;
}

export interface PhotoOptions extends RequestOptions {
  contentType?: UploadUrlRequest['contentType'];
  /** The step that the photo fills; the first with room unless given. */
  stepKey?: string;
  surface?: string;
  capturedAt?: Date;
  location?: GeoPoint;
}

/** Whoever creates a verification gets its link. */
export type CreatedVerification = Verification & { capture_url: string };

export interface Verifications extends VerificationsResource {
  create(body: CreateVerificationRequest, options?: RequestOptions): Promise<CreatedVerification>;
  /**
   * Waits until the verification has a verdict or has ended without one (`expired`, `failed`).
   *
   * @throws TimeoutError after `waitMs`
   */
  waitForVerdict(id: string, options?: WaitOptions): Promise<Verification>;
}

export interface Captures extends CapturesResource {
  /** Uploads a photo and submits it: `createUploadUrl`, the PUT, `submit`. Safe to call again after an error. */
  upload(token: string, photo: Uint8Array | ArrayBuffer, options?: PhotoOptions): Promise<EndUserView>;
}

export interface Webhooks extends WebhooksResource {
  /**
   * Checks the signature and the age of a webhook and returns its event.
   *
   * @param payload the request body as it came: bytes or text, never parsed and written again
   * @param secret `whsec_…`; the client's `webhookSecret` unless given
   * @throws WebhookVerificationError with a `reason`
   */
  unwrap(
    payload: string | Uint8Array,
    headers: WebhookHeaders,
    secret?: string | readonly string[],
    options?: VerifyOptions,
  ): Promise<WebhookEvent>;
}

/** One event of the account, as `events.stream` gives it. `body` is the JSON text that webhooks carry. */
export interface StreamedEvent {
  /** The cursor after this event. */
  cursor: string;
  id: string;
  type: string;
  livemode: boolean;
  body: string;
}

export interface Events extends EventsResource {
  /** Follows the events of the account, as `stream` does, without the messages that only carry the cursor. */
  follow(query?: StreamEventsQuery, options?: RequestOptions): AsyncIterable<StreamedEvent>;
}

const WAIT_MS = 300_000;
const FIRST_LOOK_MS = 100;
const LONGEST_LOOK_MS = 5_000;

/**
 * The service's API.
 *
 * ```ts
 * const firsthand = new Firsthand(process.env.FIRSTHAND_KEY, { baseUrl: 'https://photos.example' });
 * const verification = await firsthand.verifications.create({ max_captures: 2 });
 * ```
 */
export class Firsthand extends Api {
  declare readonly verifications: Verifications;
  declare readonly captures: Captures;
  declare readonly webhooks: Webhooks;
  declare readonly events: Events;

  /** @param key `pk_…` or `rk_secret_…`; null for calls that need no key, such as those of a capture link */
  constructor(key: string | null | undefined, options: ClientOptions) {
    if (!options?.baseUrl) {
      throw new FirsthandError('give baseUrl, the address of your service', { code: 'no_base_url' });
    }
    if (key === '' || key === undefined) {
      throw new FirsthandError('give a key; is its environment variable set?', { code: 'no_key' });
    }
    const transport = new Transport(key, options);
    super(resourcesOf(transport));
    const { verifications, captures, webhooks, events } = this;
    verifications.waitForVerdict = (id, o = {}) => waitForVerdict(verifications, id, o);
    captures.upload = (token, photo, o = {}) => upload(captures, transport, token, photo, o);
    webhooks.unwrap = (payload, headers, secret = options.webhookSecret ?? [], o = {}) =>
      verifyWebhook(payload, headers, secret, o);
    events.follow = async function* (query, o) {
      for await (const { id, event, data } of events.stream(query, o)) {
        if (event === 'event') yield { cursor: id!, ...(data as Omit<StreamedEvent, 'cursor'>) };
      }
    };
  }
}

function resourcesOf(transport: Transport): Resources {
  return Object.fromEntries(
    Object.entries(OPERATIONS).map(([resource, methods]) => [
      resource,
      Object.fromEntries(Object.entries(methods).map(([name, entry]) => [name, methodOf(transport, entry)])),
    ]),
  ) as unknown as Resources;
}

/** Path parameters come first, then the body, the query and the options, as far as the operation has them. */
function methodOf(transport: Transport, entry: string): (...given: unknown[]) => unknown {
  const [method, template, kind] = entry.split(' ') as [string, string, string];
  return (...given) => {
    const path = template.replace(/\{(\w+)\}/g, (_, name: string) => {
      const value = given.shift();
      // An empty one would name another path.
      if (typeof value !== 'string' || value === '') throw new TypeError(`${name} of ${template} is a text`);
      return encodeURIComponent(value);
    });
    const body = kind.includes('b') ? given.shift() : undefined;
    const query = kind.includes('q') ? (given.shift() as object | undefined) : undefined;
    const call: Call = { method, path, body, query, options: (given.shift() as RequestOptions | undefined) ?? {} };
    if (kind[0] === 'd') return transport.download(call);
    if (kind[0] === 'e') return transport.events(call);
    if (kind[0] === 'n') return transport.json(call).then(() => undefined);
    if (kind[0] === 'j') return transport.json(call);
    return new List<unknown>(cursor =>
      transport.json<Page<unknown>>({ ...call, query: cursor ? { ...query, cursor } : query }),
    );
  };
}

async function waitForVerdict(verifications: Verifications, id: string, o: WaitOptions): Promise<Verification> {
  const { waitMs = WAIT_MS, ...options } = o;
  const until = Date.now() + waitMs;
  for (let look = FIRST_LOOK_MS; ; look = Math.min(LONGEST_LOOK_MS, look * 1.3)) {
    const verification = await verifications.get(id, options);
    if (verification.verdict || verification.status === 'expired' || verification.status === 'failed') {
      return verification;
    }
    const left = until - Date.now();
    if (left <= 0)
      throw new TimeoutError(`${id} has no verdict after ${waitMs} ms; its status is ${verification.status}`);
    await sleep(Math.min(look, left), options.signal);
  }
}

async function upload(
  captures: Captures,
  transport: Transport,
  token: string,
  photo: Uint8Array | ArrayBuffer,
  o: PhotoOptions,
): Promise<EndUserView> {
  const { contentType = 'image/jpeg', stepKey, surface, capturedAt, location, ...options } = o;
  const bytes = new Uint8Array(photo);
  const step = stepKey === undefined ? {} : { step_key: stepKey };
  const target = await captures.createUploadUrl(token, { contentType, size_bytes: bytes.length, ...step }, options);
  await transport.put(target, bytes, options);
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
  return captures.submit(
    token,
    {
      image_key: target.image_key,
      image_sha256: Array.from(digest, byte => byte.toString(16).padStart(2, '0')).join(''),
      ...step,
      ...(surface === undefined ? {} : { surface }),
      ...(capturedAt === undefined ? {} : { client_captured_at: capturedAt.toISOString() }),
      ...(location === undefined ? {} : { location }),
    },
    options,
  );
}
