import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The version in use of each prompt. To change a text, add a file with the next number. */
export const PROMPTS = {
  context: 1,
  object: 1,
  condition: 1,
  case: 1,
  text: 1,
} as const;

export type Purpose = keyof typeof PROMPTS;
export const PURPOSES = Object.keys(PROMPTS) as Purpose[];

export interface Prompt {
  purpose: Purpose;
  version: number;
  /** The instructions. They contain no case data. */
  text: string;
}

const kept = new Map<string, Prompt>();

/** Returns the instructions for a purpose, after the rules common to all. */
export function promptFor(purpose: Purpose, version: number = PROMPTS[purpose]): Prompt {
  const name = `${purpose}.${version}`;
  const known = kept.get(name);
  if (known) return known;
  const read = (file: string) => readFileSync(join(import.meta.dirname, 'prompts', `${file}.md`), 'utf8').trim();
  const prompt: Prompt = { purpose, version, text: `${read('rules.1')}\n\n${read(name)}` };
  kept.set(name, prompt);
  return prompt;
}

const ESCAPES: Readonly<Record<string, string>> = {
  '<': '\\u003c',
  '>': '\\u003e',
  '\u2028': '\\u2028',
  '\u2029': '\\u2029',
};

/**
 * Separates untrusted text from the instructions: one line of JSON between two markers. Every `<` is escaped, so no text can close the
 * block or open another.
 */
export const evidenceBlock = (data: object): string =>
  `<evidence>\n${JSON.stringify(data).replace(/[<>\u2028\u2029]/g, letter => ESCAPES[letter]!)}\n</evidence>`;
