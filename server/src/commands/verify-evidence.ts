import { createHash } from 'node:crypto';
import { createReadStream, existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { crc32 } from 'node:zlib';
import { parseVkey, type Verifier } from '@firsthand/evidence/note.ts';
import { type Report, reportLines } from '@firsthand/evidence/report.ts';
import { parseTrust } from '@firsthand/evidence/trust.ts';
import { verifyBundle } from '@firsthand/evidence/verify.ts';
import { OWN_KEYS_FILE } from '../evidence/log.ts';

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

/** Each name is a verifier key or a file of keys. This installation's own keys are added. */
async function trustedKeys(named: readonly string[]): Promise<Verifier[]> {
  const own = join(resolve(process.env.DATA_DIR?.trim() || './data'), OWN_KEYS_FILE);
  const texts = await Promise.all(
    named.map(text => (/^[^+/\\][^+]*\+[0-9a-f]{8}\+/.test(text) ? text : readFile(text, 'utf8'))),
  );
  if (existsSync(own)) texts.push(await readFile(own, 'utf8'));
  return texts.flatMap(parseTrust);
}
