import { UPLOAD_HARD_CAP_BYTES } from '@firsthand/contract/base/limits.ts';
import { EXTENSIONS } from '@firsthand/evidence/bundle.ts';
import { BlobMissing } from '../../platform/blobs/faults.ts';
import { many, one, type Queryable } from '../../platform/db/sql.ts';
import type { Deps } from '../../platform/deps.ts';
import { maskUrl } from '../../platform/lib/mask-url.ts';
import { openStatements } from '../../record/evidence/statements.ts';
import { presentFrozen, withoutOthers } from '../../verification/verifications/present.ts';
import { reviewsOf } from '../../verification/verifications/reviews.ts';
import { capturesOf, findVerification } from '../../verification/verifications/row.ts';

export interface KeptFile {
  path: string;
  bytes: Buffer;
}

const json = (path: string, value: unknown): KeptFile => ({ path, bytes: Buffer.from(JSON.stringify(value, null, 2)) });

type WebhookBody = { data: Parameters<typeof withoutOthers>[0] };
const withoutOthersIn = (body: WebhookBody): WebhookBody => ({ ...body, data: withoutOthers(body.data) });

/** Everything that is kept about a verification, each file below the verification's id. */
export async function* keptAbout(deps: Deps, id: string): AsyncGenerator<KeptFile> {
  const row = await findVerification(deps.db, id);
  // A redaction may have come between.
  if (!row || row.redacted_at) return;
  const captures = await capturesOf(deps.db, id);
  const shown = await reviewsOf(deps.db, row, { viewer: null, now: deps.clock.now() });
  const { person, asset_ref, ocr_type, source } = row.private;
  yield json(`${id}/verification.json`, {
    ...withoutOthers(presentFrozen(row, captures, shown, deps.origins)),
    person,
    asset_ref,
    ocr_type,
    source,
    legal_hold: row.legal_hold ?? undefined,
  });
  const events = await many<{ id: string; type: string | null; created_at: Date; body: string | null }>(
    deps.db,
    'select id, public_type as type, created_at, body from events where verification_id = $1 order by sequence',
    [id],
  );
  yield json(
    `${id}/webhook-events.json`,
    events.map(({ body, ...event }) => ({ ...event, body: body === null ? null : withoutOthersIn(JSON.parse(body)) })),
  );
  yield json(
    `${id}/webhook-deliveries.json`,
    (
      await many<{ url: string }>(
        deps.db,
        `select d.id, d.event_id, e.url, d.status, d.attempts, d.created_at
       from webhook_deliveries d join webhook_endpoints e on e.id = d.endpoint_id where d.verification_id = $1 order by d.id`,
        [id],
      )
    ).map(({ url, ...delivery }) => ({ ...delivery, url: maskUrl(url) })),
  );
  yield json(`${id}/statements.json`, await openStatements(deps.db, deps, id));
  yield json(
    `${id}/audit-log.json`,
    await many(deps.db, 'select actor, action, detail, created_at from audit_log where target = $1 order by id', [id]),
  );
  for (const kind of ['captures', 'previews', 'motion', 'evidence']) {
    for await (const key of deps.blobs.list(`${kind}/${id}/`)) yield* fileOf(deps, key);
  }
}

async function* fileOf({ blobs }: Deps, key: string): AsyncGenerator<KeptFile> {
  const [kind, id, ...name] = key.split('/');
  try {
    const contentType = (await blobs.head(key))?.contentType ?? '';
    const bytes = await blobs.get(key, { maxBytes: UPLOAD_HARD_CAP_BYTES });
    const extension = EXTENSIONS[contentType];
    const path = `${id}/${kind}/${name.join('/')}`;
    yield { path: extension && !path.endsWith(`.${extension}`) ? `${path}.${extension}` : path, bytes };
  } catch (error) {
    if (!(error instanceof BlobMissing)) throw error;
  }
}

/** Everything kept about a person who signs in to the account: identity, sessions, actions. */
export async function* keptOfMember(db: Queryable, tenantId: string, personId: string): AsyncGenerator<KeptFile> {
  yield json('member/person.json', {
    ...(await one(
      db,
      `select p.id, coalesce(m.name, p.name) as name, p.email, p.phone_e164, m.role, m.created_at, p.last_sign_in_at
       from persons p join memberships m on m.person_id = p.id where m.tenant_id = $1 and p.id = $2`,
      [tenantId, personId],
    )),
    sign_in_providers: await many(
      db,
      'select provider, issuer, subject, created_at from person_identities where person_id = $1',
      [personId],
    ),
    passkeys: await many(
      db,
      `select k.name, k.created_at, k.last_used_at from passkeys k join passkey_persons o on o.passkey_id = k.id
       where o.person_id = $1`,
      [personId],
    ),
  });
  yield json(
    'member/sessions.json',
    await many(
      db,
      `select method, address, device, created_at, last_seen_at, ended_at from sessions
       where tenant_id = $1 and person_id = $2 order by id`,
      [tenantId, personId],
    ),
  );
  yield json(
    'member/audit-log.json',
    await many(
      db,
      `select action, target, detail, address, device, created_at from audit_log
       where tenant_id = $1 and actor ->> 'id' = $2 order by id`,
      [tenantId, personId],
    ),
  );
}
