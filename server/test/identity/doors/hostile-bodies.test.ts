import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { NewTenant } from '../../../src/identity/tenants/create.ts';
import type { Failure } from '../../support/failure.ts';
import { createVerification } from '../../support/harness.ts';
import { firstRunOf, freePort, type ServiceProcess, startServiceProcess } from '../../support/service-process.ts';
import { mainThreadMs } from './main-thread.ts';

const MB = 1_048_576;
const many = (n: number, item: string) => Array.from({ length: n }, () => item).join(',');
const members = (n: number, value: string) => Array.from({ length: n }, (_, i) => `"k${i}":${value}`).join(',');

/** Bodies whose reading once took seconds, and their siblings. */
const ANYWHERE: [name: string, body: () => string][] = [
  ['nested brackets', () => '['.repeat(0.9 * MB)],
  ['nested objects', () => '{"a":'.repeat(150_000)],
  ['an empty list many times', () => `[${many(300_000, '[]')}]`],
  ['unknown names', () => `{${members(80_000, '1')}}`],
  ['9,990 unknown names', () => `{${members(9_990, '1')}}`],
  ['1,600 empty steps', () => `{"steps":[${many(1_600, '{}')}]}`],
  ['1,000 empty steps', () => `{"steps":[${many(1_000, '{}')}]}`],
  ['1,000 steps of another kind', () => `{"steps":[${many(1_000, '{"type":"x","min":"1"}')}]}`],
  ['50,000 numbers in metadata', () => `{"metadata":{${members(50_000, '1')}}}`],
  ['499 numbers in metadata', () => `{"metadata":{${members(499, '1')}}}`],
  ['50,000 nulls in attributes', () => `{"context":{"attributes":{${members(50_000, 'null')}}}}`],
  ['1,000 nulls in attributes', () => `{"context":{"attributes":{${members(1_000, 'null')}}}}`],
  ['100,000 wrong signals', () => `{"signals_required":[${many(100_000, '"x"')}]}`],
  ['1,000 wrong signals', () => `{"signals_required":[${many(1_000, '"x"')}]}`],
  ['100,000 aspects', () => `{"condition_aspects":[${many(100_000, '1')}]}`],
  ['50,000 answers', () => `{"answers":{${members(50_000, '1')}}}`],
  ['1,000 answers', () => `{"answers":{${members(1_000, '1')}}}`],
  ['a text of a megabyte', () => `{"expected_object":"${'x'.repeat(MB - 100)}"}`],
  ['an address of 200 kB', () => `{"webhook_url":"http://${'a.'.repeat(100_000)}"}`],
  ['an e-mail address of 200 kB', () => `{"notify_email":"${'a.'.repeat(50_000)}@${'b-'.repeat(50_000)}"}`],
  ['a name of a megabyte', () => `{"${'n'.repeat(MB - 100)}":1}`],
  ['escapes', () => `{"expected_object":"${'\\u0000'.repeat(40_000)}"}`],
  ['a number of a megabyte', () => `{"max_captures":${'9'.repeat(MB - 100)}}`],
  ['spaces', () => ' '.repeat(MB - 10)],
];

/** The limit of a capture's body, 17 MB. Other bodies are smaller. */
const CAPTURES: [name: string, body: () => string][] = [
  ['16 MB of brackets', () => '['.repeat(16 * MB)],
  ['16 MB of names', () => `{${members(1_300_000, '1')}}`],
  ['a picture beside 9 MB of names', () => `{"image_base64":"${'A'.repeat(7 * MB)}",${members(600_000, '1')}}`],
  ['two pictures that are none', () => pictures('A'.repeat(8 * MB))],
  ['two pictures with escapes', () => ESCAPES],
  ['two pictures of the last character wrong', () => pictures(`${'A'.repeat(8 * MB - 4)}A!AA`)],
  ['two pictures of the wrong alphabet', () => pictures('!'.repeat(8 * MB))],
  ['a picture of quotes', () => `{"image_base64":"${'\\"'.repeat(8 * MB)}"}`],
  ['a picture of backslashes', () => `{"image_base64":"${'\\\\'.repeat(8 * MB)}"}`],
  ['a picture without an end', () => `{"image_base64":"${'A'.repeat(16 * MB)}`],
  ['a picture inside another object', () => `{"a":{"image_base64":"${'A'.repeat(16 * MB)}"}}`],
  ['JPEG stuffing', () => pictures(jpeg(Buffer.alloc(6 * MB - 2_000, Buffer.from([0xff, 0x00]))))],
  [
    'JPEG segments',
    () => pictures(jpeg(Buffer.alloc(0), Buffer.alloc(6 * MB - 2_000, Buffer.from('fffe0002', 'hex')))),
  ],
  ['PNG chunks', () => pictures(pngOfChunks(6 * MB - 2_000))],
];

const pictures = (base64: string) => `{"image_base64":"${base64}","motion_frame_base64":"${base64}"}`;
const HONEST = pictures('A'.repeat(8 * MB));
/** Takes any parser twice as long. */
const ESCAPES = pictures('\\/'.repeat(4 * MB));

function jpeg(scan: Buffer, segments = Buffer.alloc(0)): string {
  const frame = Buffer.from('ffc0000b080010001001011100', 'hex');
  return Buffer.concat([
    Buffer.from('ffd8', 'hex'),
    segments,
    frame,
    Buffer.from('ffda0008010100003f00', 'hex'),
    scan,
  ]).toString('base64');
}

function pngOfChunks(bytes: number): string {
  const header = Buffer.from('89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c489', 'hex');
  return Buffer.concat([header, Buffer.alloc(bytes, Buffer.from('000000007465787400000000', 'hex'))]).toString(
    'base64',
  );
}

/** Bodies of a batch, which may have 32 MB: they are read a slice at a time, so each may cost more, but others come in between. */
const BATCHES: [name: string, type: string, make: () => string][] = [
  ['one cell of 30 MB', 'text/csv', () => `name\n"${'A'.repeat(30 * MB)}"\n`],
  ['a quote that never ends', 'text/csv', () => `name\n"${'a,b\n'.repeat(7 * MB)}`],
  ['a row of thirty million cells', 'text/csv', () => `name\n${','.repeat(30 * MB)}\n`],
  ['two million blank lines', 'text/csv', () => `nome\n${'\n'.repeat(2 * MB)}`],
  ['a header of a million columns', 'text/csv', () => `${'x,'.repeat(MB)}x\n1\n`],
  [
    'ten thousand rows with four faults each',
    'text/csv',
    () => {
      const row = `nobody,12,${'z'.repeat(200)},${'a;'.repeat(60)}\n`;
      return `email,phone_e164,external_ref,condition_aspects\n${row.repeat(10_000)}`;
    },
  ],
  [
    'rows nested fifteen million deep',
    'application/json',
    () => `{"rows":${'['.repeat(15 * MB)}${']'.repeat(15 * MB)}}`,
  ],
  ['one JSON row of 30 MB', 'application/json', () => `{"rows":[{"name":"${'A'.repeat(30 * MB)}"}]}`],
  [
    'a million keys in one row',
    'application/json',
    () => {
      const keys = Array.from({ length: MB }, (_, n) => `"k${n}":1`);
      return `{"rows":[{${keys.join()}}]}`;
    },
  ],
];

/** Of the main thread, for one body; sockets and garbage included. */
const MOST_MS = 50;
/** A slower machine: times what a bare server spends there (`bare-server.ts`) on the largest honest capture, or on escapes. */
const MOST_TIMES_BARE = 2;

describe.skipIf(!existsSync('/proc/self/schedstat'))('a body costs no more than 50 ms of the main thread', () => {
  let folder: string;
  let service: ServiceProcess;
  let tenant: NewTenant;
  let routes: [method: string, path: string, key?: string][];
  let bare: ChildProcess;
  let bareUrl: string;
  beforeAll(async () => {
    bare = fork(join(import.meta.dirname, 'bare-server.ts'));
    [bareUrl] = (await once(bare, 'message')) as [string];
    folder = await mkdtemp(join(tmpdir(), 'fh-test-'));
    const env = { HOST: '127.0.0.1', TRUSTED_PROXIES: '127.0.0.1,::1', LOG_LEVEL: 'error' };
    service = startServiceProcess({ dataDir: join(folder, 'data'), port: await freePort(), env });
    await service.ready();
    tenant = await firstRunOf(join(folder, 'data'));
    const { id } = await createVerification({ url: service.url, tenant } as never, { metadata: {} });
    routes = [
      ['POST', '/v1/trial/verifications'],
      ['POST', '/v1/verifications', tenant.pk_test],
      ['POST', '/v1/link-templates', tenant.rk_secret],
      ['POST', `/v1/verifications/${id}/answers`],
      ['POST', `/v1/verifications/${id}/progress`],
      ['POST', `/v1/verifications/${id}/captures/upload-url`],
      ['PATCH', '/v1/settings', tenant.rk_secret],
      ['PUT', '/v1/brands/hostile', tenant.rk_secret],
      ['POST', `/v1/verifications/${id}/captures`],
    ];
  });
  afterAll(async () => {
    bare?.kill();
    await service?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  let sender = 0;
  async function send(method: string, path: string, body: string, key?: string, type = 'application/json') {
    sender += 1;
    const answer = await fetch(`${service.url}${path}`, {
      method,
      body,
      headers: {
        'content-type': type,
        'x-forwarded-for': `10.${(sender >> 16) & 255}.${(sender >> 8) & 255}.${sender & 255}`,
        ...(key ? { authorization: `Bearer ${key}` } : {}),
      },
    });
    return { status: answer.status, text: await answer.text() };
  }

  const spent = (): number => mainThreadMs(service.process.pid!);

  function expectRefused({ status, text }: { status: number; text: string }, body: string): void {
    expect(status).toBe(400);
    const { error } = JSON.parse(text) as Failure;
    expect(error.code).toBe('invalid_request');
    expect(error.fields?.length).toBeGreaterThan(0);
    expect(error.fields?.length).toBeLessThanOrEqual(100);
    for (const fault of error.fields ?? []) {
      expect(fault.path.length).toBeLessThanOrEqual(100);
      expect(fault.message).not.toMatch(/must be $|undefined|NaN/);
    }
    expect(text.length).toBeLessThan(30_000);
    expect(body.length).toBeGreaterThan(0);
  }

  /** Main-thread milliseconds of the service for one body that it refuses. */
  async function cost(method: string, path: string, body: string, key?: string): Promise<number> {
    const before = spent();
    expectRefused(await send(method, path, body, key), body);
    return spent() - before;
  }

  /** The most that a body may cost, on this machine and at this moment. */
  async function mostMs(body = HONEST): Promise<number> {
    const decoded = (body === ESCAPES ? 3 : 6) * MB;
    const runs: number[] = [];
    for (let run = 0; run < 5; run += 1) {
      const before = mainThreadMs(bare.pid!);
      const answer = await fetch(bareUrl, { method: 'POST', body });
      expect(await answer.json()).toEqual([decoded, decoded]);
      runs.push(mainThreadMs(bare.pid!) - before);
    }
    return Math.max(MOST_MS, MOST_TIMES_BARE * runs.toSorted((a, b) => a - b)[2]!);
  }

  /**
   * The least of several runs counts, because the first ones compile. A busy machine distorts both measurements, so they are compared
   * in up to three rounds. A body that costs too much fails all of them.
   */
  async function expectCheap(method: string, path: string, body: string, key?: string): Promise<void> {
    let least = Number.POSITIVE_INFINITY;
    let most = MOST_MS;
    for (let round = 0; round < 3 && least >= most; round += 1) {
      for (let run = 0; run < 8 && least >= most; run += 1) {
        least = Math.min(least, await cost(method, path, body, key));
      }
      if (least >= most) most = await mostMs(body === ESCAPES ? body : HONEST);
    }
    expect(least, `${method} ${path}`).toBeLessThan(most);
  }

  it.each(ANYWHERE)('on any route: %s', async (_name, make) => {
    const body = make();
    for (const [method, path, key] of routes) await expectCheap(method, path, body, key);
  });

  it.each(CAPTURES)('on a capture: %s', async (_name, make) => {
    const body = make();
    const { id } = await createVerification({ url: service.url, tenant } as never, {});
    await expectCheap('POST', `/v1/verifications/${id}/captures`, body);
  });

  it('nor does a picture of 25 MB that was uploaded', async () => {
    const bytes = new Uint8Array(Buffer.from(jpeg(Buffer.alloc(25 * MB - 2_000, Buffer.from([0xff, 0x00]))), 'base64'));
    const { id } = await createVerification({ url: service.url, tenant } as never, {});
    const path = `/v1/verifications/${id}/captures`;
    const asked = await send('POST', `${path}/upload-url`, '{"contentType":"image/jpeg"}');
    const upload = JSON.parse(asked.text) as { upload_url: string; image_key: string; headers: Record<string, string> };
    const put = await fetch(upload.upload_url, { method: 'PUT', headers: upload.headers, body: bytes });
    expect(put.status).toBe(200);
    const body = JSON.stringify({ image_key: upload.image_key, image_sha256: '0'.repeat(64) });
    await expectCheap('POST', path, body);
  });

  it.each(BATCHES)('nor does a batch keep others waiting: %s', async (_name, type, make) => {
    const body = make();
    const most = await mostMs();
    const poller = fork(join(import.meta.dirname, 'healthz-poller.ts'), [service.url, `${service.process.pid}`]);
    await once(poller, 'message');
    const answer = await send('POST', '/v1/batches', body, tenant.rk_secret, type);
    poller.send('stop');
    const [waits] = (await once(poller, 'message')) as [number[]];
    expectRefused(answer, body);
    expect(Math.max(...waits)).toBeLessThan(4 * most);
  });

  it('and twenty of 17 MB at once keep nobody waiting for all of them', async () => {
    const bodies = CAPTURES.slice(0, 7).map(([, make]) => make());
    const { id } = await createVerification({ url: service.url, tenant } as never, {});
    let oneByOne = 0;
    for (const body of bodies) oneByOne += await cost('POST', `/v1/verifications/${id}/captures`, body);
    const most = await mostMs();
    const poller = fork(join(import.meta.dirname, 'healthz-poller.ts'), [service.url, `${service.process.pid}`]);
    await once(poller, 'message');
    const began = spent();
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, i) =>
        send('POST', `/v1/verifications/${id}/captures`, bodies[i % bodies.length]!),
      ),
    );
    const together = spent() - began;
    poller.send('stop');
    const [waits] = (await once(poller, 'message')) as [number[]];
    expect(answers.map(answer => answer.status)).toEqual(Array<number>(20).fill(400));
    // Each costs what it costs by itself, give or take what busy cores do to each other (up to 3.5 times was seen).
    expect(together).toBeLessThan(6 * (20 / bodies.length) * oneByOne);
    expect(waits.length).toBeGreaterThan(3);
    // A request in between waits for slices of a few of them, never for all.
    expect(Math.max(...waits)).toBeLessThan(4 * most);
  });
});
