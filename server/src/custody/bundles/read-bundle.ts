import { Readable } from 'node:stream';
import { UPLOAD_HARD_CAP_BYTES } from '@firsthand/contract/base/limits.ts';
import { archiveBytes, centralDirectory, localHeader, type ZipEntry } from '@firsthand/evidence/zip/layout.ts';
import type { Deps } from '../../platform/deps.ts';
import { type Answer, binary, tenantEndpoint } from '../../platform/http/endpoint.ts';
import { Problem, storageUnavailable } from '../../platform/http/problem.ts';
import { readKept } from '../../verification/verifications/advance.ts';
import { isTerminal } from '../../verification/verifications/row.ts';
import type { BundleFile } from './bundle-file.ts';
import { settledBundle } from './settled.ts';
import { spliced } from './splice.ts';

/** Of an entry that has no signed place yet: the log places and signs entries once a second. */
export const notYetSigned: Answer = { status: 202, headers: { 'retry-after': '2' } };

export const notCompleted = (): Problem =>
  new Problem('not_completed', 'Evidence exists once the verification has ended and holds a photo.');

export const getEvidence = tenantEndpoint({
  operationId: 'getEvidence',
  summary: 'Download the evidence bundle',
  description:
    'A zip of photos, record, verdict and proofs that anyone can check without the service. 202 while an entry of the log has no signed place yet.',
  tag: 'Evidence',
  credentials: ['session', 'key', 'secret'],
  role: 'member',
  target: 'id',
  mediaType: 'application/zip',
  responses: { 200: binary('application/zip'), 202: null },
  errors: ['not_completed', 'redacted'],
  async handler({ deps, params }): Promise<Answer> {
    const row = await readKept(deps, params.id!);
    if (!isTerminal(row.status) || row.captures_count === 0) throw notCompleted();
    const files = await settledBundle(deps, row);
    if (!files) return notYetSigned;
    const entries = files.map((file): ZipEntry => ({ name: file.path, size: file.bytes, crc32: file.crc32 }));
    return {
      status: 200,
      body: Readable.from(archive(deps, files, entries), { objectMode: false }),
      headers: {
        'content-type': 'application/zip',
        'content-length': String(archiveBytes(entries)),
        'content-disposition': `attachment; filename="${row.id}.zip"`,
        'cache-control': 'no-store',
      },
    };
  },
});

/** Streams the archive. Only one photo is in memory at a time. */
async function* archive(
  deps: Pick<Deps, 'blobs'>,
  files: readonly BundleFile[],
  entries: readonly ZipEntry[],
): AsyncGenerator<Uint8Array> {
  for (const [at, file] of files.entries()) {
    yield localHeader(entries[at]!);
    if (file.blob === undefined) yield Buffer.from(file.content!, 'base64');
    else {
      const blob = await deps.blobs.get(file.blob, { maxBytes: UPLOAD_HARD_CAP_BYTES });
      const bytes = file.splice ? spliced(blob, file.splice, Buffer.from(file.content!, 'base64')) : blob;
      // The Content-Length is already sent. Abort if a blob's size changed, or the following files would shift.
      if (bytes.length !== file.bytes) throw storageUnavailable(new Error(`blob ${file.blob} has changed its size`));
      yield bytes;
    }
  }
  yield centralDirectory(entries);
}
