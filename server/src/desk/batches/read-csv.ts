import { isUtf8 } from 'node:buffer';
import { duplicate, fault, required } from '@firsthand/contract/base/fault.ts';
import { type BatchFault, inRow } from '@firsthand/contract/batches/batches.ts';
import { encodingOf } from '@firsthand/contract/sheet/encoding.ts';
import { cellsUnder, SheetFault, SheetReader, type SheetRow, widthOf } from '@firsthand/contract/sheet/read-sheet.ts';
import { turn } from '../../platform/lib/event-loop.ts';
import { isColumn, NOT_A_COLUMN, type RawRow } from './rows.ts';

/** The bytes that are parsed and checked in one turn of the event loop: some milliseconds. */
const SLICE_BYTES = 16_384;

/** Programs write it for bytes that they could not decode: the list was damaged before it came here. */
const LOST = '\uFFFD';
const LOST_LETTER = 'has a letter that was lost (U+FFFD). Save the list as UTF-8 once more';

/** A file whose bytes are no text in the encoding they should have. */
class WrongEncoding extends Error {
  override name = 'WrongEncoding';
  /** The format that the file should have. */
  readonly expected: string;
  constructor(expected: string, message: string) {
    super(message);
    this.expected = expected;
  }
}

/**
 * Reads CSV with a header, a slice at a time. Rows have a spreadsheet's numbers: the header is row 1, and a blank line takes a
 * number but gives no row. `charset`: the encoding that the sender named. `add` receives faults of the file itself.
 */
export async function* readCsv(
  raw: Buffer,
  charset: string | undefined,
  add: (found: BatchFault) => void,
): AsyncGenerator<RawRow> {
  let header: SheetRow | null = null;
  try {
    for await (const { row, cells } of sheetRows(raw, charset)) {
      if (header === null) {
        header = { row, cells: cells.slice(0, widthOf(cells)) };
        for (const found of headerFaults(header)) add(found);
        continue;
      }
      const under = cellsUnder(header.cells.length, cells);
      if (under === null) {
        const counts = { cells: cells.length, columns: header.cells.length };
        const message = `has ${counts.cells} cells; the header has ${counts.columns}`;
        add(inRow(row, fault('', 'cell_count', message, counts)));
        continue;
      }
      const values: Record<string, unknown> = Object.create(null);
      for (const [index, name] of header.cells.entries()) {
        if (under[index]!.includes(LOST)) {
          add(inRow(row, fault(name, 'unusable_text', LOST_LETTER)));
        }
        if (isColumn(name)) values[name] = under[index];
        else if (name === '' && under[index]!.trim() !== '') {
          const column = index + 1;
          add(inRow(row, fault('', 'no_heading', `has a cell in column ${column}, which has no heading`, { column })));
        }
      }
      yield { row, values };
    }
  } catch (error) {
    if (error instanceof SheetFault)
      return add(inRow(error.row, fault('', 'format', error.message, { format: 'csv' })));
    if (error instanceof WrongEncoding)
      return add(inRow(1, fault('', 'format', error.message, { format: error.expected })));
    throw error;
  }
  if (header === null) add(inRow(1, required('', 'the header is missing')));
}

async function* sheetRows(raw: Buffer, charset: string | undefined): AsyncGenerator<SheetRow> {
  const decoder = decoderOf(raw, charset);
  const decode = (slice?: Buffer) => {
    try {
      return decoder.decode(slice, { stream: slice !== undefined });
    } catch {
      const message = `the file is not ${decoder.encoding}, the charset of its Content-Type`;
      throw new WrongEncoding(decoder.encoding, message);
    }
  };
  const reader = new SheetReader();
  for (let at = 0; at < raw.length; at += SLICE_BYTES) {
    await turn();
    yield* reader.feed(decode(raw.subarray(at, at + SLICE_BYTES)));
  }
  yield* reader.feed(decode());
  yield* reader.end();
}

/** A byte order mark and UTF-16 are beyond doubt; else the named charset counts, and UTF-8 where none is named. */
function decoderOf(raw: Buffer, charset: string | undefined) {
  const reading = encodingOf(raw, () => isUtf8(raw));
  if (reading === 'workbook') throw new WrongEncoding('csv', 'the file is a workbook, not CSV. Save it as "CSV UTF-8"');
  if (reading === 'utf-32') throw new WrongEncoding('utf-8', 'the file is UTF-32. Save it as UTF-8');
  const { encoding, sure } = reading;
  const marked = encoding !== 'utf-8' ? sure : raw.indexOf('\uFEFF') === 0;
  if (charset !== undefined && !marked) {
    try {
      return new TextDecoder(charset, { fatal: true });
    } catch {
      throw new WrongEncoding('utf-8', 'the charset of the Content-Type is not a known encoding');
    }
  }
  if (sure) return new TextDecoder(encoding, { fatal: true });
  throw new WrongEncoding(
    'utf-8',
    `the file is not UTF-8. It looks like ${encoding}. Save it as "CSV UTF-8", or send it as "Content-Type: text/csv; charset=${encoding}"`,
  );
}

function headerFaults({ row, cells }: SheetRow): BatchFault[] {
  return cells.flatMap((column, index): BatchFault[] => {
    if (column === '') return [];
    if (!isColumn(column)) return [inRow(row, fault(column, 'unknown_property', NOT_A_COLUMN))];
    return cells.indexOf(column) < index ? [inRow(row, duplicate(column, 'appears twice'))] : [];
  });
}
