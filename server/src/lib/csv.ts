/** A cell that a spreadsheet would run as a formula. */
const FORMULA = /^[=+\-@\t\r]/;

/**
 * One line of CSV (RFC 4180) with its end. A cell that begins like a formula gets an apostrophe before it: a spreadsheet
 * shows such a cell as text and runs nothing.
 */
export const csvLine = (cells: readonly (string | number | null | undefined)[]): string =>
  `${cells.map(cell => quoted(typeof cell === 'number' ? String(cell) : harmless(cell ?? ''))).join(',')}\r\n`;

const harmless = (text: string): string => (FORMULA.test(text) ? `'${text}` : text);
const quoted = (text: string): string => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
