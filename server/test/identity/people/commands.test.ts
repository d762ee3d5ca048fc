import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Me } from '@firsthand/contract/people/people.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { DoctorFinding } from '../../../src/commands/doctor-finding.ts';
import type { Finding } from '../../../src/desk/system/findings.ts';
import type { FirstRun } from '../../../src/identity/tenants/first-run.ts';
import { runHere } from '../../support/run-here.ts';
import { freePort, type ServiceProcess, startServiceProcess } from '../../support/service-process.ts';
import { tokenOf, visit } from './visitor.ts';

describe('commands for people', () => {
  let dataDir: string;
  let service: ServiceProcess;
  let port: number;
  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'fh-people-'));
    port = await freePort();
    service = startServiceProcess({ dataDir, port });
    await service.ready();
  });
  afterAll(async () => {
    await service?.stop();
    await rm(dataDir, { recursive: true, force: true });
  });

  const command = (...args: string[]) => runHere(args, { DATA_DIR: dataDir, PORT: String(port) });
  const firsthand = async (...args: string[]) => {
    const { code, out, err } = await command(...args);
    expect([args, code, err]).toEqual([args, 0, '']);
    return out;
  };
  const refusal = async (...args: string[]) => {
    const { code, err } = await command(...args);
    expect([args, code]).toEqual([args, null]);
    return err;
  };
  const firstRun = async () => JSON.parse(await readFile(join(dataDir, 'first-run.json'), 'utf8')) as FirstRun;
  const redeem = (path: string, url: string) => visit(service).ask<Me>(path, { body: { token: tokenOf(url) } });

  it('npm start prints the link of first-run.json', async () => {
    const { dashboard_url: link } = await firstRun();
    expect((await stat(join(dataDir, 'first-run.json'))).mode & 0o777).toBe(0o600);
    expect(link).toMatch(new RegExp(`^http://localhost:${port}/dashboard/sign-in#first=`));
    await expect.poll(() => service.output()).toContain(link);
  });

  it('firsthand sign-in-link signs in whom it names: the only owner, an address, or nobody', async () => {
    const link = (await firsthand('sign-in-link', '--tenant', (await firstRun()).tenant_id)).trim();
    const owner = await redeem('/v1/auth/first-run', link);
    expect([owner.status, owner.body.tenant.role, owner.body.person.email]).toEqual([200, 'owner', undefined]);
    expect((await redeem('/v1/auth/first-run', link)).status).toBe(401);
    expect(await refusal('sign-in-link', '--email', 'owner@people.example')).toMatch(/Nobody has the address/);
    expect(await refusal('sign-in-link', '--email', 'notmail')).toMatch(/--email .*e-?mail/);
    const { id } = owner.body.person;
    expect(await firsthand('people', 'set-email', id, '--email', 'Owner@people.example')).toContain(id);
    const again = (await firsthand('sign-in-link', '--email', 'OWNER@people.example')).trim();
    expect((await redeem('/v1/auth/first-run', again)).body.person).toEqual({ id, email: 'owner@people.example' });
  });

  it('firsthand people invites, lists and removes', async () => {
    const made = JSON.parse(await firsthand('people', 'invite', '--email', 'cli@people.example', '--role', 'reviewer'));
    const signed = await redeem('/v1/auth/magic-link/redeem', made.sign_in_url);
    expect([signed.status, signed.body.tenant.role]).toEqual([200, 'reviewer']);
    expect(await firsthand('people', 'list')).toMatch(new RegExp(`${made.id} +reviewer +cli@people.example`));
    expect(await firsthand('people', 'remove', made.id)).toContain('is removed');
    expect(await firsthand('people', 'list')).not.toContain(made.id);
  });

  it('commands ask for the account where there are several, and give no account away', async () => {
    const other = JSON.parse(await firsthand('create-tenant', 'Second account')) as { tenant_id: string };
    expect(await refusal('sign-in-link', '--email', 'bob@second.example')).toMatch(/Nobody has the address/);
    for (const args of [['sign-in-link'], ['people', 'list'], ['calibrate', '--from-reviews']]) {
      const said = await refusal(...args);
      expect([args, said.includes(other.tenant_id), said.includes((await firstRun()).tenant_id)]).toEqual([
        args,
        true,
        true,
      ]);
    }
    const link = (await firsthand('sign-in-link', '--tenant', other.tenant_id)).trim();
    const { body } = await redeem('/v1/auth/first-run', link);
    expect(body.tenants.map(({ id }) => id)).toEqual([other.tenant_id]);
    expect(body.person).toEqual({ id: expect.any(String) });
  });

  it('firsthand doctor says what to set for each way to sign in that is off', async () => {
    const said = await firsthand('doctor');
    for (const words of ['SMTP_URL', 'BOT_URL', 'OIDC_<NAME>_ISSUER']) expect(said).toContain(words);
    expect(said).toContain('✓ Sign-in with a passkey');
  });

  it('firsthand doctor --json prints what GET /v1/system answers, with folders and servers, and looks at more', async () => {
    const { findings } = JSON.parse(await firsthand('doctor', '--json')) as { findings: DoctorFinding[] };
    const { rk_secret } = await firstRun();
    const reply = await fetch(`${service.url}/v1/system`, { headers: { authorization: `Bearer ${rk_secret}` } });
    expect(reply.status).toBe(200);
    const text = await reply.text();
    const answered = (JSON.parse(text) as { findings: Finding[] }).findings;
    const more = ['version', 'encryption_keys', 'seals', 'clock', 'content_credentials', 'trust_list'];
    const told = (all: DoctorFinding[]) =>
      new Map(all.filter(({ part }) => !more.includes(part)).map(({ part, state }) => [part, state]));
    expect(told(answered)).toEqual(told(findings));
    expect(findings.find(({ part }) => part === 'data_folder')!.detail).toBe(dataDir);
    expect(text).not.toContain(dataDir);
    expect(answered.find(({ part }) => part === 'time_stamps')).toMatchObject({
      state: 'missing',
      advice: expect.stringContaining('TSA_URL'),
    });
  });
});
