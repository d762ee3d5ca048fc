import fc from 'fast-check';
import { parse } from 'papaparse';
import { expect, test } from 'vitest';
import { cellOf, countOf, csvOf, guess, keyOf, readSheet } from './sheet.ts';

test('guess finds the columns of a batch under the headings of other programs', () => {
  expect(guess(['Claim No.', 'Customer Name', 'E-Mail', 'Mobile', 'VIN', 'Region'])).toEqual([
    'external_ref',
    'name',
    'email',
    'phone_e164',
    'asset_ref',
    'metadata.region',
  ]);
  expect(guess(['Schadennummer', 'Kunde', 'E-Mail-Adresse', 'Telefonnummer', 'Straße'])).toEqual([
    'external_ref',
    'name',
    'email',
    'phone_e164',
    'metadata.stra_e',
  ]);
});

test('guess sends no two columns to one place, whatever the headings are', () => {
  fc.assert(
    fc.property(
      fc.array(fc.oneof(fc.string(), fc.constantFrom('name', 'Name', 'e-mail', 'metadata.a', 'A'))),
      header => {
        const places = guess(header).filter(place => place !== '');
        expect(new Set(places).size).toBe(places.length);
      },
    ),
  );
});

test('keyOf gives a key that the API accepts, or none', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), text => {
      expect(keyOf(text)).toMatch(/^$|^[a-z0-9_]{1,40}$/);
    }),
  );
});

test('csvOf keeps each kept cell and each row’s number, whatever the cells hold', () => {
  const cell = fc.string({ unit: 'grapheme-ascii' }).map(text => text.replaceAll('\r', ''));
  const rows = fc.array(fc.tuple(cell, cell, cell), { minLength: 1 });
  fc.assert(
    fc.property(rows, cells => {
      const sheet = { name: 'a.csv', header: ['a', 'b', 'c'], rows: cells };
      const { data } = parse<string[]>(csvOf(sheet, ['name', '', 'metadata.c']), { delimiter: ',' });
      expect(data[0]).toEqual(['name', 'metadata.c']);
      expect(data.slice(1)).toEqual(cells.map(([a, , c]) => [a, c]));
    }),
  );
});

test('csvOf keeps a blank row blank and the fault of a row that is too short or too long', () => {
  const sheet = readSheet('list.csv', 'Name;E-Mail\nAda;ada@example.com\n\nBob\nCy;cy@example.com;more\n')!;
  expect(countOf(sheet)).toBe(3);
  const lines = csvOf(sheet, ['name', 'email']).split('\r\n');
  expect(lines).toEqual(['name,email', 'Ada,ada@example.com', '', 'Bob', 'Cy,cy@example.com,more']);
  expect(cellOf(sheet, ['name', 'email'], 2, 'email')).toBe('ada@example.com');
});

test('readSheet finds no list in a file without a heading', () => {
  expect(readSheet('empty.csv', '')).toBeNull();
  expect(readSheet('blank.csv', '\n\n')).toBeNull();
});
