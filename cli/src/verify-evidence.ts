import { createHash } from 'node:crypto';
import { open, readFile } from 'node:fs/promises';
import { crc32 } from 'node:zlib';
import { parseVkey } from '@firsthand/evidence/note.ts';
import type { Report } from '@firsthand/evidence/report.ts';
import { verifyBundle } from '@firsthand/evidence/verify.ts';
import { reportLines } from '@firsthand/report/words.ts';
import { namingFile } from './file-fault.ts';
import { sentenceOf } from './sentence.ts';
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
    report = await check(file, o);
  } catch (error) {
    // An unreadable file or key says nothing about the evidence.
    console.error(sentenceOf(error));
    process.exitCode = 3;
    return;
  }
  console.log(o.json ? JSON.stringify(report, null, 2) : reportLines(report).join('\n'));
  process.exitCode = report.exit_code;
}

async function check(file: string, o: VerifyEvidenceOptions): Promise<Report> {
  const trusted = await trustedKeys(o.trust);
  const tsaRoots =
    o.tsaRoot === undefined ? {} : { tsaRoots: await readFile(o.tsaRoot, 'utf8').catch(namingFile(o.tsaRoot)) };
  const bundle = await open(file);
  try {
    const found = await bundle.stat();
    if (found.isDirectory()) throw new Error(`The folder ${file} is not a bundle. Zip its files, then name the zip.`);
    if (found.isFile() && found.size === 0) throw new Error(`${file} is empty. Download the bundle again.`);
    return await verifyBundle(bundle.createReadStream({ highWaterMark: CHUNK_BYTES, autoClose: false }), {
      trusted,
      witnesses: o.witness.map(parseVkey),
      ...tsaRoots,
      ...(o.maxBytes === undefined ? {} : { maxBytes: o.maxBytes }),
      createHash: () => createHash('sha256'),
      crc32: (bytes, before) => crc32(bytes, before),
    });
  } finally {
    await bundle.close();
  }
}
