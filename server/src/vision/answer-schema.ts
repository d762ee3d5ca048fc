import type { TSchema } from 'typebox';

/** Keywords that every server's guided decoding knows; bounds are held by us when the answer comes. */
const PORTABLE = new Set(['type', 'properties', 'required', 'items', 'enum', 'description', 'anyOf', 'const']);

/**
 * The schema as it is sent: objects closed, every member required, no bounds. Hosted services refuse the others under
 * strict structured outputs, and some servers' grammars ignore or choke on them.
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
  // An enum of strings is typed as one: strict modes want a type beside every enum.
  if (Array.isArray(out.enum) && out.type === undefined) out.type = 'string';
  return out;
}
