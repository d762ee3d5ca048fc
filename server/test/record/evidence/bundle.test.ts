import { execFileSync, spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { EvidenceKeys } from '@firsthand/contract/evidence/evidence.ts';
import type { PublicView } from '@firsthand/contract/verification/verification.ts';
import type { VerifyOptions } from '@firsthand/evidence/verify.ts';
import { reportLines } from '@firsthand/report/words.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PUBLISHED_RATES } from '../../../src/custody/bundles/published-rates.ts';
import { stampLog } from '../../../src/custody/bundles/stamp-log.ts';
import { transaction } from '../../../src/platform/db/sql.ts';
import { rotateKeys } from '../../../src/record/evidence/log.ts';
import { appendStatement } from '../../../src/record/evidence/statements.ts';
import { withAuthority } from '../../support/authority.ts';
import { checkBundle, downloadBundle, requestBundle } from '../../support/bundle.ts';
import { completedVerification } from '../../support/completed.ts';
import { codeOf } from '../../support/failure.ts';
import { ask, createVerification, submit, until, untilStatus } from '../../support/harness.ts';
import { firstHand, plain } from '../../support/pictures.ts';
import { serviceOfSuite } from '../../support/suite.ts';
import { NOT_OF_PART_3, PDF_A_BREAKS, pdfAFaults, preflight, preflightInstalled, readPdf } from './pdf-a.ts';

const installed = (tool: string): boolean => spawnSync('which', [tool]).status === 0;

const service = serviceOfSuite();
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'fh-bundle-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const get = (id: string, key?: string) => requestBundle(service, id, key);
const download = (id: string, key?: string) => downloadBundle(service, id, key);
const check = (bytes: Buffer, o?: Partial<VerifyOptions>) => checkBundle(service, bytes, o);

const canCheckByHand = ['jq', 'xxd'].every(installed);

/** Runs the commands of the README in the folder of a bundle. */
async function checkByHand(cwd: string): Promise<void> {
  if (!canCheckByHand) return;
  const readme = await readFile(join(cwd, 'README.txt'), 'utf8');
  const steps = readme.split(/\n\d\. /).slice(1);
  const commands = steps.map(step =>
    step
      .split('\n')
      .filter(line => line.startsWith('   ') && /^ {3}(printf|tail|openssl|sed|\( printf|jq| {2}jq)/.test(line))
      .join('\n'),
  );
  const run = (script: string) => execFileSync('bash', ['-c', script], { cwd }).toString();
  expect(run(commands[0]!)).not.toContain('FAILED');
  for (const step of [1, 2]) expect(run(commands[step]!)).toContain('Verified Successfully');
}

async function completed(): Promise<string> {
  const { id } = await createVerification(service, {
    steps: [
      { key: 'front', min: 1, max: 2 },
      { key: 'plate', type: 'text', required: true },
    ],
    metadata: { claim: 'C-1' },
  });
  await submit(service, id, await firstHand(1), { location: { latitude: 52.5, longitude: 13.4, accuracy_m: 12 } });
  await submit(service, id, await plain());
  await ask(service, `/v1/verifications/${id}/answers`, { body: { answers: { plate: 'B-XY 12' } } });
  await untilStatus(service, id, ['completed']);
  return id;
}

describe('GET /v1/verifications/:id/evidence', () => {
  let id: string;
  let bytes: Buffer;
  beforeAll(async () => {
    id = await completed();
    bytes = await download(id);
    await writeFile(join(folder, 'bundle.zip'), bytes);
    execFileSync('python3', ['-m', 'zipfile', '-e', 'bundle.zip', 'files'], { cwd: folder });
  });

  it('says TEST first in a bundle of a test verification or a trial, and nothing of it in a live one', async () => {
    const statements = join(folder, 'files', 'statements');
    for (const name of await readdir(statements)) {
      const { statement } = JSON.parse(await readFile(join(statements, name), 'utf8'));
      expect(statement.livemode, name).toBe(false);
    }
    expect(JSON.parse(await readFile(join(folder, 'files', 'manifest.json'), 'utf8'))).toMatchObject({
      livemode: false,
    });
    expect(await readFile(join(folder, 'files', 'README.txt'), 'utf8')).toMatch(/^TEST, not evidence/);
    const report = await check(bytes);
    expect(reportLines(report)[0]).toMatch(/^TEST, not evidence.* Everything holds/);
    const publicOf = async (of: string) => (await ask<PublicView>(service, `/v1/verifications/${of}/public`)).body;
    expect(await publicOf(id)).toMatchObject({ livemode: false });

    const live = await completedVerification(service, { key: service.tenant.pk_live });
    const real = await download(live.id, service.tenant.pk_live);
    expect(real.includes('livemode')).toBe(false);
    expect(await check(real)).toMatchObject({ exit_code: 0, test: false });
    expect(Object.keys(await publicOf(live.id))).not.toContain('livemode');

    const trial = (await ask<{ id: string }>(service, '/v1/trial/verifications', { body: {} })).body;
    expect(trial).toMatchObject({ livemode: false });
    expect(await publicOf(trial.id)).toMatchObject({ livemode: false });
  });

  it('gives a valid bundle', async () => {
    const report = await check(bytes);
    expect(report.faults).toEqual([]);
    expect(report).toMatchObject({ exit_code: 0, verification_id: id, notes: [] });
    expect(report.photos).toHaveLength(2);
    expect((await check(bytes, { trusted: [] })).exit_code).toBe(2);
  });

  it('gives the same bytes at every download while the log grows, and new ones after another statement', async () => {
    await completed();
    const again = await get(id);
    expect(again.headers.get('content-length')).toBe(String(bytes.length));
    expect(Buffer.from(await again.arrayBuffer()).equals(bytes)).toBe(true);
    const other = await completed();
    const before = await download(other);
    await transaction(service.deps.db, tx =>
      appendStatement(
        tx,
        service.deps,
        { id: other, tenant_id: service.tenant.tenant_id, livemode: false },
        { type: 'review', at: new Date(), content: { review: { decision: 'accept' } } },
      ),
    );
    const after = await download(other);
    expect(after.equals(before)).toBe(false);
    expect(await check(after)).toMatchObject({ exit_code: 0, faults: [] });
  });

  it('passes firsthand verify-evidence without server or network', () => {
    const run = (...args: string[]) => {
      const file = args[0]?.endsWith('.zip') ? [] : ['bundle.zip'];
      try {
        const output = execFileSync(
          process.execPath,
          [join(import.meta.dirname, '../../../src/main.ts'), 'verify-evidence', ...file, ...args],
          {
            cwd: folder,
            env: {
              ...process.env,
              DATA_DIR: args.includes('--own') ? service.deps.config.dataDir : join(folder, 'none'),
            },
          },
        );
        return { code: 0, output: output.toString() };
      } catch (error) {
        const { status, stdout } = error as { status: number; stdout: Buffer };
        return { code: status, output: stdout.toString() };
      }
    };
    expect(run()).toMatchObject({ code: 2, output: expect.stringContaining('nobody vouched') });
    expect(run('--trust', join(service.deps.config.dataDir, 'evidence-keys.json'))).toMatchObject({ code: 0 });
    expect(JSON.parse(run('--json').output)).toMatchObject({ exit_code: 2, verification_id: id });
    expect(run('--max-bytes', '1000').code).toBe(3);
    const changed = Buffer.from(bytes);
    changed[changed.length >> 1]! ^= 1;
    writeFileSync(join(folder, 'changed.zip'), changed);
    expect(run('changed.zip')).toMatchObject({ code: 1, output: expect.stringContaining('What does not hold') });
  });

  it.skipIf(!canCheckByHand)('passes the commands of its README', () => checkByHand(join(folder, 'files')));

  it('contains a certificate as PDF/A-3b with an embedded font', async () => {
    const pdf = await readFile(join(folder, 'files', 'certificate.pdf'), 'latin1');
    expect(pdf.startsWith('%PDF-1.7')).toBe(true);
    expect(pdf).toContain('<pdfaid:part>3</pdfaid:part>');
    expect(pdf).toContain('/FontFile2');
    expect(pdf).toContain('/OutputIntent');
  });

  it.skipIf(!installed('pdftotext'))('contains a certificate with TEST on every page where it is a test', () => {
    const words = execFileSync('pdftotext', ['certificate.pdf', '-'], { cwd: join(folder, 'files') }).toString();
    const pages = words.split('\f').filter(page => page.trim() !== '');
    expect(pages.length).toBeGreaterThan(1);
    for (const page of pages) expect(page).toContain('TEST. Verification');
    expect(pages[0]).toMatch(/^TEST: certificate/);
  });

  it.skipIf(!installed('pdftotext'))(
    'contains a certificate in which another reader finds ids, hashes, rates and keys',
    async () => {
      const run = (...args: string[]) =>
        execFileSync('pdftotext', [...args, 'certificate.pdf', '-'], { cwd: join(folder, 'files') }).toString();
      const words = run('-layout').replaceAll(/\s+/g, ' ');
      const report = await check(bytes);
      for (const photo of report.photos)
        for (const text of [photo.capture_id, photo.sha256]) expect(words).toContain(text);
      const whole = words.replaceAll(' ', '');
      for (const text of [id, report.log!.root, ...report.keys.map(key => key.vkey)]) expect(whole).toContain(text);
      for (const name of ['screen', 'ai']) {
        expect(whole).toContain(PUBLISHED_RATES.find(rate => rate.name === name)!.flagged.replaceAll(' ', ''));
      }
      const [screen] = PUBLISHED_RATES;
      expect(words).toContain(`Detector screen_detection, ${screen!.model}`);
      expect(words).toContain(`screen_detection ${screen!.flagged}`);
      expect(words).toContain('Time stamp none in this bundle');
      expect(words.indexOf('What is proven')).toBeLessThan(words.indexOf('What is not proven'));
    },
  );

  it.skipIf(!installed('qpdf'))('contains a certificate without a structural fault, by the rules of PDF/A-3b', () => {
    const said = execFileSync('qpdf', ['--check', 'certificate.pdf'], { cwd: join(folder, 'files') }).toString();
    expect(said).toContain('No syntax or stream encoding errors found');
    const objects = readPdf(join(folder, 'files', 'certificate.pdf'));
    expect(pdfAFaults(objects)).toEqual([]);
    for (const [fault, breakIt] of Object.entries(PDF_A_BREAKS)) {
      const broken = structuredClone(objects);
      breakIt(broken);
      expect(pdfAFaults(broken).join('; ')).toContain(fault);
    }
  });

  it.skipIf(!preflightInstalled)(
    'contains a certificate that Apache Preflight accepts by the rules of PDF/A',
    async () => {
      const certificate = join(folder, 'files', 'certificate.pdf');
      const said = preflight(certificate);
      expect(said.filter(line => !NOT_OF_PART_3.test(line))).toEqual([]);
      expect(said.length).toBeGreaterThan(0);
      const bytes = (await readFile(certificate)).toString('latin1');
      for (const [key, rule] of [
        ['/OutputIntents', '2.4.'],
        ['/FontFile2', '3.1.'],
        ['/Metadata', '7.1'],
      ] as const) {
        const broken = join(folder, 'broken.pdf');
        await writeFile(
          broken,
          bytes.replaceAll(key, () => `${key.slice(0, -1)}_`),
          'latin1',
        );
        const faults = preflight(broken).filter(line => !NOT_OF_PART_3.test(line));
        expect([key, faults.map(line => line.slice(0, rule.length))]).toEqual([key, expect.arrayContaining([rule])]);
      }
    },
  );

  it('answers 409 before completion and 404 to others, and does not accept a link as a key', async () => {
    const open = await createVerification(service);
    const early = await get(open.id);
    expect(codeOf({ status: early.status, body: await early.json() })).toEqual([409, 'not_completed']);
    const stranger = await service.newTenant();
    expect((await get(id, stranger.pk_test)).status).toBe(404);
    expect((await get(id, stranger.rk_secret)).status).toBe(404);
    expect((await fetch(`${service.url}/v1/verifications/${id}/evidence`)).status).toBe(401);
  });

  it('exists for an expired verification with captures', async () => {
    const { id: partial } = await createVerification(service, { steps: [{ key: 'a', min: 2, max: 2 }] });
    await submit(service, partial, await plain());
    await ask(service, `/v1/verifications/${partial}/cancel`, { method: 'POST', key: service.tenant.rk_secret });
    const report = await check(await download(partial));
    expect(report).toMatchObject({ exit_code: 0, faults: [] });
    expect(report.notes[0]).toContain('No verdict was reached');
  });

  it('reveals an exchanged photo', async () => {
    const other = await completed();
    await download(other);
    const { rows } = await service.deps.db.query<{ image_blob: string; content_type: string }>(
      'select image_blob, content_type from captures where verification_id = $1 order by id limit 1',
      [other],
    );
    const stored = await service.deps.blobs.get(rows[0]!.image_blob, { maxBytes: 1e8 });
    stored[stored.length >> 1]! ^= 1;
    await service.deps.blobs.put(rows[0]!.image_blob, stored, { contentType: rows[0]!.content_type });
    const report = await check(await download(other));
    expect(report.exit_code).toBe(1);
    expect(report.faults.map(fault => fault.check)).toEqual(
      expect.arrayContaining(['container', 'manifest', 'photos']),
    );
  });
});

describe('TSA_URL', () => {
  it('adds a time stamp of the signed log, and the bundle is issued without one when the authority fails', () =>
    withAuthority(service, async authority => {
      const verify = (bytes: Buffer) => check(bytes, { tsaRoots: authority.root });
      const report = await verify(await download(await completed()));
      expect(report).toMatchObject({
        exit_code: 0,
        faults: [],
        timestamp: { root_checked: true, authority: 'Test stamps, Test authority' },
      });
      await stampsOnceAnHour(authority.root);
      authority.answers = false;
      const without = await verify(await download(await completed()));
      expect(without).toMatchObject({ exit_code: 0, timestamp: null });
      expect(service.logged.join('\n')).toContain('no time stamp; the bundle is issued without one');
    }));
});

describe('GET /v1/verifications/:id/evidence after the keys were rotated', () => {
  const filesOf = async (bytes: Buffer, name: string) => {
    const into = join(folder, name);
    await writeFile(`${into}.zip`, bytes);
    execFileSync('python3', ['-m', 'zipfile', '-e', `${into}.zip`, into]);
    return into;
  };

  it('gives the same evidence under the current keys; the bundle from before says that its keys are retired', async () => {
    const id = await completed();
    const before = await download(id);
    const whole = await check(before);
    expect(whole.exit_code).toBe(0);
    await rotateKeys(service.deps);

    const old = await check(before);
    expect(old).toMatchObject({ exit_code: 2, outcome: 'unvouched', faults: [] });
    const { keys } = (await ask<EvidenceKeys>(service, '/v1/evidence-keys')).body;
    const retired = new Map(keys.map(key => [key.vkey, key.retired_at]));
    expect(old.keys.map(key => [key.trusted, key.retired_at])).toEqual(
      whole.keys.map(({ vkey }) => [false, retired.get(vkey)]),
    );
    const said = reportLines(old).join('\n');
    expect(said).toContain('a key that signed is retired, and nobody dates this bundle before');
    for (const { vkey } of whole.keys) {
      expect(said).toContain(`${vkey} (not vouched for, retired on ${retired.get(vkey)})`);
    }
    expect(said).toContain('ask the issuer for the bundle again');
    expect(said).not.toContain('Compare these keys');

    const [after, again] = await Promise.all([download(id), download(id)]);
    expect(again.equals(after)).toBe(true);
    expect((await download(id)).equals(after)).toBe(true);
    const renewed = await check(after);
    expect(renewed).toMatchObject({ exit_code: 0, faults: [], log: whole.log, photos: whole.photos, notes: [] });
    expect(renewed.keys.every(key => key.retired_at === undefined)).toBe(true);
    const folders = [await filesOf(before, 'before'), await filesOf(after, 'after')];
    for (const name of ['record.json', 'seal.json', 'verdict.json', 'statements/1.json', 'statements/3.json']) {
      const [first, second] = await Promise.all(folders.map(path => readFile(join(path, name))));
      expect([name, second!.equals(first!)]).toEqual([name, true]);
    }
    // Another statement needs another state, which the current keys sign as ever.
    const other = await completed();
    expect(await check(await download(other))).toMatchObject({ exit_code: 0, faults: [] });
  });

  it('keeps the time stamp of the first issue, also through a second rotation', () =>
    withAuthority(service, async ({ root: tsaRoots }) => {
      const id = await completed();
      const first = await download(id);
      const stamped = await check(first, { tsaRoots });
      expect(stamped).toMatchObject({ exit_code: 0, timestamp: { root_checked: true } });
      for (const round of [1, 2]) {
        await rotateKeys(service.deps);
        const bytes = await download(id);
        // Without its root the stamp is worth nothing, and the current keys need none.
        expect(await check(bytes)).toMatchObject({ exit_code: 0, faults: [] });
        const report = await check(bytes, { tsaRoots });
        expect(report).toMatchObject({ exit_code: 0, faults: [], timestamp: stamped.timestamp, log: stamped.log });
        const path = await filesOf(bytes, `round-${round}`);
        await checkByHand(path);
        const proof = await readFile(join(path, 'proofs/1.tlog-proof'), 'utf8');
        expect(proof.match(/^\u2014 /gm)).toHaveLength(2);
      }
      // The stamp dates the bundle from before its keys were retired.
      expect(await check(first)).toMatchObject({ exit_code: 2, faults: [] });
      expect(await check(first, { tsaRoots })).toMatchObject({ exit_code: 0, faults: [] });
    }));
});

/** The log is stamped once in an hour, however many nodes ask; `openssl ts` takes what the service gives. */
async function stampsOnceAnHour(root: string): Promise<void> {
  const { db } = service.deps;
  await Promise.all([stampLog(service.deps), stampLog(service.deps), stampLog(service.deps)]);
  const count = async () => Number((await db.query('select from evidence_stamps where response is not null')).rowCount);
  expect(await count()).toBe(1);
  await completed();
  await stampLog(service.deps);
  expect(await count()).toBe(1);
  await db.query(`update evidence_stamps set hour = hour - interval '1 hour'`);
  await until(async () => {
    await stampLog(service.deps);
    return (await count()) === 2;
  }, 'the stamp of the next hour');
  for (const [name, file] of [
    ['stamped', 'note'],
    ['stamped.tsr', 'note.tsr'],
  ] as const) {
    await writeFile(join(folder, file), Buffer.from(await (await fetch(`${service.url}/log/${name}`)).arrayBuffer()));
  }
  await writeFile(join(folder, 'root.pem'), root);
  const said = execFileSync('openssl', ['ts', '-verify', '-data', 'note', '-in', 'note.tsr', '-CAfile', 'root.pem'], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  expect(said.toString()).toContain('Verification: OK');
}
