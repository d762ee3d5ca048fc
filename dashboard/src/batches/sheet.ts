import { BATCH_COLUMNS } from '@firsthand/contract/batches/batches.ts';
import { cellsUnder, readSheet as readRows, widthOf } from '@firsthand/contract/sheet/read-sheet.ts';
import { exactCsvLine } from '@firsthand/contract/sheet/write-sheet.ts';

/** A list as the file has it. */
export interface Sheet {
  name: string;
  header: string[];
  /** The row of the heading, as a spreadsheet counts them. */
  headerRow: number;
  /** The rows below it that hold something, by their numbers. */
  rows: ReadonlyMap<number, readonly string[]>;
}

/** Where a column of the file goes: a column of a batch, `metadata.<key>`, or nowhere (''). */
export type Mapping = readonly string[];

const METADATA = 'metadata.';
const KEY_MAX = 40;

/** The headings that lists out of other programs have, in English and German. */
const KNOWN: Record<(typeof BATCH_COLUMNS)[number], RegExp> = {
  name: /^((full|customer|client|person|claimant|contact)?name|(kunde|versicherter|ansprechpartner)(nname)?)$/,
  email: /^(e?mail(address|adresse)?)$/,
  phone_e164: /^(phone(number|e164)?|mobile(number|phone)?|tel(efon|ephone)?(nummer)?|handy(nummer)?|mobilnummer)$/,
  external_ref:
    /^(externalref|ref(erence|erenz)?|(claim|case|policy|order|booking)(no|number|id|ref)?|(schaden|vorgangs|vertrags|auftrags)?(nummer|nr))$/,
  asset_ref: /^(asset(ref|id)?|vin|fin|serial(number)?|(licence|license)?plate|kennzeichen|objektnummer)$/,
  expected_location: /^(expectedlocation|location|address|place|adresse|ort|standort)$/,
  expected_object: /^(expectedobject|object|item|vehicle|product|gegenstand|objekt|fahrzeug|artikel)$/,
  condition_aspects: /^(conditionaspects|condition|aspects|zustand)$/,
  ocr_type: /^(ocrtype|ocr|texttype)$/,
};

const plain = (heading: string): string => heading.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');

/** A heading as a key of metadata: lower-case letters, digits and underscores. */
export const keyOf = (heading: string): string =>
  heading
    .toLowerCase()
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/[^a-z0-9]+/g, '_')
    .replace(/^_+|_+$/g, '')
    .slice(0, KEY_MAX)
    .replace(/_+$/, '');

/** Guesses where each column goes; no two go to the same place. What is not known becomes metadata. */
export function guess(header: readonly string[]): string[] {
  const taken = new Set<string>();
  const take = (place: string) => {
    if (place === '' || taken.has(place)) return '';
    taken.add(place);
    return place;
  };
  const exact = header.map(heading => {
    const text = heading.trim();
    const known = (BATCH_COLUMNS as readonly string[]).includes(text) || text.startsWith(METADATA);
    return known && text !== METADATA ? take(text) : '';
  });
  const alike = header.map((heading, index) => {
    if (exact[index]) return exact[index];
    return take(BATCH_COLUMNS.find(column => KNOWN[column].test(plain(heading))) ?? '');
  });
  return header.map((heading, index) => alike[index] || take(keyOf(heading) === '' ? '' : METADATA + keyOf(heading)));
}

/** Reads a CSV text. Null when it has no heading. Throws `SheetFault`. */
export function readSheet(name: string, text: string): Sheet | null {
  const [heading, ...rows] = readRows(text);
  if (!heading) return null;
  return {
    name,
    header: heading.cells.slice(0, widthOf(heading.cells)),
    headerRow: heading.row,
    rows: new Map(rows.map(({ row, cells }) => [row, cells])),
  };
}

/**
 * The list as the API takes it. Rows keep their numbers: lines stand where blank ones stood, and a row with more or fewer
 * cells than the heading keeps that fault.
 */
export function csvOf({ header, headerRow, rows }: Sheet, mapping: Mapping): string {
  const kept = mapping.flatMap((place, index) => (place === '' ? [] : [index]));
  const lines: string[] = [];
  const add = (row: number, cells: readonly string[]) => {
    while (lines.length < row - 1) lines.push('\r\n');
    lines.push(exactCsvLine(cells));
  };
  add(
    headerRow,
    kept.map(index => mapping[index]!),
  );
  for (const [row, cells] of rows) {
    const under = cellsUnder(header.length, cells);
    const shown = kept.map(index => (under ?? cells)[index] ?? '');
    if (under) add(row, shown);
    else if (cells.length > header.length) add(row, [...shown, ...cells.slice(header.length)]);
    else add(row, shown.slice(0, Math.max(1, shown.length - 1)));
  }
  return lines.join('');
}

/** The cell of the file at the row and column of a fault. */
export function cellOf({ rows }: Sheet, mapping: Mapping, row: number, column: string): string | undefined {
  const at = mapping.indexOf(column);
  return at < 0 ? undefined : rows.get(row)?.[at];
}
