import type { Verifier } from './note.ts';
import type { CheckName, Report } from './report.ts';
import type { TrustedKey } from './trust.ts';
import type { ByteRange } from './zip/read.ts';

export interface Entry {
  name: string;
  range: ByteRange;
  size: number;
  sha256: string;
  /** Not kept for photos and other files that are only hashed. */
  bytes: Uint8Array | null;
}

/** Who is believed, beside the files themselves. */
export interface Trust {
  /** Keys somebody vouched for. */
  trusted?: readonly TrustedKey[];
  /** Witnesses each of which must have cosigned. */
  witnesses?: readonly Verifier[];
  /** PEM of roots for the time stamp. */
  tsaRoots?: string;
}

/** Shared by the checks: the files, who is believed, and the report they fill. */
export class Findings {
  readonly entries = new Map<string, Entry>();
  readonly absent = new Set<CheckName>();
  readonly trust: Trust;
  readonly report: Report = {
    outcome: 'unreadable',
    exit_code: 3,
    verification_id: null,
    origin: null,
    test: false,
    checks: [],
    faults: [],
    notes: [],
    keys: [],
    log: null,
    timestamp: null,
    witnesses: [],
    photos: [],
  };

  constructor(trust: Trust) {
    this.trust = trust;
  }

  /** Somebody zipped the folder instead of its content: names count from the folder on, and `../` stands before those beside it. */
  leaveFolder(): void {
    const [manifest, ...others] = [...this.entries.keys()].filter(name => name.endsWith('/manifest.json'));
    if (this.entries.has('manifest.json') || !manifest) return;
    if (others.length > 0) {
      this.report.notes.push('The container holds several bundles, each in a folder. Check each by itself.');
      return;
    }
    const folder = manifest.slice(0, -'manifest.json'.length);
    this.report.notes.push(`The bundle lies in the folder ${folder} of the container.`);
    const found = [...this.entries.values()];
    this.entries.clear();
    for (const entry of found) {
      const name = entry.name.startsWith(folder) ? entry.name.slice(folder.length) : `../${entry.name}`;
      this.entries.set(name, { ...entry, name });
    }
  }

  /** `place`: a range of bytes of the container, or a field of the file. */
  fault(check: CheckName, entry: string | null, reason: string, place?: ByteRange | string): void {
    const where = place === undefined ? {} : typeof place === 'string' ? { field: place } : { bytes: place };
    this.report.faults.push({ check, entry, ...where, reason });
  }

  /** Reads a file that was kept. Undefined, with a fault, when it is missing or `parse` throws. */
  read<T>(check: CheckName, name: string, parse: (bytes: Uint8Array) => T): T | undefined {
    const entry = this.entries.get(name);
    if (!entry?.bytes) {
      this.fault(check, name, entry ? 'it is too long to be read' : 'the file is missing');
      return undefined;
    }
    return this.attempt(check, name, () => parse(entry.bytes!), entry.range);
  }

  /** The result of `work`; undefined, with its words as the fault, when it throws. */
  attempt<T>(check: CheckName, name: string, work: () => T, place: ByteRange | string): T | undefined {
    try {
      return work();
    } catch (error) {
      this.fault(check, name, (error as Error).message, place);
      return undefined;
    }
  }
}
