import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Verification } from '@firsthand/contract/verification/verification.ts';
import pg from 'pg';
import { describe, expect, it } from 'vitest';
import { databaseOf } from '../support/database.ts';
import { ask, createVerification, startTestService, submit, until } from '../support/harness.ts';
import { plain } from '../support/pictures.ts';
import { runHere } from '../support/run-here.ts';

async function alter(url: string, setting: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(`alter database ${new URL(url).pathname.slice(1)} set ${setting}`);
  await client.end();
}

describe.each(['SQL, DMY', 'German', 'Postgres, YMD'])('a database whose DateStyle is %s', style => {
  it('serves a photo to its verdict, with the times that were written', async () => {
    const database = await databaseOf('');
    await alter(database.url, `datestyle = '${style}'`);
    const service = await startTestService({ database });
    try {
      const { id, created_at: createdAt } = await createVerification(service);
      await submit(service, id, await plain());
      const get = () => ask<Verification>(service, `/v1/verifications/${id}`, { key: service.tenant.pk_test });
      const done = await until(async () => {
        const { body } = await get();
        return body.status === 'completed' && body;
      }, 'the verdict');
      expect(Math.abs(Date.parse(createdAt) - Date.now())).toBeLessThan(120_000);
      expect(Date.parse(done.captures![0]!.created_at)).toBeGreaterThanOrEqual(Date.parse(createdAt));
    } finally {
      await service.stop();
    }
  });
});

describe('a database whose encoding is not UTF8', () => {
  it.each(['SQL_ASCII', 'LATIN1'])(
    '%s: migrate and doctor say what to do, and nothing is made in it',
    async encoding => {
      const database = await databaseOf(`encoding '${encoding}' locale_provider libc locale 'C'`);
      const DATA_DIR = await mkdtemp(join(tmpdir(), 'fh-encoding-'));
      try {
        const env = { DATABASE_URL: database.url, DATA_DIR, ENCRYPTION_KEYS: Buffer.alloc(32, 7).toString('base64') };
        const words = `has the encoding ${encoding}, and Firsthand needs UTF8. Make another one, with CREATE DATABASE`;
        const migrated = await runHere(['migrate'], env);
        expect([migrated.code, migrated.out]).toEqual([null, '']);
        expect(migrated.err).toContain(words);
        const checked = await runHere(['doctor', '--json'], env);
        expect(checked.code).toBe(1);
        const { findings } = JSON.parse(checked.out) as { findings: { part: string }[] };
        expect(findings.find(({ part }) => part === 'database')).toMatchObject({
          state: 'wrong',
          advice: expect.stringContaining(words),
        });
        const client = new pg.Client({ connectionString: database.url });
        await client.connect();
        const { rows } = await client.query("select from information_schema.tables where table_schema = 'public'");
        await client.end();
        expect(rows).toEqual([]);
      } finally {
        await rm(DATA_DIR, { recursive: true, force: true });
        await database.drop();
      }
    },
  );
});

/** A value of the metadata, what is searched for, whether it is found. */
const SEARCHES = [
  ['INVOICE-1', 'invoice', true],
  ['invoice-2', 'INVOICE-2', true],
  ['Müller & SÖHNE', 'söhne', true],
  ['straße', 'STRASSE', false],
  ['İstanbul', 'istanbul', true],
  ['ırmak', 'irmak', false],
  ['ΟΔΟΣ 5', 'οδος', true],
  ['οδός', 'ΟΔΌΣ', true],
  ['ЗАЯВКА', 'заявка', true],
  ['Æ9', 'æ9', true],
] as const;

describe.each([
  ["locale_provider libc locale 'C'"],
  ["locale_provider builtin builtin_locale 'C.UTF-8' locale 'C'"],
  ["locale_provider icu icu_locale 'tr-TR' locale 'C'"],
  ["locale_provider icu icu_locale 'lt-LT' locale 'C'"],
])('a database with %s', options => {
  it('finds the same as under every other locale, and a person by an e-mail address', async () => {
    const database = await databaseOf(`encoding 'UTF8' ${options}`);
    const service = await startTestService({ database, worker: false });
    try {
      const ids: string[] = [];
      for (const [reference] of SEARCHES) {
        ids.push((await createVerification(service, { metadata: { claim: reference } })).id);
      }
      const found: unknown[] = [];
      for (const [n, [reference, q]] of SEARCHES.entries()) {
        const path = `/v1/verifications?q=${encodeURIComponent(q)}`;
        const { body } = await ask<{ data: Verification[] }>(service, path, { key: service.tenant.pk_test });
        found.push([reference, q, body.data.some(({ id }) => id === ids[n])]);
      }
      expect(found).toEqual(SEARCHES);
      const expected = { subject: { person: { email: 'INES.I@EXAMPLE.COM' } } };
      const { id } = await createVerification(service, { expected_info: expected });
      const kept = await fetch(`${service.url}/v1/people-data?email=ines.i@example.com`, {
        headers: { authorization: `Bearer ${service.tenant.rk_secret}` },
      });
      expect(Buffer.from(await kept.arrayBuffer()).includes(`${id}/`)).toBe(true);
    } finally {
      await service.stop();
    }
  });
});
