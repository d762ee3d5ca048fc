import { UPLOAD_HARD_CAP_BYTES } from '@firsthand/contract/base/limits.ts';
import {
  CONFIDENT_RATE,
  DOUBTFUL_RATE,
  loadCalibration,
  mustFit,
  pValue,
} from '@firsthand/forensics/ai/calibration.ts';
import { ImageFault } from '@firsthand/forensics/files/inspect.ts';
import { type OwnModel, openOwnModel } from '../inspection/analysis/own-model.ts';
import { BlobMissing } from '../platform/blobs/faults.ts';
import { many, type Queryable } from '../platform/db/sql.ts';
import { checkTenant, tenantOf } from './tenant-of.ts';
import { printJson, withDeps } from './tenants.ts';

const SLICE = 200;
const SHOWN = 100;

interface PhotoRow {
  id: string;
  verification_id: string;
  image_blob: string;
  verdict: string;
  decision: string | null;
}

/** Analysed photos of completed verifications since a time, oldest first. */
async function* photosSince(db: Queryable, tenantId: string, livemode: boolean, since: Date): AsyncGenerator<PhotoRow> {
  for (let after = ''; ; ) {
    const rows: PhotoRow[] = await many<PhotoRow>(
      db,
      `select c.id, c.verification_id, c.image_blob, v.verdict ->> 'label' as verdict, v.review_decision as decision
       from verifications v join captures c on c.verification_id = v.id
       where v.tenant_id = $1 and v.livemode = $2 and v.created_at >= $3 and v.status = 'completed' and v.verdict is not null
         and v.redacted_at is null and c.analysis_state = 'done' and c.id > $4
       order by c.id limit $5`,
      [tenantId, livemode, since, after, SLICE],
    );
    yield* rows;
    if (rows.length < SLICE) return;
    after = rows.at(-1)!.id;
  }
}

interface Group {
  verdict: string;
  decision: string;
  photos: number;
  doubtful: number;
  confident: number;
}

function count(groups: Map<string, Group>, photo: Pick<PhotoRow, 'verdict' | 'decision'>, p: number): void {
  const { verdict } = photo;
  const decision = photo.decision ?? 'none';
  const key = `${verdict} ${decision}`;
  const group = groups.get(key) ?? { verdict, decision, photos: 0, doubtful: 0, confident: 0 };
  group.photos += 1;
  if (p <= CONFIDENT_RATE) group.confident += 1;
  else if (p <= DOUBTFUL_RATE) group.doubtful += 1;
  groups.set(key, group);
}

export interface ReplayModelOptions {
  model: string;
  days: number;
  tenant?: string;
  mode: 'live' | 'test';
}

/**
 * `firsthand replay-model --model MANIFEST`: scores the photos of the last days with a calibrated model and prints how many it would
 * doubt, by verdict and by what people decided. Changes nothing.
 */
export async function replayModelCommand(o: ReplayModelOptions): Promise<void> {
  checkTenant(o);
  await withDeps(async deps => {
    const model = await openOwnModel(o.model, deps.config.aiModelToken);
    const calibration = await loadCalibration(o.model);
    const tenant_id = await tenantOf(deps, o.tenant);
    const since = new Date(deps.clock.now().getTime() - o.days * 86_400_000);
    const groups = new Map<string, Group>();
    const doubted: (Omit<PhotoRow, 'image_blob'> & { score: number; p: number })[] = [];
    let photos = 0;
    let skipped = 0;
    for await (const { image_blob, ...photo } of photosSince(deps.db, tenant_id, o.mode === 'live', since)) {
      const scored = await scoreOf(model, () => deps.blobs.get(image_blob, { maxBytes: UPLOAD_HARD_CAP_BYTES }));
      if (!scored) {
        skipped += 1;
        continue;
      }
      mustFit(calibration, scored.sha256, o.model);
      const p = pValue(calibration, scored.score);
      photos += 1;
      count(groups, photo, p);
      if (p <= DOUBTFUL_RATE) doubted.push({ ...photo, score: scored.score, p });
      if (photos % 50 === 0) console.error(`${photos} photos`);
    }
    printJson({
      tenant_id,
      model: model.name,
      genuine: calibration.scores.length,
      since: since.toISOString(),
      photos,
      skipped,
      by: [...groups.values()],
      doubted: doubted.toSorted((a, b) => a.p - b.p).slice(0, SHOWN),
    });
  });
}

/** Null for a photo that was erased meanwhile or cannot be read. */
async function scoreOf(model: OwnModel, read: () => Promise<Buffer>) {
  try {
    return await model.score(await read());
  } catch (fault) {
    if (fault instanceof ImageFault || fault instanceof BlobMissing) return null;
    throw fault;
  }
}
