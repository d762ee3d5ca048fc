import type { CallToolResult } from '@modelcontextprotocol/server';

// Everything that any tool says goes through this file.

interface Picture {
  bytes: Uint8Array;
  mimeType: 'image/jpeg';
}

/** What a tool found: facts, or a picture with a line of text. `link` is the one link that the tool is there to hand out. */
export type Found = { facts: object; link?: string } | { picture: Picture; text: string };

/** About 10,000 tokens. Clients cut or park what is over 25,000. */
const MAX_CHARACTERS = 40_000;

/**
 * Characters that nobody sees and that carry hidden orders: controls, direction marks, zero-width characters, variation selectors, tags,
 * private use. Line breaks and tabs stay.
 */
const HIDDEN = /(?![\n\t])[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;
/** Keys and secrets of any account, and links that open a capture page or a file without a key. */
const SECRET =
  /\b(?:pk_(?:live|test)|rk_secret|whsec)_[\w+/=-]{8,}|https?:\/\/[^\s"<>]+(?:\/v\/vfy_\w+|[?&](?:x-amz-signature|sig|signature|token)=)[^\s"<>]*/gi;

export function answerOf(found: Found, secrets: readonly string[]): CallToolResult {
  if ('picture' in found) {
    const { bytes, mimeType } = found.picture;
    return {
      content: [
        { type: 'image', data: Buffer.from(bytes).toString('base64'), mimeType },
        { type: 'text', text: cleaned(found.text, secrets) },
      ],
    };
  }
  const facts = shortened(cleanedDeep(found.facts, secrets, found.link) as Record<string, unknown>);
  // Some clients hand on only one of the two: both hold the same facts.
  return { content: [{ type: 'text', text: JSON.stringify(facts) }], structuredContent: facts };
}

export const refusalOf = (sentence: string, secrets: readonly string[]): CallToolResult => ({
  content: [{ type: 'text', text: cleaned(sentence, secrets).slice(0, 2_000) }],
  isError: true,
});

function cleaned(text: string, secrets: readonly string[], link?: string): string {
  const visible = text.replace(HIDDEN, '');
  if (visible === link) return visible;
  const own = secrets.filter(secret => secret !== '');
  return own.reduce((rest, secret) => rest.replaceAll(secret, '***'), visible).replace(SECRET, '***');
}

function cleanedDeep(value: unknown, secrets: readonly string[], link?: string): unknown {
  if (typeof value === 'string') return cleaned(value, secrets, link);
  if (Array.isArray(value)) return value.map(item => cleanedDeep(item, secrets, link));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, member]) => member !== undefined)
      .map(([name, member]) => [cleaned(name, secrets), cleanedDeep(member, secrets, link)]),
  );
}

/** How far texts and lists are cut, step by step, until the answer fits. */
const CUTS = [
  { characters: 2_000, items: 50 },
  { characters: 500, items: 25 },
  { characters: 120, items: 10 },
  { characters: 40, items: 5 },
];

function shortened(facts: Record<string, unknown>): Record<string, unknown> {
  if (sizeOf(facts) <= MAX_CHARACTERS) return facts;
  for (const { characters, items } of CUTS) {
    const notice = `The answer was too long: texts are cut after ${characters} characters, lists after ${items} items.`;
    const shorter = { notice, ...(cut(facts, characters, items) as object) };
    if (sizeOf(shorter) <= MAX_CHARACTERS) return shorter;
  }
  return { notice: 'The answer was too long to be shown.' };
}

const sizeOf = (value: unknown): number => JSON.stringify(value).length;

function cut(value: unknown, characters: number, items: number): unknown {
  if (typeof value === 'string') return value.length > characters ? `${value.slice(0, characters)}…` : value;
  if (Array.isArray(value)) return value.slice(0, items).map(item => cut(item, characters, items));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, cut(member, characters, items)]));
}
