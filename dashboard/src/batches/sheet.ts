import { BATCH_COLUMNS } from '@firsthand/contract/batches.ts';
import { parse, unparse } from 'papaparse';

/** A list as the file has it. */
export interface Sheet {
  name: string;
  header: string[];
  rows: string[][];
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

/** The separator that the heading has most of, outside of quotes. */
function separatorOf(text: string): string {
  const heading = text.split(/\r?\n/, 1)[0]!.replace(/"[^"]*"/g, '');
  const counts = [',', ';', '\t', '|'].map(separator => [separator, heading.split(separator).length] as const);
  return counts.reduce((most, one) => (one[1] > most[1] ? one : most))[0];
}

/** Reads a CSV file: comma, semicolon, tab or bar. Null when it has no heading. */
export function readSheet(name: string, text: string): Sheet | null {
  const list = text.replace(/^\uFEFF/, '');
  const { data } = parse<string[]>(list, { delimiter: separatorOf(list), skipEmptyLines: false });
  // Text after the last line break is no row.
  if (data.at(-1)?.length === 1 && data.at(-1)![0] === '') data.pop();
  const [header, ...rows] = data;
  if (!header || header.every(heading => heading.trim() === '')) return null;
  return { name, header, rows };
}

const isBlank = (row: readonly string[]) => row.length === 1 && row[0]?.trim() === '';
export const countOf = ({ rows }: Sheet): number => rows.filter(row => !isBlank(row)).length;

/**
 * The list as the API takes it. Rows keep their numbers: blank ones stay, and one with more or fewer cells than the
 * heading keeps that fault.
 */
export function csvOf({ header, rows }: Sheet, mapping: Mapping): string {
  const kept = mapping.flatMap((place, index) => (place === '' ? [] : [index]));
  const lines = rows.map(row => {
    if (isBlank(row)) return [''];
    const cells = kept.map(index => row[index] ?? '');
    if (row.length > header.length) return [...cells, ...row.slice(header.length)];
    return row.length < header.length ? cells.slice(0, Math.max(1, cells.length - 1)) : cells;
  });
  return unparse([kept.map(index => mapping[index]!), ...lines], { newline: '\r\n' });
}

/** The cell of the file at the row and column of a fault. */
export function cellOf({ rows }: Sheet, mapping: Mapping, row: number, column: string): string | undefined {
  const at = mapping.indexOf(column);
  return at < 0 ? undefined : rows[row - 2]?.[at];
}
