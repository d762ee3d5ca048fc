import { sha256 } from '@noble/hashes/sha2.js';
import { isBundleFile, isStreamed } from './bundle.ts';
import { concat, hex } from './bytes.ts';
import { checkContent } from './content.ts';
import { checkLog } from './log-check.ts';
import { checkManifest } from './manifest-check.ts';
import type { Verifier } from './note.ts';
import { CHECKS, type CheckName, type Report } from './report.ts';
import { crc32 } from './zip/crc32.ts';
import { type ByteRange, readZip, ZipTooLarge } from './zip/read.ts';

export interface Hash {
  update(bytes: Uint8Array): unknown;
  digest(): Uint8Array;
}

export interface VerifyOptions {
  /** Keys somebody vouched for. */
  trusted?: readonly Verifier[];
  /** Witnesses each of which must have cosigned. */
  witnesses?: readonly Verifier[];
  /** PEM of roots for the time stamp. */
  tsaRoots?: string;
  maxBytes?: number;
  /** Told of each file once, as it was read, for whoever shows it. */
  onEntry?: (entry: Entry) => void;
  /** Faster parts of the platform, where it has them. */
  createHash?: () => Hash;
  crc32?: (bytes: Uint8Array, before: number) => number;
}

export interface Entry {
  name: string;
  range: ByteRange;
  size: number;
  sha256: string;
  /** Not kept for photos and other files that are only hashed. */
  bytes: Uint8Array | null;
}

/** Shared by the checks: the files, and the list of faults. */
export interface Findings {
  entries: ReadonlyMap<string, Entry>;
  report: Report;
  fault(check: CheckName, entry: string | null, where: { bytes?: ByteRange; field?: string }, reason: string): void;
  absent(check: CheckName): void;
}

const DEFAULT_MAX_BYTES = 2_000_000_000;
const MAX_ENTRIES = 4_000;
/** A statement or a record is some kilobytes; more than this is no bundle of ours. */
const MAX_KEPT_BYTES = 4_194_304;
const MAX_KEPT_TOTAL = 67_108_864;

/** Checks a bundle as it streams by, without network: memory does not grow with its photos. Never throws for what is in it. */
export async function verifyBundle(source: AsyncIterable<Uint8Array>, o: VerifyOptions = {}): Promise<Report> {
  const report: Report = {
    outcome: 'unreadable',
    exit_code: 3,
    verification_id: null,
    origin: null,
    checks: [],
    faults: [],
    notes: [],
    keys: [],
    log: null,
    timestamp: null,
    witnesses: [],
    photos: [],
  };
  const entries = new Map<string, Entry>();
  const absent = new Set<CheckName>();
  const findings: Findings = {
    entries,
    report,
    fault: (check, entry, where, reason) => report.faults.push({ check, entry, ...where, reason }),
    absent: check => absent.add(check),
  };
  try {
    const { issuedForm } = await readEntries(source, entries, findings, o);
    if (!issuedForm)
      report.notes.push(
        'The container is not in the form in which it was issued. The files in it decide, not the container.',
      );
  } catch (error) {
    if (!(error instanceof ZipTooLarge)) throw error;
    report.faults.push({
      check: 'container',
      entry: null,
      reason: `the file is too large for the limits: ${error.message}`,
    });
    return report;
  }
  const manifest = checkManifest(findings, o.trusted ?? []);
  if (!manifest) return report;
  report.verification_id = manifest.verification_id;
  report.origin = manifest.origin;
  const statements = await checkLog(findings, manifest, o);
  checkContent(findings, manifest, statements);

  const failed = new Set(report.faults.map(fault => fault.check));
  report.checks = (Object.keys(CHECKS) as CheckName[]).map(name => ({
    name,
    state: failed.has(name) ? 'fails' : absent.has(name) ? 'absent' : 'holds',
  }));
  const vouched = report.keys.length === 2 && report.keys.every(key => key.trusted);
  report.outcome = report.faults.length > 0 ? 'fails' : vouched ? 'holds' : 'unvouched';
  report.exit_code = report.outcome === 'fails' ? 1 : report.outcome === 'holds' ? 0 : 2;
  return report;
}

async function readEntries(
  source: AsyncIterable<Uint8Array>,
  entries: Map<string, Entry>,
  findings: Findings,
  o: VerifyOptions,
): Promise<{ issuedForm: boolean }> {
  const maxBytes = o.maxBytes ?? DEFAULT_MAX_BYTES;
  let keptTotal = 0;
  return readZip(
    source,
    {
      crc32: o.crc32 ?? crc32,
      fault: ({ entry, range, reason }) => findings.fault('container', entry, { bytes: range }, reason),
      entry(name) {
        const hash = (o.createHash ?? (() => sha256.create()))();
        const kept: Uint8Array[] | null = isStreamed(name) || !isBundleFile(name) ? null : [];
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
            else kept.push(chunk.slice());
          },
          end({ range }) {
            if (tooLong) findings.fault('container', name, { bytes: range }, 'it is too long for a file of its kind');
            // The first of two of a name counts; the second was reported.
            if (entries.has(name)) return;
            const bytes = kept && !tooLong ? concat(...kept) : null;
            const entry = { name, range, size, sha256: hex(hash.digest()), bytes };
            entries.set(name, entry);
            o.onEntry?.(entry);
          },
        };
      },
    },
    { maxBytes, maxEntries: MAX_ENTRIES },
  );
}
