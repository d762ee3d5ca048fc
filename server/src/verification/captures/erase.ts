import type { BlobStore } from '../../platform/blobs/store.ts';
import { many, type Tx } from '../../platform/db/sql.ts';

export interface ErasedCapture {
  id: string;
  verification_id: string;
  sha256: string;
}

/** Locks the captures of verifications, so that nothing about them is stored beside an erasure. */
export const lockCaptures = (tx: Tx, verificationIds: readonly string[]): Promise<ErasedCapture[]> =>
  many<ErasedCapture>(
    tx,
    'select id, verification_id, sha256 from captures where verification_id = any($1) order by id for update',
    [verificationIds],
  );

/**
 * Deletes captures, and with them the prints of their films. Their pictures' fingerprints must be gone before; the pictures go by
 * {@link deletePictures} after the commit.
 */
export async function eraseCaptures(tx: Tx, captureIds: readonly string[]): Promise<void> {
  await tx.query('delete from captures where id = any($1)', [captureIds]);
}

/** Deletes what was asked of the people who held the camera. */
export async function eraseChallenges(tx: Tx, verificationIds: readonly string[]): Promise<void> {
  await tx.query('delete from challenges where verification_id = any($1)', [verificationIds]);
}

/** Deletes all that the blob store holds for a verification, objects that no row names included. */
export async function deletePictures(blobs: BlobStore, verificationId: string): Promise<void> {
  for (const kind of ['captures', 'previews', 'motion', 'evidence']) {
    for await (const key of blobs.list(`${kind}/${verificationId}/`)) await blobs.delete(key);
  }
}
