import type { EvidenceKeys } from '@firsthand/contract/evidence/evidence.ts';
import { hex } from '@firsthand/evidence/bytes.ts';
import { type Checkpoint, parseCheckpoint } from '@firsthand/evidence/checkpoint.ts';
import { consistencyRanges, leafHash, rangeHash, rootOf, verifyConsistency } from '@firsthand/evidence/merkle.ts';
import { parseNote, verifyNote } from '@firsthand/evidence/note.ts';
import { nodeInTile, parseEntryBundle, TILE_WIDTH, tileOf, tilePath, widthAt } from '@firsthand/evidence/tiles.ts';
import { parseTrust } from '@firsthand/evidence/trust.ts';
import { expect } from 'vitest';

/** Watches a log from outside: over HTTP, with nothing but its address. */
export function watchLog(url: string) {
  const seen: Checkpoint[] = [];

  async function bytesAt(path: string): Promise<Uint8Array> {
    const answer = await fetch(`${url}${path}`);
    if (answer.status !== 200) throw new Error(`${path} was answered ${answer.status}`);
    return new Uint8Array(await answer.arrayBuffer());
  }

  async function look(): Promise<Checkpoint> {
    const note = parseNote(await bytesAt('/log/checkpoint'));
    const keys = (await (await fetch(`${url}/v1/evidence-keys`)).json()) as EvidenceKeys;
    expect(verifyNote(note, parseTrust(JSON.stringify(keys)))).toHaveLength(1);
    const head = parseCheckpoint(note.text);
    if (seen.at(-1)?.size !== head.size || hex(seen.at(-1)!.root) !== hex(head.root)) seen.push(head);
    return head;
  }

  return {
    seen,
    /** Remembers the state that the log shows now. */
    look,
    /** Reads the log to its end and holds every remembered state against it. Returns all leaf hashes in hex. */
    async readAll(): Promise<string[]> {
      const { size } = await look();
      const tiles = new Map<string, Uint8Array>();
      for (let level = 0; widthAt(level, 0n, size) > 0; level += 1) {
        for (let index = 0n; widthAt(level, index, size) > 0; index += 1n) {
          const path = tilePath({ level, index, width: widthAt(level, index, size) });
          tiles.set(`${level}/${index}`, await bytesAt(`/log/tile/${path}`));
        }
      }
      const hashOf: Parameters<typeof rootOf>[1] = node => {
        const { level, index } = tileOf(node);
        return nodeInTile(tiles.get(`${level}/${index}`)!, node);
      };
      const leaves: string[] = [];
      for (let index = 0n; index * BigInt(TILE_WIDTH) < size; index += 1n) {
        const path = tilePath({ level: 'entries', index, width: widthAt(0, index, size) });
        const hashes = parseEntryBundle(await bytesAt(`/log/tile/${path}`))!.map(entry => hex(leafHash(entry)));
        expect(hashes.join('')).toBe(hex(tiles.get(`0/${index}`)!));
        leaves.push(...hashes);
      }
      for (const [at, later] of seen.entries()) {
        expect(later.origin).toBe(seen[0]!.origin);
        expect(hex(rootOf(later.size, hashOf))).toBe(hex(later.root));
        const earlier = seen[at - 1];
        if (!earlier) continue;
        expect(later.size).toBeGreaterThan(earlier.size);
        const proof = consistencyRanges(earlier.size, later.size).map(range => rangeHash(range, hashOf));
        const states = { old: earlier.size, oldRoot: earlier.root, size: later.size, root: later.root };
        expect(verifyConsistency({ ...states, proof })).toBe(true);
      }
      expect(leaves).toHaveLength(Number(size));
      return leaves;
    },
  };
}
