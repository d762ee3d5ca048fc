import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const file = (name: string): string => readFileSync(join(import.meta.dirname, name), 'utf8');

let anchors: string | undefined;

/** PEM of the C2PA's trust lists, for signers and for time stamps. c2pa-rs asks each certificate for the right usage. */
export function officialAnchors(): string {
  anchors ??= certificatesIn(`${file('C2PA-TRUST-LIST.pem')}\n${file('C2PA-TSA-TRUST-LIST.pem')}`).join('\n');
  return anchors;
}

/** Of which day the lists are: `2026-08-14`. */
export const officialDate = (): string => (JSON.parse(file('state.json')) as { date: string }).date;

/** The certificates of a PEM text, without the lines between them. */
export const certificatesIn = (pem: string): string[] =>
  pem.match(/-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/g) ?? [];
