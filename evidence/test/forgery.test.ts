import { describe, expect, it } from 'vitest';
import { manifestText } from '../src/bundle.ts';
import { utf8 } from '../src/bytes.ts';
import { signNote } from '../src/note.ts';
import { verifyBundle } from '../src/verify.ts';
import { chunked, type Files, type Made, makeBundle, makeLog, newSigner, resign, zip } from './build.ts';
import { BLIND, copy, FORGERIES, hash, jsonIn } from './mutations.ts';

const check = ({ files }: { files: Files }, by: Made) =>
  verifyBundle(chunked(zip(files), 65_536), { trusted: [by.log, by.bundle] });

const original = makeBundle();
const names = [...original.files.keys()];

describe('verifyBundle on a bundle changed without a key', () => {
  const cases = names.flatMap(name => Object.keys(BLIND).map(change => [name, change] as const));

  it(`is tested with ${cases.length} changes`, () => expect(cases.length).toBeGreaterThanOrEqual(120));

  it.each(cases)('refuses %s with %s and names it', async (name, change) => {
    const forged = copy(original);
    const bytes = BLIND[change]!(forged.files.get(name)!);
    if (bytes) forged.files.set(name, bytes);
    else forged.files.delete(name);
    const report = await check(forged, original);
    expect(report.exit_code).toBe(name === 'manifest.json' && report.outcome === 'unreadable' ? 3 : 1);
    expect(report.faults.some(fault => (fault.entry ?? 'manifest.json') === name || /\S/.test(fault.reason))).toBe(
      true,
    );
    if (!(name === 'manifest.json')) expect(report.faults.map(fault => fault.entry)).toContain(name);
  });
});

describe('verifyBundle on a bundle forged with the source at hand', () => {
  it(`is tested with ${FORGERIES.length} forgeries, each signed in two ways`, () =>
    expect(FORGERIES.length).toBeGreaterThanOrEqual(80));

  it.each(FORGERIES)('refuses %s, signed anew with the bundle key itself, at %s', async (_, entry, forge) => {
    // Stronger than any outsider: even the key that signs bundles cannot change what the log holds.
    const forged = copy(original);
    forge(forged);
    resign(forged);
    const report = await check(forged, original);
    expect(report.exit_code).toBe(1);
    expect(report.faults.map(fault => fault.entry)).toContain(entry);
    for (const fault of report.faults) expect(fault.reason).toMatch(/\S/);
  });

  it.each(FORGERIES)('never trusts %s, signed anew with a key of the forger', async (_, __, forge) => {
    const forged = copy(original);
    forge(forged);
    resign({ ...forged, bundle: newSigner() });
    expect((await check(forged, original)).exit_code).toBe(1);
  });

  it('reports a bundle made only with unknown keys as unvouched, and prints the keys', async () => {
    const report = await check(makeBundle(), original);
    expect(report).toMatchObject({ exit_code: 2, faults: [] });
    expect(report.keys.every(key => !key.trusted)).toBe(true);
  });

  it('does not accept the forger’s log as the trusted one', async () => {
    const other = makeBundle();
    const forged = copy(original);
    const statements = [1, 2, 3, 4, 5].map(seq => jsonIn(forged.files, `statements/${seq}.json`).statement);
    for (const [name, bytes] of makeLog(statements, other.log).files) forged.files.set(name, bytes);
    // Under its own name: nobody vouched. Under the trusted key's name: its signature is missing.
    resign({ ...forged, log: other.log });
    expect((await check(forged, original)).exit_code).toBe(2);
    resign(forged);
    expect((await check(forged, original)).exit_code).toBe(1);
  });

  it('refuses a manifest signature over another text, twice, or by another name', async () => {
    const bytes = original.files.get('manifest.json')!;
    const { bundle } = original;
    const sign = (text: string, ...signers: (typeof bundle)[]) => utf8(signNote(text, ...signers));
    for (const signature of [
      sign(`firsthand-evidence/2\n${hash(bytes)}\n`, bundle),
      sign(`${manifestText(bytes)}more\n`, bundle),
      sign(manifestText(utf8('another')), bundle),
      sign(manifestText(bytes), bundle, bundle),
      sign(manifestText(bytes), newSigner()),
      sign(manifestText(bytes), newSigner('elsewhere.example/log')),
    ]) {
      const forged = copy(original);
      forged.files.set('manifest.sig', signature);
      const report = await check(forged, original);
      expect(report.exit_code).toBe(1);
      expect(report.faults).toMatchObject([{ check: 'manifest_signature', entry: 'manifest.sig' }]);
    }
  });
});
