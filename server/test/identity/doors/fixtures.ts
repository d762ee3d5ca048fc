import type { NewTenant } from '../../../src/identity/tenants/create.ts';
import { mintKey } from '../../../src/identity/tenants/keys.ts';
import { transaction } from '../../../src/platform/db/sql.ts';
import type { Endpoint } from '../../../src/platform/http/endpoint.ts';
import { newId, newUlid } from '../../../src/platform/lib/ids.ts';
import { sha256 } from '../../../src/platform/lib/keyring.ts';
import { trialTenant } from '../../../src/verification/trials/tenant.ts';
import { issue } from '../../../src/verification/verifications/issue.ts';
import { ask, type TestService } from '../../support/harness.ts';
import { plain } from '../../support/pictures.ts';
import { signedIn } from '../people/visitor.ts';

/** Makes what a path names, for a tenant and in a mode; gives the value of its parameter. */
type Fixture = (service: TestService, owner: NewTenant, livemode: boolean) => Promise<string>;

export const verification: Fixture = async ({ deps }, owner, livemode) =>
  (await transaction(deps.db, tx => issue(tx, deps, { tenantId: owner.tenant_id, livemode, request: {} }))).id;

async function manage<T>(service: TestService, owner: NewTenant, method: string, path: string, body: object) {
  const reply = await ask<T>(service, path, { method, key: owner.rk_secret, body });
  if (reply.status >= 300) throw new Error(`${method} ${path} was answered ${reply.status}: ${reply.text}`);
  return reply.body;
}

async function brand(service: TestService, owner: NewTenant) {
  const slug = `brand-${newUlid().toLowerCase()}`;
  const logo = (await plain()).toString('base64');
  return manage<{ slug: string; logo_url: string }>(service, owner, 'PUT', `/v1/brands/${slug}`, {
    name: 'A brand',
    logo_base64: logo,
  });
}

const examplePicture = async (service: TestService, owner: NewTenant) => {
  const colour = `#${newUlid().slice(-6).replace(/[G-Z]/g, 'a')}`;
  const image_base64 = (await plain({ width: 64, height: 48, colour })).toString('base64');
  return manage<{ sha256: string }>(service, owner, 'POST', '/v1/example-pictures', { image_base64 });
};

/** A webhook that failed, with its event and its address. */
export async function delivery({ deps: { db } }: TestService, owner: NewTenant, livemode: boolean) {
  const ids = { event: newId('evt'), endpoint: newId('whe'), delivery: newId('whd') };
  const common = [owner.tenant_id, livemode];
  const url = `http://127.0.0.1:9/${ids.endpoint}`;
  await db.query(
    `insert into events (id, tenant_id, livemode, type, public_type, body, created_at)
     values ($1, $2, $3, 'webhook.test', 'webhook.test', '{}', now())`,
    [ids.event, ...common],
  );
  await db.query(
    `insert into webhook_endpoints (id, tenant_id, livemode, url, url_sha256, created_at) values ($1, $2, $3, $4, $5, now())`,
    [ids.endpoint, ...common, url, sha256(url)],
  );
  await db.query(
    `insert into webhook_deliveries (id, tenant_id, livemode, event_id, endpoint_id, type, status, created_at)
     values ($1, $2, $3, $4, $5, 'webhook.test', 'failed', now())`,
    [ids.delivery, ...common, ids.event, ids.endpoint],
  );
  return ids;
}

const after =
  (method: string, action: string, body: object): Fixture =>
  async (service, owner, livemode) => {
    const id = await verification(service, owner, livemode);
    await manage(service, owner, method, `/v1/verifications/${id}/${action}`, body);
    return id;
  };

/** By the beginning of the path. An endpoint whose path names something needs one here. */
export const FIXTURES: [prefix: string, fixture: Fixture][] = [
  ['/v1/verifications/:id/redaction', after('POST', 'redact', {})],
  ['/v1/verifications/:id/legal-hold', after('PUT', 'legal-hold', { reason: 'A court case' })],
  ['/v1/verifications/:id/captures/:', async (...owned) => `${await verification(...owned)}/captures/${newId('cap')}`],
  ['/v1/verifications/:', verification],
  ['/v1/verify/:', verification],
  ['/v1/reviews/:', verification],
  [
    '/v1/batches/:',
    async ({ deps: { db } }, owner, livemode) => {
      const id = newId('bat');
      await db.query(
        `insert into batches (id, tenant_id, livemode, request, send, total, created_at) values ($1, $2, $3, '{}', false, 0, now())`,
        [id, owner.tenant_id, livemode],
      );
      return id;
    },
  ],
  [
    '/v1/bulk-acts/:',
    async ({ deps: { db } }, owner, livemode) => {
      const id = newId('blk');
      await db.query(
        `insert into bulk_acts (id, tenant_id, modes, act, options, activity, created_at)
         values ($1, $2, $3, 'cancel', '{}', '{}', now())`,
        [id, owner.tenant_id, [livemode]],
      );
      return id;
    },
  ],
  [
    '/v1/trial/verifications/:',
    async ({ deps }) => {
      const tenantId = await trialTenant(deps);
      return (await transaction(deps.db, tx => issue(tx, deps, { tenantId, livemode: true, request: {} }))).id;
    },
  ],
  [
    '/v1/api-keys/:',
    async ({ deps }, owner, livemode) =>
      (
        await mintKey(deps.db, {
          tenantId: owner.tenant_id,
          name: 'a key',
          mode: livemode ? 'live' : 'test',
          now: new Date(),
        })
      ).id,
  ],
  ['/v1/brands/:', async (service, owner) => (await brand(service, owner)).slug],
  ['/brand-logos/:', async (service, owner) => new URL((await brand(service, owner)).logo_url).pathname.split('/')[2]!],
  [
    '/v1/link-templates/:',
    async (service, owner, livemode) => {
      const body = { name: 'a link', request: { max_captures: 1 } };
      const { id } = await manage<{ id: string }>(service, owner, 'POST', '/v1/link-templates', body);
      await service.deps.db.query('update link_templates set livemode = $2 where id = $1', [id, livemode]);
      return id;
    },
  ],
  ['/v1/example-pictures/:', async (service, owner) => (await examplePicture(service, owner)).sha256],
  ['/example-pictures/:', async (service, owner) => `${(await examplePicture(service, owner)).sha256}.jpg`],
  ['/v1/auth/:', async () => 'acme'],
  [
    '/v1/people/:',
    async (service, owner) => (await signedIn(service, { tenantId: owner.tenant_id, role: 'viewer' })).personId,
  ],
  ['/v1/webhook-deliveries/:', async (service, owner, livemode) => (await delivery(service, owner, livemode)).delivery],
  [
    '/v1/webhook-endpoints/:',
    async (service, owner, livemode) => {
      const { endpoint } = await delivery(service, owner, livemode);
      await service.deps.db.query('update webhook_endpoints set registered_at = now() where id = $1', [endpoint]);
      return endpoint;
    },
  ],
  ['/v1/events/:', async (service, owner, livemode) => (await delivery(service, owner, livemode)).event],
];

/** Paths open only to people, by their beginning. */
const OWN_FIXTURES: [prefix: string, fixture: (service: TestService, personId: string) => Promise<string>][] = [
  [
    '/v1/me/passkeys/:',
    async ({ deps }, personId) => {
      const id = newId('psk');
      await deps.db.query(
        `with passkey as (
           insert into passkeys (id, person_id, name, credential_id, public_key, counter, created_at)
           values ($1, $2, 'a passkey', $1, '', 0, now()) returning id, person_id
         )
         insert into passkey_persons (passkey_id, person_id, proof) select id, person_id, 'email' from passkey`,
        [id, personId],
      );
      return id;
    },
  ],
  [
    '/v1/me/sessions/:',
    async ({ deps }, personId) => {
      const id = newId('ses');
      await deps.db.query(
        `insert into sessions select $1, person_id, tenant_id, livemode, method, address, device, created_at, last_seen_at,
           expires_at from sessions where person_id = $2 limit 1`,
        [id, personId],
      );
      return id;
    },
  ],
  [
    '/v1/verifications/:id/reviews/:',
    async ({ deps }, personId) => {
      const session = await deps.db.query('select tenant_id, livemode from sessions where person_id = $1', [personId]);
      const { tenant_id: tenantId, livemode } = session.rows[0];
      const { id } = await transaction(deps.db, tx => issue(tx, deps, { tenantId, livemode, request: {} }));
      await deps.db.query("update verifications set status = 'failed', review_state = 'decided' where id = $1", [id]);
      const reviewId = newId('rev');
      await deps.db.query(
        `insert into reviews (id, verification_id, tenant_id, person_id, person_name, decision, reasons, blind, seconds, created_at)
         values ($1, $2, $3, $4, 'A person', 'approved', '[]', false, 0, now())`,
        [reviewId, id, tenantId, personId],
      );
      return `${id}/reviews/${reviewId}`;
    },
  ],
];
export const ownFixtureOf = (endpoint: Endpoint) =>
  OWN_FIXTURES.find(([prefix]) => endpoint.path.startsWith(prefix))?.[1];

export const fixtureOf = (endpoint: Endpoint): Fixture => {
  const ofPerson = ownFixtureOf(endpoint);
  if (ofPerson) {
    return async (service, owner) =>
      ofPerson(service, (await signedIn(service, { tenantId: owner.tenant_id, role: 'viewer' })).personId);
  }
  const known = FIXTURES.find(([prefix]) => endpoint.path.startsWith(prefix))?.[1];
  if (!known) throw new Error(`add a fixture for ${endpoint.path} to the matrix`);
  return known;
};
