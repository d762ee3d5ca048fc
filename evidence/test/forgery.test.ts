import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { manifestText } from '../src/bundle.ts';
import { concat, utf8 } from '../src/bytes.ts';
import { canonicalBytes } from '../src/json.ts';
import { signNote } from '../src/note.ts';
import { verifyBundle } from '../src/verify.ts';
import {
  chunked,
  type Files,
  type Made,
  makeBundle,
  makeLog,
  newSigner,
  photoBytes,
  resign,
  VERDICT,
  zip,
} from './build.ts';

const check = ({ files }: { files: Files }, by: Made) =>
  verifyBundle(chunked(zip(files), 65_536), { trusted: [by.log, by.bundle] });

const copy = (made: Made): Made => ({ ...made, files: new Map(made.files) });
const jsonIn = (files: Files, name: string) => JSON.parse(new TextDecoder().decode(files.get(name)!));
const hash = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

function flip(bytes: Uint8Array, at: number): Uint8Array {
  const changed = bytes.slice();
  changed[at]! ^= 0x01;
  return changed;
}

/** What can be done to one file, whatever is in it. */
const BLIND: Record<string, (bytes: Uint8Array) => Uint8Array | null> = {
  'its first byte changed': bytes => flip(bytes, 0),
  'a byte in its middle changed': bytes => flip(bytes, bytes.length >> 1),
  'its last byte changed': bytes => flip(bytes, bytes.length - 1),
  'its end cut': bytes => bytes.slice(0, -1),
  'a byte added': bytes => concat(bytes, Uint8Array.of(10)),
  emptied: () => new Uint8Array(0),
  'left out': () => null,
};

const original = makeBundle();
const names = [...original.files.keys()];

describe('verifyBundle on a bundle changed without a key', () => {
  const cases = names.flatMap(name => Object.keys(BLIND).map(change => [name, change] as const));

  it(`is tried on ${cases.length} changes`, () => expect(cases.length).toBeGreaterThanOrEqual(120));

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

type Forgery = [what: string, entry: string, forge: (made: Made) => void];

/** What somebody with the source tries who then lists and signs everything anew. */
const FORGERIES: Forgery[] = [
  ...['cap_A', 'cap_B'].map(
    (id): Forgery => [
      `another photo ${id}`,
      `originals/${id}.jpg`,
      ({ files }) => files.set(`originals/${id}.jpg`, photoBytes(77)),
    ],
  ),
  [
    'two photos swapped',
    'originals/cap_A.jpg',
    ({ files }) => {
      const [a, b] = [files.get('originals/cap_A.jpg')!, files.get('originals/cap_B.jpg')!];
      files.set('originals/cap_A.jpg', b).set('originals/cap_B.jpg', a);
    },
  ],
  ['a photo left out', 'originals/cap_B.jpg', ({ files }) => files.delete('originals/cap_B.jpg')],
  ['a photo added', 'originals/cap_C.jpg', ({ files }) => files.set('originals/cap_C.jpg', photoBytes(3))],
  ['a preview of no photo', 'previews/cap_C.jpg', ({ files }) => files.set('previews/cap_C.jpg', photoBytes(3))],
  [
    'a photo under two types',
    'originals/cap_A.jpg',
    ({ files }) => files.set('originals/cap_A.png', files.get('originals/cap_A.jpg')!),
  ],
  ['a file of no known name', 'notes.txt', ({ files }) => files.set('notes.txt', utf8('trust me'))],
  [
    'another answer',
    'seal.json',
    ({ files }) => {
      const record = jsonIn(files, 'record.json');
      record.answers.plate.value = 'B-XY 13';
      files.set('record.json', canonicalBytes(record));
    },
  ],
  [
    'another answer with its seal',
    'record.json',
    ({ files }) => {
      const record = jsonIn(files, 'record.json');
      record.answers.plate.value = 'B-XY 13';
      const bytes = canonicalBytes(record);
      files.set('record.json', bytes);
      files.set('seal.json', canonicalBytes({ ...jsonIn(files, 'seal.json'), hash: hash(bytes) }));
    },
  ],
  [
    'the record of another',
    'record.json',
    ({ files }) => {
      const record = jsonIn(files, 'record.json');
      record.record.id = 'vfy_01JD00000000000000000000BB';
      files.set('record.json', canonicalBytes(record));
    },
  ],
  [
    'another label',
    'verdict.json',
    ({ files }) => files.set('verdict.json', canonicalBytes({ ...VERDICT, label: 'failed' })),
  ],
  ['another score', 'verdict.json', ({ files }) => files.set('verdict.json', canonicalBytes({ ...VERDICT, score: 1 }))],
  [
    'a reason added',
    'verdict.json',
    ({ files }) => files.set('verdict.json', canonicalBytes({ ...VERDICT, reason_code: 'ai_generated' })),
  ],
  ['no verdict', 'verdict.json', ({ files }) => files.set('verdict.json', utf8('null'))],
  [
    'another case analysis',
    'case_analysis.json',
    ({ files }) => files.set('case_analysis.json', canonicalBytes({ overall_risk_score: 0.9 })),
  ],
  ['no case analysis', 'case_analysis.json', ({ files }) => files.delete('case_analysis.json')],
  [
    'another review',
    'reviews.json',
    ({ files }) => files.set('reviews.json', canonicalBytes([{ decision: 'reject' }])),
  ],
  ['no reviews', 'reviews.json', ({ files }) => files.delete('reviews.json')],
  [
    'the last statement left out',
    'reviews.json',
    ({ files }) => {
      files.delete('statements/5.json');
      files.delete('proofs/5.tlog-proof');
    },
  ],
  [
    'a statement in the middle left out',
    'statements/2.json',
    ({ files }) => {
      files.delete('statements/2.json');
      files.delete('proofs/2.tlog-proof');
    },
  ],
  ['a proof left out', 'proofs/4.tlog-proof', ({ files }) => files.delete('proofs/4.tlog-proof')],
  [
    'two proofs swapped',
    'proofs/1.tlog-proof',
    ({ files }) => {
      const [a, b] = [files.get('proofs/1.tlog-proof')!, files.get('proofs/2.tlog-proof')!];
      files.set('proofs/1.tlog-proof', b).set('proofs/2.tlog-proof', a);
    },
  ],
  [
    'data beside a proof',
    'proofs/1.tlog-proof',
    ({ files }) => {
      const text = new TextDecoder().decode(files.get('proofs/1.tlog-proof')!);
      files.set('proofs/1.tlog-proof', utf8(text.replace('\nindex', '\nextra AAAA\nindex')));
    },
  ],
  ...[1, 2, 3, 4, 5].flatMap((seq): Forgery[] => {
    const name = `statements/${seq}.json`;
    const edit =
      (change: (statement: Record<string, unknown>) => void): Forgery[2] =>
      ({ files }) => {
        const value = jsonIn(files, name);
        change(value.statement);
        files.set(name, canonicalBytes(value));
      };
    return [
      [
        `another time in statement ${seq}`,
        `proofs/${seq}.tlog-proof`,
        edit(statement => {
          statement.at = '2025-01-01T00:00:00.000Z';
        }),
      ],
      [
        `another tenant in statement ${seq}`,
        `proofs/${seq}.tlog-proof`,
        edit(statement => {
          statement.tenant_id = 'tnt_01JD00000000000000000000BB';
        }),
      ],
      [
        `another verification in statement ${seq}`,
        name,
        edit(statement => {
          statement.verification_id = 'vfy_01JD00000000000000000000BB';
        }),
      ],
      [
        `another number in statement ${seq}`,
        name,
        edit(statement => {
          statement.seq = seq + 1;
        }),
      ],
      [
        `another version in statement ${seq}`,
        name,
        edit(statement => {
          statement.v = 2;
        }),
      ],
      [
        `another type in statement ${seq}`,
        name,
        edit(statement => {
          statement.type = 'rumour';
        }),
      ],
      [
        `a member added to statement ${seq}`,
        `proofs/${seq}.tlog-proof`,
        edit(statement => {
          statement.note = 'and more';
        }),
      ],
      [
        `statement ${seq} in another spelling`,
        name,
        ({ files }) => {
          files.set(name, utf8(JSON.stringify(jsonIn(files, name), null, 1)));
        },
      ],
      [
        `statement ${seq} with a member twice`,
        name,
        ({ files }) => {
          const text = new TextDecoder().decode(files.get(name)!);
          files.set(name, utf8(text.replace('"v":1', '"v":1,"v":1')));
        },
      ],
      [
        `another salt of statement ${seq}`,
        `proofs/${seq}.tlog-proof`,
        ({ files }) => {
          const value = jsonIn(files, name);
          files.set(name, canonicalBytes({ ...value, salt: Buffer.alloc(32).toString('base64') }));
        },
      ],
      [
        `a short salt of statement ${seq}`,
        name,
        ({ files }) => {
          const value = jsonIn(files, name);
          files.set(name, canonicalBytes({ ...value, salt: Buffer.alloc(31).toString('base64') }));
        },
      ],
      [
        `another place of entry ${seq}`,
        `proofs/${seq}.tlog-proof`,
        ({ files }) => {
          const proof = `proofs/${seq}.tlog-proof`;
          const text = new TextDecoder().decode(files.get(proof)!);
          files.set(proof, utf8(text.replace(/index (\d+)/, (_, index) => `index ${Number(index) + 1}`)));
        },
      ],
    ];
  }),
];

describe('verifyBundle on a bundle forged with the source at hand', () => {
  it(`is tried on ${FORGERIES.length} forgeries, each signed in two ways`, () =>
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

  it('leaves a bundle made wholly with other keys unvouched and prints them', async () => {
    const report = await check(makeBundle(), original);
    expect(report).toMatchObject({ exit_code: 2, faults: [] });
    expect(report.keys.every(key => !key.trusted)).toBe(true);
  });

  it('does not take a log of the forger for the trusted one', async () => {
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
