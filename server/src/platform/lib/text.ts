/**
 * Shortens a text to its bound. Control characters and runs of blanks become one blank, and a text that is too long
 * ends in an ellipsis.
 */
export function bounded(text: string, max: number): string {
  const clean = text
    .toWellFormed()
    .replace(/[\p{Cc}\u202a-\u202e\u2066-\u2069\s]+/gu, ' ')
    .trim();
  const letters = [...clean];
  return letters.length <= max
    ? clean
    : `${letters
        .slice(0, max - 1)
        .join('')
        .trimEnd()}…`;
}

/** Keeps the first 12 different texts, of at most 300 characters each. */
export const boundedList = (texts: readonly string[], max = 300, items = 12): string[] =>
  [...new Set(texts.map(text => bounded(text, max)).filter(text => text !== ''))].slice(0, items);
