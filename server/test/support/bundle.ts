import { parseTrust } from '@firsthand/evidence/trust.ts';
import { type VerifyOptions, verifyBundle } from '@firsthand/evidence/verify.ts';
import { expect } from 'vitest';
import { ask, type TestService, until } from './harness.ts';

/** Asks once for the bundle of a verification. */
export const requestBundle = (service: TestService, id: string, key = service.tenant.pk_test): Promise<Response> =>
  fetch(`${service.url}/v1/verifications/${id}/evidence`, { headers: { authorization: `Bearer ${key}` } });

/** Downloads the bundle of a verification, once the log holds all its entries. */
export const downloadBundle = (service: TestService, id: string, key?: string): Promise<Buffer> =>
  until(async () => {
    const answer = await requestBundle(service, id, key);
    const bytes = Buffer.from(await answer.arrayBuffer());
    if (answer.status === 202) expect(answer.headers.get('retry-after')).toBe('2');
    return answer.status === 200 ? bytes : null;
  }, `the bundle of ${id}`);

/** The report on a bundle; trusted are the keys that the service lists, unless `o` says others. */
export async function checkBundle(service: TestService, bytes: Buffer, o: Partial<VerifyOptions> = {}) {
  const { text } = await ask(service, '/v1/evidence-keys');
  async function* source() {
    yield bytes;
  }
  return verifyBundle(source(), { trusted: parseTrust(text), ...o });
}
