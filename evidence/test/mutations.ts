import { createHash } from 'node:crypto';
import { concat, utf8 } from '../src/bytes.ts';
import { canonicalBytes } from '../src/json.ts';
import { type Files, type Made, newSigner, photoBytes, resign, VERDICT } from './build.ts';

// The forgery matrix: what the checker must refuse, and the page and the command must tell in the same words.

export const copy = (made: Made): Made => ({ ...made, files: new Map(made.files) });
export const jsonIn = (files: Files, name: string) => JSON.parse(new TextDecoder().decode(files.get(name)!));
export const hash = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

function flip(bytes: Uint8Array, at: number): Uint8Array {
  const changed = bytes.slice();
  changed[at]! ^= 0x01;
  return changed;
}

/** What can be done to one file, whatever is in it. */
export const BLIND: Record<string, (bytes: Uint8Array) => Uint8Array | null> = {
  'its first byte changed': bytes => flip(bytes, 0),
  'a byte in its middle changed': bytes => flip(bytes, bytes.length >> 1),
  'its last byte changed': bytes => flip(bytes, bytes.length - 1),
  'its end cut': bytes => bytes.slice(0, -1),
  'a byte added': bytes => concat(bytes, Uint8Array.of(10)),
  emptied: () => new Uint8Array(0),
  'left out': () => null,
};

export type Forgery = [what: string, entry: string, forge: (made: Made) => void];

/** What somebody with the source tries who then lists and signs everything anew. */
export const FORGERIES: Forgery[] = [
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

/** Every forged bundle of the matrix with what was done to it. */
export function* forgedBundles(original: Made): Generator<{ what: string; files: Files }> {
  for (const name of original.files.keys()) {
    for (const [change, of] of Object.entries(BLIND)) {
      const { files } = copy(original);
      const bytes = of(files.get(name)!);
      if (bytes) files.set(name, bytes);
      else files.delete(name);
      yield { what: `${name} with ${change}`, files };
    }
  }
  for (const [what, , forge] of FORGERIES) {
    for (const bundle of [original.bundle, newSigner()]) {
      const forged = { ...copy(original), bundle };
      forge(forged);
      resign(forged);
      yield {
        what: `${what}, signed by ${bundle === original.bundle ? 'the bundle key' : 'the forger'}`,
        files: forged.files,
      };
    }
  }
}
