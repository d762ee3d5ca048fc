import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type MonitorOptions, monitor } from '@firsthand/cli/monitor.ts';
import type { EvidenceKeys } from '@firsthand/contract/evidence/evidence.ts';
import { utf8 } from '@firsthand/evidence/bytes.ts';
import { parseCheckpoint } from '@firsthand/evidence/checkpoint.ts';
import { leafHash } from '@firsthand/evidence/merkle.ts';
import { parseNote, parseVkey, verifyNote } from '@firsthand/evidence/note.ts';
import { entryBundle, parseEntryBundle } from '@firsthand/evidence/tiles.ts';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { vkeyOf } from '../../../../evidence/src/note.ts';
import { newSigner } from '../../../../evidence/test/build.ts';
import { transaction } from '../../../src/platform/db/sql.ts';
import { appendStatement } from '../../../src/record/evidence/statements.ts';
import { ask, createVerification, until } from '../../support/harness.ts';
import { serviceOfSuite } from '../../support/suite.ts';

const service = serviceOfSuite();
let folder: string;
let vkey: string;
beforeAll(async () => {
  vi.stubEnv('DATA_DIR', join(tmpdir(), 'no-keys-here'));
  folder = await mkdtemp(join(tmpdir(), 'fh-monitor-'));
  const { keys } = (await ask<{ keys: { role: string; vkey: string }[] }>(service, '/v1/evidence-keys')).body;
  vkey = keys.find(({ role }) => role === 'log')!.vkey;
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await rm(folder, { recursive: true, force: true });
});
afterEach(() => vi.restoreAllMocks());

/** One look; what it printed, and its exit code. */
async function look(o: Partial<MonitorOptions> = {}, url = `${service.url}/log`) {
  const printed: string[] = [];
  for (const to of ['log', 'error'] as const) {
    vi.spyOn(console, to).mockImplementation((...parts) => void printed.push(parts.join(' ')));
  }
  const before = process.exitCode;
  process.exitCode = 0;
  await monitor(url, { trust: [vkey], state: join(folder, 'state.json'), interval: 60, once: true, ...o });
  const code = process.exitCode;
  process.exitCode = before;
  return { code, text: printed.join('\n') };
}

/** States `count` facts and waits for the checkpoint over them. */
async function grow(count: number): Promise<bigint> {
  const { id } = await createVerification(service);
  const before = await size().catch(() => 0n);
  await transaction(service.deps.db, async tx => {
    for (let at = 0; at < count; at += 1) {
      const subject = { id, tenant_id: service.tenant.tenant_id, livemode: false };
      await appendStatement(tx, service.deps, subject, { type: 'review', at: new Date(), content: { at } });
    }
  });
  return until(async () => {
    const now = await size().catch(() => 0n);
    return now >= before + BigInt(count) ? now : null;
  }, 'the checkpoint');
}

const checkpoint = async () => (await fetch(`${service.url}/log/checkpoint`)).text();
const size = async () => parseCheckpoint(parseNote(utf8(await checkpoint())).text).size;

/** The attack of an operator with the log key: exchange an entry and sign the result. */
async function rewriteEntry(index: number): Promise<void> {
  const { db, blobs } = service.deps;
  const before = await checkpoint();
  const tile = Math.floor(index / 256);
  const read = async (level: number) =>
    (
      await db.query<{ bytes: Buffer }>('select bytes from evidence_tiles where level = $1 and index = $2', [
        level,
        tile,
      ])
    ).rows[0]!.bytes;
  const entries = parseEntryBundle(new Uint8Array(await read(-1)))!;
  entries[index % 256]![5]! ^= 1;
  for (const [level, bytes] of [
    [-1, entryBundle(entries)],
    [0, Buffer.concat(entries.map(leafHash))],
  ] as const) {
    await db.query('update evidence_tiles set bytes = $3 where level = $1 and index = $2', [
      level,
      tile,
      Buffer.from(bytes),
    ]);
  }
  await blobs.delete('evidence/high-water/1');
  await db.query('update evidence_logs set checkpoint_size = -1');
  await until(async () => (await checkpoint()) !== before, 'another state of the same size');
}

describe('GET /log/checkpoint of a log without entries', () => {
  const api = serviceOfSuite({ worker: false });

  it('is signed from the start, where no worker runs yet too', async () => {
    const answer = await fetch(`${api.url}/log/checkpoint`);
    expect(answer.status).toBe(200);
    const note = parseNote(utf8(await answer.text()));
    // RFC 6962, 2.1: the hash of an empty list.
    expect(parseCheckpoint(note.text)).toMatchObject({ size: 0n, root: new Uint8Array(createHash('sha256').digest()) });
    const { keys } = (await ask<EvidenceKeys>(api, '/v1/evidence-keys')).body;
    expect(verifyNote(note, [parseVkey(keys.find(({ role }) => role === 'log')!.vkey)])).toHaveLength(1);
  });
});

describe('firsthand monitor', () => {
  it('starts with a log that has no entry yet', async () => {
    for (let again = 0; again < 2; again += 1) {
      expect(await look()).toMatchObject({
        code: 0,
        text: expect.stringContaining('holds 0 entries, 0 new, consistent'),
      });
    }
    expect((await fetch(`${service.url}/log/tile/0/000.p/1`)).status).toBe(404);
  });

  it('follows a log over full tiles and counts what is new', async () => {
    const first = await grow(3);
    expect(await look()).toMatchObject({
      code: 0,
      text: expect.stringContaining(`holds ${first} entries, ${first} new`),
    });
    expect(await look()).toMatchObject({ code: 0, text: expect.stringContaining('0 new, consistent') });
    const second = await grow(600);
    const grown = await look();
    expect(grown).toMatchObject({ code: 0, text: expect.stringContaining(`${second - first} new, consistent`) });
  });

  it('runs as a command, and exits with 3 where it can reach no log', async () => {
    const run = (...args: string[]) =>
      promisify(execFile)(process.execPath, [
        join(import.meta.dirname, '../../../src/main.ts'),
        'monitor',
        ...args,
      ]).then(
        ({ stdout }) => ({ code: 0, stdout }),
        (error: { code: number; stdout: string }) => error,
      );
    const done = await run(`${service.url}/log/`, '--trust', vkey, '--once');
    expect([done.code, done.stdout]).toEqual([0, expect.stringContaining('consistent')]);
    expect((await look({}, 'http://127.0.0.1:9/log')).code).toBe(3);
  });

  it('refuses a state that no trusted key signed, and keeps it', async () => {
    const state = join(folder, 'stranger.json');
    const { origin } = parseCheckpoint(parseNote(utf8(await checkpoint())).text);
    for (const trust of [[vkeyOf(newSigner())], [vkeyOf(newSigner(origin))]]) {
      expect((await look({ trust, state })).code).toBe(1);
    }
    expect((await readdir(folder)).filter(name => name.startsWith('stranger.json.fault-'))).not.toEqual([]);
  });

  it('accepts the log key of a JWK Set, and refuses it as a bundle key or retired', async () => {
    const { keys } = (await ask<EvidenceKeys>(service, '/v1/evidence-keys')).body;
    const retired_at = '2026-01-01T00:00:00.000Z';
    const as = (members: object) => keys.map(key => (key.vkey === vkey ? { ...key, ...members } : key));
    const lists = [
      [keys, 0, 'consistent'],
      [as({ role: 'bundle' }), 1, `the bundle key ${vkey} signed the state of the log, not a log key`],
      [as({ retired_at }), 1, `the key ${vkey} signed the state of the log, but was retired on ${retired_at}`],
      [[...keys, ...as({ retired_at })], 1, 'but was retired on'],
    ] as const;
    for (const [at, [list, code, text]] of lists.entries()) {
      const file = join(folder, `keys-${at}.json`);
      await writeFile(file, JSON.stringify({ keys: list }));
      const state = join(folder, `list-${at}.json`);
      // A bare key beside its list does not undo what the list says.
      for (const trust of [[file], [vkey, file]]) {
        expect(await look({ trust, state })).toMatchObject({ code, text: expect.stringContaining(text) });
      }
    }
    const unreadable = join(folder, 'unreadable.json');
    await writeFile(unreadable, JSON.stringify({ keys: as({ retired_at: 'soon' }) }));
    await expect(look({ trust: [unreadable] })).rejects.toThrow('is not a time');
  });

  it('ends with 1 at a fork, and keeps both signed notes', async () => {
    await look();
    const before = await checkpoint();
    await rewriteEntry(Number(await size()) - 1);
    const found = await look();
    expect(found).toMatchObject({ code: 1, text: expect.stringContaining('fork: two states of') });
    const file = (await readdir(folder)).find(name => name.startsWith('state.json.fault-'))!;
    const kept = await readFile(join(folder, file), 'utf8');
    for (const note of [before, await checkpoint()]) {
      expect(kept).toContain(note);
      expect(verifyNote(parseNote(utf8(note)), [parseVkey(vkey)])).toHaveLength(1);
    }
    // What it knew stays: the next look finds the same.
    expect((await look()).code).toBe(1);
  });

  it('ends with 1 when a larger state does not continue the one that was seen', async () => {
    const state = join(folder, 'grown.json');
    await look({ state });
    await rewriteEntry(Number(await size()) - 1);
    await grow(5);
    const found = await look({ state });
    expect(found).toMatchObject({
      code: 1,
      text: expect.stringMatching(/fork: the state of \d+ entries does not continue/),
    });
  });

  it('ends with 1 when the tiles show an entry that the signed state has not', async () => {
    const state = join(folder, 'tiles.json');
    const bytes = (
      await service.deps.db.query<{ bytes: Buffer }>('select bytes from evidence_tiles where level = -1 and index = 0')
    ).rows[0]!.bytes;
    const changed = Buffer.from(bytes);
    changed[10]! ^= 1;
    const write = (value: Buffer) =>
      service.deps.db.query('update evidence_tiles set bytes = $1 where level = -1 and index = 0', [value]);
    await write(changed);
    try {
      expect(await look({ state })).toMatchObject({
        code: 1,
        text: expect.stringContaining('entry 0 is not at its place'),
      });
    } finally {
      await write(bytes);
    }
    expect((await look({ state })).code).toBe(0);
  });
});
