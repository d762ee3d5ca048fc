import { isUtf8 } from 'node:buffer';
import type { BatchFault } from '@firsthand/contract/batches/batches.ts';
import { encodingOf } from '@firsthand/contract/sheet/encoding.ts';
import { cellsUnder, SheetFault, SheetReader, type SheetRow, widthOf } from '@firsthand/contract/sheet/read-sheet.ts';
import { turn } from '../../platform/lib/event-loop.ts';
import { isColumn, type RawRow } from './rows.ts';

/** The bytes that are parsed and checked in one turn of the event loop: some milliseconds. */
const SLICE_BYTES = 16_384;

/** Programs write it for bytes that they could not decode: the list was damaged before it came here. */
const LOST = '\uFFFD';

/** A file whose bytes are no text in the encoding they should have. */
class WrongEncoding extends Error {
  override name = 'WrongEncoding';
}

/**
 * Reads CSV with a header, a slice at a time. Rows have a spreadsheet's numbers: the header is row 1, and a blank line takes a
 * number but gives no row. `charset`: the encoding that the sender named. `fault` receives faults of the file itself.
 */
export async function* readCsv(
  raw: Buffer,
  charset: string | undefined,
  fault: (found: BatchFault) => void,
): AsyncGenerator<RawRow> {
  let header: SheetRow | null = null;
  try {
    for await (const { row, cells } of sheetRows(raw, charset)) {
      if (header === null) {
        header = { row, cells: cells.slice(0, widthOf(cells)) };
        for (const found of headerFaults(header)) fault(found);
        continue;
      }
      const under = cellsUnder(header.cells.length, cells);
      if (under === null) {
        fault({ row, column: '', message: `has ${cells.length} cells; the header has ${header.cells.length}` });
        continue;
      }
      const values: Record<string, unknown> = Object.create(null);
      for (const [index, name] of header.cells.entries()) {
        if (under[index]!.includes(LOST)) {
          fault({
            row,
            column: name,
            message: 'has a letter that was lost (U+FFFD). Save the list as UTF-8 once more',
          });
        }
        if (isColumn(name)) values[name] = under[index];
        else if (name === '' && under[index]!.trim() !== '') {
          fault({ row, column: '', message: `has a cell in column ${index + 1}, which has no heading` });
        }
      }
      yield { row, values };
    }
  } catch (error) {
    if (error instanceof SheetFault) return fault({ row: error.row, column: '', message: error.message });
    if (error instanceof WrongEncoding) return fault({ row: 1, column: '', message: error.message });
    throw error;
  }
  if (header === null) fault({ row: 1, column: '', message: 'the header is missing' });
}

async function* sheetRows(raw: Buffer, charset: string | undefined): AsyncGenerator<SheetRow> {
  const decoder = decoderOf(raw, charset);
  const decode = (slice?: Buffer) => {
    try {
      return decoder.decode(slice, { stream: slice !== undefined });
    } catch {
      throw new WrongEncoding(`the file is not ${decoder.encoding}, the charset of its Content-Type`);
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
  if (reading === 'workbook') throw new WrongEncoding('the file is a workbook, not CSV. Save it as "CSV UTF-8"');
  if (reading === 'utf-32') throw new WrongEncoding('the file is UTF-32. Save it as UTF-8');
  const { encoding, sure } = reading;
  const marked = encoding !== 'utf-8' ? sure : raw.indexOf('\uFEFF') === 0;
  if (charset !== undefined && !marked) {
    try {
      return new TextDecoder(charset, { fatal: true });
    } catch {
      throw new WrongEncoding('the charset of the Content-Type is not a known encoding');
    }
  }
  if (sure) return new TextDecoder(encoding, { fatal: true });
  throw new WrongEncoding(
    `the file is not UTF-8. It looks like ${encoding}. Save it as "CSV UTF-8", or send it as "Content-Type: text/csv; charset=${encoding}"`,
  );
}

function headerFaults({ row, cells }: SheetRow): BatchFault[] {
  return cells.flatMap((column, index): BatchFault[] => {
    if (column === '') return [];
    if (!isColumn(column)) return [{ row, column, message: 'is not a column of a batch' }];
    return cells.indexOf(column) < index ? [{ row, column, message: 'appears twice' }] : [];
  });
}
