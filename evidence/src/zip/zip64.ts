// Numbers of 8 bytes (APPNOTE 4.3.14, 4.5.3): some tools write them for small files too.

const EXTRA_ID = 0x0001;
/** A number of 4 bytes that stands in the extra field instead. */
const ELSEWHERE = 0xffffffff;

/** The numbers of a header, each from the extra field where the header says so. Null if it is not there. */
export function widened(extra: Uint8Array, numbers: readonly number[]): number[] | null {
  const view = new DataView(extra.buffer, extra.byteOffset, extra.length);
  let [at, end] = [0, 0];
  for (let field = 0; field + 4 <= extra.length; field += 4 + view.getUint16(field + 2, true)) {
    if (view.getUint16(field, true) !== EXTRA_ID) continue;
    [at, end] = [field + 4, Math.min(extra.length, field + 4 + view.getUint16(field + 2, true))];
    break;
  }
  const wide: number[] = [];
  for (const number of numbers) {
    if (number === ELSEWHERE && at + 8 > end) return null;
    wide.push(number === ELSEWHERE ? Number(view.getBigUint64(at, true)) : number);
    if (number === ELSEWHERE) at += 8;
  }
  return wide;
}
