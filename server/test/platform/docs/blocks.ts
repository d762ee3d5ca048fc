import { readFileSync } from 'node:fs';
import { glob } from 'node:fs/promises';
import { join } from 'node:path';

export const ROOT = join(import.meta.dirname, '..', '..', '..', '..');
const PATTERNS = ['*.md', 'docs/**/*.md', '{sdk,python}/*.md', 'examples/**/*.md'];

/** A fenced block of a Markdown file. */
export interface Block {
  /** 1-based line of its opening fence. */
  line: number;
  language: string;
  text: string;
  /** `<!-- not run: … -->` on the line before: why nobody runs it. */
  notRun: string | null;
  /** `<!-- runs until stopped -->` on the line before. A mark counts for what says the same in another language, right below. */
  untilStopped: boolean;
}

export interface Document {
  file: string;
  markdown: string;
  blocks: Block[];
}

/** Everything that people read, by its path. */
export async function readDocuments(): Promise<Document[]> {
  const files: string[] = [];
  for await (const file of glob(PATTERNS, { cwd: ROOT, exclude: name => name === 'node_modules' })) files.push(file);
  return files.sort().map(file => {
    const markdown = readFileSync(join(ROOT, file), 'utf8');
    return { file, markdown, blocks: blocksOf(markdown) };
  });
}

const SHELL = new Set(['sh', 'bash', 'shell', 'console']);
export const isShell = ({ language }: Pick<Block, 'language'>): boolean => SHELL.has(language);

/** Every fenced block of a Markdown text, indented ones too. */
export function blocksOf(markdown: string): Block[] {
  const lines = markdown.split('\n');
  const blocks: Block[] = [];
  let ended = -1;
  for (let at = 0; at < lines.length; at++) {
    const open = /^(\s*)(`{3,}|~{3,})\s*([\w-]*)/.exec(lines[at]!);
    if (!open) continue;
    const [, indent, fence, language] = open;
    const end = lines.findIndex(
      (line, index) =>
        index > at && line.trim().startsWith(fence!) && line.trim() === line.trim()[0]!.repeat(line.trim().length),
    );
    if (end === -1) throw new Error(`line ${at + 1}: the block has no end`);
    const before = lines.slice(0, at).findLastIndex(line => line.trim() !== '');
    const mark = lines[before] ?? '';
    const beside = ended === before && blocks.at(-1)?.language !== language ? blocks.at(-1) : undefined;
    blocks.push({
      line: at + 1,
      language: language!.toLowerCase(),
      text: lines
        .slice(at + 1, end)
        .map(line => line.slice(indent!.length))
        .join('\n'),
      notRun: /^\s*<!-- not run: (.+?) -->\s*$/.exec(mark)?.[1] ?? beside?.notRun ?? null,
      untilStopped: /^\s*<!-- runs until stopped -->\s*$/.test(mark) || (beside?.untilStopped ?? false),
    });
    at = ended = end;
  }
  return blocks;
}

/** The commands of a block: in a `console` block the lines after a prompt, in any other block all lines. */
export function scriptOf(block: Block): string {
  if (block.language !== 'console') return block.text;
  const kept: string[] = [];
  let continues = false;
  for (const line of block.text.split('\n')) {
    const prompt = /^\$ (.*)$/.exec(line);
    if (prompt || continues) kept.push(prompt?.[1] ?? line.replace(/^> /, ''));
    continues = (prompt !== null || continues) && line.endsWith('\\');
  }
  return kept.join('\n');
}

/** The commands that a text names inline (`npx firsthand doctor`), without those of its fenced blocks. */
export function inlineCommands(markdown: string): string[] {
  let prose = markdown.split('\n');
  for (const { line, text } of blocksOf(markdown)) {
    const end = line + text.split('\n').length + 1;
    prose = prose.map((value, index) => (index >= line - 1 && index < end ? '' : value));
  }
  return [...prose.join('\n').matchAll(/`([^`]+)`/g)]
    .map(([, code]) => code!.replace(/\s+/g, ' ').replaceAll('\\|', '|').trim())
    .filter(
      code =>
        /^(npx firsthand|firsthand|npm run|npm (start|test|ci)|node|bash) ?\S*/.test(code) && !/^firsthand_/.test(code),
    )
    .filter(code => / /.test(code));
}
