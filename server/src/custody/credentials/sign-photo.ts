import { embedsC2pa } from '@firsthand/forensics/ai/c2pa.ts';
import type { Deps } from '../../platform/deps.ts';
import { C2paFault, type WriteRequest } from '../../platform/lib/c2pa-writer.ts';
import { withRoomForManifest } from './app11.ts';
import { credentialKey, signerOf } from './keys.ts';
import { type CredentialFacts, manifestOf, RECEIVED } from './manifest.ts';

/** The key, the operator's signer or the settings do not let anything be signed now. The photo is not at fault. */
export class SignerFault extends Error {
  override name = 'SignerFault';
}

export interface PhotoBytes {
  /** The file as received. */
  received: Buffer;
  /** The file to sign: the same, or its preview. */
  photo: Buffer;
}

/**
 * Returns a photo with its Content Credentials embedded. Throws {@link SignerFault}, or {@link C2paFault} for a file that cannot carry
 * a manifest.
 */
export async function signPhoto(
  deps: Pick<Deps, 'config' | 'db' | 'keyring' | 'c2paWriter'>,
  facts: Omit<CredentialFacts, 'carriesManifest'>,
  { received, photo }: PhotoBytes,
  stamp?: (data: Uint8Array) => Promise<Uint8Array | null>,
): Promise<Buffer> {
  const signer = await credentialKey(deps)
    .then(key => signerOf(key, deps.config.tsaUrl ? stamp : undefined))
    .catch((cause: Error) => {
      throw new SignerFault(cause.message, { cause });
    });
  let fault: SignerFault | undefined;
  const sign = (claim: Uint8Array) =>
    signer.sign(claim).catch((cause: Error) => {
      fault = new SignerFault(cause.message, { cause });
      throw fault;
    });
  const { capture, of } = facts;
  const { definition, parent } = manifestOf({ ...facts, carriesManifest: embedsC2pa(received) });
  const json = { title: `${capture.id}, as received`, relationship: 'parentOf', label: RECEIVED };
  const request: WriteRequest = {
    bytes: of === 'original' && capture.content_type === 'image/jpeg' ? withRoomForManifest(photo) : photo,
    mediaType: of === 'preview' ? 'image/jpeg' : capture.content_type,
    definition,
    ingredients: parent ? [{ json, mediaType: capture.content_type, bytes: received }] : [],
    alg: signer.alg,
    reserveBytes: signer.reserveBytes,
  };
  try {
    return await deps.c2paWriter.write(request, sign);
  } catch (error) {
    if (fault || !(error instanceof C2paFault) || !parent) throw fault ?? error;
    // The manifest that the photo brought is too damaged to be kept. The ingredient then says only which file it was.
    const bare = { ...json, format: capture.content_type, hash: capture.sha256 };
    return await deps.c2paWriter
      .write({ ...request, ingredients: [{ json: bare, mediaType: capture.content_type, bytes: null }] }, sign)
      .catch(again => {
        throw fault ?? again;
      });
  }
}
