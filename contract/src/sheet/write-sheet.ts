type Cell = string | number | boolean | null | undefined;

/** A text that a spreadsheet would run as a formula, also behind white space. */
const FORMULA = /^[\s\0]*[=+\-@]|^[\t\r\n]/;

/** Begins every CSV that people download: without it Excel reads UTF-8 as the encoding of its country. */
export const BYTE_ORDER_MARK = '\uFEFF';

/**
 * One line of CSV (RFC 4180) with its end, for people's spreadsheets. A cell that begins like a formula gets an apostrophe
 * before it: a spreadsheet shows such a cell as text and runs nothing.
 */
export const csvLine = (cells: readonly Cell[]): string =>
  exactCsvLine(cells.map(cell => (typeof cell === 'string' && FORMULA.test(cell) ? `'${cell}` : cell)));

/** One line of CSV that a program reads back as it was. */
export const exactCsvLine = (cells: readonly Cell[]): string =>
  `${cells.map(cell => quoted(String(cell ?? ''))).join(',')}\r\n`;

/** White space at the ends stands in quotes, because readers drop it outside of them. */
const quoted = (text: string): string => (/[",\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
