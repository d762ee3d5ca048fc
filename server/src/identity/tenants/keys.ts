import { randomBytes } from 'node:crypto';
import type { KeyScope } from '@firsthand/contract/account/key-scopes.ts';
import { type Fault, fault, unknownReference } from '@firsthand/contract/base/fault.ts';
import { one, type Queryable } from '../../platform/db/sql.ts';
import { newId, newUlid } from '../../platform/lib/ids.ts';
import { sha256 } from '../../platform/lib/keyring.ts';

export type KeyMode = 'live' | 'test' | 'secret';

export interface MintedKey {
  id: string;
  /** Shown only once. The database stores its SHA-256. */
  plaintext: string;
  prefix: string;
  createdAt: Date;
}

/**
 * Leading characters of a key that lists show, so that a person can tell keys apart. They reveal none of a publishable key's 80 random bits
 * and 24 of a secret key's 256.
 */
const PREFIX_LENGTH = { live: 18, test: 18, secret: 14 } as const;

/** A key that sits in an app: what it may do, and the link template that its verifications are made from. */
export interface AppKey {
  scopes: readonly KeyScope[];
  templateId: string;
}

export interface KeyToMint {
  tenantId: string;
  name: string;
  mode: KeyMode;
  now: Date;
  /** Limits a publishable key; absent: everything that a publishable key may. */
  app?: AppKey | undefined;
}

/** Mints a key for a tenant: `pk_live_<ulid>`, `pk_test_<ulid>` or `rk_secret_<43 characters>`. */
export async function mintKey(tx: Queryable, { tenantId, name, mode, now, app }: KeyToMint): Promise<MintedKey> {
  const plaintext =
    mode === 'secret' ? `rk_secret_${randomBytes(32).toString('base64url')}` : `pk_${mode}_${newUlid()}`;
  const id = newId('key', now.getTime());
  const prefix = plaintext.slice(0, PREFIX_LENGTH[mode]);
  await tx.query(
    `insert into api_keys (id, tenant_id, name, kind, livemode, hash, prefix, created_at, scopes, template_id)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
    [
      id,
      tenantId,
      name,
      mode === 'secret' ? 'secret' : 'publishable',
      mode === 'secret' ? null : mode === 'live',
      sha256(plaintext),
      prefix,
      now,
      app?.scopes ?? null,
      app?.templateId ?? null,
    ],
  );
  return { id, plaintext, prefix, createdAt: now };
}

/**
 * The fault of a link template that a new key for apps cannot be bound to; null: it can. The template may be of the other mode: the key's
 * mode decides what is created.
 */
export async function templateFault(db: Queryable, tenantId: string, templateId: string): Promise<Fault | null> {
  const template = await one<{ status: string }>(
    db,
    'select status from link_templates where id = $1 and tenant_id = $2',
    [templateId, tenantId],
  );
  if (!template) return unknownReference('template_id', 'must be a link template of this account');
  return template.status === 'active'
    ? null
    : fault('template_id', 'revoked', 'must be a link template that is not revoked');
}

/** Records that a key was used, unless another node did so since `usedBefore`. */
export async function noteKeyUse(db: Queryable, id: string, o: { now: Date; usedBefore: Date }): Promise<void> {
  await db.query(
    'update api_keys set last_used_at = $2 where id = $1 and (last_used_at is null or last_used_at < $3)',
    [id, o.now, o.usedBefore],
  );
}
