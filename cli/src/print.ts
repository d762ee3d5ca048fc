const colour = process.stdout.isTTY && !process.env.NO_COLOR;
const paint = (code: number) => (text: string) => (colour ? `\x1b[${code}m${text}\x1b[0m` : text);

export const bold = paint(1);
export const dim = paint(2);
export const green = paint(32);
export const amber = paint(33);
export const red = paint(31);

/** Formats a table. Each column is as wide as its widest cell, without colour codes. */
export function table(head: string[], rows: string[][]): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: colour codes begin with one
  const width = (text: string) => [...text.replace(/\x1b\[\d+m/g, '')].length;
  const widths = head.map((_, column) => Math.max(...[head, ...rows].map(row => width(row[column] ?? ''))));
  const line = (row: string[]) =>
    row
      .map((cell, column) => cell + ' '.repeat(Math.max(0, widths[column]! - width(cell))))
      .join('  ')
      .trimEnd();
  return [bold(line(head)), dim(widths.map(n => '─'.repeat(n)).join('  ')), ...rows.map(line)].join('\n');
}
