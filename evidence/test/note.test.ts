import { generateKeyPairSync, sign } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { entryBundle, nodeInTile, parseEntryBundle, parseTilePath, tileOf, tilePath } from '../log/tiles.ts';
import { base64, hex, utf8 } from '../src/bytes.ts';
import { parseCheckpoint } from '../src/checkpoint.ts';
import { leafHash, rootOf } from '../src/merkle.ts';
import {
  COSIGNATURE,
  NoteFault,
  parseNote,
  parseVkey,
  signatureLine,
  signNote,
  verifyEd25519,
  verifyNote,
  vkeyOf,
} from '../src/note.ts';
import { parseTrust, thumbprint } from '../src/trust.ts';
import { newSigner } from './build.ts';
import { testdata } from './vectors.ts';

describe('verifyNote', () => {
  const [{ vkey, note }] = testdata<{ notes: [{ vkey: string; note: string }] }>('sumdb-note.json').notes;

  it('reads the example note of the specification', () => {
    const parsed = parseNote(utf8(note));
    expect(parsed.text).toBe('This is an example message.\n');
    expect(verifyNote(parsed, [parseVkey(vkey)])).toHaveLength(1);
    expect(vkeyOf(parseVkey(vkey))).toBe(vkey);
  });

  it('throws when a known signature does not verify, and ignores unknown ones', () => {
    const [a, b] = [newSigner('a.example'), newSigner('b.example')];
    const signed = signNote('one\ntwo\n', a, b);
    expect(verifyNote(parseNote(utf8(signed)), [b]).map(({ verifier }) => verifier)).toEqual([b]);
    expect(verifyNote(parseNote(utf8(signed)), [])).toEqual([]);
    expect(() => verifyNote(parseNote(utf8(signed.replace('two', 'too'))), [a])).toThrow(NoteFault);
  });

  it('reads cosignatures with their time', () => {
    const witness = newSigner('w.example', COSIGNATURE);
    const line = signatureLine('o\n1\nAA==\n', witness, 1_700_000_000n);
    const [found] = verifyNote(parseNote(utf8(`o\n1\nAA==\n\n${line}`)), [parseVkey(vkeyOf(witness))]);
    expect(found?.at).toBe(1_700_000_000n);
  });

  it('refuses every note with one character changed', () => {
    const signer = newSigner('a.example');
    const signed = signNote('origin\n12\nroot\n', signer);
    fc.assert(
      fc.property(
        fc.nat({ max: signed.length - 1 }),
        fc.constantFrom('x', 'A', '\n', ' ', '0', '='),
        (at, character) => {
          fc.pre(signed[at] !== character);
          const changed = signed.slice(0, at) + character + signed.slice(at + 1);
          let verified = 0;
          try {
            verified = verifyNote(parseNote(utf8(changed)), [signer]).length;
          } catch (error) {
            expect(error).toBeInstanceOf(NoteFault);
          }
          expect(verified).toBe(0);
        },
      ),
    );
  });

  it.each([
    ['no signature', 'text\n\n'],
    ['no empty line', 'text\n\u2014 a AAAAAAA=\n'],
    ['a control character', 'te\u0007xt\n\n\u2014 a AAAAAAA=\n'],
    ['a carriage return', 'text\r\n\n\u2014 a AAAAAAA=\n'],
    ['a hyphen for the dash', 'text\n\n- a AAAAAAA=\n'],
    ['no newline at its end', 'text\n\n\u2014 a AAAAAAA='],
    ['base64 without padding', 'text\n\n\u2014 a AAAAAAA\n'],
  ])('refuses a note with %s', (_, text) => {
    expect(() => parseNote(utf8(text))).toThrow(NoteFault);
  });
});

describe('parseVkey', () => {
  it.each([
    '',
    'a',
    'a+b+c',
    'a+00000000+AAAA',
    'a b+530d903a+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k',
    'example.com/foo+530d903b+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k',
  ])('refuses %j', text => expect(() => parseVkey(text)).toThrow(NoteFault));
});

describe('verifyEd25519', () => {
  interface Vector {
    key: string;
    sig: string;
    msg: string;
    flags: string[] | null;
  }
  const vectors = testdata<Vector[]>('cctv-ed25519.json');
  const strict = [
    'low_order_A',
    'low_order_R',
    'non_canonical_A',
    'non_canonical_R',
    'low_order_residue',
    'reencoded_k',
  ];

  it(`refuses small orders, other encodings and residues in ${vectors.length} vectors of C2SP/CCTV`, () => {
    const accepted = vectors.filter(({ key, sig, msg }) =>
      verifyEd25519(Buffer.from(sig, 'hex'), utf8(msg), Buffer.from(key, 'hex')),
    );
    expect(accepted.filter(({ flags }) => flags?.some(flag => strict.includes(flag)))).toEqual([]);
    expect(accepted.length).toBeGreaterThan(0);
  });

  it('agrees with OpenSSL on its signatures', () => {
    const { privateKey, publicKey } = generateKeyPairSync('ed25519');
    const raw = Buffer.from(publicKey.export({ format: 'jwk' }).x!, 'base64url');
    const signature = sign(null, utf8('a message'), privateKey);
    expect(verifyEd25519(signature, utf8('a message'), raw)).toBe(true);
    expect(verifyEd25519(signature, utf8('another'), raw)).toBe(false);
  });
});

describe('log of transparency-dev/tessera', () => {
  const { vkey, files } = testdata<{ vkey: string; files: Record<string, string> }>('tessera-log.json');
  const file = (name: string) => Buffer.from(files[name]!, 'base64');

  it.each(Array.from({ length: 15 }, (_, size) => [size + 1] as const))('verifies at size %i', size => {
    const note = parseNote(file(`checkpoint.${size}`));
    expect(verifyNote(note, [parseVkey(vkey)])).toHaveLength(1);
    const checkpoint = parseCheckpoint(note.text);
    expect(checkpoint.size).toBe(BigInt(size));
    const tile = file(`tile/0/000.p/${size}`);
    expect(hex(rootOf(checkpoint.size, node => nodeInTile(tile, node)))).toBe(hex(checkpoint.root));
    const entries = parseEntryBundle(file(`tile/entries/000.p/${size}`))!;
    expect(entries.map(entry => hex(leafHash(entry))).join('')).toBe(hex(tile));
    expect(hex(entryBundle(entries))).toBe(hex(file(`tile/entries/000.p/${size}`)));
  });
});

describe('tilePath', () => {
  it('writes paths like tlog-tiles', () => {
    expect(tilePath({ level: 0, index: 1234067n, width: 256 })).toBe('0/x001/x234/067');
    expect(tilePath({ level: 'entries', index: 0n, width: 7 })).toBe('entries/000.p/7');
    expect(tileOf({ height: 9, index: 3n })).toEqual({ level: 1, index: 0n });
  });

  it('reads its own paths back, and no other', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 63 }),
        fc.bigInt({ min: 0n, max: (1n << 50n) - 1n }),
        fc.integer({ min: 1, max: 256 }),
        (level, index, width) => {
          expect(parseTilePath(tilePath({ level, index, width }))).toEqual({ level, index, width });
        },
      ),
    );
    for (const path of [
      '64/000',
      '0/0',
      '0/x000/001',
      '0/000.p/0',
      '0/000.p/256',
      '0/000.p/01',
      '00/000',
      '../000',
      '0/x001/x234/067/',
      'data/000',
    ]) {
      expect([path, parseTilePath(path)]).toEqual([path, null]);
    }
  });
});

describe('parseTrust', () => {
  it('reads lines of keys and JWK Sets, and refuses a key that does not match its vkey', () => {
    const [a, b] = [newSigner('a.example'), newSigner('b.example')];
    expect(parseTrust(`# keys\n${vkeyOf(a)}\n\n${vkeyOf(b)}\n`)).toHaveLength(2);
    const jwk = (signer: typeof a, x = signer.publicKey) => ({
      kty: 'OKP',
      crv: 'Ed25519',
      x: Buffer.from(x).toString('base64url'),
      vkey: vkeyOf(signer),
    });
    expect(parseTrust(JSON.stringify({ keys: [jwk(a)] }))).toHaveLength(1);
    expect(() => parseTrust(JSON.stringify({ keys: [jwk(a, b.publicKey)] }))).toThrow(NoteFault);
    expect(() => parseTrust('nonsense')).toThrow(NoteFault);
  });

  it('names a key by the thumbprint of RFC 8037, appendix A.3', () => {
    const x = Buffer.from('11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo', 'base64url');
    expect(thumbprint(x)).toBe('kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k');
    expect(base64(x)).toHaveLength(44);
  });
});
