import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { crc32 } from 'node:zlib';
import { parseVkey } from '@firsthand/evidence/note.ts';
import type { Report } from '@firsthand/evidence/report.ts';
import { verifyBundle } from '@firsthand/evidence/verify.ts';
import { reportLines } from '@firsthand/report/words.ts';
import { trustedKeys } from './trusted-keys.ts';

export interface VerifyEvidenceOptions {
  trust: string[];
  witness: string[];
  tsaRoot?: string;
  maxBytes?: number;
  json?: boolean;
}

const CHUNK_BYTES = 1_048_576;

/** Checks a bundle without server or network. Exit code: 0 valid, 1 invalid, 2 no trusted key signed it, 3 not a bundle. */
export async function verifyEvidence(file: string, o: VerifyEvidenceOptions): Promise<void> {
  let report: Report;
  try {
    report = await verifyBundle(createReadStream(file, { highWaterMark: CHUNK_BYTES }), {
      trusted: await trustedKeys(o.trust),
      witnesses: o.witness.map(parseVkey),
      ...(o.tsaRoot === undefined ? {} : { tsaRoots: await readFile(o.tsaRoot, 'utf8') }),
      ...(o.maxBytes === undefined ? {} : { maxBytes: o.maxBytes }),
      createHash: () => createHash('sha256'),
      crc32: (bytes, before) => crc32(bytes, before),
    });
  } catch (error) {
    // An unreadable file or key says nothing about the evidence.
    console.error((error as Error).message);
    process.exitCode = 3;
    return;
  }
  console.log(o.json ? JSON.stringify(report, null, 2) : reportLines(report).join('\n'));
  process.exitCode = report.exit_code;
}
