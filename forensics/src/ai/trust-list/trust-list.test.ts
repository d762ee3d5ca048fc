import { X509Certificate } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { certificatesIn, officialAnchors, officialDate } from './trust-list.ts';

describe('officialAnchors', () => {
  it('are certificates of authorities, those of phone makers among them', () => {
    const certificates = certificatesIn(officialAnchors()).map(pem => new X509Certificate(pem));
    expect(certificates.length).toBeGreaterThan(40);
    for (const { ca, subject } of certificates) expect(ca, subject).toBe(true);
    const subjects = certificates.map(({ subject }) => subject).join('\n');
    for (const name of ['Google C2PA Root CA G3', 'Xiaomi Root CA', 'vivo Content Provenance']) {
      expect(subjects).toContain(name);
    }
  });

  it('have a date', () => {
    expect(officialDate()).toMatch(/^20\d\d-\d\d-\d\d$/);
  });
});
