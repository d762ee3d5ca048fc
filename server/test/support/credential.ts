import { expect } from 'vitest';
import { type TestService, until } from './harness.ts';

interface Wanted {
  id: string;
  capture: string;
  query?: string;
  key?: string;
}

/** Asks once for a photo with Content Credentials. */
export const requestCredential = (service: TestService, { id, capture, query = '', key }: Wanted): Promise<Response> =>
  fetch(`${service.url}/v1/verifications/${id}/captures/${capture}/credential${query}`, {
    headers: { authorization: `Bearer ${key ?? service.tenant.pk_test}` },
  });

/** Downloads a photo with Content Credentials, once it is signed. */
export async function downloadCredential(service: TestService, wanted: Wanted): Promise<Buffer> {
  const answer = await until(async () => {
    const reply = await requestCredential(service, wanted);
    return reply.status === 202 ? null : reply;
  }, 'the credential');
  expect(answer.status, await answer.clone().text()).toBe(200);
  return Buffer.from(await answer.arrayBuffer());
}
