import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { EvidenceKeys } from '@firsthand/contract/evidence/evidence.ts';
import { parseCheckpoint } from '@firsthand/evidence/checkpoint.ts';
import { parseNote, parseVkey, verifyNote } from '@firsthand/evidence/note.ts';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { rotateKeys } from '../../../src/record/evidence/log.ts';
import { checkBundle, downloadBundle } from '../../support/bundle.ts';
import { completedVerification } from '../../support/completed.ts';
import { ask, createVerification, submit, type TestService, until, untilStatus } from '../../support/harness.ts';
import { watchLog } from '../../support/outside-log.ts';
import { startOnOwnDatabase } from '../../support/own-database.ts';
import { plain } from '../../support/pictures.ts';

const reportOn = async (service: TestService, id: string) => checkBundle(service, await downloadBundle(service, id));
const completed = async (service: TestService) => (await completedVerification(service)).id;

const published = (log: ReturnType<typeof watchLog>, size: bigint) =>
  until(async () => {
    const head = await log.look().catch(() => null);
    return head && head.size >= size ? head : null;
  }, `a state of ${size} entries`);

let folder: string;
let dataDir: string;
let running: TestService | null = null;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'fh-epoch-'));
  dataDir = join(folder, 'data');
});
afterAll(async () => {
  await running?.stop();
  await rm(folder, { recursive: true, force: true });
});
const start = async () => (running = await startOnOwnDatabase(dataDir));

it('a database restored to an earlier copy signs no fork, and a verification of both epochs has one valid bundle', async () => {
  let service = await start();
  const whole = await completed(service);
  const { id: half } = await createVerification(service, { max_captures: 2 });
  expect((await submit(service, half, await plain({ colour: '#abc' }))).status).toBe(201);
  const backedUp = await published(watchLog(service.url), 3n);
  const before = await reportOn(service, whole);
  expect(before).toMatchObject({ exit_code: 0, faults: [] });
  await service.stop();
  await cp(join(dataDir, 'postgres'), join(folder, 'backup'), { recursive: true, preserveTimestamps: true });

  service = await start();
  const lost = await completed(service);
  const last = await published(watchLog(service.url), 5n);
  await service.stop();

  await rm(join(dataDir, 'postgres'), { recursive: true });
  await cp(join(folder, 'backup'), join(dataDir, 'postgres'), { recursive: true, preserveTimestamps: true });
  service = await start();
  expect((await ask(service, `/v1/verifications/${lost}`, { key: service.tenant.pk_test })).status).toBe(404);
  // As many other facts as were lost, and more: a log that went on would sign a second state of that size.
  expect((await submit(service, half, await plain({ colour: '#def' }))).status).toBe(201);
  await untilStatus(service, half, ['completed']);
  const other = await completed(service);
  const log = watchLog(service.url);
  // The photo logged in the first epoch stands in the second one too, before what came after it.
  expect(await published(log, 5n)).toMatchObject({ origin: `${last.origin}/epoch-2` });
  expect(await log.readAll()).toHaveLength(5);
  expect(service.logged.join('\n')).toContain('a new epoch of the log begins');
  // The epoch before stays readable at an address of its own; tiles at the shared one are no longer for ever.
  const at = async (path: string) => {
    const answer = await fetch(`${service.url}/log/${path}`);
    return { answer, bytes: Buffer.from(await answer.arrayBuffer()) };
  };
  const note = async (path: string) => parseNote((await at(path)).bytes);
  const cachingOf = async (path: string) => (await at(path)).answer.headers.get('cache-control');
  expect(parseCheckpoint((await note('epoch-1/checkpoint')).text)).toEqual(backedUp);
  expect(await note('epoch-2/checkpoint')).toEqual(await note('checkpoint'));
  expect(await cachingOf('epoch-1/tile/0/000.p/3')).toContain('immutable');
  expect(await cachingOf('tile/0/000.p/1')).toBe('no-cache');
  for (const epoch of ['0', '3', '01', 'x']) expect((await at(`epoch-${epoch}/checkpoint`)).answer.status).toBe(404);

  const after = await reportOn(service, half);
  expect(after.faults).toEqual([]);
  expect(after).toMatchObject({ exit_code: 0, origin: `${last.origin}/epoch-2` });
  expect(await reportOn(service, other)).toMatchObject({ exit_code: 0, faults: [] });
  expect(await reportOn(service, whole)).toEqual(before);

  // A rotation renews the keys of both epochs, and what they sign.
  await rotateKeys(service.deps);
  for (const id of [whole, half, other])
    expect(await reportOn(service, id)).toMatchObject({ exit_code: 0, faults: [] });
  const { keys } = (await ask<EvidenceKeys>(service, '/v1/evidence-keys')).body;
  const current = keys.filter(key => key.retired_at === undefined);
  expect(current.map(({ role }) => role).sort()).toEqual(['bundle', 'bundle', 'log', 'log']);
  const first = await note('epoch-1/checkpoint');
  expect(parseCheckpoint(first.text)).toEqual(backedUp);
  expect(
    verifyNote(
      first,
      current.map(({ vkey }) => parseVkey(vkey)),
    ),
  ).toHaveLength(1);
});
