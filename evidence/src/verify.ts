import { sha256 } from '@noble/hashes/sha2.js';
import { isKept } from './bundle.ts';
import { concat, hex } from './bytes.ts';
import { checkContent } from './content.ts';
import { type Entry, Findings, type Trust } from './findings.ts';
import { checkLog } from './log-check.ts';
import { checkManifest } from './manifest-check.ts';
import { CHECKS, type Report } from './report.ts';
import { checkRetired } from './retired.ts';
import { crc32 } from './zip/crc32.ts';
import { readZip, ZipTooLarge } from './zip/read.ts';

export type { Entry } from './findings.ts';

export interface Hash {
  update(bytes: Uint8Array): unknown;
  digest(): Uint8Array;
}

export interface VerifyOptions extends Trust {
  maxBytes?: number;
  /** Told of each file once, for whoever shows it. */
  onEntry?: (entry: Entry) => void;
  /** Faster parts of the platform, where it has them. */
  createHash?: () => Hash;
  crc32?: (bytes: Uint8Array, before: number) => number;
}

const DEFAULT_MAX_BYTES = 2_000_000_000;
const MAX_ENTRIES = 4_000;
/** A statement or a record is some kilobytes; more than this is no bundle of ours. */
const MAX_KEPT_BYTES = 4_194_304;
const MAX_KEPT_TOTAL = 67_108_864;

/** Checks a bundle as it streams by, without network: memory does not grow with its photos. Never throws for what is in it. */
export async function verifyBundle(source: AsyncIterable<Uint8Array>, o: VerifyOptions = {}): Promise<Report> {
  const findings = new Findings(o);
  const { report } = findings;
  try {
    await readEntries(source, findings, o);
  } catch (error) {
    if (!(error instanceof ZipTooLarge)) throw error;
    findings.fault('container', null, `the file is too large for the limits: ${error.message}`);
    return report;
  }
  const manifest = checkManifest(findings);
  if (!manifest) return report;
  const { verification_id, origin, livemode } = manifest;
  Object.assign(report, { verification_id, origin, test: livemode === false });
  const statements = await checkLog(findings, manifest);
  checkContent(findings, manifest, statements);
  checkRetired(findings, statements);

  const failed = new Set(report.faults.map(fault => fault.check));
  report.checks = CHECKS.map(name => ({
    name,
    state: failed.has(name) ? 'fails' : findings.absent.has(name) ? 'absent' : 'holds',
  }));
  const vouched = report.keys.length === 2 && report.keys.every(key => key.trusted);
  report.outcome = failed.size > 0 ? 'fails' : vouched ? 'holds' : 'unvouched';
  report.exit_code = ({ holds: 0, fails: 1, unvouched: 2 } as const)[report.outcome];
  return report;
}

async function readEntries(source: AsyncIterable<Uint8Array>, findings: Findings, o: VerifyOptions): Promise<void> {
  let keptTotal = 0;
  const { issuedForm } = await readZip(
    source,
    {
      crc32: o.crc32 ?? crc32,
      fault: ({ entry, range, reason }) => findings.fault('container', entry, reason, range),
      entry(name) {
        const hash = o.createHash?.() ?? sha256.create();
        const kept: Uint8Array[] | null = isKept(name) ? [] : null;
        let size = 0;
        let tooLong = false;
        return {
          write(chunk) {
            size += chunk.length;
            hash.update(chunk);
            if (!kept || tooLong) return;
            keptTotal += chunk.length;
            tooLong = size > MAX_KEPT_BYTES || keptTotal > MAX_KEPT_TOTAL;
            if (tooLong) kept.length = 0;
            else kept.push(new Uint8Array(chunk));
          },
          end(range) {
            if (tooLong) findings.fault('container', name, 'it is too long for a file of its kind', range);
            // The first of two of a name counts; the second was reported.
            if (findings.entries.has(name)) return;
            const bytes = kept && !tooLong ? concat(...kept) : null;
            findings.entries.set(name, { name, range, size, sha256: hex(hash.digest()), bytes });
          },
        };
      },
    },
    // The service takes photos of at most 25 MB.
    { maxBytes: o.maxBytes ?? DEFAULT_MAX_BYTES, maxEntries: MAX_ENTRIES, maxEntryBytes: 67_108_864 },
  );
  findings.leaveFolder();
  for (const entry of findings.entries.values()) o.onEntry?.(entry);
  if (!issuedForm) {
    findings.report.notes.push(
      'The container is not in the form in which it was issued. The files in it decide, not the container.',
    );
  }
}
