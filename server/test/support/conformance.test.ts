import { fault } from '@firsthand/contract/base/fault.ts';
import { describe, expect, it } from 'vitest';
import { undescribed } from './conformance.ts';

const TOO_SMALL = fault('steps.0.max', 'too_small', 'must be at least 1', { min: 1 });
const refused = (found: object, more: object = { doc_url: 'http://localhost:8080/docs/errors#invalid_request' }) =>
  undescribed('POST', '/v1/verifications', 400, {
    error: { code: 'invalid_request', message: 'No.', ...more, fields: [found] },
  });

describe('undescribed', () => {
  it('passes a fault with a code of the list and its parameters', () => {
    expect(refused(TOO_SMALL)).toBeNull();
  });

  it.each([
    ['without a code', { path: 'a', message: 'is required' }, "required property 'code'"],
    ['with a code that is not in the list', { ...TOO_SMALL, code: 'too_tiny' }, 'too_tiny'],
    ['with a parameter that its code does not have', { ...TOO_SMALL, params: { least: 1 } }, 'least'],
    ['with another member', { ...TOO_SMALL, why: 'x' }, 'additional properties'],
  ])('reports a fault %s', (_what, found, said) => {
    expect(refused(found)).toContain(said);
  });

  it('reports an error without doc_url', () => {
    expect(refused(TOO_SMALL, {})).toContain("required property 'doc_url'");
  });
});
