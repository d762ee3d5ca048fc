/** Longest text that is kept of one field, in UTF-16 units. Our own texts are shorter; a file's may be megabytes. */
const MAX_TEXT = 10_000;
const MAX_KEY = 200;

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters that must go.
const CONTROLS = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/g;

/**
 * A text that PostgreSQL takes and a reader can show. Lone surrogates and control characters (C0 but tab, line feed and carriage
 * return; DEL) become U+FFFD; past `max` UTF-16 units the text is cut between characters.
 */
export function storableText(text: string, max = MAX_TEXT): string {
  // Cut first: a cut may split a pair, which is then mended with the rest.
  return text.slice(0, max).toWellFormed().replace(CONTROLS, '\ufffd');
}

/**
 * JSON of a value for a `json` or `jsonb` column, with every text and every key in it as {@link storableText} makes them. Whatever is
 * written down of a picture, a text reader or a model goes through here: PostgreSQL refuses a row for one `\u0000` or one lone
 * surrogate anywhere in it. Null where the value is null or undefined, so that the column is.
 */
export function storable(value: unknown): string | null {
  if (value === null || value === undefined) return null;
  // Read back first, so that dates, `toJSON` and undefined members are what JSON makes of them.
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
