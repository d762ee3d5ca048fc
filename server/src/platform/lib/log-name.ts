import { ULID } from '@firsthand/contract/base/ids.ts';
import { sha256Hex } from './keyring.ts';

const VERIFICATION_IDS = new RegExp(`vfy_${ULID}`, 'g');

/**
 * The name of a verification in logs and traces. Its id opens the capture page, so the id itself stands in neither. Nobody can
 * compute the id from the name; whoever has the id computes the name.
 */
export const logNameOf = (verificationId: string): string => `vfy#${sha256Hex(verificationId).slice(0, 16)}`;

/** Replaces every verification id in a text by its name. */
export const withLogNames = (text: string): string =>
  text.includes('vfy_') ? text.replace(VERIFICATION_IDS, id => logNameOf(id)) : text;
