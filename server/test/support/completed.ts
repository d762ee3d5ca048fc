import type { Verification } from '@firsthand/contract/verification/verification.ts';
import { expect } from 'vitest';
import { createVerification, submit, type TestService, untilStatus } from './harness.ts';
import { plain } from './pictures.ts';

/** A verification that a photo, plain unless given, has brought to its end. `more`: what is sent with the photo. */
export async function completedVerification(
  service: TestService,
  o: { request?: object; photo?: Uint8Array | undefined; more?: object | undefined; key?: string | undefined } = {},
): Promise<Verification> {
  const { id } = await createVerification(service, o.request, o.key);
  const sent = await submit(service, id, o.photo ?? (await plain()), o.more);
  expect(sent.status, sent.text).toBe(201);
  return untilStatus(service, id, ['completed', 'failed'], o.key);
}
