/** A text that a spreadsheet would run as a formula, also behind white space. */
const FORMULA = /^[\s\0]*[=+\-@]|^[\t\r\n]/;

/**
 * One line of CSV (RFC 4180) with its end. A cell that begins like a formula gets an apostrophe before it: a spreadsheet
 * shows such a cell as text and runs nothing.
 */
export const csvLine = (cells: readonly (string | number | boolean | null | undefined)[]): string =>
  `${cells.map(cell => quoted(typeof cell === 'string' ? harmless(cell) : String(cell ?? ''))).join(',')}\r\n`;

const harmless = (text: string): string => (FORMULA.test(text) ? `'${text}` : text);
const quoted = (text: string): string => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
