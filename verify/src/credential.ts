import type { Line } from '@firsthand/report/words.ts';
import { type Asset, BMFF, JPEG, PNG } from '@trustnxt/c2pa-ts/asset';
import { CBORBox, JSONBox, SuperBox } from '@trustnxt/c2pa-ts/jumbf';
import { type Manifest, ManifestStore, type ValidationResult } from '@trustnxt/c2pa-ts/manifest';
import * as asn1js from 'asn1js';

// Content Credentials, read by c2pa-ts: only JavaScript, so that it fits into the one file. It does not judge who vouches for a signer.

export interface CheckedPhoto {
  file: File;
  outcome: 'holds' | 'fails' | 'none' | 'unreadable';
  test: boolean;
  headline: string;
  lines: Line[];
  /** What our own assertions say, where the photo has some. */
  facts: [term: string, value: string][];
}

/** The service takes photos of at most 25 MB; a credential adds some kilobytes. */
const MAX_BYTES = 67_108_864;

/** Bundles are zip files; whatever else is chosen is taken for a photo. */
export const isZip = async (file: File): Promise<boolean> =>
  new TextDecoder('latin1').decode(await file.slice(0, 2).arrayBuffer()) === 'PK';

/** Checks the Content Credentials of a photo. Never throws for what is in it. */
export async function checkPhoto(file: File): Promise<CheckedPhoto> {
  const none = { file, test: false, lines: [], facts: [] };
  if (file.size > MAX_BYTES) return { ...none, outcome: 'unreadable', headline: 'The file is too large for a photo.' };
  const bytes = new Uint8Array(await file.arrayBuffer());
  const asset = assetOf(bytes);
  if (!asset) {
    return {
      ...none,
      outcome: 'unreadable',
      headline: 'This page reads Content Credentials in JPEG, PNG, HEIC and AVIF. Check a WebP with another reader.',
    };
  }
  try {
    const jumbf = asset.getManifestJUMBF();
    if (!jumbf) {
      return {
        ...none,
        outcome: 'none',
        headline: 'The photo carries no Content Credentials. That says nothing against it.',
      };
    }
    let store = storeIn(jumbf, wrapStamps);
    let result = await store.validate(asset);
    // A stamp that does not hold counts as none: the specification makes it information, not a fault (C2PA 2.2, 15.8).
    const stampFaults = codesOf(result, false).filter(code => code.startsWith('timeStamp.'));
    if (stampFaults.length > 0) {
      // c2pa-ts stopped there, before it looked at the picture.
      store = storeIn(jumbf, dropStamps);
      result = await store.validate(asset);
    }
    const manifest = store.getActiveManifest();
    return {
      file,
      outcome: result.isValid ? 'holds' : 'fails',
      test: saysTest(manifest),
      headline: result.isValid
        ? 'The photo and what is said of it are as they were signed.'
        : 'The Content Credentials do not hold.',
      lines: linesOf(manifest, result, stampFaults),
      facts: manifest ? factsOf(manifest) : [],
    };
  } catch (error) {
    // Damaged, or written in a way that this reader does not know: the page cannot tell which.
    const reason = (error as Error).message;
    return {
      ...none,
      outcome: 'unreadable',
      headline: `This page cannot read the Content Credentials of this photo (${reason}). Check it with another reader.`,
    };
  }
}

/** What of a signature it does not cover itself: the time stamps. */
interface Unprotected {
  sigTst?: unknown;
  sigTst2?: { tstTokens?: { val: Uint8Array }[] };
}

/** Reads the manifests with their stamps changed. c2pa-ts hashes boxes as they were in the file, so no hash changes. */
function storeIn(jumbf: Uint8Array, change: (stamps: Unprotected) => void): ManifestStore {
  const store = SuperBox.fromBuffer(jumbf as Uint8Array<ArrayBuffer>);
  const visit = (box: SuperBox) => {
    for (const inner of box.contentBoxes) {
      if (inner instanceof SuperBox) visit(inner);
      else if (inner instanceof CBORBox && box.descriptionBox?.label === 'c2pa.signature') {
        const stamps = (inner.content as [unknown, Unprotected?] | undefined)?.[1];
        if (stamps) change(stamps);
      }
    }
  };
  visit(store);
  return ManifestStore.read(store);
}

/**
 * Wraps each time stamp in the answer that carried it: `sigTst2` holds only the token (C2PA 2.2, 10.3.2.5.4), c2pa-ts 0.9.4 expects
 * the answer and otherwise reads nothing of the manifest.
 */
function wrapStamps({ sigTst2 }: Unprotected): void {
  for (const token of sigTst2?.tstTokens ?? []) token.val = answerWith(token.val);
}

function dropStamps(stamps: Unprotected): void {
  delete stamps.sigTst;
  delete stamps.sigTst2;
}

/** A time-stamp answer (RFC 3161, 2.4.2) with this token; an answer stays as it is. */
function answerWith(token: Uint8Array): Uint8Array {
  const { result } = asn1js.fromBER(token);
  // A token starts with its type, an answer with its status.
  if (!(result instanceof asn1js.Sequence && result.valueBlock.value[0] instanceof asn1js.ObjectIdentifier))
    return token;
  const granted = new asn1js.Sequence({ value: [new asn1js.Integer({ value: 0 })] });
  return new Uint8Array(new asn1js.Sequence({ value: [granted, result] }).toBER());
}

const codesOf = ({ statusEntries }: ValidationResult, successful: boolean): string[] =>
  statusEntries.filter(({ success }) => success === successful).map(({ code }) => String(code));

function assetOf(bytes: Uint8Array): Asset | undefined {
  try {
    const Format = [JPEG, PNG, BMFF].find(format => format.canRead(bytes));
    return Format && new Format(bytes);
  } catch {
    return undefined;
  }
}

/** The checks of a manifest, in the words of the page. `on`: the codes of the specification that speak of it. */
const CHECKS: { holds: string; fails: string; unknown: string; on: RegExp }[] = [
  {
    holds: 'No byte of the picture was changed since it was signed.',
    fails: 'The photo was changed after it was signed.',
    unknown: 'Whether the photo was changed could not be checked.',
    on: /^assertion\.(dataHash|bmffHash|boxesHash)\./,
  },
  {
    holds: 'The signature fits the statements and the certificate.',
    fails: 'The signature does not fit the statements or the certificate.',
    unknown: 'The signature could not be checked.',
    on: /^(claimSignature|signingCredential|algorithm)\./,
  },
  {
    holds: 'The statements are those that were signed.',
    fails: 'The statements are not those that were signed, or some are missing.',
    unknown: 'The statements could not be checked.',
    on: /^(assertion|claim|manifest|ingredient|general)\./,
  },
];

function linesOf(manifest: Manifest | undefined, result: ValidationResult, stampFaults: string[]): Line[] {
  const [passed, failures] = [codesOf(result, true), codesOf(result, false)];
  const claimed = new Set<string>();
  const lines = CHECKS.map(({ holds, fails, unknown, on }): Line => {
    const found = [...new Set(failures.filter(code => on.test(code) && !claimed.has(code)))];
    for (const code of found) claimed.add(code);
    if (found.length > 0) return { mark: 'fails', text: `${fails} (${found.join(', ')})` };
    // A reader that stops at a fault has not seen the rest.
    return passed.some(code => on.test(code)) ? { mark: 'holds', text: holds } : { mark: 'absent', text: unknown };
  });
  const others = failures.filter(code => !claimed.has(code));
  if (others.length > 0 || (!result.isValid && failures.length === 0)) {
    lines.push({ mark: 'fails', text: `Another check failed: ${others.join(', ') || 'unnamed'}.` });
  }
  const signed = manifest?.signature?.signatureData;
  const signer = signed?.certificate;
  if (signer) {
    const chain = [signer.subject, ...signed.chainCertificates.map(({ subject }) => subject)];
    const below: Line[] = [...new Set([...chain, signer.issuer])].map(text => ({ text }));
    lines.push({
      text: 'Who signed, and who issued the certificate. This page does not judge whether they can be trusted:',
      below,
    });
  }
  lines.push(stampLine(signed?.timestamp, stampFaults));
  return lines;
}

function stampLine(at: Date | undefined, faults: string[]): Line {
  const otherwise = 'only the signer says when it signed.';
  if (faults.length > 0)
    return { mark: 'absent', text: `The time stamp does not hold (${faults.join(', ')}): ${otherwise}` };
  if (!at) return { mark: 'absent', text: `No time stamp: ${otherwise}` };
  return {
    mark: 'holds',
    text: `A time-stamping authority saw the signature at ${at.toISOString()}. Its own certificate is not judged here.`,
  };
}

/** The JSON of an assertion that c2pa-ts has no class for. */
function contentOf(manifest: Manifest | undefined, label: string): Record<string, unknown> | undefined {
  const found = manifest?.assertions?.assertions.find(({ fullLabel }) => fullLabel === label);
  const [box] = found?.sourceBox?.contentBoxes ?? [];
  return box instanceof JSONBox ? (box.content as Record<string, unknown>) : undefined;
}

const saysTest = (manifest: Manifest | undefined): boolean =>
  ['capture', 'verdict', 'log'].some(name => contentOf(manifest, `org.firsthand.${name}`)?.livemode === false);

function factsOf(manifest: Manifest): [string, string][] {
  const [capture, verdict, log, session] = ['capture', 'verdict', 'log', 'session'].map(name =>
    contentOf(manifest, `org.firsthand.${name}`),
  );
  const { label, score } = (verdict?.verdict ?? {}) as { label?: unknown; score?: unknown };
  const [entry] = Array.isArray(log?.entries) ? (log.entries as { index?: unknown }[]) : [];
  const rows: [string, unknown][] = [
    ['Made with', manifest.claim?.claimGeneratorName],
    ['Verification', capture?.verification_id],
    ['Photo', capture?.capture_id],
    ['Received', capture?.received_at],
    ['How', capture?.how],
    ['Taken by a camera', capture?.camera_capture],
    ['Camera session, passed on only', session?.result],
    ['Verdict', label === undefined ? undefined : `${String(label)} (score ${String(score)})`],
    ['Log', log?.origin && `${String(log.origin)}, entry ${String(entry?.index)}`],
    ['Bundle', (log?.bundle as { manifest_sha256?: unknown } | undefined)?.manifest_sha256],
  ];
  return rows.flatMap(([term, value]) => (value === undefined || value === null ? [] : [[term, String(value)]]));
}
