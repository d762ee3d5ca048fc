/** A row that holds something, with its number as a spreadsheet shows it. */
export interface SheetRow {
  row: number;
  cells: string[];
}

/** The most characters of one row, its separators included. */
const ROW_MAX_CHARACTERS = 65_536;
const SEPARATORS = [',', ';', '\t', '|'] as const;
/** The characters, and the rows of them, that tell the separator. */
const SAMPLE_CHARACTERS = 65_536;
const SAMPLE_ROWS = 50;

const FAULTS = {
  quote: 'a quote is not closed',
  text: 'text follows the closing quote of a cell',
  length: `a row has more than ${ROW_MAX_CHARACTERS} characters`,
} as const;

/** A text that is no CSV from `row` on. */
export class SheetFault extends Error {
  override name = 'SheetFault';
  readonly row: number;
  readonly kind: keyof typeof FAULTS;
  constructor(row: number, kind: keyof typeof FAULTS) {
    super(FAULTS[kind]);
    this.row = row;
    this.kind = kind;
  }
}

/**
 * Reads CSV as spreadsheets write it: commas, semicolons, tabs or bars between cells, or what a first line `sep=` says; rows
 * that end in CRLF, LF or CR, mixed as they come. White space around a cell without quotes is dropped; a quote inside such a
 * cell is a character. A row without any text counts and is not handed over. Throws {@link SheetFault}.
 */
export class SheetReader {
  #rest = '';
  #separator: string | null = null;
  #begun = false;
  #row = 0;

  /** The rows that end in what was fed so far. */
  feed(text: string): SheetRow[] {
    return this.#read(text, false);
  }

  /** The rows that were still open. */
  end(): SheetRow[] {
    return this.#read('', true);
  }

  #read(text: string, last: boolean): SheetRow[] {
    this.#rest += text;
    if (!this.#begun && this.#rest !== '') {
      this.#begun = true;
      this.#rest = this.#rest.replace(/^\uFEFF/, '');
    }
    let at = 0;
    if (this.#separator === null) {
      if (this.#rest.length < SAMPLE_CHARACTERS && !last) return [];
      const declared = /^"?sep=([^\r\n"\p{L}\p{N}])"?(?:\r\n|\r|\n|$)/iu.exec(this.#rest);
      this.#separator = declared?.[1] ?? separatorOf(this.#rest, last);
      at = declared?.[0].length ?? 0;
    }
    const rows: SheetRow[] = [];
    while (at < this.#rest.length) {
      // Quick for an empty line, since a file may have millions.
      if (this.#rest[at] === '\n') {
        this.#row += 1;
        at += 1;
        continue;
      }
      const read = rowAt(this.#rest, at, { separator: this.#separator, last });
      if (typeof read === 'string') throw new SheetFault(this.#row + 1, read);
      if (read === null) break;
      this.#row += 1;
      at = read.next;
      if (!isBlank(read.cells)) rows.push({ row: this.#row, cells: read.cells });
    }
    this.#rest = this.#rest.slice(at);
    return rows;
  }
}

/** Reads a whole text. */
export function readSheet(text: string): SheetRow[] {
  const reader = new SheetReader();
  return [...reader.feed(text), ...reader.end()];
}

const isBlank = (cells: readonly string[]): boolean => cells.every(cell => cell.trim() === '');

/** The columns of a header. Spreadsheets export columns that were emptied as separators behind the last heading. */
export const widthOf = (header: readonly string[]): number => header.findLastIndex(cell => cell.trim() !== '') + 1;

/** The cells under a header of so many columns, or null where the row has fewer or more. Blank ones behind it are nothing. */
export const cellsUnder = (width: number, cells: readonly string[]): readonly string[] | null =>
  cells.length >= width && isBlank(cells.slice(width)) ? cells.slice(0, width) : null;

/** Finds the row at `from`; null: it ends in text still to come. A word says why it is no row. */
function rowAt(
  text: string,
  from: number,
  { separator, last }: { separator: string; last: boolean },
): { cells: string[]; next: number } | keyof typeof FAULTS | null {
  const cells: string[] = [];
  const unfinished = () => (text.length - from > ROW_MAX_CHARACTERS ? 'length' : null);
  for (let at = from; ; at += 1) {
    const start = at;
    at = afterSpace(text, at, separator);
    if (text[at] === '"') {
      let cell = '';
      for (let open = at + 1; ; open = at + 1) {
        at = text.indexOf('"', open);
        if (at < 0) return unfinished() ?? (last ? 'quote' : null);
        if (at - from > ROW_MAX_CHARACTERS) return 'length';
        cell += text.slice(open, at);
        if (text[at + 1] !== '"') break;
        cell += '"';
        at += 1;
      }
      cells.push(cell);
      at = afterSpace(text, at + 1, separator);
    } else {
      at = endOfCell(text, start, separator);
      cells.push(text.slice(start, at).trim());
    }
    if (at - from > ROW_MAX_CHARACTERS) return 'length';
    const end = text[at];
    if (end === separator) continue;
    if (end === undefined) return last ? { cells, next: at } : unfinished();
    if (end === '\n') return { cells, next: at + 1 };
    if (end !== '\r') return 'text';
    if (at + 1 === text.length && !last) return null;
    return { cells, next: text[at + 1] === '\n' ? at + 2 : at + 1 };
  }
}

function afterSpace(text: string, from: number, separator: string): number {
  let at = from;
  while ((text[at] === ' ' || text[at] === '\t') && text[at] !== separator) at += 1;
  return at;
}

function endOfCell(text: string, from: number, separator: string): number {
  const code = separator.charCodeAt(0);
  for (let at = from; at < text.length; at += 1) {
    const here = text.charCodeAt(at);
    if (here === code || here === 0x0a || here === 0x0d) return at;
  }
  return text.length;
}

/**
 * The separator under which the rows fit the header best. The header must have two columns under it, if it has under any;
 * "Last name, first name;E-mail" has two under each, but a comma with a space behind it is more likely punctuation.
 */
function separatorOf(text: string, last: boolean): string {
  const judged: ({ separator: string } & Sample)[] = [];
  for (const separator of SEPARATORS) {
    const found = sampleUnder(text, separator, last);
    // Nothing but this separator stands in the text.
    if (found === 'blank') return separator;
    if (found) judged.push({ separator, ...found });
  }
  const wide = judged.filter(({ width }) => width > 1);
  const [best] = (wide.length > 0 ? wide : judged).sort(
    (a, b) => b.agreement - a.agreement || Number(a.spaced) - Number(b.spaced) || b.width - a.width,
  );
  return best?.separator ?? ',';
}

interface Sample {
  /** The columns of the header. */
  width: number;
  /** The share of the rows below it that have as many. */
  agreement: number;
  /** A space follows each separator of the header. */
  spaced: boolean;
}

/** Null: the header is no row under this separator. */
function sampleUnder(text: string, separator: string, last: boolean): Sample | 'blank' | null {
  let header: string[] | null = null;
  let spaced = false;
  let rows = 0;
  let fitting = 0;
  for (let at = 0; at < text.length && rows < SAMPLE_ROWS; ) {
    const read = rowAt(text, at, { separator, last });
    if (read === null || typeof read === 'string') {
      if (header) break;
      return null;
    }
    const line = text.slice(at, read.next);
    at = read.next;
    if (isBlank(read.cells)) continue;
    if (header) {
      rows += 1;
      if (cellsUnder(widthOf(header), read.cells)) fitting += 1;
    } else {
      header = read.cells;
      spaced = line
        .split(separator)
        .slice(1)
        .every(cell => cell.startsWith(' '));
    }
  }
  if (!header) return 'blank';
  return { width: widthOf(header), agreement: rows === 0 ? 1 : fitting / rows, spaced };
}
