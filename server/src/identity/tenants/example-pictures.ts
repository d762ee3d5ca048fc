import { ExamplePicture, ExamplePictureInput } from '@firsthand/contract/account/management.ts';
import { type Fault, unknownReference } from '@firsthand/contract/base/fault.ts';
import { EXAMPLE_PICTURE_MAX_BYTES } from '@firsthand/contract/base/limits.ts';
import { many, one, type Queryable, type Tx, transaction } from '../../platform/db/sql.ts';
import type { Deps, Origins } from '../../platform/deps.ts';
import { binary, created, noContent, openEndpoint, tenantEndpoint } from '../../platform/http/endpoint.ts';
import { notFound, storageUnavailable } from '../../platform/http/problem.ts';
import { isRecord } from '../../platform/lib/ask-json.ts';
import { newUlid } from '../../platform/lib/ids.ts';
import { sha256Hex } from '../../platform/lib/keyring.ts';
import { activityOf, audit } from '../audit/audit.ts';
import { redraw, showPicture } from './shown-picture.ts';

/** The largest picture in base64, plus room for the rest. */
const BODY_LIMIT = Math.ceil((EXAMPLE_PICTURE_MAX_BYTES * 4) / 3) + 65_536;
const SIDE = 1_280;
/** The largest possible stored picture: a JPEG is smaller than its pixels. */
const MAX_STORED_BYTES = SIDE * SIDE * 3;
/** A picture that nothing has named for so long is forgotten: the form it was made for was left. */
const UNUSED_MS = 86_400_000;
const FORGOTTEN = 100;

const keyOf = (blobId: string): string => `example-pictures/${blobId}.jpg`;

/** Where an example picture is shown. */
export const exampleUrl = ({ capture }: Pick<Origins, 'capture'>, sha256: string): string =>
  `${capture}/example-pictures/${sha256}.jpg`;

interface Row {
  sha256: string;
  size_bytes: number;
  created_at: Date;
}

const present = ({ created_at, ...row }: Row, origins: Origins): ExamplePicture => ({
  sha256: row.sha256,
  url: exampleUrl(origins, row.sha256),
  size_bytes: row.size_bytes,
  created_at: created_at.toISOString(),
});

const common = { tag: 'Link templates', credentials: ['session', 'secret'], role: 'member' } as const;

const find = (db: Queryable, tenantId: string, sha256: string) =>
  one<Row>(db, 'select sha256, size_bytes, created_at from example_pictures where tenant_id = $1 and sha256 = $2', [
    tenantId,
    sha256,
  ]);

export const createExamplePicture = tenantEndpoint({
  operationId: 'createExamplePicture',
  summary: 'Add an example picture',
  description:
    `Shows people what a photo should look like: put its \`sha256\` into \`example_picture\` of a step. It is drawn anew as JPEG of at most ${SIDE}×${SIDE} ` +
    'pixels, without metadata. Everybody with its address can see it. The same picture again gives the same answer. One that no step names is forgotten after a day.',
  ...common,
  bodyLimitBytes: BODY_LIMIT,
  imageFields: ['image_base64'],
  body: ExamplePictureInput,
  responses: { 201: ExamplePicture },
  async handler(call) {
    const { deps, principal } = call;
    const bytes = await redraw('image_base64', call.images.get('image_base64')!, {
      maxBytes: EXAMPLE_PICTURE_MAX_BYTES,
      maxPixels: 32_000_000,
      side: SIDE,
      encode: picture => picture.flatten({ background: '#ffffff' }).jpeg({ quality: 80 }),
    });
    const sha256 = sha256Hex(bytes);
    const before = await find(deps.db, principal.tenantId, sha256);
    if (before) return created(present(before, deps.origins));
    const blobId = newUlid();
    await deps.blobs.put(keyOf(blobId), bytes, { contentType: 'image/jpeg' }).catch((error: unknown) => {
      throw storageUnavailable(error);
    });
    const doing = activityOf(call);
    const added = await transaction(deps.db, async tx => {
      const { rowCount } = await tx.query(
        `insert into example_pictures (blob_id, tenant_id, sha256, size_bytes, created_at) values ($1, $2, $3, $4, $5)
         on conflict (tenant_id, sha256) do nothing`,
        [blobId, principal.tenantId, sha256, bytes.length, doing.at],
      );
      if (rowCount === 1) await audit(tx, doing, { action: 'example_picture.created', target: sha256 });
      return rowCount === 1;
    });
    // Somebody added the same picture meanwhile.
    if (!added) await forget(deps, [blobId]);
    const row = await find(deps.db, principal.tenantId, sha256);
    if (!row) throw notFound();
    return created(present(row, deps.origins));
  },
});

export const deleteExamplePicture = tenantEndpoint({
  operationId: 'deleteExamplePicture',
  summary: 'Delete an example picture',
  description: 'Pages of steps that name it show none from now on. A new version of a template must not name it.',
  ...common,
  exists: async ({ deps, principal, params }) =>
    (await find(deps.db, principal.tenantId, params.sha256!)) !== undefined,
  responses: { 204: null },
  async handler(call) {
    const { deps, principal, params } = call;
    const blobId = await transaction(deps.db, async tx => {
      const row = await one<{ blob_id: string }>(
        tx,
        'delete from example_pictures where tenant_id = $1 and sha256 = $2 returning blob_id',
        [principal.tenantId, params.sha256],
      );
      if (!row) throw notFound();
      await audit(tx, activityOf(call), { action: 'example_picture.deleted', target: params.sha256! });
      return row.blob_id;
    });
    await forget(deps, [blobId]);
    return noContent;
  },
});

export const getExamplePicture = openEndpoint({
  operationId: 'getExamplePicture',
  summary: 'Get an example picture',
  description: 'Returns a JPEG. The URL always returns the same picture.',
  tag: 'Capture',
  credentials: ['none'],
  mediaType: 'image/jpeg',
  responses: { 200: binary('image/jpeg') },
  async handler({ deps, params }) {
    const sha256 = /^([0-9a-f]{64})\.jpg$/.exec(params.name!)?.[1];
    const row =
      sha256 &&
      (await one<{ blob_id: string }>(
        deps.db,
        'select blob_id from example_pictures where sha256 = $1 order by created_at limit 1',
        [sha256],
      ));
    if (!row) throw notFound();
    return showPicture(deps, keyOf(row.blob_id), { type: 'image/jpeg', maxBytes: MAX_STORED_BYTES });
  },
});

/** The example pictures that steps of any shape name, with where. */
const namedIn = (steps: unknown): [index: number, sha256: string][] =>
  (Array.isArray(steps) ? steps : []).flatMap((step, index): [number, string][] =>
    isRecord(step) && typeof step.example_picture === 'string' ? [[index, step.example_picture]] : [],
  );

/** Faults of steps that name a picture which the account does not have. Takes any body: its shape is checked beside. */
export async function exampleFaults(db: Queryable, tenantId: string, steps: unknown, path = 'steps'): Promise<Fault[]> {
  const named = namedIn(steps);
  if (named.length === 0) return [];
  const rows = await many<{ sha256: string }>(
    db,
    'select sha256 from example_pictures where tenant_id = $1 and sha256 = any($2)',
    [tenantId, named.map(([, sha256]) => sha256)],
  );
  return named
    .filter(([, sha256]) => !rows.some(row => row.sha256 === sha256))
    .map(([index]) =>
      unknownReference(`${path}.${index}.example_picture`, 'is not an example picture of this account'),
    );
}

/** Keeps the pictures that these steps name. Call it with what {@link exampleFaults} let through. */
export async function keepExamples(tx: Tx, tenantId: string, steps: unknown, at: Date): Promise<void> {
  const named = namedIn(steps);
  if (named.length === 0) return;
  await tx.query(
    'update example_pictures set used_at = $3 where tenant_id = $1 and sha256 = any($2) and used_at is null',
    [tenantId, named.map(([, sha256]) => sha256), at],
  );
}

/** Forgets pictures that no step ever named. */
export async function sweepExamples(deps: Pick<Deps, 'db' | 'blobs' | 'clock' | 'log'>): Promise<void> {
  const rows = await many<{ blob_id: string }>(
    deps.db,
    `delete from example_pictures where blob_id in
       (select blob_id from example_pictures where used_at is null and created_at < $1 limit ${FORGOTTEN}) and used_at is null
     returning blob_id`,
    [new Date(deps.clock.now().getTime() - UNUSED_MS)],
  );
  await forget(
    deps,
    rows.map(row => row.blob_id),
  );
}

/** Deletes pictures that no row names. If this fails, the leftover only costs space. */
async function forget({ blobs, log }: Pick<Deps, 'blobs' | 'log'>, blobIds: readonly string[]): Promise<void> {
  for (const blobId of blobIds) {
    await blobs
      .delete(keyOf(blobId))
      .catch(error => log.warn({ err: error, blob: keyOf(blobId) }, 'a deleted example picture stays in the store'));
  }
}
