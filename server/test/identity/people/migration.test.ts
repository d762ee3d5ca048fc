import { cp, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import { MIGRATIONS_FOLDER, migrate } from '../../../src/platform/db/migrate.ts';
import { createPool } from '../../../src/platform/db/pool.ts';
import { emptyDatabase } from '../../support/database.ts';

const log = pino({ level: 'silent' });

describe('migration 0195', () => {
  it('makes one person in each account of whoever was in several, and leaves the ways in to the first', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'fh-before-'));
    const database = await emptyDatabase();
    const db = createPool(database.url, 2, () => {});
    try {
      for (const name of await readdir(MIGRATIONS_FOLDER)) {
        if (name < '0195') await cp(join(MIGRATIONS_FOLDER, name), join(folder, name));
      }
      await migrate(db, log, folder);
      await db.query(`
        insert into tenants (id, name, created_at) values ('tnt_a', 'A', now()), ('tnt_b', 'B', now());
        insert into persons (id, email, proven_at, last_tenant_id, created_at) values
          ('usr_01JD3V5P7Q9R1S3T5V7W9X1Y3Z', 'both@people.example', now(), 'tnt_b', now()),
          ('usr_01JD3V5P7Q9R1S3T5V7W9X1Y4A', null, now(), 'tnt_a', now());
        insert into memberships (tenant_id, person_id, role, created_at) values
          ('tnt_a', 'usr_01JD3V5P7Q9R1S3T5V7W9X1Y3Z', 'member', now() - interval '1 day'),
          ('tnt_b', 'usr_01JD3V5P7Q9R1S3T5V7W9X1Y3Z', 'owner', now()),
          ('tnt_a', 'usr_01JD3V5P7Q9R1S3T5V7W9X1Y4A', 'owner', now());
        insert into person_identities (issuer, subject, person_id, provider, created_at)
          values ('https://id.example', 's', 'usr_01JD3V5P7Q9R1S3T5V7W9X1Y3Z', 'acme', now());
        insert into passkeys (id, person_id, name, credential_id, public_key, counter, created_at) values
          ('psk_1', 'usr_01JD3V5P7Q9R1S3T5V7W9X1Y3Z', 'Laptop', 'c1', '', 0, now()),
          ('psk_2', 'usr_01JD3V5P7Q9R1S3T5V7W9X1Y4A', 'Phone', 'c2', '', 0, now());
        insert into sessions (id, person_id, tenant_id, livemode, method, address, device, created_at, last_seen_at, expires_at)
          values ('ses_1', 'usr_01JD3V5P7Q9R1S3T5V7W9X1Y3Z', 'tnt_b', true, 'passkey', '', '', now(), now(), now() + interval '1 hour');
        insert into sign_in_tokens (digest, person_id, tenant_id, purpose, proves, mail_id, created_at, expires_at) values
          ('\\x01', 'usr_01JD3V5P7Q9R1S3T5V7W9X1Y3Z', 'tnt_b', 'invitation', true, 'mail', now(), now()),
          ('\\x02', 'usr_01JD3V5P7Q9R1S3T5V7W9X1Y4A', 'tnt_a', 'first_run', true, null, now(), now());
      `);
      await migrate(db, log);
      const rows = async (sql: string) => (await db.query(sql)).rows.map(row => Object.values(row));
      const [[inB]] = (await rows(`select person_id from memberships where tenant_id = 'tnt_b'`)) as [[string]];
      expect(inB).toMatch(/^usr_01JD3V5P7Q[0-9A-HJKMNP-TV-Z]{16}$/);
      const [both, owner] = ['usr_01JD3V5P7Q9R1S3T5V7W9X1Y3Z', 'usr_01JD3V5P7Q9R1S3T5V7W9X1Y4A'];
      expect(await rows('select id, email, email_proven_at is not null from persons order by created_at, id')).toEqual(
        expect.arrayContaining([
          [both, 'both@people.example', true],
          [inB, 'both@people.example', false],
          [owner, null, false],
        ]),
      );
      expect(await rows('select person_id, proof from person_identities')).toEqual([[both, 'email']]);
      expect(await rows('select passkey_id, person_id, proof from passkey_persons order by 1')).toEqual([
        ['psk_1', both, 'email'],
        ['psk_2', owner, 'operator'],
      ]);
      expect(await rows('select id from sessions where ended_at is null')).toEqual([]);
      expect(await rows('select person_id, email from sign_in_tokens order by digest')).toEqual([
        [inB, 'both@people.example'],
        [owner, null],
      ]);
    } finally {
      await db.end();
      await database.drop();
      await rm(folder, { recursive: true, force: true });
    }
  });
});
