import { execFile, spawn } from 'node:child_process';
import { promisify } from 'node:util';

const TIMEOUT_MS = 30_000;
const MAX_OUTPUT = 2_000_000;

export interface Word {
  text: string;
  /** 0..100, on Tesseract's scale. */
  confidence: number;
  /** Words of one line share this number. */
  line: string;
}

export interface TesseractOptions {
  command: string;
  languages: string;
}

const versions = new Map<string, Promise<string | null>>();

/** Returns the version of the system's Tesseract, or null when there is none. Asks once. */
export function tesseractVersion(command: string): Promise<string | null> {
  const known =
    versions.get(command) ??
    promisify(execFile)(command, ['--version'], { timeout: 10_000 }).then(
      ({ stdout, stderr }) => /tesseract v?(\S+)/.exec(`${stdout}${stderr}`)?.[1] ?? 'unknown',
      () => null,
    );
  versions.set(command, known);
  return known;
}

/**
 * Reads the words of a picture (any format libpng or libjpeg reads). Rejects when the program fails or takes longer
 * than half a minute.
 * @param layout Tesseract's page segmentation mode: 11 finds scattered text, 6 takes one block.
 */
export async function readWords(o: TesseractOptions, picture: Uint8Array, layout: 6 | 11): Promise<Word[]> {
  const args = ['stdin', 'stdout', '-l', o.languages, '--psm', `${layout}`, 'tsv'];
  // One thread: several would compete with the analysis for the cores.
  const child = spawn(o.command, args, {
    timeout: TIMEOUT_MS,
    killSignal: 'SIGKILL',
    env: { ...process.env, OMP_THREAD_LIMIT: '1' },
  });
  const chunks: Buffer[] = [];
  let size = 0;
  let complaint = '';
  child.stdout.on('data', (chunk: Buffer) => {
    size += chunk.length;
    if (size > MAX_OUTPUT) child.kill('SIGKILL');
    else chunks.push(chunk);
  });
  child.stderr.on('data', (chunk: Buffer) => {
    complaint = `${complaint}${chunk}`.slice(0, 500);
  });
  // A program that exits early closes its end of the pipe. Its exit code says why.
  child.stdin.on('error', () => {});
  child.stdin.end(picture);
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  if (code !== 0) throw new Error(`tesseract ended with ${code}: ${complaint.trim()}`);
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
