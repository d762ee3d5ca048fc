import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readC2pa } from './c2pa.ts';

/** The folder sdk/tests of a checkout of contentauth/c2pa-rs, whose library c2patool is. */
const folder = process.env.C2PA_RS_TESTS;
const fixture = (name: string) => readFileSync(join(folder!, 'fixtures', name));
/** Codes of the failures; nobody's certificates are trusted here. */
const failuresOf = (codes: readonly string[]) => codes.filter(code => code !== 'signingCredential.untrusted');

interface KnownGood {
  validation_state: string;
  validation_status?: { code: string }[];
}

describe.skipIf(!folder)('fixtures of c2patool (C2PA_RS_TESTS names sdk/tests of c2pa-rs)', () => {
  it.each(['C', 'CA', 'XCA'])('%s.jpg is read as its published result says', async name => {
    const published: KnownGood = JSON.parse(readFileSync(join(folder!, 'known_good', `${name}.json`), 'utf8'));
    const read = await readC2pa(fixture(`${name}.jpg`), () => undefined);
    expect(read?.state).toBe(published.validation_state.toLowerCase());
    expect(failuresOf(read?.failures ?? [])).toEqual((published.validation_status ?? []).map(({ code }) => code));
  });

  it.each([
    ['CACA.jpg', 'valid', []],
    ['CIE-sig-CA.jpg', 'valid', []],
    ['E-sig-CA.jpg', 'invalid', ['claimSignature.mismatch']],
    ['adobe-20220124-E-clm-CAICAI.jpg', 'invalid', ['ingredient.manifest.missing', 'assertion.hashedURI.mismatch']],
    ['update_manifest.jpg', 'valid', []],
  ])('%s is %s', async (name, state, failures) => {
    const read = await readC2pa(fixture(name), () => undefined);
    expect(read?.state).toBe(state);
    expect(failuresOf(read?.failures ?? [])).toEqual(failures);
  });

  it('no_manifest.jpg has none', async () => {
    expect(await readC2pa(fixture('no_manifest.jpg'), () => undefined)).toBeUndefined();
  });
});
