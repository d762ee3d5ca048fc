import { UPLOAD_HARD_CAP_BYTES } from '@firsthand/contract/base/limits.ts';
import { CredentialQuery } from '@firsthand/contract/evidence/evidence.ts';
import { EXTENSIONS } from '@firsthand/evidence/bundle.ts';
import { Type } from 'typebox';
import { BlobMissing, BlobUnavailable } from '../../platform/blobs/faults.ts';
import { type Answer, tenantEndpoint } from '../../platform/http/endpoint.ts';
import { notFound, Problem, storageUnavailable } from '../../platform/http/problem.ts';
import { C2paFault } from '../../platform/lib/c2pa-writer.ts';
import { readKept } from '../../verification/verifications/advance.ts';
import { capturesOf, isTerminal } from '../../verification/verifications/row.ts';
import { SignerFault } from '../credentials/sign-photo.ts';
import { credentialOf } from './credential.ts';
import { notCompleted, notYetSigned } from './read-bundle.ts';
import { loggedFacts, settledBundle } from './settled.ts';

export const getCredential = tenantEndpoint({
  operationId: 'getCredential',
  summary: 'Download a photo with its Content Credentials',
  description:
    'The photo with an embedded C2PA manifest: how it came here, the verdict, its entries in the log. docs/evidence.md lists what is claimed ' +
    'when. 202 while an entry of the log has no signed place yet.',
  tag: 'Evidence',
  credentials: ['session', 'key', 'secret'],
  role: 'member',
  target: 'id',
  query: CredentialQuery,
  mediaType: 'image/*',
  responses: { 200: Type.String({ contentMediaType: 'image/*' }), 202: null },
  errors: ['not_completed', 'redacted'],
  async handler({ deps, params, query }): Promise<Answer> {
    const row = await readKept(deps, params.id!);
    if (!isTerminal(row.status)) throw notCompleted();
    const capture = (await capturesOf(deps.db, row.id)).find(({ id }) => id === params.capture_id);
    if (!capture) throw notFound();
    const of = query.of ?? 'original';
    const blob = of === 'preview' ? capture.preview_blob : capture.image_blob;
    // An original that could not be analysed has no preview.
    if (!blob) throw notFound();
    const files = await settledBundle(deps, row);
    const logged = files && (await loggedFacts(deps, row));
    if (!logged) return notYetSigned;
    const bundle = { sha256: files.find(({ path }) => path === 'manifest.json')!.sha256 };
    const read = (key: string) =>
      deps.blobs.get(key, { maxBytes: UPLOAD_HARD_CAP_BYTES }).catch((error: unknown) => {
        if (error instanceof BlobMissing) throw notFound();
        throw error instanceof BlobUnavailable ? storageUnavailable(error) : error;
      });
    const received = await read(capture.image_blob);
    const photo = of === 'original' ? received : await read(blob);
    const signed = await credentialOf(deps, { row, capture, of, logged, bundle }, { received, photo }).catch(refuse);
    const type = of === 'preview' ? 'image/jpeg' : capture.content_type;
    return {
      status: 200,
      body: signed,
      headers: {
        'content-type': type,
        'content-length': String(signed.length),
        'content-disposition': `attachment; filename="${capture.id}${of === 'preview' ? '-preview' : ''}.${EXTENSIONS[type]}"`,
        'cache-control': 'no-store',
      },
    };
  },
});

function refuse(error: unknown): never {
  if (error instanceof SignerFault) {
    throw new Problem('storage_unavailable', 'The photo could not be signed. Try again shortly.', {
      retryAfterSeconds: 5,
      cause: error,
    });
  }
  if (error instanceof C2paFault) {
    throw new Problem('not_found', 'This file cannot carry Content Credentials: its structure cannot be read.', {
      cause: error,
    });
  }
  throw error;
}
