import { many, type Queryable } from '../../platform/db/sql.ts';
import { labelOf } from './calibration.ts';

interface Photo {
  id: string;
  image_blob: string;
}

interface DecidedRow {
  photos: Photo[];
  reviews: Parameters<typeof labelOf>[2];
}

/** The stored photos of an account's decided cases that people agreed are genuine, the newest 5,000 cases. */
export async function genuinePhotos(db: Queryable, tenantId: string, livemode: boolean): Promise<Photo[]> {
  const rows = await many<DecidedRow>(
    db,
    `select p.photos, r.reviews
     from verifications v
       cross join lateral (select json_agg(json_build_object('id', c.id, 'image_blob', c.image_blob) order by c.id) as photos
         from captures c where c.verification_id = v.id and c.analysis_state = 'done') p
       cross join lateral (select json_agg(json_build_object('decision', r.decision, 'reasons', r.reasons, 'flags', r.flags)
           order by r.number) as reviews
         from reviews r where r.verification_id = v.id and r.struck_at is null) r
     where v.tenant_id = $1 and v.livemode = $2 and v.review_state = 'decided' and v.status = 'completed'
       and v.redacted_at is null and p.photos is not null and r.reviews is not null
     order by v.created_at desc, v.id desc limit 5000`,
    [tenantId, livemode],
  );
  return rows.flatMap(({ photos, reviews }) => photos.filter(({ id }) => labelOf(id, photos.length, reviews)));
}
