import { randomBytes } from 'node:crypto';
import { WebhookSecret } from '@firsthand/contract/webhooks/webhooks.ts';
import { Type } from 'typebox';
import { many, type Queryable, type Tx, transaction } from '../../platform/db/sql.ts';
import type { Deps } from '../../platform/deps.ts';
import { ok, tenantEndpoint } from '../../platform/http/endpoint.ts';
import { activityOf, audit } from '../audit/audit.ts';

const DEFAULT_OVERLAP_SECONDS = 86_400;
const MAX_OVERLAP_SECONDS = 604_800;
/** Maximum number of old secrets that still sign. Each adds a signature to every webhook. */
const MAX_OVERLAPPING = 4;

interface SecretRow {
  id: string;
  sealed: string;
  expires_at: Date | null;
}

/** Returns the secrets that sign now: the current one, then the overlapping ones, latest first. */
const currentSecrets = (db: Queryable, tenantId: string, now: Date): Promise<SecretRow[]> =>
  many<SecretRow>(
    db,
    `select id, sealed, expires_at from webhook_secrets
     where tenant_id = $1 and (expires_at is null or expires_at > $2) order by id desc`,
    [tenantId, now],
  );

function present(deps: Pick<Deps, 'keyring'>, [current, previous]: SecretRow[]): WebhookSecret {
  if (!current) throw new Error('a tenant without a webhook secret');
  const former = previous?.expires_at ? opened(deps, previous.sealed) : null;
  return {
    secret: deps.keyring.decrypt(current.sealed),
    ...(former ? { previous: { secret: former, expires_at: previous!.expires_at!.toISOString() } } : {}),
  };
}

/** Decrypts a secret; null when no key can, so that a lost secret can still be rotated. */
function opened({ keyring }: Pick<Deps, 'keyring'>, sealed: string): string | null {
  try {
    return keyring.decrypt(sealed);
  } catch {
    return null;
  }
}

/** Creates a new secret. The previous one also signs for `overlapSeconds`. */
async function rotate(
  tx: Tx,
  deps: Pick<Deps, 'keyring'>,
  tenantId: string,
  overlapSeconds: number,
  now: Date,
): Promise<void> {
  // Serialises concurrent rotations.
  await tx.query('select 1 from tenants where id = $1 for no key update', [tenantId]);
  await tx.query('update webhook_secrets set expires_at = $2 where tenant_id = $1 and expires_at is null', [
    tenantId,
    new Date(now.getTime() + overlapSeconds * 1_000),
  ]);
  await tx.query(
    `update webhook_secrets set expires_at = $2 where id in (
       select id from webhook_secrets where tenant_id = $1 and expires_at > $2 order by id desc offset $3)`,
    [tenantId, now, MAX_OVERLAPPING],
  );
  await tx.query('insert into webhook_secrets (tenant_id, sealed, created_at) values ($1, $2, $3)', [
    tenantId,
    deps.keyring.encrypt(`whsec_${randomBytes(32).toString('base64')}`),
    now,
  ]);
}

export const getWebhookSecret = tenantEndpoint({
  operationId: 'getWebhookSecret',
  summary: 'Get the secret that signs webhooks',
  tag: 'Webhooks',
  credentials: ['session', 'secret'],
  role: 'owner',
  recent: true,
  responses: { 200: WebhookSecret },
  async handler({ deps, principal }) {
    return ok(present(deps, await currentSecrets(deps.db, principal.tenantId, deps.clock.now())));
  },
});

const RotateRequest = Type.Object(
  {
    overlap_seconds: Type.Optional(
      Type.Integer({ minimum: 0, maximum: MAX_OVERLAP_SECONDS, default: DEFAULT_OVERLAP_SECONDS }),
    ),
  },
  { additionalProperties: false, title: 'RotateSecretRequest' },
);

export const rotateWebhookSecret = tenantEndpoint({
  operationId: 'rotateWebhookSecret',
  summary: 'Rotate the webhook secret',
  description:
    'Webhooks carry signatures of both the old and the new secret for `overlap_seconds`, so you can update receivers ' +
    'without downtime. A retry with the same `Idempotency-Key` rotates nothing and does not repeat the secrets: get them ' +
    'with `GET /v1/webhook-secret`.',
  tag: 'Webhooks',
  credentials: ['session', 'secret'],
  role: 'owner',
  recent: true,
  secretAnswer: ['secret', 'previous'],
  body: RotateRequest,
  bodyOptional: true,
  responses: { 200: WebhookSecret },
  async handler(call) {
    const { deps, principal, body } = call;
    const overlap = body?.overlap_seconds ?? DEFAULT_OVERLAP_SECONDS;
    const doing = activityOf(call);
    return transaction(deps.db, async tx => {
      await rotate(tx, deps, principal.tenantId, overlap, doing.at);
      await audit(tx, doing, { action: 'webhook_secret.rotated', detail: { overlap_seconds: overlap } });
      const answer = ok(present(deps, await currentSecrets(tx, principal.tenantId, doing.at)));
      await call.keepAnswer(tx, answer);
      return answer;
    });
  },
});
