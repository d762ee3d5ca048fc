import type { TSchema } from 'typebox';

/** Keywords that every server's guided decoding supports. We check bounds ourselves when the answer arrives. */
const PORTABLE = new Set(['type', 'properties', 'required', 'items', 'enum', 'description', 'anyOf', 'const']);

/**
 * Returns the schema to send: closed objects, every member required, no bounds. Hosted services reject anything else under strict
 * structured outputs, and some servers' grammars ignore bounds or fail on them.
 */
export function portable(schema: TSchema): Record<string, unknown> {
  const out: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(schema as Record<string, unknown>)) {
    if (!PORTABLE.has(key)) continue;
    if (key === 'properties') {
      const members = Object.entries(value as Record<string, TSchema>);
      out.properties = Object.fromEntries(members.map(([name, member]) => [name, portable(member)]));
      out.required = members.map(([name]) => name);
      out.additionalProperties = false;
    } else if (key === 'items') out.items = portable(value as TSchema);
    else if (key === 'anyOf') out.anyOf = (value as TSchema[]).map(portable);
    else if (key !== 'required') out[key] = value;
  }
  // Strict modes require a `type` beside every enum.
  if (Array.isArray(out.enum) && out.type === undefined) out.type = 'string';
  return out;
}
