import { BYTE_ORDER_MARK } from '@firsthand/contract/sheet/write-sheet.ts';

/** Hands the person a file that the page made. */
export function saveFile(name: string, text: string, type = 'text/csv'): void {
  const url = URL.createObjectURL(new Blob(type === 'text/csv' ? [BYTE_ORDER_MARK, text] : [text], { type }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
