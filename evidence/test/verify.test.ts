import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { vkeyOf } from '../src/note.ts';
import { type VerifyOptions, verifyBundle } from '../src/verify.ts';
import { crc32 } from '../src/zip/crc32.ts';
import { readZip } from '../src/zip/read.ts';
import { chunked, type Files, ID, type Made, makeBundle, ORIGIN, resign, zip } from './build.ts';
import { CONTAINERS, inFolder, pack } from './containers.ts';

const check = (bytes: Uint8Array, o?: VerifyOptions) => verifyBundle(chunked(bytes), o);
const vouched = ({ log, bundle }: Made): VerifyOptions => ({ trusted: [log, bundle] });

describe('verifyBundle', () => {
  it('gives 0 for a valid bundle with both keys trusted', async () => {
    const made = makeBundle();
    const report = await check(zip(made.files), { ...vouched(made), witnesses: [made.witness] });
    expect(report.faults).toEqual([]);
    expect(report).toMatchObject({ exit_code: 0, outcome: 'holds', verification_id: ID, origin: ORIGIN, notes: [] });
    expect(report.checks.filter(({ state }) => state !== 'holds')).toEqual([{ name: 'timestamp', state: 'absent' }]);
    expect(report.photos.map(photo => photo.holds)).toEqual([true, true]);
    expect(report.test).toBe(false);
    expect(report.witnesses).toMatchObject([{ name: 'witness.example', at: '2025-11-24T16:00:00.000Z' }]);
  });

  it('says that a verification was a test, and refuses a manifest that hides it', async () => {
    const made = makeBundle({ test: true });
    expect(await check(zip(made.files), vouched(made))).toMatchObject({ exit_code: 0, test: true });
    resign(made);
    const { faults } = await check(zip(made.files), vouched(made));
    expect(faults).toContainEqual(
      expect.objectContaining({ check: 'statements', entry: 'statements/1.json', field: 'statement.livemode' }),
    );
    resign(made, { livemode: true });
    expect((await check(zip(made.files), vouched(made))).faults).toMatchObject([
      { entry: 'manifest.json', field: 'livemode' },
    ]);
  });

  it('gives 2 and the keys to compare when one of them is not trusted', async () => {
    const made = makeBundle();
    for (const trusted of [[], [made.log], [made.bundle]]) {
      const report = await check(zip(made.files), { trusted });
      expect(report).toMatchObject({ exit_code: 2, outcome: 'unvouched', faults: [] });
      const keys = [made.log, made.bundle].map(key => ({ vkey: vkeyOf(key), trusted: trusted.includes(key) }));
      expect(new Set(report.keys.map(({ vkey, trusted }) => ({ vkey, trusted })))).toEqual(new Set(keys));
    }
  });

  it('asks every named witness for its cosignature', async () => {
    const [made, other] = [makeBundle(), makeBundle()];
    const report = await check(zip(made.files), { ...vouched(made), witnesses: [other.witness] });
    expect(report.faults).toMatchObject([
      { check: 'witnesses', reason: 'witness.example did not cosign the state of the log' },
    ]);
  });

  it('gives 3 for a file that is no bundle or too large', async () => {
    const made = makeBundle();
    const notes = new Map([['notes.txt', new Uint8Array(10)]]);
    for (const bytes of [new Uint8Array(0), new Uint8Array(5000), new TextEncoder().encode('no archive'), zip(notes)]) {
      expect(await check(bytes)).toMatchObject({ exit_code: 3, outcome: 'unreadable' });
    }
    const large = await check(zip(made.files), { ...vouched(made), maxBytes: 4000 });
    expect(large).toMatchObject({ exit_code: 3 });
    expect(large.faults[0]!.reason).toContain('too large');
    // The unpacked bytes count, whatever a descriptor will say.
    const described = pack([...made.files, ['originals/z.jpg', new Uint8Array(900_000)]], {
      descriptor: { signed: true },
    });
    expect(described.length).toBeLessThan(100_000);
    expect(await check(described, { maxBytes: 500_000 })).toMatchObject({ exit_code: 3, verification_id: null });
  });

  it('gives 1 for a file truncated after its manifest, else 3', async () => {
    const made = makeBundle();
    const bytes = zip(made.files);
    const readable = 30 + 'manifest.json'.length + made.files.get('manifest.json')!.length;
    for (let length = 1; length < bytes.length; length += 211) {
      const report = await check(bytes.subarray(0, length), vouched(made));
      expect([length, report.exit_code]).toEqual([length, length < readable ? 3 : 1]);
      expect(report.faults.length).toBeGreaterThan(0);
    }
  });

  it.each(Object.keys(CONTAINERS))('accepts the same files in another container and says so: %s', async form => {
    const made = makeBundle();
    const report = await check(CONTAINERS[form]!(made.files), vouched(made));
    expect(report).toMatchObject({ exit_code: 0, faults: [] });
    expect(report.notes.at(-1)).toContain('not in the form in which it was issued');
  });

  it('accepts what Python writes: stored, deflated, into a stream, with zip64, the folder itself', async () => {
    const made = makeBundle();
    const folder = mkdtempSync(join(tmpdir(), 'fh-zip-'));
    try {
      writeFileSync(join(folder, 'issued.zip'), zip(made.files));
      execFileSync('python3', ['-c', ZIP_AGAIN], { cwd: folder });
      for (const name of ['stored', 'deflated', 'streamed', 'zip64', 'folder']) {
        const report = await check(readFileSync(join(folder, `${name}.zip`)), vouched(made));
        expect([name, report.exit_code, report.faults]).toEqual([name, 0, []]);
        expect(report.notes.at(-1)).toContain('not in the form in which it was issued');
      }
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('names the folder above the bundle, and each file beside it', async () => {
    const made = makeBundle();
    const files = new Map(inFolder(made.files, 'Schaden 12/'));
    const { report, names } = await checkNames(zip(files), vouched(made));
    expect(report.notes).toEqual(['The bundle lies in the folder Schaden 12/ of the container.']);
    expect(names).toEqual([...made.files.keys()]);
    for (const beside of ['.DS_Store', 'record.json', '__MACOSX/Schaden 12/._record.json']) {
      const with1 = await check(zip(new Map([...files, [beside, new Uint8Array(4)]])), vouched(made));
      expect(with1).toMatchObject({ exit_code: 1, faults: [{ entry: `../${beside}` }] });
    }
    const two = await check(zip(new Map([...files, ...inFolder(made.files, 'other/')])), vouched(made));
    expect(two).toMatchObject({ exit_code: 3, notes: [expect.stringContaining('several bundles')] });
  });

  it('refuses a descriptor that does not say what its entry holds', async () => {
    const made = makeBundle();
    const bytes = Buffer.from(CONTAINERS.descriptors!(made.files));
    const marks: number[] = [];
    for (let at = bytes.indexOf(DESCRIPTOR); at >= 0; at = bytes.indexOf(DESCRIPTOR, at + 1)) marks.push(at);
    expect(marks.length).toBe(made.files.size);
    for (const at of [4, 8, 12]) {
      const changed = Buffer.from(bytes);
      changed[marks[2]! + at]! ^= 1;
      expect([at, (await check(changed, vouched(made))).exit_code]).toEqual([at, 1]);
    }
  });

  it('refuses a changed bit of a header, or reports that the container is not as issued', async () => {
    const made = makeBundle();
    let refused = 0;
    // `readZip` below reads the change of every byte; here each tenth goes through all checks.
    for (const { at, changed } of changedHeaders(made.files, 10)) {
      const report = await check(changed, vouched(made));
      if (report.exit_code === 0) expect([at, report.notes.length]).toEqual([at, 1]);
      else refused += 1;
    }
    expect(refused).toBeGreaterThan(100);
  });
});

describe('readZip', () => {
  it('finds a fault for a changed bit in any byte of a header, or says that the container is not as issued', async () => {
    const { files } = makeBundle();
    let refused = 0;
    for (const { at, changed } of changedHeaders(files, 1)) {
      const { faults, issuedForm } = await readContainer(changed);
      expect([at, faults > 0 || !issuedForm]).toEqual([at, true]);
      if (faults > 0) refused += 1;
    }
    expect(refused).toBeGreaterThan(1000);
    expect(await readContainer(zip(files))).toEqual({ faults: 0, issuedForm: true });
  });
});

async function readContainer(bytes: Uint8Array): Promise<{ faults: number; issuedForm: boolean }> {
  const faults: string[] = [];
  const entry = () => ({ write: () => {}, end: () => {} });
  const on = { entry, fault: ({ reason }: { reason: string }) => faults.push(reason), crc32 };
  const { issuedForm } = await readZip(chunked(bytes), on, {
    maxBytes: 10_000_000,
    maxEntries: 100,
    maxEntryBytes: 10_000_000,
  });
  return { faults: faults.length, issuedForm };
}

const DESCRIPTOR = Buffer.of(0x50, 0x4b, 7, 8);

const ZIP_AGAIN = `
import zipfile
whole = zipfile.ZipFile('issued.zip')
class Stream:
    def __init__(self, file): self.write, self.flush = file.write, file.flush
def fill(archive, before=''):
    with archive:
        for name in whole.namelist(): archive.writestr(before + name, whole.read(name))
fill(zipfile.ZipFile('stored.zip', 'w'))
fill(zipfile.ZipFile('deflated.zip', 'w', zipfile.ZIP_DEFLATED))
fill(zipfile.ZipFile('folder.zip', 'w', zipfile.ZIP_DEFLATED), 'bundle/')
with open('streamed.zip', 'wb') as file: fill(zipfile.ZipFile(Stream(file), 'w', zipfile.ZIP_DEFLATED))
with zipfile.ZipFile('zip64.zip', 'w') as archive:
    for name in whole.namelist():
        with archive.open(zipfile.ZipInfo(name), 'w', force_zip64=True) as entry: entry.write(whole.read(name))
`;

async function checkNames(bytes: Uint8Array, o: VerifyOptions) {
  const names: string[] = [];
  const report = await check(bytes, { ...o, onEntry: ({ name }) => names.push(name) });
  return { report, names };
}

/** An issued archive with one bit changed, for every `step`th byte of its headers. */
function* changedHeaders(files: Files, step: number): Generator<{ at: number; changed: Uint8Array }> {
  const bytes = zip(files);
  const places = headerRanges(files).flatMap(([start, end]) =>
    Array.from({ length: end - start }, (_, at) => start + at),
  );
  for (let index = 0; index < places.length; index += step) {
    const at = places[index]!;
    const changed = bytes.slice();
    changed[at]! ^= 1 << (at % 8);
    yield { at, changed };
  }
}

/** Where headers and the central directory lie in an issued archive. */
function headerRanges(files: Files): [number, number][] {
  const ranges: [number, number][] = [];
  let at = 0;
  for (const [name, bytes] of files) {
    ranges.push([at, at + 30 + name.length]);
    at += 30 + name.length + bytes.length;
  }
  ranges.push([at, zip(files).length]);
  return ranges;
}
