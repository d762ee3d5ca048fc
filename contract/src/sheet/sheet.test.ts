import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decoded, encodingOf, type SheetEncoding } from './encoding.ts';
import { cellsUnder, readSheet, SheetFault, SheetReader, widthOf } from './read-sheet.ts';
import { csvLine, exactCsvLine } from './write-sheet.ts';

const rowsOf = (text: string) => readSheet(text).map(({ cells }) => cells);

const HEADINGS = ['name', 'E-Mail', 'Straße', 'external_ref', 'metadata.branch', 'two\nlines', 'a "quoted" one'];
const cell = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 12 }),
  fc.constantFrom('Müller, Jörg', 'a;b', 'a|b', 'a\tb', '5" pipe', '"', '""', 'x\r\ny', 'x\ry', ' padded ', '', '=1+1'),
);
/** A sheet whose header is told from its rows: at least one cell of each row holds text. */
const sheet = fc.integer({ min: 1, max: HEADINGS.length }).chain(width =>
  fc.tuple(
    fc.shuffledSubarray(HEADINGS, { minLength: width, maxLength: width }),
    fc.array(
      fc.array(cell, { minLength: width, maxLength: width }).filter(cells => cells.some(text => text.trim() !== '')),
      { maxLength: 6 },
    ),
  ),
);
const dialect = fc.record({
  separator: fc.constantFrom(',', ';', '\t', '|'),
  ends: fc.array(fc.constantFrom('\r\n', '\n', '\r'), { minLength: 1, maxLength: 3 }),
  lastEnd: fc.boolean(),
  quotes: fc.constantFrom('all', 'where needed'),
  declared: fc.boolean(),
  mark: fc.boolean(),
});
type Dialect = typeof dialect extends fc.Arbitrary<infer D> ? D : never;

/** A sheet as programs write it: quotes around every cell, or around those that separators, quotes, ends or edges need. */
function written(rows: readonly (readonly string[])[], d: Dialect): string {
  const needs = (text: string) =>
    d.quotes === 'all' || text.includes(d.separator) || /["\r\n]|^\s|\s$/.test(text) || text === '\uFEFF';
  const quoted = (text: string) => (needs(text) ? `"${text.replaceAll('"', '""')}"` : text);
  const lines = rows.map(cells => cells.map(quoted).join(d.separator));
  const endOf = (index: number) => (index < lines.length - 1 || d.lastEnd ? d.ends[index % d.ends.length]! : '');
  const text = lines.map((line, index) => line + endOf(index)).join('');
  return `${d.mark ? '\uFEFF' : ''}${d.declared ? `sep=${d.separator}${d.ends[0]}` : ''}${text}`;
}

describe('readSheet', () => {
  test('readSheet gives back any sheet, whatever dialect wrote it', () => {
    fc.assert(
      fc.property(sheet, dialect, ([header, rows], how) => {
        // A lone CR and a line that begins with LF would be one end.
        fc.pre(!how.ends.includes('\r') || ![header, ...rows].some(([first]) => first?.startsWith('\n')));
        expect(rowsOf(written([header, ...rows], how))).toEqual([header, ...rows]);
      }),
      { numRuns: 2_000 },
    );
  });

  test('SheetReader reads the same rows however the text is cut', () => {
    fc.assert(
      fc.property(sheet, dialect, fc.array(fc.nat(40)), ([header, rows], how, cuts) => {
        const text = written([header, ...rows], how);
        const reader = new SheetReader();
        const found = [];
        let at = 0;
        for (const cut of cuts) {
          found.push(...reader.feed(text.slice(at, at + cut)));
          at += cut;
        }
        found.push(...reader.feed(text.slice(at)), ...reader.end());
        expect(found).toEqual(readSheet(text));
      }),
    );
  });

  test('SheetReader reads the same rows of a long list however it is cut', () => {
    const text = `name;note\r\n${'Ada;"a ""quoted""\r\nnote"\r\nBo;x\n'.repeat(8_000)}`;
    for (const size of [1_000, 16_384, 65_537]) {
      const reader = new SheetReader();
      const found = [];
      for (let at = 0; at < text.length; at += size) found.push(...reader.feed(text.slice(at, at + size)));
      found.push(...reader.end());
      expect(found).toEqual(readSheet(text));
    }
    expect(readSheet(text)).toHaveLength(16_001);
  });

  test.each([
    ['rows of nothing but separators', 'name,email\r\nAda,a@b.example\r\n,,\r\n,\r\n" ",""\r\nBo,\r\n', [1, 2, 6]],
    ['CRLF, then LF, then CR', 'name,email\r\nAda,a\nBo,b\rCy,c', [1, 2, 3, 4]],
    ['lone CR', 'name;email\rAda;a\rBo;b\r', [1, 2, 3]],
    ['blank lines above the header', '\n\n;;\nname;email\nAda;a\n', [4, 5]],
    ['sep=, which is no row', 'sep=;\r\nname;email\r\nAda;a\r\n', [1, 2]],
    ['a quoted cell of three lines', 'name,note\n"A\nB\nC",x\nBo,y\n', [1, 2, 3]],
  ])('readSheet counts rows as a spreadsheet does: %s', (_name, text, numbers) => {
    const rows = readSheet(text);
    expect(rows.map(({ row }) => row)).toEqual(numbers);
    for (const { cells } of rows) expect(cellsUnder(2, cells)).not.toBeNull();
  });

  test.each([
    ['"Name, first";E-Mail\nAda;a\n', ['Name, first', 'E-Mail']],
    ['Name, Vorname;E-Mail\nMüller, Jörg;a\n', ['Name, Vorname', 'E-Mail']],
    ['name, email, phone\nAda, a, 1\n', ['name', 'email', 'phone']],
    ['name\temail\nAda, B;C\ta\n', ['name', 'email']],
    ['Ort\nBerlin, Mitte\n', ['Ort']],
    ['"a\r\nb";c\r\n1;2\r\n', ['a\r\nb', 'c']],
    ['name;email;\nAda;a;\n', ['name', 'email', '']],
  ])('readSheet finds the separator of %j', (text, header) => {
    const [first, ...rows] = rowsOf(text);
    expect(first).toEqual(header);
    for (const cells of rows) expect(cellsUnder(widthOf(header), cells)).not.toBeNull();
  });

  test.each([
    ['name\n"Ada\n', 2, 'quote'],
    ['name,note\nAda,"x" y\n', 2, 'text'],
    [`name\nAda\n${'x'.repeat(70_000)}\n`, 3, 'length'],
    [`name\n${','.repeat(70_000)}\n`, 2, 'length'],
    [`name\n"${'x\n'.repeat(70_000)}`, 2, 'length'],
  ])('readSheet says where %.20j… stops being CSV', (text, row, kind) => {
    const fault = (() => {
      try {
        return readSheet(text);
      } catch (error) {
        return error;
      }
    })();
    expect(fault).toBeInstanceOf(SheetFault);
    expect(fault).toMatchObject({ row, kind });
  });

  test('exactCsvLine writes what readSheet and another reader read back', () => {
    fc.assert(
      fc.property(fc.array(cell, { minLength: 2, maxLength: 5 }), cells => {
        fc.pre(cells.some(text => text.trim() !== ''));
        const header = exactCsvLine(cells.map((_, index) => `c${index}`));
        expect(rowsOf(header + exactCsvLine(cells))[1]).toEqual(cells);
        expect(parse(exactCsvLine(cells))).toEqual([cells]);
        expect((parse(csvLine(cells)) as string[][])[0]!.every(text => !/^[=+\-@]/.test(text))).toBe(true);
      }),
    );
  });
});

/** Bytes of a text in an encoding of one byte a character, by its own decoder. */
function encoded(text: string, encoding: SheetEncoding): Uint8Array {
  const decoder = new TextDecoder(encoding);
  const bytes = new Map(Array.from({ length: 256 }, (_, byte) => [decoder.decode(Uint8Array.of(byte)), byte]));
  return Uint8Array.from(text, letter => bytes.get(letter)!);
}

const LISTS = [
  'Name;E-Mail;Straße\r\nJörg Müller;joerg@example.com;Königstraße 5\r\n',
  'nom,ville\nRenée Lefèvre,Orléans\nFrançois Noël,Besançon\n',
  'nombre;ciudad\rIñaki Muñoz;Málaga\rÁngel Peña;Córdoba\r',
];

describe('encodingOf', () => {
  test.each(LISTS.flatMap(text => (['windows-1252', 'macintosh'] as const).map(encoding => [encoding, text] as const)))(
    'encodingOf guesses %s and says that it is a guess: %j',
    (encoding, text) => {
      const bytes = encoded(text, encoding);
      expect(encodingOf(bytes)).toEqual({ encoding, sure: false });
      expect(decoded(bytes, encoding)).toBe(text);
    },
  );

  test('encodingOf is sure of UTF-8 and UTF-16, with and without a byte order mark', () => {
    const list = fc.tuple(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'grapheme' }));
    fc.assert(
      fc.property(fc.array(list), fc.boolean(), fc.constantFrom('utf-8', 'utf-16le', 'utf-16be'), (rows, mark, as) => {
        const body = ['name;ref', ...rows.map(cells => cells.join(';'))].join('\r\n').replaceAll('\0', '');
        const buffer = Buffer.from((mark ? '\uFEFF' : '') + body, as === 'utf-8' ? 'utf8' : 'utf16le');
        const bytes = as === 'utf-16be' ? buffer.swap16() : buffer;
        expect(encodingOf(bytes)).toEqual({ encoding: as, sure: true });
        expect(decoded(bytes, as as SheetEncoding)).toBe(body.replace(/^\uFEFF/, ''));
      }),
    );
  });

  test('encodingOf knows UTF-16 that holds the character for what could not be read', () => {
    expect(encodingOf(Buffer.from('name;ref\r\nA;\uFFFD', 'utf16le'))).toEqual({ encoding: 'utf-16le', sure: true });
  });

  test('encodingOf takes a stray NUL in UTF-8 for what it is', () => {
    expect(encodingOf(Buffer.from('name\nA\0da\n'))).toEqual({ encoding: 'utf-8', sure: true });
  });

  test('encodingOf names files that are no list', () => {
    expect(encodingOf(Uint8Array.of(0x50, 0x4b, 3, 4, 0))).toBe('workbook');
    expect(encodingOf(Uint8Array.of(0xff, 0xfe, 0, 0, 0x6e, 0, 0, 0))).toBe('utf-32');
  });
});
