/** Longest stored text of one field, in UTF-16 units. Our own texts are shorter; a file's text may be megabytes. */
const MAX_TEXT = 10_000;
const MAX_KEY = 200;

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters that must go.
const CONTROLS = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/g;

/**
 * Converts a text to one that PostgreSQL stores and a reader can show. Lone surrogates and control characters (C0
 * except tab, line feed and carriage return; DEL) become U+FFFD. A text over `max` UTF-16 units is cut between
 * characters.
 */
export function storableText(text: string, max = MAX_TEXT): string {
  // Cuts first, because a cut may split a pair. `toWellFormed` then mends that pair too.
  return text.slice(0, max).toWellFormed().replace(CONTROLS, '\ufffd');
}

/**
 * JSON of a value for a `json` or `jsonb` column, with every text and key passed through {@link storableText}. All data
 * from a picture, a text reader or a model goes through here: PostgreSQL refuses a row with one `\u0000` or one lone
 * surrogate anywhere in it. Returns null for null or undefined, so that the column is null.
 */
export function storable(value: unknown): string | null {
  if (value === null || value === undefined) return null;
  // Parses the JSON first, so that dates, `toJSON` and undefined members have their JSON form.
  return JSON.stringify(cleaned(JSON.parse(JSON.stringify(value))));
}

function cleaned(value: unknown): unknown {
  if (typeof value === 'string') return storableText(value);
  if (Array.isArray(value)) return value.map(cleaned);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [storableText(key, MAX_KEY), cleaned(member)]),
  );
}
