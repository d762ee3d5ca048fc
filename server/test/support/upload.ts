import type { UploadUrlResponse } from '@firsthand/contract/capture/capture-flow.ts';
import { sha256Hex } from '../../src/platform/lib/keyring.ts';
import { ask } from './harness.ts';

/** Asks for an upload address and sends bytes there, as the capture page does. `put`: the store's status. */
export async function upload(
  service: { url: string },
  id: string,
  bytes: Uint8Array,
  body: object = { contentType: 'image/jpeg' },
): Promise<{ put: number; image_key: string; sha256: string }> {
  const { body: to } = await ask<UploadUrlResponse>(service, `/v1/verifications/${id}/captures/upload-url`, { body });
  const put = await fetch(to.upload_url, { method: 'PUT', headers: to.headers, body: new Uint8Array(bytes) });
  return { put: put.status, image_key: to.image_key, sha256: sha256Hex(bytes) };
}
