import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Me } from '@firsthand/contract/people.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Finding } from '../../src/system/findings.ts';
import { freePort, type ServiceProcess, startServiceProcess } from '../service-process.ts';
import { tokenOf, visit } from './visitor.ts';

const MAIN = join(import.meta.dirname, '..', '..', 'src', 'main.ts');

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

  const firsthand = async (...args: string[]) => {
    const env = { PATH: process.env.PATH, DATA_DIR: dataDir, PORT: String(port) };
    const { stdout } = await promisify(execFile)(process.execPath, [MAIN, ...args], { env });
    return stdout;
  };
  const redeem = (path: string, url: string) => visit(service).ask<Me>(path, { body: { token: tokenOf(url) } });

  it('npm start prints the link of first-run.json', async () => {
    const file = join(dataDir, 'first-run.json');
    const { dashboard_url: link } = JSON.parse(await readFile(file, 'utf8')) as { dashboard_url: string };
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(link).toMatch(new RegExp(`^http://localhost:${port}/dashboard/sign-in#first=`));
    await expect.poll(() => service.output()).toContain(link);
  });

  it('firsthand sign-in-link gives the first owner an address, and a new link each time', async () => {
    const link = (await firsthand('sign-in-link', '--email', 'Owner@people.example')).trim();
    const { status, body } = await redeem('/v1/auth/first-run', link);
    expect([status, body.person.email, body.tenant.role]).toEqual([200, 'owner@people.example', 'owner']);
    expect((await redeem('/v1/auth/first-run', link)).status).toBe(401);
    const again = (await firsthand('sign-in-link', '--email', 'owner@people.example')).trim();
    expect((await redeem('/v1/auth/first-run', again)).body.person.id).toBe(body.person.id);
    await expect(firsthand('sign-in-link', '--email', 'nobody@people.example')).rejects.toThrow(
      /Nobody has the address/,
    );
  });

  it('firsthand people invites, lists and removes', async () => {
    const made = JSON.parse(await firsthand('people', 'invite', '--email', 'cli@people.example', '--role', 'reviewer'));
    const signed = await redeem('/v1/auth/magic-link/redeem', made.sign_in_url);
    expect([signed.status, signed.body.tenant.role]).toEqual([200, 'reviewer']);
    expect(await firsthand('people', 'list')).toMatch(new RegExp(`${made.id} +reviewer +cli@people.example`));
    expect(await firsthand('people', 'remove', made.id)).toContain('is removed');
    expect(await firsthand('people', 'list')).not.toContain(made.id);
  });

  it('firsthand doctor says what to set for each way to sign in that is off', async () => {
    const said = await firsthand('doctor');
    for (const words of ['SMTP_URL', 'BOT_URL', 'OIDC_<NAME>_ISSUER']) expect(said).toContain(words);
    expect(said).toContain('✓ Sign-in with a passkey');
  });

  it('firsthand doctor --json prints what GET /v1/system answers, with folders and servers', async () => {
    const { findings } = JSON.parse(await firsthand('doctor', '--json')) as { findings: Finding[] };
    const { rk_secret } = JSON.parse(await readFile(join(dataDir, 'first-run.json'), 'utf8')) as { rk_secret: string };
    const reply = await fetch(`${service.url}/v1/system`, { headers: { authorization: `Bearer ${rk_secret}` } });
    expect(reply.status).toBe(200);
    const text = await reply.text();
    const answered = (JSON.parse(text) as { findings: Finding[] }).findings;
    const told = (all: Finding[]) =>
      new Map(all.filter(({ part }) => part !== 'seals').map(({ part, state }) => [part, state]));
    expect(told(answered)).toEqual(told(findings));
    expect(findings.find(({ part }) => part === 'data_folder')!.detail).toBe(dataDir);
    expect(text).not.toContain(dataDir);
    expect(answered.find(({ part }) => part === 'time_stamps')).toMatchObject({
      state: 'missing',
      advice: expect.stringContaining('TSA_URL'),
    });
  });
});
