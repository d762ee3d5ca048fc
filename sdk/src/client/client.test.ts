import { describe, expect, it, vi } from 'vitest';
import {
  ApiError,
  ConnectionError,
  Firsthand,
  IdempotencyConflictError,
  InvalidRequestError,
  NotFoundError,
  type RequestOptions,
  TimeoutError,
} from '../index.ts';
import { signWebhook } from '../webhooks.ts';

const BASE = 'https://photos.example';
const ID = 'vfy_01JD3V6Z8Q4M2N7R5T9W1X3Y6Z';

interface Asked {
  method: string;
  url: string;
  headers: Record<string, string>;
  body: string | undefined;
}
type Reply = Response | Error | ((asked: Asked, signal: AbortSignal) => Promise<Response>);

const json = (body: unknown, status = 200, headers: Record<string, string> = {}) =>
  new Response(JSON.stringify(body), { status, headers: { 'request-id': '01JREQUEST', ...headers } });
const refusal = (code: string, status: number, headers = {}) =>
  json({ error: { code, message: 'No.' } }, status, { 'retry-after': '0', ...headers });

/** A client whose requests are answered in turn, with the requests it made. */
function clientOf(replies: Reply[], more: Partial<ConstructorParameters<typeof Firsthand>[1]> = {}) {
  const asked: Asked[] = [];
  const answer = async (url: string | URL | Request, init: RequestInit = {}) => {
    const one: Asked = {
      method: init.method!,
      url: String(url),
      headers: init.headers as Record<string, string>,
      body: init.body as string | undefined,
    };
    asked.push(one);
    const reply = replies.shift();
    if (!reply) throw new Error('no reply is left');
    if (reply instanceof Error) throw reply;
    return typeof reply === 'function' ? reply(one, init.signal!) : reply;
  };
  return { asked, client: new Firsthand('pk_test_1', { baseUrl: `${BASE}/`, fetch: answer as typeof fetch, ...more }) };
}

const hanging = (_: Asked, signal: AbortSignal) =>
  new Promise<Response>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));

describe('Firsthand client', () => {
  it('sends path, query, body and key where the operation has them', async () => {
    const { asked, client } = clientOf([json({ id: ID }), json({ data: [] }), json({}), json({ rows: 1 })]);
    await client.verifications.create({ max_captures: 2 });
    await client.verifications.list({ status: ['completed', 'failed'], limit: 5 });
    await client.verifications.finalize('a/b', { narrative: 'It rained.' });
    await client.batches.create('name\nAda', { dry_run: true });
    expect(asked.map(({ method, url, body }) => [method, url.slice(BASE.length), body])).toEqual([
      ['POST', '/v1/verifications', '{"max_captures":2}'],
      ['GET', '/v1/verifications?status=completed%2Cfailed&limit=5', undefined],
      ['POST', '/v1/verifications/a%2Fb/finalize', '{"narrative":"It rained."}'],
      ['POST', '/v1/batches?dry_run=true', 'name\nAda'],
    ]);
    expect(asked[0]!.headers).toMatchObject({ authorization: 'Bearer pk_test_1', 'content-type': 'application/json' });
    expect(asked[3]!.headers).toMatchObject({ 'content-type': 'text/csv' });
    expect(() => client.verifications.get('')).toThrow(TypeError);
  });

  it('list is a promise of its first page, which it asks for once it is used', async () => {
    const { asked, client } = clientOf([json({ data: [{ id: ID }] }), refusal('not_found', 404)]);
    const list = client.verifications.list();
    expect(list).toBeInstanceOf(Promise);
    expect(asked).toEqual([]);
    const [page] = await Promise.all([list, list.finally(() => {})]);
    expect([page.data.length, asked.length]).toEqual([1, 1]);
    expect(await client.verifications.list().catch(error => error)).toBeInstanceOf(NotFoundError);
  });

  it.each([{ metadata: { claim: 'C 1' } }, { 'metadata[claim]': 'C 1' }])('list filters by %j', async filter => {
    const { asked, client } = clientOf([json({ data: [] })]);
    await client.verifications.list({ limit: 5, ...filter });
    expect(new URL(asked[0]!.url).searchParams.get('metadata[claim]')).toBe('C 1');
  });

  it.each([
    ['429', refusal('too_many_requests', 429)],
    ['500', refusal('internal_error', 500)],
    ['503', refusal('storage_unavailable', 503)],
    ['a proxy that is not ready', new Response('<html>', { status: 502, headers: { 'retry-after': '0' } })],
    ['idempotency_in_progress', refusal('idempotency_in_progress', 409)],
    ['a broken connection', new TypeError('fetch failed')],
  ])('retries a POST after %s with the same Idempotency-Key', async (_, first) => {
    const { asked, client } = clientOf([first, json({ id: ID }, 201)]);
    expect((await client.verifications.create({})).id).toBe(ID);
    const keys = asked.map(({ headers }) => headers['idempotency-key']);
    expect(keys[0]).toMatch(/^[0-9a-f-]{36}$/);
    expect(keys).toEqual([keys[0], keys[0]]);
  });

  it.each(['61', '2592000', '9'.repeat(400), 'Tue, 01 Jan 2999 00:00:00 GMT'])(
    'leaves a Retry-After of %s to the caller of a stream or a download',
    async asked => {
      const { asked: requests, client } = clientOf([
        refusal('storage_unavailable', 503, { 'retry-after': asked }),
        new Response(null, { status: 202, headers: { 'retry-after': asked } }),
      ]);
      const following = client.events.follow()[Symbol.asyncIterator]().next();
      expect(((await following.catch(error => error)) as ApiError).retryAfterMs).toBeGreaterThan(60_000);
      await expect(client.evidence.download(ID)).rejects.toThrow(/not ready yet; ask again in/);
      expect(requests).toHaveLength(2);
    },
  );

  it.each([2 ** 31, Number.POSITIVE_INFINITY])(
    'takes a time limit of %d ms, which no timer can keep',
    async timeoutMs => {
      const slow = async () => {
        await new Promise(resolve => setTimeout(resolve, 50));
        return json({ id: ID });
      };
      const { client } = clientOf([slow], { timeoutMs, maxRetries: 0 });
      expect((await client.verifications.get(ID)).id).toBe(ID);
    },
  );

  it.each([{}, { timeoutMs: 20 }])(
    'ends an upload that gets no answer, with the options %j of the call',
    async options => {
      const target = { image_key: 'k', upload_url: 'https://store.example/put', method: 'PUT', headers: {} };
      const { client } = clientOf([json(target, 201), hanging], { timeoutMs: options.timeoutMs ? 60_000 : 20 });
      const sent = client.captures.upload(ID, new Uint8Array(5), options);
      await expect(sent).rejects.toThrow(new TimeoutError(`${target.upload_url} gave no answer within 20 ms`));
    },
  );

  it('waits for Retry-After, and leaves a wait over a minute to the caller', async () => {
    const { client } = clientOf([refusal('too_many_requests', 429, { 'retry-after': '1' }), json({ id: ID })]);
    const began = performance.now();
    await client.verifications.get(ID);
    expect(performance.now() - began).toBeGreaterThan(990);
    const { client: other } = clientOf([refusal('too_many_requests', 429, { 'retry-after': '61' })]);
    await expect(other.verifications.get(ID)).rejects.toMatchObject({
      code: 'too_many_requests',
      retryAfterMs: 61_000,
    });
  });

  it('gives up after maxRetries', async () => {
    const down = () => new TypeError('fetch failed', { cause: { code: 'ECONNREFUSED' } });
    const { asked, client } = clientOf([down(), down(), down()], { maxRetries: 1 });
    await expect(client.verifications.get(ID)).rejects.toThrow(/does not answer \(ECONNREFUSED\)/);
    expect(asked).toHaveLength(2);
    await expect(client.verifications.get(ID, { maxRetries: 0 })).rejects.toBeInstanceOf(ConnectionError);
  });

  it('says of a lost connection that Node.js leaves a proxy of the environment unused', async () => {
    vi.stubEnv('https_proxy', 'http://proxy.example:3128');
    try {
      const { client } = clientOf([new TypeError('fetch failed')], { maxRetries: 0 });
      await expect(client.verifications.get(ID)).rejects.toThrow(/https_proxy is set, .* NODE_USE_ENV_PROXY=1$/);
    } finally {
      vi.unstubAllEnvs();
    }
  });

  it.each([
    ['invalid_request', 400, InvalidRequestError],
    ['not_found', 404, NotFoundError],
    ['idempotency_conflict', 422, IdempotencyConflictError],
    ['a_code_of_a_later_version', 409, ApiError],
  ])('throws the class of %s once, with the request id', async (code, status, Class) => {
    const fields = [{ path: 'steps.0.max', message: 'must be at least 1', code: 'too_small', params: { min: 1 } }];
    const doc_url = 'http://localhost:8080/docs/errors#invalid_request';
    const { asked, client } = clientOf([
      json({ error: { code, message: 'No.', doc_url, fields, params: { sent: 'session' } } }, status),
    ]);
    const error = await client.verifications.create({}).then(
      () => null,
      (caught: ApiError) => caught,
    );
    expect(error).toBeInstanceOf(Class);
    expect(error).toMatchObject({
      code,
      status,
      fields,
      params: { sent: 'session' },
      docUrl: doc_url,
      requestId: '01JREQUEST',
      message: 'No. steps.0.max must be at least 1',
    });
    expect(asked).toHaveLength(1);
  });

  it('ends a request that takes too long, and one that the caller aborts', async () => {
    const { client } = clientOf([hanging, hanging]);
    await expect(client.verifications.get(ID, { timeoutMs: 20, maxRetries: 0 })).rejects.toBeInstanceOf(TimeoutError);
    const reason = new Error('The person left.');
    const options: RequestOptions = { signal: AbortSignal.any([]) };
    const ending = new AbortController();
    const asking = client.verifications.get(ID, { ...options, signal: ending.signal });
    ending.abort(reason);
    await expect(asking).rejects.toBe(reason);
  });

  it('ends a retry that waits when the caller aborts', async () => {
    const { client } = clientOf([refusal('too_many_requests', 429, { 'retry-after': '30' })]);
    await expect(client.verifications.get(ID, { signal: AbortSignal.timeout(20) })).rejects.toMatchObject({
      name: 'TimeoutError',
    });
  });

  it('loops over every item of all pages, and asks for a page once when it is awaited', async () => {
    const pages = () => [json({ data: [{ id: 'a' }, { id: 'b' }], next_cursor: 'two' }), json({ data: [{ id: 'c' }] })];
    const { asked, client } = clientOf([...pages(), ...pages()]);
    const ids: string[] = [];
    for await (const { id } of client.verifications.list({ limit: 2 })) ids.push(id);
    expect(ids).toEqual(['a', 'b', 'c']);
    expect(asked[1]!.url).toBe(`${BASE}/v1/verifications?limit=2&cursor=two`);
    const list = client.verifications.list();
    expect((await list).next_cursor).toBe('two');
    expect((await list).data).toHaveLength(2);
    expect(asked).toHaveLength(3);
  });

  it('waits for a file that is being prepared, and streams it', async () => {
    const file = new Response('PK', {
      headers: { 'content-type': 'application/zip', 'content-disposition': `attachment; filename="${ID}.zip"` },
    });
    const { asked, client } = clientOf([new Response(null, { status: 202, headers: { 'retry-after': '0' } }), file]);
    const download = await client.evidence.download(ID);
    expect([download.contentType, download.filename, await download.text()]).toEqual([
      'application/zip',
      `${ID}.zip`,
      'PK',
    ]);
    expect(asked).toHaveLength(2);
  });

  it('waits for a verdict, and says what it waited for', async () => {
    const seen = (more: object) => json({ id: ID, status: 'partially_captured', ...more });
    const { client } = clientOf([seen({}), seen({}), seen({ status: 'completed', verdict: { label: 'verified' } })]);
    expect((await client.verifications.waitForVerdict(ID)).verdict?.label).toBe('verified');
    const { client: slow } = clientOf([seen({}), seen({})]);
    await expect(slow.verifications.waitForVerdict(ID, { waitMs: 10 })).rejects.toThrow(/partially_captured/);
    const { client: ended } = clientOf([seen({ status: 'expired' })]);
    expect((await ended.verifications.waitForVerdict(ID)).status).toBe('expired');
  });

  it('follows events over a lost connection from its cursor', async () => {
    const stream = (...blocks: string[]) => new Response(blocks.map(block => `${block}\n\n`).join(''));
    const event = (id: string, cursor: string) =>
      `event: event\nid: ${cursor}\ndata: ${JSON.stringify({ id, type: 'verification.created', livemode: false, body: '{}' })}`;
    const { asked, client } = clientOf([
      stream('event: ready\nid: 1\ndata: {}', event('evt_1', '2')),
      stream(event('evt_2', '3')),
      refusal('unauthorized', 401),
    ]);
    const seen: string[] = [];
    const lost: unknown[] = [];
    const following = async () => {
      for await (const { id, cursor } of client.events.follow(
        { mode: 'test' },
        { onReconnect: error => lost.push(error) },
      )) {
        seen.push(`${id} at ${cursor}`);
      }
    };
    await expect(following()).rejects.toMatchObject({ code: 'unauthorized' });
    expect(seen).toEqual(['evt_1 at 2', 'evt_2 at 3']);
    expect(asked.map(({ headers }) => headers['last-event-id'])).toEqual([undefined, '2', '3']);
    expect(lost).toHaveLength(2);
  });

  it('unwraps a webhook to its event', async () => {
    const secret = `whsec_${btoa('an example of a webhook secret!!')}`;
    const body = JSON.stringify({
      type: 'verification.completed',
      timestamp: '2026-11-21T09:31:12.000Z',
      data: { id: ID },
    });
    const headers = await signWebhook('evt_1', body, secret);
    const { client } = clientOf([], { webhookSecret: secret });
    const event = await client.webhooks.unwrap(body, headers);
    if (event.type === 'webhook.test') throw new Error('another event');
    expect(event.data.id).toBe(ID);
    await expect(client.webhooks.unwrap(`${body} `, headers)).rejects.toMatchObject({ reason: 'bad_signature' });
  });

  it('refuses to be made without an address or a key', () => {
    expect(() => new Firsthand(process.env.NO_SUCH_VARIABLE, { baseUrl: BASE })).toThrow(/environment variable/);
    expect(() => new Firsthand('pk_test_1', {} as { baseUrl: string })).toThrow(/baseUrl/);
    expect(() => new Firsthand(null, { baseUrl: BASE })).not.toThrow();
  });
});
