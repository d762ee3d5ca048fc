import { isUtf8 } from 'node:buffer';
import { Readable } from 'node:stream';
import type { BatchFault } from '@firsthand/contract/batches.ts';
import { CsvError, parse } from 'csv-parse';
import { turn } from '../lib/turns.ts';
import { isColumn, type RawRow } from './rows.ts';

/** The bytes that are parsed and checked in one turn of the event loop: some milliseconds. */
const SLICE_BYTES = 16_384;
const MAX_RECORD_CHARACTERS = 65_536;
/** The parser counts the characters of cells, not the separators between them: a line of more bytes is all separators. */
const MAX_LINE_BYTES = 8 * MAX_RECORD_CHARACTERS;
const NEWLINE = 0x0a;
const RETURN = 0x0d;

class LongLine extends Error {
  override name = 'LongLine';
}

async function* slices(raw: Buffer): AsyncGenerator<Buffer> {
  let lineFrom = 0;
  for (let at = 0; at < raw.length; at += SLICE_BYTES) {
    await turn();
    const slice = raw.subarray(at, at + SLICE_BYTES);
    const ends = Math.max(slice.lastIndexOf(NEWLINE), slice.lastIndexOf(RETURN));
    if (ends >= 0) lineFrom = at + ends;
    if (at - lineFrom > MAX_LINE_BYTES) throw new LongLine();
    yield slice;
  }
}

/**
 * Reads CSV with a header, a slice at a time. Rows are counted as a spreadsheet counts them: the header is 1, and a blank
 * line counts but holds nothing. Faults of the file itself go to `fault`.
 */
export async function* readCsv(raw: Buffer, fault: (found: BatchFault) => void): AsyncGenerator<RawRow> {
  if (!isUtf8(raw)) {
    fault({ row: 1, column: '', message: 'the file is not UTF-8' });
    return;
  }
  const parser = parse({ bom: true, trim: true, relax_column_count: true, max_record_size: MAX_RECORD_CHARACTERS });
  const source = Readable.from(slices(raw));
  source.once('error', error => parser.destroy(error));
  source.pipe(parser);
  let row = 0;
  let header: string[] | null = null;
  try {
    for await (const cells of parser as AsyncIterable<string[]>) {
      row += 1;
      if (header === null) {
        header = cells;
        for (const found of headerFaults(cells)) fault(found);
        continue;
      }
      if (cells.length === 1 && cells[0] === '') continue;
      if (cells.length !== header.length) {
        fault({ row, column: '', message: `has ${cells.length} cells; the header has ${header.length}` });
        continue;
      }
      const values: Record<string, unknown> = Object.create(null);
      for (const [index, name] of header.entries()) if (isColumn(name)) values[name] = cells[index];
      yield { row, values };
    }
  } catch (error) {
    if (error instanceof LongLine) {
      fault({ row: parser.info.records + 1, column: '', message: 'is too long for a row' });
      return;
    }
    if (!(error instanceof CsvError)) throw error;
    // The parser drops what it had read and not handed over yet: the error says how far it came.
    const { records } = error as CsvError & { records?: number };
    fault({ row: (records ?? row) + 1, column: '', message: `is not CSV: ${wordsOf(error)}` });
    return;
  } finally {
    source.destroy();
  }
  if (header === null) fault({ row: 1, column: '', message: 'the header is missing' });
}

function headerFaults(header: readonly string[]): BatchFault[] {
  return header.flatMap((column, index): BatchFault[] => {
    if (!isColumn(column)) return [{ row: 1, column, message: 'is not a column of a batch' }];
    return header.indexOf(column) < index ? [{ row: 1, column, message: 'appears twice' }] : [];
  });
}

function wordsOf({ code }: CsvError): string {
  if (code === 'CSV_QUOTE_NOT_CLOSED') return 'a quote is not closed';
  if (code === 'CSV_MAX_RECORD_SIZE') return `a row has more than ${MAX_RECORD_CHARACTERS} characters`;
  return 'a quote stands where none may';
}
