import { existsSync } from 'node:fs';
import { readFile, rename, writeFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { base64, equal, fromBase64, utf8 } from '@firsthand/evidence/bytes.ts';
import { type Checkpoint, parseCheckpoint } from '@firsthand/evidence/checkpoint.ts';
import { EMPTY_ROOT, leafHash, nodeHash } from '@firsthand/evidence/merkle.ts';
import { NoteFault, parseNote, verifyNote, vkeyOf } from '@firsthand/evidence/note.ts';
import { parseEntryBundle, TILE_WIDTH, tilePath } from '@firsthand/evidence/tiles.ts';
import { otherRole, retirementOf, type TrustedKey } from '@firsthand/evidence/trust.ts';
import { namingFile } from './file-fault.ts';
import { trustedKeys } from './trusted-keys.ts';

export interface MonitorOptions {
  trust: string[];
  state?: string;
  interval: number;
  once?: boolean;
}

/** The state after the last run: the signed note, and the roots of the complete subtrees that make up that tree. */
interface Seen {
  note: string;
  nodes: Node[];
}

interface Node {
  height: number;
  hash: Uint8Array;
}

/** The log did what no log may. `notes`: what it signed, to show others. */
export class LogFault extends Error {
  override name = 'LogFault';
  readonly notes: readonly string[];

  constructor(reason: string, notes: readonly string[]) {
    super(reason);
    this.notes = notes;
  }
}

/** The log could not be read; this says nothing about it. */
class Unreachable extends Error {}

const TIMEOUT_MS = 30_000;
/** Tiles on their way at once. */
const AHEAD = 8;

/**
 * Follows a log: each new state must contain what was seen before and exactly the entries that the log shows. Exit code 1 on a
 * fault of the log, with its signed notes kept; 3 when it cannot be read and `--once` is given.
 */
export async function monitor(url: string, o: MonitorOptions): Promise<void> {
  const base = url.replace(/\/+$/, '');
  const keys = await trustedKeys(o.trust);
  let seen =
    o.state && existsSync(o.state)
      ? readState(o.state, await readFile(o.state, 'utf8').catch(namingFile(o.state)))
      : null;
  for (;;) {
    try {
      const before = seen ? parseCheckpoint(parseNote(utf8(seen.note)).text).size : 0n;
      seen = await look(base, keys, seen);
      const { origin, size } = parseCheckpoint(parseNote(utf8(seen.note)).text);
      if (o.state) await save(o.state, seen);
      console.log(`${new Date().toISOString()} ${origin} holds ${size} entries, ${size - before} new, consistent`);
    } catch (error) {
      if (error instanceof LogFault) {
        await report(error, o.state);
        process.exitCode = 1;
        return;
      }
      if (!(error instanceof Unreachable)) throw error;
      console.error(`${new Date().toISOString()} ${error.message}`);
      if (o.once) process.exitCode = 3;
    }
    if (o.once) return;
    await sleep(o.interval * 1_000);
  }
}

/** Looks once. Gives back the newest state that was seen; throws {@link LogFault}. */
async function look(base: string, keys: readonly TrustedKey[], seen: Seen | null): Promise<Seen> {
  const note = Buffer.from(await get(`${base}/checkpoint`)).toString('utf8');
  const head = readHead(note, keys);
  if (!seen) return follow(base, { note: '', nodes: [] }, note, head);
  const known = parseCheckpoint(parseNote(utf8(seen.note)).text);
  if (head.origin !== known.origin) {
    throw new LogFault(`the log was ${known.origin} and is now ${head.origin}`, [seen.note, note]);
  }
  if (head.size === known.size && equal(head.root, known.root)) return { ...seen, note };
  if (head.size === known.size) throw new LogFault(`fork: two states of ${head.size} entries`, [seen.note, note]);
  if (head.size > known.size) return follow(base, seen, note, head);
  await checkOlder(base, seen, note, head);
  console.error(`the log shows an older state of ${head.size} entries; ${known.size} were seen before`);
  return seen;
}

/** An older state is no fork in itself. The subtrees that both states hold whole must be the same. */
async function checkOlder(base: string, seen: Seen, note: string, head: Checkpoint): Promise<void> {
  const notes = [seen.note, note];
  if (!equal(rootOver(await grown(base, [], head.size, notes)), head.root)) throw new LogFault(UNMADE, notes);
  const shared: Node[] = [];
  for (const node of seen.nodes) {
    if (sizeOf([...shared, node]) > head.size) break;
    shared.push(node);
  }
  const now = await grown(base, [], sizeOf(shared), notes);
  if (!shared.every(({ hash }, at) => equal(hash, now[at]!.hash))) {
    throw new LogFault(`fork: an older state of ${head.size} entries holds others than were seen`, notes);
  }
}

/** Reads a checkpoint that a trusted log key signed: neither a bundle key nor one that was retired. */
function readHead(text: string, keys: readonly TrustedKey[]): Checkpoint {
  try {
    const note = parseNote(utf8(text));
    const head = parseCheckpoint(note.text);
    const own = keys.filter(({ name }) => name === head.origin);
    if (own.length === 0) throw new LogFault(`no trusted key is named ${head.origin}`, [text]);
    const misfits = verifyNote(note, own).map(({ verifier }) => misfitOf(keys, verifier));
    if (misfits.includes(null)) return head;
    throw new LogFault(misfits[0] ?? 'no trusted key signed the state of the log', [text]);
  } catch (error) {
    if (error instanceof NoteFault) throw new LogFault(error.message, [text]);
    throw error;
  }
}

/** Why a trusted key may not sign the state that a log shows now; null where it may. */
function misfitOf(keys: readonly TrustedKey[], key: TrustedKey): string | null {
  const retired = retirementOf(keys, key);
  if (otherRole(keys, key, 'log')) return `the bundle key ${vkeyOf(key)} signed the state of the log, not a log key`;
  if (retired === Number.POSITIVE_INFINITY) return null;
  return `the key ${vkeyOf(key)} signed the state of the log, but was retired on ${new Date(retired).toISOString()}`;
}

const UNMADE = 'the entries that it shows do not make the state that it signed';

/** Adds the log's entries to the tree that was seen; the result must be the tree that the log signed. */
async function follow(base: string, seen: Seen, note: string, head: Checkpoint): Promise<Seen> {
  const start = sizeOf(seen.nodes);
  const notes = seen.note === '' ? [note] : [seen.note, note];
  const nodes = await grown(base, seen.nodes, head.size, notes);
  if (equal(rootOver(nodes), head.root)) return { note, nodes };
  if (start === 0n) throw new LogFault(UNMADE, notes);
  throw new LogFault(`fork: the state of ${head.size} entries does not continue the one of ${start}`, notes);
}

/** The tree grown to `size` by the entries that the log shows. */
async function grown(base: string, before: readonly Node[], size: bigint, notes: readonly string[]): Promise<Node[]> {
  const nodes = [...before];
  const start = sizeOf(nodes);
  if (start === size) return nodes;
  for await (const { from, leaves } of leavesFrom(base, start, size, notes)) {
    for (const [at, leaf] of leaves.entries()) if (from + BigInt(at) >= start) append(nodes, leaf);
  }
  return nodes;
}

const sizeOf = (nodes: readonly Node[]): bigint => nodes.reduce((sum, { height }) => sum + (1n << BigInt(height)), 0n);

/** The leaf hashes of whole tiles from the one that holds `start`, each entry at its place in both kinds of tile. */
async function* leavesFrom(
  base: string,
  start: bigint,
  size: bigint,
  notes: readonly string[],
): AsyncGenerator<{ from: bigint; leaves: Uint8Array[] }> {
  const width = BigInt(TILE_WIDTH);
  const read = async (index: bigint) => {
    const left = size - index * width;
    const at = { index, width: left < width ? Number(left) : TILE_WIDTH };
    const [bundle, hashes] = await Promise.all([
      get(`${base}/tile/${tilePath({ level: 'entries', ...at })}`),
      get(`${base}/tile/${tilePath({ level: 0, ...at })}`),
    ]);
    const leaves = parseEntryBundle(bundle)?.map(leafHash) ?? [];
    for (let entry = 0; entry < at.width; entry += 1) {
      const leaf = leaves[entry];
      if (!leaf || !equal(leaf, hashes.subarray(32 * entry, 32 * entry + 32))) {
        throw new LogFault(`entry ${index * width + BigInt(entry)} is not at its place in the tiles`, notes);
      }
    }
    return { from: index * width, leaves: leaves.slice(0, at.width) };
  };
  const ahead: ReturnType<typeof read>[] = [];
  const end = (size + width - 1n) / width;
  let next = start / width;
  while (next < end || ahead.length > 0) {
    while (ahead.length < AHEAD && next < end) {
      const reading = read(next++);
      // Awaited in its turn below.
      reading.catch(() => {});
      ahead.push(reading);
    }
    yield await ahead.shift()!;
  }
}

function append(nodes: Node[], leaf: Uint8Array): void {
  let node: Node = { height: 0, hash: leaf };
  while (nodes.at(-1)?.height === node.height) {
    node = { height: node.height + 1, hash: nodeHash(nodes.pop()!.hash, node.hash) };
  }
  nodes.push(node);
}

const rootOver = (nodes: readonly Node[]): Uint8Array =>
  nodes.length === 0 ? EMPTY_ROOT : nodes.map(({ hash }) => hash).reduceRight((right, left) => nodeHash(left, right));

async function get(url: string): Promise<Uint8Array> {
  try {
    const answer = await fetch(url, { signal: AbortSignal.timeout(TIMEOUT_MS) });
    if (!answer.ok) throw new Error(`it answered ${answer.status}`);
    return new Uint8Array(await answer.arrayBuffer());
  } catch (error) {
    throw new Unreachable(`${url} cannot be read: ${(error as Error).message}`);
  }
}

/** Keeps the signed notes beside the state, or in the folder, so that they can be shown to others. */
async function report(fault: LogFault, state: string | undefined): Promise<void> {
  const file = `${state ?? 'monitor'}.fault-${Date.now()}.txt`;
  await writeFile(file, fault.notes.join('\n'));
  console.error(`${fault.message}\nWhat the log signed is kept in ${file}:\n\n${fault.notes.join('\n')}`);
}

function readState(file: string, text: string): Seen {
  try {
    const { note, nodes } = JSON.parse(text) as { note: string; nodes: { height: number; hash: string }[] };
    parseCheckpoint(parseNote(utf8(note)).text);
    return { note, nodes: nodes.map(({ height, hash }) => ({ height, hash: fromBase64(hash)! })) };
  } catch {
    throw new Error(`${file} is not the state of a log, as --state writes it. Name another file.`);
  }
}

async function save(file: string, { note, nodes }: Seen): Promise<void> {
  const text = JSON.stringify({ note, nodes: nodes.map(({ height, hash }) => ({ height, hash: base64(hash) })) });
  await writeFile(`${file}.new`, text);
  await rename(`${file}.new`, file);
}
