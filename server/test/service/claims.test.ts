import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { LABELS } from '@firsthand/contract/base/enums.ts';
import { ROLES } from '@firsthand/contract/people/roles.ts';
import { REASON_CODES, SHOWN_SIGNALS } from '@firsthand/contract/verification/signals.ts';
import { Capture, PublicView, VerificationSummary } from '@firsthand/contract/verification/verification.ts';
import { STATEMENT_TYPES } from '@firsthand/evidence/statement.ts';
import { describe, expect, it } from 'vitest';

// Each claim that the service makes names a trusted party that vouches for it: the table in docs/security.md. What is named
// here but has no row there fails, and so does a row whose code or test is gone.

const ROOT = join(import.meta.dirname, '../../..');
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');

interface Row {
  claim: string;
  voucher: string;
  code: string;
  test: string;
}

const page = read('docs/security.md');
const section = page.split(/^## /m).find(part => part.startsWith('Who vouches for each claim')) ?? '';
const rows: Row[] = section
  .split('\n')
  .filter(line => line.startsWith('| ') && !line.startsWith('| claim'))
  .map(line => {
    const [claim = '', voucher = '', code = '', test = ''] = line.slice(2, -2).split(' | ');
    return { claim, voucher, code, test };
  });
const named = new Set(rows.flatMap(({ claim }) => Array.from(claim.matchAll(/`([^`]+)`/g), ([, name]) => name!)));

/** Members of answers that state nothing: ids, sizes, links, states, and what the account or the sender said, shown as theirs. */
const NO_CLAIM = new Set([
  ...['id', 'status', 'capture_url', 'expires_at', 'captures_count', 'config', 'answers', 'narrative', 'progress'],
  ...['step_key', 'source', 'surface', 'content_type', 'size_bytes', 'width', 'height', 'sha256', 'client_captured_at'],
  ...['image_url', 'preview_url', 'display_url', 'second_frame_url', 'location', 'metadata'],
  // Its label and its signals have rows.
  ...['verdict', 'signals'],
]);
const membersOf = (...schemas: { properties: object }[]) =>
  schemas.flatMap(({ properties }) => Object.keys(properties)).filter(name => !NO_CLAIM.has(name));
/** The labels of the assertions in a file that we sign. */
const assertions = Array.from(
  read('server/src/custody/credentials/manifest.ts').matchAll(/'((?:org\.firsthand|c2pa\.metadata)[\w.]*)'/g),
  ([, label]) => label!,
);
/** The labels of an AI signal that say something. */
const aiLabels = ['likely_human', 'likely_ai'];

describe('docs/security.md, who vouches for each claim', () => {
  it.each([
    ['members of the answers', membersOf(VerificationSummary, Capture, PublicView)],
    ['verdicts', LABELS],
    ['reasons', REASON_CODES],
    ['signals', SHOWN_SIGNALS.map(({ key }) => key)],
    ['origins of a picture', aiLabels],
    ['assertions in a credential', [...assertions, 'digitalCapture']],
    ['statements of the log', STATEMENT_TYPES],
    ['roles of keys', ['log', 'bundle']],
    ['roles of people', ROLES],
  ])('has a row for all %s', (_, claims) => {
    expect(claims.length).toBeGreaterThan(1);
    expect(claims.filter(name => !named.has(name))).toEqual([]);
  });

  it('lists every label of the AI signal that says something', () => {
    const { label } = SHOWN_SIGNALS.find(({ key }) => key === 'ai_detection')!.members as { label: { enum: string[] } };
    expect(label.enum.filter(name => name !== 'unknown')).toEqual(aiLabels);
  });

  it.each(rows)('names a voucher, the code and a test for $claim', ({ voucher, code, test }) => {
    expect(voucher.trim()).not.toBe('');
    expect(voucher).not.toMatch(/^(the )?(sender|claimant|uploader)/i);
    const [, file, name] = /^`([^`]+)` `(\w+)`$/.exec(code) ?? [];
    expect(file && existsSync(join(ROOT, file)), code).toBe(true);
    expect(read(file!)).toMatch(new RegExp(`\\b(function|const) ${name}\\b`));
    const [, suite, title] = /^`([^`]+)`: (.+)$/.exec(test.trim()) ?? [];
    expect(suite && existsSync(join(ROOT, suite)), test).toBe(true);
    expect(read(suite!)).toContain(title!);
  });
});
