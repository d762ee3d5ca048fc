import { EXAMPLES } from '@firsthand/contract/examples.ts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ENDPOINTS } from '../../../src/app.ts';
import type { Endpoint } from '../../../src/platform/http/endpoint.ts';
import { exampleKey } from '../../../src/platform/http/openapi.ts';
import { undescribed } from '../../support/conformance.ts';
import { ask, createVerification, type TestService } from '../../support/harness.ts';
import { plain } from '../../support/pictures.ts';
import { serviceOfSuite } from '../../support/suite.ts';
import { broken, mutated, valid } from './arbitrary.ts';

/** Requests of the run, all operations together. A longer run: FUZZ_REQUESTS=20000. */
const REQUESTS = Number(process.env.FUZZ_REQUESTS ?? 4_000);
const PARALLEL = 16;
/** Another run with FUZZ_SEED; the one of a failure stands in the test's name. */
const SEED = Number(process.env.FUZZ_SEED ?? 20_261_122);
/** Targets are made anew after so many requests: limits count by verification, and some requests end what they name. */
const FRESH_EVERY = 50;

const ODD_IDS = [
  '%00',
  'a%00b',
  '%',
  '%25',
  '%C3%28',
  '%ED%A0%80',
  '%F0%9F%9A%97',
  '..%2f',
  '%20',
  '-',
  'x'.repeat(256),
  'x'.repeat(300),
];
const ODD_QUERIES = [
  'cursor=%00',
  'limit=1&limit=2',
  'limit=',
  'limit=1e9',
  '%',
  '%00=%00',
  '__proto__=1',
  'metadata[%00]=1',
  'metadata[]=1',
  `cursor=${'a'.repeat(3_000)}`,
];

/** Stands for what only a signed-in person has: their passkeys, their sessions. */
const NOBODY = `usr_${'0'.repeat(26)}`;

type Targets = Record<string, string>;

/** Something of each kind that a path can name, by the beginning of the path. */
async function makeTargets(service: TestService): Promise<Targets> {
  const secret = service.tenant.rk_secret;
  const manage = async <T>(method: string, path: string, body: object, headers = {}) =>
    (await ask<T>(service, path, { method, key: secret, body, headers })).body;
  const [made, key, template, trial, brand, picture] = await Promise.all([
    createVerification(service, EXAMPLES['POST /v1/verifications']?.request as object),
    manage<{ id: string }>('POST', '/v1/api-keys', { name: 'fuzzed', mode: 'test' }),
    manage<{ id: string }>('POST', '/v1/link-templates', { name: 'fuzzed', request: {} }),
    ask<{ id: string }>(service, '/v1/trial/verifications', {
      body: {},
      headers: { 'x-forwarded-for': someAddress() },
    }),
    manage<{ logo_url: string }>('PUT', '/v1/brands/fuzzed', {
      name: 'F',
      logo_base64: (await plain()).toString('base64'),
    }),
    manage<{ sha256: string }>('POST', '/v1/example-pictures', { image_base64: (await plain()).toString('base64') }),
  ]);
  const { delivery_id } = await manage<{ delivery_id: string }>('POST', '/v1/webhooks/test', {
    url: 'http://127.0.0.1:9/',
  });
  const found = await service.deps.db.query<{ event_id: string; endpoint_id: string }>(
    'select event_id, endpoint_id from webhook_deliveries where id = $1',
    [delivery_id],
  );
  return {
    '/v1/trial/verifications/': trial.body.id,
    '/v1/verifications/': made.id,
    '/v1/verify/': made.id,
    '/v1/api-keys/': key.id,
    '/v1/link-templates/': template.id,
    '/v1/brands/': 'fuzzed',
    '/v1/example-pictures/': picture.sha256,
    '/example-pictures/': `${picture.sha256}.jpg`,
    '/brand-logos/': new URL(brand.logo_url).pathname.split('/')[2]!,
    '/v1/webhook-deliveries/': delivery_id,
    '/v1/events/': found.rows[0]!.event_id,
    '/v1/webhook-endpoints/': found.rows[0]!.endpoint_id,
  };
}

let addresses = 0;
function someAddress(): string {
  addresses += 1;
  return `10.${(addresses >> 16) & 255}.${(addresses >> 8) & 255}.${addresses & 255}`;
}

interface Shot {
  /** Null: the one that is there. */
  id: string | null;
  search: string;
  body: string | Uint8Array | undefined;
  type: string;
  credential: 'right' | 'publishable' | 'secret' | 'unknown' | 'none';
  idempotencyKey: string | undefined;
}

/** Texts that are no JSON, or more of it than anything takes. */
const rawBodies = (example: string): fc.Arbitrary<string | Uint8Array> =>
  fc.oneof(
    fc.nat({ max: Math.max(0, example.length - 1) }).map(at => example.slice(0, at)),
    fc
      .tuple(fc.nat({ max: example.length }), fc.string({ maxLength: 5, unit: 'binary' }))
      .map(([at, text]) => example.slice(0, at) + text + example.slice(at)),
    fc.uint8Array({ maxLength: 50 }),
    fc.constantFrom(
      '[]',
      'null',
      '""',
      '{"a":1,"a":2}',
      '{"__proto__":{"a":1}}',
      '['.repeat(100),
      `[${'0,'.repeat(10_001)}0]`,
      `{"steps":[${'{},'.repeat(50)}{}]}`,
      '\ufeff{}',
      '1e999',
    ),
  );

function shots(endpoint: Endpoint): fc.Arbitrary<Shot> {
  const example = EXAMPLES[exampleKey(endpoint)]?.request;
  const json = (value: unknown) => JSON.stringify(value) ?? '';
  const schema = endpoint.body as never;
  const bodies: fc.Arbitrary<string | Uint8Array | undefined> = endpoint.body
    ? fc.oneof(
        { weight: 1, arbitrary: fc.constant(json(example)) },
        { weight: 5, arbitrary: mutated(fc.constant(example)).map(json) },
        { weight: 2, arbitrary: valid(schema).map(json) },
        { weight: 2, arbitrary: broken(schema).map(json) },
        { weight: 2, arbitrary: rawBodies(json(example)) },
      )
    : endpoint.method === 'GET'
      ? fc.constant(undefined)
      : fc.oneof({ weight: 4, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: rawBodies('{}') });
  const query = endpoint.query as never;
  const asSearch = (drawn: unknown) =>
    typeof drawn === 'object' && drawn !== null
      ? new URLSearchParams(
          Object.entries(drawn).map(([name, value]): [string, string] => [name, String(value).toWellFormed()]),
        ).toString()
      : '';
  const searches = fc.oneof(
    { weight: 3, arbitrary: fc.constant('') },
    { weight: 1, arbitrary: fc.constantFrom(...ODD_QUERIES) },
    ...(endpoint.query ? [{ weight: 6, arbitrary: fc.oneof(valid(query), broken(query)).map(asSearch) }] : []),
  );
  const unknown = fc.constantFrom('vfy', 'key', 'tpl', 'whd', 'evt').map(prefix => `${prefix}_${'0'.repeat(26)}`);
  return fc.record({
    id: fc.oneof(
      { weight: 6, arbitrary: fc.constant(null) },
      { weight: 1, arbitrary: unknown },
      { weight: 2, arbitrary: fc.constantFrom(...ODD_IDS) },
    ),
    search: searches,
    body: bodies,
    type: fc.oneof(
      { weight: 15, arbitrary: fc.constant('application/json') },
      {
        weight: 1,
        arbitrary: fc.constantFrom('text/plain', 'application/json; charset=latin1', 'multipart/form-data', 'x', '*/*'),
      },
    ),
    credential: fc.oneof(
      { weight: 12, arbitrary: fc.constant('right' as const) },
      { weight: 1, arbitrary: fc.constantFrom<Shot['credential'][]>('publishable', 'secret', 'unknown', 'none') },
    ),
    idempotencyKey: fc.oneof(
      { weight: 6, arbitrary: fc.constant(undefined) },
      { weight: 1, arbitrary: fc.constantFrom('one', 'two', 'x'.repeat(255), 'x'.repeat(256)) },
    ),
  });
}

describe('every API operation', () => {
  const service = serviceOfSuite({ worker: false, env: { TRUSTED_PROXIES: '127.0.0.1,::1' } });

  async function fire(
    endpoint: Endpoint,
    shot: Shot,
    targets: Targets,
  ): Promise<{ status: number; wrong: string | null }> {
    const target = Object.entries(targets).find(([prefix]) => endpoint.path.startsWith(`${prefix}:`))?.[1];
    const path =
      endpoint.path.replace(/:\w+/, () => shot.id ?? target ?? NOBODY) + (shot.search === '' ? '' : `?${shot.search}`);
    const { pk_test, rk_secret } = service.tenant;
    const right = endpoint.credentials.includes('key')
      ? pk_test
      : endpoint.credentials.includes('secret')
        ? rk_secret
        : null;
    const key = { right, publishable: pk_test, secret: rk_secret, unknown: 'pk_test_nobody', none: null }[
      shot.credential
    ];
    const ended = new AbortController();
    const answer = await fetch(`${service.url}${path}`, {
      method: endpoint.method,
      headers: {
        'x-forwarded-for': someAddress(),
        ...(key === null ? {} : { authorization: `Bearer ${key}` }),
        ...(shot.body === undefined ? {} : { 'content-type': shot.type }),
        ...(shot.idempotencyKey === undefined ? {} : { 'idempotency-key': shot.idempotencyKey }),
      },
      ...(shot.body === undefined ? {} : { body: shot.body as string }),
      signal: ended.signal,
    });
    const { status } = answer;
    const type = answer.headers.get('content-type') ?? '';
    // A stream does not end by itself.
    const text = type.startsWith('text/event-stream') ? '' : await answer.text();
    ended.abort();
    const body = type.startsWith('application/json') ? JSON.parse(text) : text;
    const described = undescribed(endpoint.method, path, status, body);
    const wrong = status >= 500 ? `${exampleKey(endpoint)} → ${status}` : described;
    return { status, wrong: wrong && `${wrong} for ${path.slice(0, 200)} ${String(shot.body).slice(0, 400)}` };
  }

  it(`answers ${REQUESTS} requests drawn from its example without a 5xx or an undescribed answer (seed ${SEED})`, async () => {
    const each = Math.ceil(REQUESTS / ENDPOINTS.length);
    const wrong: string[] = [];
    const statuses = new Map<number, number>();
    let sent = 0;
    for (const endpoint of ENDPOINTS) {
      const drawn = fc.sample(shots(endpoint), { numRuns: each, seed: SEED });
      for (let from = 0; from < each; from += FRESH_EVERY) {
        const targets = await makeTargets(service);
        const batch = drawn.slice(from, from + FRESH_EVERY);
        const one = async () => {
          for (let shot = batch.pop(); shot; shot = batch.pop()) {
            const answer = await fire(endpoint, shot, targets);
            sent += 1;
            statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
            if (answer.wrong) wrong.push(answer.wrong);
          }
        };
        await Promise.all(Array.from({ length: PARALLEL }, one));
      }
    }
    expect(wrong.slice(0, 10)).toEqual([]);
    expect(sent).toBeGreaterThanOrEqual(REQUESTS);
    // The run reaches what it is to reach: answers of every kind, and hardly a refusal for its pace.
    for (const status of [200, 201, 204, 400, 401, 403, 404, 409])
      expect([status, statuses.has(status)]).toEqual([status, true]);
    expect(statuses.get(200)).toBeGreaterThan(REQUESTS / 20);
    expect(statuses.get(400)).toBeGreaterThan(REQUESTS / 5);
    expect(statuses.get(429) ?? 0).toBeLessThan(REQUESTS / 100);
  }, 900_000);
});
