import { createHash } from 'node:crypto';
import { stampRequest } from '@firsthand/stamps/rfc3161.ts';
import { afterAll, describe, expect, it } from 'vitest';
import { openAuthority } from '../../stamps/test/authority.ts';
import { utf8 } from '../src/bytes.ts';
import { COSIGNATURE, signerOf, verifierOf, vkeyOf } from '../src/note.ts';
import { parseTrust } from '../src/trust.ts';
import { type VerifyOptions, verifyBundle } from '../src/verify.ts';
import {
  chunked,
  type Files,
  forgeLog,
  jwkOf,
  keySetOf,
  type Made,
  makeBundle,
  newSigner,
  ORIGIN,
  resign,
  zip,
} from './build.ts';

// Each key counts for its role only, and a retired one for what is dated before its retirement.

const authority = openAuthority();
afterAll(() => authority.close());

const BEFORE = '2025-01-01T00:00:00.000Z';
/** The witness of `makeBundle` cosigns on 2025-11-24. */
const AFTER_WITNESS = '2025-11-25T00:00:00.000Z';
const LATER = '2099-01-01T00:00:00.000Z';

const setOf = (...keys: object[]) => parseTrust(JSON.stringify({ keys }));
const listed = (...made: Parameters<typeof keySetOf>) => parseTrust(keySetOf(...made));

const check = ({ files }: { files: Files }, o: VerifyOptions) => verifyBundle(chunked(zip(files), 65_536), o);

function stamped(made: Made): Made {
  const imprint = createHash('sha256').update(utf8(made.signedCheckpoint)).digest();
  made.files.set(
    'timestamp.tsr',
    authority.reply(
      stampRequest(
        imprint,
        Uint8Array.from({ length: 16 }, () => 0x41),
      ),
    ),
  );
  resign(made);
  return made;
}

describe('parseTrust', () => {
  const key = newSigner();

  it('reads the role and the retirement of each key of a JWK Set, and none of a bare verifier key', () => {
    const set = setOf(
      jwkOf(key, { role: 'log' }),
      jwkOf(key, { role: 'bundle', retired_at: '2026-02-01T00:00:00.5+01:00' }),
      jwkOf(key),
    );
    expect(set.map(({ role, retiredAt }) => [role, retiredAt])).toEqual([
      ['log', undefined],
      ['bundle', Date.UTC(2026, 0, 31, 23, 0, 0, 500)],
      [undefined, undefined],
    ]);
    expect(parseTrust(vkeyOf(key))).toEqual([verifierOf(ORIGIN, key.publicKey)]);
  });

  it.each(['Log', 'bundles', '', ' log', 'witness', 1, null, ['log']])('refuses the role %j', role => {
    expect(() => setOf(jwkOf(key, { role }))).toThrow('neither "log" nor "bundle"');
  });

  it.each([
    '',
    'yesterday',
    '2026-02-01',
    '2026-02-01T00:00:00',
    '2026-13-01T00:00:00Z',
    '2026-02-01T00:00:00Z ',
    0,
    1769900000,
    false,
    null,
    [BEFORE],
    {},
  ])('refuses the retirement %j: it must not count as none', retired_at => {
    expect(() => setOf(jwkOf(key, { role: 'log', retired_at }))).toThrow('not a time');
  });
});

describe('verifyBundle on the roles of keys', () => {
  const made = makeBundle();

  it('gives 0 for a bundle signed by a log key and a bundle key of the JWK Set', async () => {
    expect(await check(made, { trusted: listed(made) })).toMatchObject({ exit_code: 0, faults: [] });
  });

  it('gives 1 for a log made with the bundle key, the log key or one key in both roles', async () => {
    const { log, bundle } = made;
    for (const [forged, faults] of [
      [forgeLog(made, bundle, bundle), ['is a bundle key of the issuer, not a log key', 'it is the bundle key too']],
      [forgeLog(made, log, log), ['is a log key of the issuer, not a bundle key', 'it is the bundle key too']],
      [
        forgeLog(made, bundle, log),
        ['is a log key of the issuer, not a bundle key', 'is a bundle key of the issuer, not a log key'],
      ],
    ] as const) {
      const report = await check(forged, { trusted: listed(made) });
      expect(report.exit_code).toBe(1);
      expect(report.faults.map(({ entry, reason }) => [entry, faults.some(fault => reason.includes(fault))])).toEqual([
        ['manifest.json', true],
        ['manifest.json', true],
      ]);
    }
  });

  it('gives 1 for one bare key in both roles, also when it is named twice', async () => {
    const forged = forgeLog(made, made.bundle, made.bundle);
    const bare = parseTrust(`${vkeyOf(made.bundle)}\n${vkeyOf(made.bundle)}\n${vkeyOf(made.log)}`);
    expect(await check(forged, { trusted: bare })).toMatchObject({
      exit_code: 1,
      faults: [{ check: 'checkpoint', field: 'keys.log', reason: expect.stringContaining('may not vouch for both') }],
    });
    // Nobody vouches for it: no reason to accept it as merely unknown.
    expect((await check(forged, { trusted: [] })).exit_code).toBe(1);
  });

  it('gives 1 for one key under two kinds', async () => {
    const twin = signerOf(ORIGIN, made.bundle.secretKey, COSIGNATURE);
    const forged = forgeLog(made, twin, made.bundle);
    expect((await check(forged, { trusted: [twin, made.bundle] })).exit_code).toBe(1);
  });

  it('gives 1 for a key that a list gives two roles, or the other role under another name', async () => {
    const elsewhere = verifierOf('other.example/log', made.log.publicKey);
    for (const more of [jwkOf(made.log, { role: 'bundle' }), jwkOf(elsewhere, { role: 'bundle' })]) {
      const trusted = [...listed(made), ...setOf(more)];
      expect(await check(made, { trusted })).toMatchObject({ exit_code: 1, faults: [{ field: 'keys.log' }] });
    }
  });

  it('binds a key to the role of its list, also where it is named bare beside it', async () => {
    const forged = forgeLog(made, made.bundle, made.log);
    const bare = parseTrust(`${vkeyOf(made.bundle)}\n${vkeyOf(made.log)}`);
    expect((await check(forged, { trusted: bare })).exit_code).toBe(0);
    expect((await check(forged, { trusted: [...bare, ...listed(made)] })).exit_code).toBe(1);
  });

  it('gives 1 for a witness that is a key of the issuer', async () => {
    const { log, bundle } = made;
    const unused = newSigner(ORIGIN);
    const twin = signerOf('witness.example', log.secretKey, COSIGNATURE);
    const forged = forgeLog(made, log, bundle, { witness: twin });
    for (const [witness, trusted] of [
      [log, [log, bundle]],
      [twin, [log, bundle]],
      [bundle, listed(made)],
      [unused, [...listed(made), ...setOf(jwkOf(unused, { role: 'bundle' }))]],
    ] as const) {
      const report = await check(forged, { trusted, witnesses: [witness] });
      expect(report).toMatchObject({ exit_code: 1, witnesses: [] });
      expect(report.faults).toMatchObject([{ check: 'witnesses', reason: expect.stringContaining('own witness') }]);
    }
    // A list of everybody who is trusted may name the witness too.
    const everybody = [...listed(made), ...parseTrust(vkeyOf(made.witness))];
    expect((await check(made, { trusted: everybody, witnesses: [made.witness] })).exit_code).toBe(0);
  });
});

describe('verifyBundle on retired keys', () => {
  const made = makeBundle();

  it.each([
    ['log', { retired_at: LATER }, {}],
    ['bundle', {}, { retired_at: LATER }],
    ['both', { retired_at: LATER }, { retired_at: LATER }],
  ])('gives 2 and the time for a retired key that nobody dates: %s', async (_, log, bundle) => {
    const report = await check(made, { trusted: listed(made, log, bundle) });
    expect(report).toMatchObject({ exit_code: 2, outcome: 'unvouched', faults: [] });
    const retired = report.keys.filter(key => key.retired_at === LATER);
    expect(retired.length).toBeGreaterThan(0);
    expect(report.keys.every(key => key.trusted === !retired.includes(key))).toBe(true);
  });

  it('counts the earliest retirement, whichever list says it and under whatever name', async () => {
    const elsewhere = verifierOf('other.example/log', made.log.publicKey);
    for (const retired of [made.log, elsewhere]) {
      for (const more of [
        setOf(jwkOf(retired, { role: 'log', retired_at: BEFORE })),
        setOf(jwkOf(retired, { role: 'log', retired_at: LATER }), jwkOf(retired, { role: 'log', retired_at: BEFORE })),
      ]) {
        for (const trusted of [
          [...listed(made), ...more],
          [...more, ...listed(made)],
        ]) {
          const report = await check(made, { trusted, witnesses: [made.witness] });
          expect(report.exit_code).toBe(2);
          expect(report.keys.find(({ role }) => role === 'log')).toMatchObject({ trusted: false, retired_at: BEFORE });
        }
      }
    }
  });

  it('gives 0 where a named witness cosigned before the retirement, and 2 where it did so later', async () => {
    const trusted = (retired_at: string) => listed(made, { retired_at }, { retired_at });
    const witnesses = [made.witness];
    expect(await check(made, { trusted: trusted(AFTER_WITNESS), witnesses })).toMatchObject({ exit_code: 0 });
    expect(await check(made, { trusted: trusted(BEFORE), witnesses })).toMatchObject({ exit_code: 2, faults: [] });
    // The cosignature of a witness that the caller did not name says nothing: anybody may have made it.
    expect(await check(made, { trusted: trusted(AFTER_WITNESS) })).toMatchObject({ exit_code: 2 });
  });

  it('does not take a witness without a time, or with one that no calendar has, for a date', async () => {
    const trusted = listed(made, { retired_at: LATER });
    const plain = newSigner('witness.example');
    for (const o of [{ witness: plain }, { witness: made.witness, cosignedAt: 1n << 62n }]) {
      const forged = forgeLog(made, made.log, made.bundle, o);
      expect(await check(forged, { trusted, witnesses: [o.witness] })).toMatchObject({
        exit_code: 2,
        faults: [],
        witnesses: [{ at: 'an unknown time' }],
      });
    }
  });

  it('gives 0 where a time stamp up to a trusted root dates the state, and 2 where its root is not named', async () => {
    const bundle = stamped(makeBundle());
    const trusted = listed(bundle, { retired_at: LATER }, { retired_at: LATER });
    const report = await check(bundle, { trusted, tsaRoots: authority.root });
    expect(report).toMatchObject({ exit_code: 0, keys: [{ retired_at: LATER }, { retired_at: LATER }] });
    expect(report.notes).toEqual([expect.stringMatching(/bundle key was retired on 2099.* Nobody dates its own/)]);
    expect((await check(bundle, { trusted })).exit_code).toBe(2);
    const before = listed(bundle, { retired_at: BEFORE });
    expect((await check(bundle, { trusted: before, tsaRoots: authority.root })).exit_code).toBe(2);
  });

  it('gives 2 for a retired bundle key where no verdict seals the record, whoever dates the log', async () => {
    const bundle = stamped(makeBundle());
    for (const name of [3, 4, 5].flatMap(seq => [`statements/${seq}.json`, `proofs/${seq}.tlog-proof`])) {
      bundle.files.delete(name);
    }
    for (const name of ['case_analysis.json', 'reviews.json']) bundle.files.delete(name);
    bundle.files.set('verdict.json', utf8('null'));
    resign(bundle);
    const tsaRoots = authority.root;
    expect(await check(bundle, { trusted: listed(bundle), tsaRoots })).toMatchObject({ exit_code: 0 });
    expect(await check(bundle, { trusted: listed(bundle, { retired_at: LATER }), tsaRoots })).toMatchObject({
      exit_code: 0,
    });
    const report = await check(bundle, { trusted: listed(bundle, {}, { retired_at: LATER }), tsaRoots });
    expect(report).toMatchObject({ exit_code: 2, faults: [] });
  });
});
