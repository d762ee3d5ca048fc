import { execFile, spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Config } from '../../platform/config/config.ts';

/**
 * What the reader may spend on one picture. A page of 2,800 words takes the built-in reader 21 s. Processor time, so that other work on the
 * machine takes nothing from a picture; the second bound is for a reader that waits.
 */
const PROCESSOR_SECONDS = 30;
const TIMEOUT_MS = 60_000;
const MAX_OUTPUT = 2_000_000;

/** The reader was stopped because it had used up its time for one picture. */
export class ReadingTooLong extends Error {
  override name = 'ReadingTooLong';
}

export interface Word {
  text: string;
  /** 0..100, on Tesseract's scale. */
  confidence: number;
  /** Words of one line share this number. */
  line: string;
}

/** A Tesseract that answers. `name` says which one and its version. */
export interface TextReader {
  name: string;
  languages: string;
  program: string;
  /** The arguments of the program for a layout. */
  args: (layout: Layout) => string[];
}

/** Tesseract's page segmentation mode: 11 finds scattered text, 6 takes one block. */
type Layout = 6 | 11;

/** What the reader gets of our environment. It reads the pictures of strangers, so no settings are among it. */
const READERS_ENV = [
  'PATH',
  'HOME',
  'TMPDIR',
  'LANG',
  'LC_ALL',
  'LD_LIBRARY_PATH',
  'TESSDATA_PREFIX',
  'NODE_COMPILE_CACHE',
  'MALLOC_ARENA_MAX',
];
const environmentOfReader = (): NodeJS.ProcessEnv => ({
  ...Object.fromEntries(READERS_ENV.flatMap(name => (name in process.env ? [[name, process.env[name]]] : []))),
  // One thread: several would compete with the analysis for the cores.
  OMP_THREAD_LIMIT: '1',
});

const versions = new Map<string, Promise<string | null>>();

/** Returns the version of an installed Tesseract, or null when there is none. Asks once. */
function versionOf(command: string): Promise<string | null> {
  const known =
    versions.get(command) ??
    promisify(execFile)(command, ['--version'], { timeout: 10_000, env: environmentOfReader() }).then(
      ({ stdout, stderr }) => /tesseract v?(\S+)/.exec(`${stdout}${stderr}`)?.[1] ?? 'unknown',
      () => null,
    );
  versions.set(command, known);
  return known;
}

/** Returns the Tesseract to use, or null when there is none: the settings refuse it, or name a program that is missing. */
export async function findTextReader({ command, languages }: Config['tesseract']): Promise<TextReader | null> {
  if (command === 'none') return null;
  if (command !== 'built-in') {
    const program = command ?? 'tesseract';
    const version = await versionOf(program);
    if (version !== null) {
      const args = (layout: Layout) => ['stdin', 'stdout', '-l', languages, '--psm', `${layout}`, 'tsv'];
      return { name: `tesseract ${version}`, languages, program, args };
    }
    if (command !== null) return null;
  }
  return builtIn();
}

/** The packages hold only English. */
function builtIn(): TextReader {
  const { version } = createRequire(import.meta.url)('tesseract.js/package.json') as { version: string };
  const script = join(import.meta.dirname, 'built-in-reader.ts');
  return {
    name: `tesseract.js ${version}`,
    languages: 'eng',
    program: process.execPath,
    args: layout => [script, 'eng', `${layout}`],
  };
}

/**
 * Reads the words of a picture (any format libpng or libjpeg reads).
 *
 * @throws ReadingTooLong when the program takes longer than it may; another error when it fails or `signal` is aborted.
 */
export async function readWords(
  reader: TextReader,
  picture: Uint8Array,
  layout: Layout,
  signal?: AbortSignal,
): Promise<Word[]> {
  const started = performance.now();
  const limit = AbortSignal.timeout(TIMEOUT_MS);
  const limited = `ulimit -c 0 && ulimit -t ${PROCESSOR_SECONDS} && exec "$@"`;
  const child = spawn('/bin/sh', ['-c', limited, 'sh', reader.program, ...reader.args(layout)], {
    signal: signal ? AbortSignal.any([limit, signal]) : limit,
    killSignal: 'SIGKILL',
    env: environmentOfReader(),
  });
  const chunks: Buffer[] = [];
  let size = 0;
  let complaint = '';
  child.stdout.on('data', (chunk: Buffer) => {
    size += chunk.length;
    if (size > MAX_OUTPUT) child.kill('SIGTERM');
    else chunks.push(chunk);
  });
  child.stderr.on('data', (chunk: Buffer) => {
    complaint = `${complaint}${chunk}`.slice(0, 500);
  });
  // A program that exits early closes its end of the pipe. Its exit code says why.
  child.stdin.on('error', () => {});
  child.stdin.end(picture);
  const [code, killed] = await new Promise<[number | null, NodeJS.Signals | null]>((resolve, reject) => {
    child.once('error', error => {
      if (!limit.aborted) reject(error);
    });
    child.once('close', (...end) => resolve(end));
  });
  const usedUp =
    killed === 'SIGXCPU' || (killed === 'SIGKILL' && performance.now() - started > 900 * PROCESSOR_SECONDS);
  if (usedUp) {
    throw new ReadingTooLong(
      `${reader.name} was stopped: one picture may take ${PROCESSOR_SECONDS} s of processor time and ${TIMEOUT_MS / 1_000} s in all`,
    );
  }
  if (code !== 0) throw new Error(`${reader.name} ended with ${code ?? killed}: ${complaint.trim()}`);
  return parseTsv(Buffer.concat(chunks).toString('utf8'));
}

/** Parses Tesseract's table: level, page, block, paragraph, line, word, left, top, width, height, confidence, text. */
export function parseTsv(table: string): Word[] {
  return table.split('\n').flatMap(row => {
    const cells = row.split('\t');
    const text = cells[11]?.trim() ?? '';
    const confidence = Number(cells[10]);
    if (cells[0] !== '5' || text === '' || !(confidence >= 0)) return [];
    return [{ text, confidence, line: cells.slice(1, 5).join('.') }];
  });
}
