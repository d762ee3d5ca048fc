import { sha256 } from '#sha256';
import { hex } from './bytes.ts';

// The shape of a bundle, shared by whoever writes one and whoever checks it.

export const FORMAT = 'firsthand-evidence/1';

export interface ManifestFile {
  path: string;
  bytes: number;
  sha256: string;
}

export interface Manifest {
  format: typeof FORMAT;
  verification_id: string;
  origin: string;
  created_at: string;
  /** In bundles of test verifications and trials. */
  livemode?: false;
  /** The verifier keys whose signatures the bundle carries. Nothing vouches for them here. */
  keys: { log: string; bundle: string };
  files: ManifestFile[];
}

/** The text that `manifest.sig` signs. */
export const manifestText = (manifest: Uint8Array): string => `${FORMAT}\n${hex(sha256(manifest))}\n`;

/** File names by media type of the pictures taken. */
export const EXTENSIONS: Readonly<Record<string, string>> = {
  'image/jpeg': 'jpg',
  'image/png': 'png',
  'image/webp': 'webp',
  'image/heic': 'heic',
  'image/heif': 'heif',
  'image/avif': 'avif',
};

const CAPTURE = '[A-Za-z0-9_]{1,64}';
const EXTENSION = `(?:${[...new Set(Object.values(EXTENSIONS))].join('|')})`;

/** The files of a bundle in their order; those with `required` are in every one. */
export const FILES: readonly { pattern: RegExp; required?: string }[] = [
  { pattern: /^manifest\.json$/, required: 'manifest.json' },
  { pattern: /^manifest\.sig$/, required: 'manifest.sig' },
  { pattern: /^record\.json$/, required: 'record.json' },
  { pattern: /^seal\.json$/, required: 'seal.json' },
  { pattern: /^verdict\.json$/, required: 'verdict.json' },
  { pattern: /^case_analysis\.json$/ },
  { pattern: /^reviews\.json$/ },
  { pattern: /^statements\/[1-9]\d{0,3}\.json$/ },
  { pattern: /^proofs\/[1-9]\d{0,3}\.tlog-proof$/ },
  { pattern: new RegExp(`^originals/${CAPTURE}\\.${EXTENSION}$`) },
  { pattern: new RegExp(`^(?:previews|credentials)/${CAPTURE}\\.${EXTENSION}$`) },
  { pattern: /^timestamp\.tsr$/ },
  { pattern: /^tsa-chain\.pem$/ },
  { pattern: /^certificate\.pdf$/, required: 'certificate.pdf' },
  { pattern: /^README\.txt$/, required: 'README.txt' },
];

export const isBundleFile = (name: string): boolean => FILES.some(({ pattern }) => pattern.test(name));

/** Files that are read whole; all others are hashed as they pass by. The bundle may lie in a folder of the container. */
export const isKept = (path: string): boolean => {
  const name = /(?:(?:statements|proofs|originals|previews|credentials)\/)?[^/]*$/.exec(path)![0];
  return isBundleFile(name) && !/^(originals|previews|credentials)\/|^(certificate\.pdf|README\.txt)$/.test(name);
};
