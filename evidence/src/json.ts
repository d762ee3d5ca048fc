import canonicalize from 'canonicalize';
import { fromUtf8, utf8 } from './bytes.ts';

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
export type JsonObject = { [key: string]: Json };

/** RFC 8785 canonical JSON. Throws on what JSON cannot hold, lone surrogates included. */
export function canonical(value: unknown): string {
  const text = canonicalize(value);
  if (text === undefined) throw new TypeError('not a JSON value');
  return text;
}

export const canonicalBytes = (value: unknown): Uint8Array => utf8(canonical(value));

/** Reads UTF-8. Throws an Error that says what is wrong. */
export function parseText(bytes: Uint8Array): string {
  const text = fromUtf8(bytes);
  if (text === null) throw new Error('it is not UTF-8');
  return text;
}

/**
 * Reads JSON whose bytes are its canonical form. This leaves one reading: no member twice, no number in two spellings.
 * Throws an Error that says what is wrong.
 */
export function parseCanonical(bytes: Uint8Array): Json {
  const text = parseText(bytes);
  let value: Json;
  let form: string;
  try {
    value = JSON.parse(text) as Json;
    form = canonical(value);
  } catch {
    throw new Error('it is not JSON');
  }
  if (form !== text) throw new Error('its bytes are not the canonical form (RFC 8785) of what they say');
  return value;
}

export const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
