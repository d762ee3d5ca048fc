import { ULID, VERIFICATION_ID_PATTERN } from '@firsthand/contract/base/ids.ts';

const KEY = new RegExp(`^captures/(${VERIFICATION_ID_PATTERN.slice(1, -1)})/(cap_${ULID})$`);

/** The key of a capture's original in the blob store, which is also its `image_key` on the wire. */
export const imageKeyOf = (verificationId: string, captureId: string): string =>
  `captures/${verificationId}/${captureId}`;
export const previewKeyOf = (verificationId: string, captureId: string): string =>
  `previews/${verificationId}/${captureId}`;
export const motionKeyOf = (verificationId: string, captureId: string): string =>
  `motion/${verificationId}/${captureId}`;
export const evidenceKeyOf = (verificationId: string, captureId: string, name: string): string =>
  `evidence/${verificationId}/${captureId}/${name}`;

/** Parses an `image_key`, or returns null. Never fetches it. */
export function parseImageKey(key: string): { verificationId: string; captureId: string } | null {
  const match = KEY.exec(key);
  return match ? { verificationId: match[1]!, captureId: match[2]! } : null;
}
