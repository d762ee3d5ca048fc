import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Verification } from '@firsthand/contract/verification/verification.ts';
import { hamming } from '@firsthand/forensics/phash/hash.ts';
import { WHOLE } from '@firsthand/forensics/phash/plane.ts';
import sharp from 'sharp';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import {
  createVerification,
  startTestService,
  submit,
  type TestService,
  untilStatus,
} from '../../../../test/support/harness.ts';
import { scene } from '../../../../test/support/pictures.ts';
import { transaction } from '../../../platform/db/sql.ts';
import { newId } from '../../../platform/lib/ids.ts';
import { importCorpus } from './corpus.ts';
import { type EngineFault, enginesOf } from './engines.ts';
import { fileFingerprints } from './filing.ts';
import { lookUp } from './find.ts';
import type { ReverseSignal } from './search.ts';
import { filings } from './slots.ts';
import { forgetCaptures, rememberPicture, scopeId } from './store.ts';
import { readUnfiled } from './unfiled.ts';

let service: TestService;
let folder: string;
beforeAll(async () => {
  service = await startTestService();
  folder = await mkdtemp(join(tmpdir(), 'fh-corpus-'));
});
afterAll(async () => {
  await service?.stop();
  await rm(folder, { recursive: true, force: true });
});

const REVERSE = { signals_required: ['reverse'], steps: [{ type: 'upload', key: 'file', min: 1, max: 3 }] };

/** Submits a picture to a new verification and returns the result. */
async function verify(bytes: Uint8Array, body: object = REVERSE, key = service.tenant.pk_test) {
  const { id } = await createVerification(service, body, key);
  expect((await submit(service, id, bytes, { step_key: 'file' })).status).toBe(201);
  const done = await untilStatus(service, id, ['completed'], key);
  return { id, verdict: done.verdict!, signal: signalOf(done) };
}
const signalOf = (done: Verification) => done.captures.at(-1)!.signals!.reverse_search as unknown as ReverseSignal;

describe('reverse signal', () => {
  test('finds an earlier picture, also mirrored and recompressed; the first one has no match', async () => {
    const tenant = await service.newTenant();
    const picture = await scene(21);
    const first = await verify(picture, REVERSE, tenant.pk_test);
    expect(first.signal).toMatchObject({
      found_online: false,
      match_count: 0,
      evaluated: false,
      reason: 'nothing_to_search',
    });
    expect(first.verdict).toMatchObject({ label: 'suspicious', score: 0.5 });
    expect(first.verdict).not.toHaveProperty('reason_code');

    const mirrored = await sharp(picture).flop().resize(900).jpeg({ quality: 60 }).toBuffer();
    const second = await verify(mirrored, REVERSE, tenant.pk_test);
    expect(second.signal).toMatchObject({ found_online: true, match_count: 1, evaluated: true, band: 'confident' });
    expect(second.signal.matches[0]).toMatchObject({ source: 'earlier_capture', verification_id: first.id });
    expect(second.verdict).toMatchObject({ label: 'failed', reason_code: 'reverse_search_match' });

    const other = await verify(await scene(22), REVERSE, tenant.pk_test);
    expect(other.signal).toMatchObject({
      found_online: false,
      match_count: 0,
      evaluated: true,
      searched: [{ corpus: 'earlier_captures' }],
    });
  });

  test('never searches across tenants, or live and test mode', async () => {
    const [mine, theirs] = [await service.newTenant(), await service.newTenant()];
    const picture = await scene(23);
    await verify(picture, REVERSE, mine.pk_test);
    expect((await verify(picture, REVERSE, theirs.pk_test)).signal.evaluated).toBe(false);
    expect((await verify(picture, REVERSE, mine.pk_live)).signal.evaluated).toBe(false);
  });

  test('does not match pictures of the same verification', async () => {
    const tenant = await service.newTenant();
    const picture = await scene(24);
    const steps = [{ type: 'upload', key: 'file', min: 2, max: 2 }];
    const { id } = await createVerification(service, { signals_required: ['reverse'], steps }, tenant.pk_test);
    for (let i = 0; i < 2; i++) await submit(service, id, picture, { step_key: 'file' });
    const done = await untilStatus(service, id, ['completed'], tenant.pk_test);
    expect(signalOf(done)).toMatchObject({ found_online: false, evaluated: false });
  });

  test('calls an earlier picture of the same subject doubtful, as a retry', async () => {
    const tenant = await service.newTenant();
    const picture = await scene(25);
    const body = { ...REVERSE, expected_info: { subject: { person: { external_ref: 'claim 7' } } } };
    await verify(picture, body, tenant.pk_test);
    const again = await verify(picture, body, tenant.pk_test);
    expect(again.signal).toMatchObject({ found_online: true, band: 'doubtful' });
    expect(again.verdict.label).toBe('suspicious');
  });

  test('finds nothing after the captures were erased, and keeps nothing of them', async () => {
    const tenant = await service.newTenant();
    const picture = await scene(26);
    const first = await verify(picture, REVERSE, tenant.pk_test);
    const { rows } = await service.deps.db.query<{ id: string; picture: string }>(
      `select captures.id, pictures.id as picture from captures join reverse_pictures pictures on capture_id = captures.id
       where captures.verification_id = $1`,
      [first.id],
    );
    const entries = await service.deps.db.query('select id, hash::text from reverse_entries where picture_id = $1', [
      rows[0]!.picture,
    ]);
    expect(entries.rowCount).toBeGreaterThanOrEqual(2);
    await transaction(service.deps.db, tx => forgetCaptures(tx, [rows[0]!.id]));
    const left = await service.deps.db.query<{ key: string; records: Buffer }>(
      'select key, records from reverse_slots',
    );
    for (const { id } of entries.rows)
      expect(left.rows.filter(({ records }) => holds(records, Number(id)))).toEqual([]);
    expect((await verify(picture, REVERSE, tenant.pk_test)).signal.found_online).toBe(false);
  });

  test('finds an earlier picture and a part of it, after it was filed too', async () => {
    const tenant = await service.newTenant();
    const picture = await scene(27);
    const first = await verify(picture, REVERSE, tenant.pk_test);
    expect(await file(tenant.tenant_id)).toBe(0);
    await verify(await scene(28), REVERSE, tenant.pk_test);
    const again = await verify(await sharp(picture).resize(800).jpeg().toBuffer(), REVERSE, tenant.pk_test);
    expect(again.signal.matches.map(match => 'verification_id' in match && match.verification_id)).toEqual([first.id]);
  });
});

/** Files what waits in an account's test mode. Returns how many entries still wait. */
async function file(tenantId: string): Promise<number> {
  const scope = await scopeId(service.deps.db, { tenantId, livemode: false });
  await fileFingerprints(service.deps, scope);
  return (await readUnfiled(service.deps.db, [scope])).entries.length;
}

/** True when one of the 14-byte records belongs to the entry. */
const holds = (records: Buffer, entry: number) =>
  Array.from({ length: records.length / 14 }, (_, i) => records.readUIntBE(i * 14, 6)).includes(entry);

describe('stored hashes lookup', () => {
  const flipped = (from: Uint8Array, count: number) => {
    const hash = Uint8Array.from(from);
    const bits = Array.from({ length: 256 }, (_, i) => i).sort(() => Math.random() - 0.5);
    for (const bit of bits.slice(0, count)) hash[bit >> 3]! ^= 1 << (bit & 7);
    return hash;
  };
  const newScope = async () => {
    const { tenant_id } = await service.newTenant();
    const scope = await scopeId(service.deps.db, { tenantId: tenant_id, livemode: null });
    const { rows } = await service.deps.db.query<{ id: string }>(
      `insert into reverse_lists (scope_id, name, created_at) values ($1, 'near', now()) returning id`,
      [scope],
    );
    const store = (hash: Uint8Array, label: string) =>
      transaction(service.deps.db, tx =>
        rememberPicture(
          tx,
          { listId: Number(rows[0]!.id), scope, label },
          { hash, quality: 100, entries: [{ hash, region: WHOLE, frame: WHOLE }] },
          new Date(),
        ),
      );
    return { scope, store };
  };

  test('finds all hashes within 31 bits, none beyond 63, and only in the given scopes', async () => {
    const [one, two, other] = [await newScope(), await newScope(), await newScope()];
    const centres = Array.from({ length: 4 }, () => new Uint8Array(randomBytes(32)));
    const stored: { hash: Uint8Array; scope: number }[] = [];
    for (let i = 0; i < 480; i++) {
      const hash = flipped(centres[i % 4]!, Math.floor(i / 8));
      const { scope, store } = [one, two, other][i % 3]!;
      await store(hash, String(i));
      stored.push({ hash, scope });
    }
    const scopes = [one.scope, two.scope];
    for (let i = 0; i < 40; i++) {
      const query = flipped(centres[i % 4]!, i % 9);
      const expected = stored
        .filter(({ scope }) => scopes.includes(scope))
        .map(({ hash }) => hamming(hash, query))
        .filter(distance => distance <= 31);
      const found = (await lookUp(service.deps.db, scopes, query)).map(hit => hit.distance);
      expect(found.filter(distance => distance <= 31).sort()).toEqual(expected.sort());
      expect(Math.max(...found)).toBeLessThanOrEqual(63);
      expect(expected.length).toBeGreaterThan(10);
    }
  });

  test('finds every hash of captures within 31 bits while some are filed, and none that was erased', async () => {
    const { db } = service.deps;
    const tenant = await service.newTenant();
    const { id: verificationId } = await createVerification(service, {}, tenant.pk_test);
    const centre = new Uint8Array(randomBytes(32));
    const scope = await scopeId(db, { tenantId: tenant.tenant_id, livemode: false });
    const stored = new Map<string, Uint8Array>();
    const store = async (from: number, count: number) => {
      for (let n = from; n < from + count; n++) {
        const captureId = newId('cap');
        await db.query(
          `insert into captures (id, verification_id, tenant_id, step_key, source, content_type, size_bytes, width, height, sha256, image_blob, created_at, analysis_state)
           values ($1, $2, $3, 'photo', 'live', 'image/jpeg', 1, 1, 1, '', '', now(), 'done')`,
          [captureId, verificationId, tenant.tenant_id],
        );
        const hash = flipped(centre, n % 70);
        const of = { captureId, verificationId, tenantId: tenant.tenant_id, livemode: false };
        const entries = [{ hash, region: WHOLE, frame: WHOLE }];
        await transaction(db, tx => rememberPicture(tx, of, { hash, quality: 100, entries }, new Date()));
        stored.set(captureId, hash);
      }
    };
    const expectAll = async () => {
      const query = flipped(centre, 3);
      const expected = [...stored.values()].map(hash => hamming(hash, query)).filter(distance => distance <= 31);
      const found = (await lookUp(db, [scope], query)).map(hit => hit.distance);
      expect(found.filter(distance => distance <= 31).sort()).toEqual(expected.sort());
      expect(expected.length).toBeGreaterThan(10);
    };
    const forget = async (ids: readonly string[]) => {
      await transaction(db, tx => forgetCaptures(tx, ids));
      for (const id of ids) stored.delete(id);
    };
    await store(0, 70);
    await expectAll();
    await fileFingerprints(service.deps, scope);
    await expectAll();
    await store(0, 70);
    await expectAll();
    // Of the filed and of the others, while the others are filed.
    const gone = [...stored.keys()].filter((_, n) => n % 3 === 0);
    await Promise.all([
      ...gone.map(id => forget([id])),
      fileFingerprints(service.deps, scope),
      ...Array.from({ length: 5 }, expectSearchable),
    ]);
    await expectAll();
    expect((await readUnfiled(db, [scope])).entries).toEqual([]);
    const { rows } = await db.query<{ records: Buffer }>('select records from reverse_slots where key >> 20 = $1', [
      scope,
    ]);
    expect(rows.reduce((sum, { records }) => sum + records.length, 0)).toBe(stored.size * 16 * 14);

    async function expectSearchable() {
      const kept = [...stored].filter(([id]) => !gone.includes(id)).map(([, hash]) => hash);
      for (const hash of kept.slice(0, 20))
        expect((await lookUp(db, [scope], hash)).some(({ distance }) => distance === 0)).toBe(true);
    }
  });

  test('finds hashes that share a key with hundreds, also when stored concurrently', async () => {
    const { scope, store } = await newScope();
    const hash = new Uint8Array(randomBytes(32));
    // Two thirds of the hashes are equal and one third differ in the second half, so all share the keys of the first half.
    const alike = (i: number) => (i % 3 ? hash : Uint8Array.from([...hash.subarray(0, 16), ...randomBytes(16)]));
    for (let from = 0; from < 600; from += 8)
      await Promise.all(Array.from({ length: 8 }, (_, i) => store(alike(from + i), String(from + i))));
    const parts = await service.deps.db.query<{ part: number; bytes: number }>(
      `select part, octet_length(records) as bytes from reverse_slots where key = $1 order by part`,
      [filings(scope, 1, hash)[0]!.key],
    );
    expect(parts.rows.map(({ part }) => part)).toEqual([0, 1, 2]);
    expect(parts.rows.reduce((sum, { bytes }) => sum + bytes, 0)).toBe(600 * 14);
    expect((await lookUp(service.deps.db, [scope], hash)).filter(({ distance }) => distance === 0)).toHaveLength(400);
  });
});

describe('corpus import', () => {
  test('fingerprints a folder, names other files, and adds nothing the second time', async () => {
    const tenant = await service.newTenant();
    const pictures = join(folder, 'stolen');
    await mkdir(join(pictures, 'inner'), { recursive: true });
    await writeFile(join(pictures, 'inner', 'a.jpg'), await scene(31));
    await writeFile(join(pictures, 'broken.jpg'), 'no picture');
    await writeFile(join(pictures, 'notes.txt'), 'none either');
    const report = await importCorpus(service.deps, { path: pictures, tenantId: tenant.tenant_id });
    expect(report).toMatchObject({ list: 'stolen', imported: 1, known: 0 });
    expect(report.skipped.map(({ item }) => item).sort()).toEqual(['broken.jpg', 'notes.txt']);
    expect(await importCorpus(service.deps, { path: pictures, tenantId: tenant.tenant_id })).toMatchObject({
      imported: 0,
      known: 1,
    });

    const cropped = await sharp(await scene(31))
      .extract({ left: 32, top: 24, width: 1216, height: 912 })
      .jpeg()
      .toBuffer();
    const found = await verify(cropped, REVERSE, tenant.pk_live);
    expect(found.signal.matches).toMatchObject([{ source: 'list', list: 'stolen', label: join('inner', 'a.jpg') }]);
    const stranger = await service.newTenant();
    expect((await verify(await scene(31), REVERSE, stranger.pk_live)).signal.found_online).toBe(false);
  });

  test("a file of hashes with names is taken line by line, a fault by its line, for everyone's searches", async () => {
    const picture = await scene(32);
    const { fingerprint } = await service.deps.pictures.analyze({ bytes: picture, signals: [] });
    const file = join(folder, 'known.csv');
    await writeFile(file, `hash,source\n${Buffer.from(fingerprint.hash).toString('hex')},agency 7\nzzz,broken\n\n`);
    const report = await importCorpus(service.deps, { path: file, tenantId: null, name: 'known' });
    expect(report).toMatchObject({ imported: 1, skipped: [{ item: 'line 3' }] });
    const tenant = await service.newTenant();
    const found = await verify(picture, REVERSE, tenant.pk_test);
    expect(found.signal).toMatchObject({
      band: 'confident',
      matches: [{ source: 'list', list: 'known', label: 'agency 7', distance: 0 }],
    });
  });
});

describe('external search engines', () => {
  const servers: { close(): void }[] = [];
  afterEach(() => {
    for (const server of servers.splice(0)) server.close();
  });

  /** A server that speaks an engine's protocol and records the requests. */
  async function engine(answer: (count: number) => { status?: number; body: string }) {
    const asked: { request: IncomingMessage; body: Buffer }[] = [];
    const server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', chunk => chunks.push(chunk));
      request.on('end', () => {
        asked.push({ request, body: Buffer.concat(chunks) });
        const { status = 200, body } = answer(asked.length);
        response.writeHead(status, { 'content-type': 'application/json' }).end(body);
      });
    });
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
    servers.push({ close: () => server.close() });
    return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked };
  }

  const settings = (o: { google?: string; tineye?: string }) => ({
    googleApiKey: o.google ? 'g-key' : null,
    tineyeApiKey: o.tineye ? 't-key' : null,
    googleUrl: o.google ?? 'http://127.0.0.1:1',
    tineyeUrl: o.tineye ?? 'http://127.0.0.1:1',
  });
  const PICTURE = new Uint8Array([0xff, 0xd8, 0xff, 0xe0, 1, 2, 3]);

  test('Google Vision: requests web detection, separates whole and partial matches, ignores similar pictures', async () => {
    const google = await engine(() => ({
      body: JSON.stringify({
        responses: [
          {
            webDetection: {
              fullMatchingImages: [{ url: 'https://a.example/1.jpg' }],
              partialMatchingImages: [{ url: 'https://b.example/2.jpg' }],
              visuallySimilarImages: [{ url: 'https://c.example/3.jpg' }],
            },
          },
        ],
      }),
    }));
    const found = await enginesOf(settings({ google: google.url }))[0]!.search(PICTURE);
    expect(found).toEqual([
      { source: 'google_vision', url: 'https://a.example/1.jpg', extent: 'full' },
      { source: 'google_vision', url: 'https://b.example/2.jpg', extent: 'partial' },
    ]);
    const { request, body } = google.asked[0]!;
    expect([request.method, request.url, request.headers['x-goog-api-key']]).toEqual([
      'POST',
      '/v1/images:annotate',
      'g-key',
    ]);
    expect(JSON.parse(body.toString()).requests[0]).toEqual({
      image: { content: Buffer.from(PICTURE).toString('base64') },
      features: [{ type: 'WEB_DETECTION', maxResults: 50 }],
    });
  });

  test('TinEye: uploads the picture; the score separates whole from partial matches', async () => {
    const match = (score: number) => ({
      image_url: `https://img.example/${score}`,
      score,
      backlinks: [{ url: 'https://img.example/x', backlink: 'https://page.example/' }],
    });
    const tineye = await engine(() => ({
      body: JSON.stringify({ code: 200, messages: [], results: { matches: [match(92.5), match(12)] } }),
    }));
    const found = await enginesOf(settings({ tineye: tineye.url }))[0]!.search(PICTURE);
    expect(found).toMatchObject([
      { source: 'tineye', url: 'https://img.example/92.5', page: 'https://page.example/', extent: 'full', score: 92.5 },
      { extent: 'partial', score: 12 },
    ]);
    const { request, body } = tineye.asked[0]!;
    expect([request.url, request.headers['x-api-key']]).toEqual(['/rest/search/', 't-key']);
    expect(body.includes(Buffer.from('name="image_upload"'))).toBe(true);
    expect(body.includes(Buffer.from(PICTURE))).toBe(true);
  });

  test.each<[string, { status?: number; body: string }, string]>([
    ['refuses the key', { status: 403, body: '{}' }, 'Google Vision answered 403'],
    ['is broken', { status: 500, body: 'oops' }, 'Google Vision answered 500'],
    ['talks HTML', { body: '<html>' }, 'Google Vision answered something other than JSON'],
    [
      'reports a fault inside',
      { body: '{"responses":[{"error":{"code":3,"message":"Bad image data."}}]}' },
      'Google Vision: Bad image data.',
    ],
    ['answers nothing', { body: '{}' }, 'Google Vision answered without a response'],
  ])('an engine that %s gives a fault with a name', async (_name, answer, message) => {
    const google = await engine(() => answer);
    await expect(enginesOf(settings({ google: google.url }))[0]!.search(PICTURE)).rejects.toMatchObject({
      name: 'EngineFault',
      message,
    } satisfies Partial<EngineFault>);
    expect(google.asked).toHaveLength(answer.status === 500 ? 2 : 1);
  });

  test('a busy engine is asked again', async () => {
    const google = await engine(count => (count === 1 ? { status: 503, body: '' } : { body: '{"responses":[{}]}' }));
    expect(await enginesOf(settings({ google: google.url }))[0]!.search(PICTURE)).toEqual([]);
  });

  test('a failing engine blocks neither the verdict nor the other engine', async () => {
    const google = await engine(() => ({ status: 500, body: '' }));
    const tineye = await engine(() => ({ body: '{"code":200,"results":{"matches":[]}}' }));
    const saved = service.deps.config.reverseSearch;
    service.deps.config.reverseSearch = settings({ google: google.url, tineye: tineye.url });
    try {
      const tenant = await service.newTenant();
      const { signal } = await verify(await scene(41), REVERSE, tenant.pk_test);
      expect(signal).toMatchObject({ evaluated: true, found_online: false });
      expect(signal.searched).toContainEqual({ corpus: 'google_vision', fault: 'Google Vision answered 500' });
      expect(signal.searched).toContainEqual({ corpus: 'tineye' });
    } finally {
      service.deps.config.reverseSearch = saved;
    }
  });
});
