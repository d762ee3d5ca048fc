import { spawn } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { Agent, request } from 'node:https';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect } from 'node:tls';
import { stripVTControlCharacters } from 'node:util';
import QRCode from 'qrcode';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { firstRunOf, freePort } from '../support/service-process.ts';

const ROOT = join(import.meta.dirname, '..', '..', '..');
/** The address that a phone in the same network would use; a machine without a network has none. */
const LAN = Object.values(networkInterfaces())
  .flatMap(list => list ?? [])
  .find(address => address.family === 'IPv4' && !address.internal)?.address;

/** What works in the folder or belongs to the process group, by /proc: the pids with their commands. */
function processesOf(folder: string, group: number): string[] {
  return readdirSync('/proc')
    .filter(pid => /^\d+$/.test(pid))
    .flatMap(pid => {
      try {
        // The group is the third field after the name in brackets.
        const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
          .replace(/^.*\) /s, '')
          .split(' ');
        const ours = Number(fields[2]) === group || readlinkSync(`/proc/${pid}/cwd`).startsWith(folder);
        return ours && fields[0] !== 'Z'
          ? [`${pid} ${readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')}`]
          : [];
      } catch {
        // It has ended, or is somebody else's.
        return [];
      }
    });
}

/** The last line before the QR code. */
const linksShown = (output: string) => output.includes('npx firsthand demo');

/** `npm start` as a person types it, in a folder of its own; a process group, so that a failed test leaves nothing. */
async function npmStart(args: string[], isUp: (output: string, dataDir: string) => boolean = linksShown) {
  const dataDir = await mkdtemp(join(tmpdir(), 'fh-npm-'));
  const port = await freePort();
  const npm = spawn('npm', ['start', ...(args.length > 0 ? ['--', ...args] : [])], {
    cwd: ROOT,
    env: { PATH: process.env.PATH, HOME: process.env.HOME, DATA_DIR: dataDir, PORT: `${port}`, ANALYSIS_THREADS: '1' },
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [npm.stdout, npm.stderr]) {
    stream.setEncoding('utf8');
    stream.on('data', chunk => {
      output += chunk;
    });
  }
  const exited = once(npm, 'exit') as Promise<[number | null, string | null]>;
  const deadline = Date.now() + 150_000;
  while (!isUp(output, dataDir)) {
    if (npm.exitCode !== null || Date.now() > deadline) throw new Error(`npm start did not get ready:\n${output}`);
    await sleep(50);
  }
  return {
    dataDir,
    port,
    npm,
    exited,
    output: () => stripVTControlCharacters(output),
    /** What of it still runs: npm, the server, the database and whatever they started. */
    running: () => processesOf(dataDir, npm.pid!),
    async remove() {
      for (const line of processesOf(dataDir, npm.pid!)) process.kill(Number.parseInt(line, 10), 'SIGKILL');
      await exited;
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}
type Started = Awaited<ReturnType<typeof npmStart>>;

/** The processes are looked up in /proc. */
const onLinux = describe.skipIf(process.platform !== 'linux');

onLinux('npm start -- --tls', () => {
  let started: Started;
  let certificate: X509Certificate;
  let agent: Agent;
  beforeAll(async () => {
    // As after a change of its sources.
    await rm(join(ROOT, 'verify', 'dist', '.sources'), { force: true });
    started = await npmStart(['--tls']);
    const name = (await readdir(started.dataDir)).find(file => /^tls-.*\.crt$/.test(file));
    const pem = await readFile(join(started.dataDir, name ?? 'no certificate'), 'utf8');
    certificate = new X509Certificate(pem);
    // Nothing else is trusted: only this certificate, for the name asked for, will do.
    agent = new Agent({ ca: pem, keepAlive: true });
  });
  afterAll(async () => {
    agent?.destroy();
    await started?.remove();
  });

  const get = async (host: string, path: string): Promise<number | undefined> => {
    const sent = request({ host, port: started.port, path, agent }).end();
    const [answer] = (await once(sent, 'response')) as [IncomingMessage];
    answer.resume();
    return answer.statusCode;
  };

  it('answers HTTPS on all addresses with its own certificate, whose key stays private', async () => {
    for (const host of ['localhost', '127.0.0.1', ...(LAN ? [LAN] : [])]) {
      expect([host, await get(host, '/healthz')]).toEqual([host, 200]);
      expect([host, await get(host, '/v/nothing')]).toEqual([host, 200]);
    }
    expect(certificate.checkIssued(certificate)).toBe(true);
    expect(certificate.validToDate.getTime()).toBeGreaterThan(Date.now() + 300 * 86_400_000);
    const key = (await readdir(started.dataDir)).find(file => /^tls-.*\.key$/.test(file));
    expect((await stat(join(started.dataDir, key ?? 'no key'))).mode & 0o777).toBe(0o600);
    const plain = await fetch(`http://127.0.0.1:${started.port}/healthz`).catch((error: Error) => error);
    expect(plain).toBeInstanceOf(Error);
    const socket = connect({ host: '127.0.0.1', port: started.port, rejectUnauthorized: false, maxVersion: 'TLSv1.1' });
    await expect(once(socket, 'secureConnect')).rejects.toThrow();
  });

  it('says what the first start waits for, before it is ready', () => {
    const output = started.output();
    const places = [
      'creating the database',
      'building the pages of verify',
      'built the pages of verify in',
      'is ready at',
    ];
    const found = places.map(place => [place, output.indexOf(place)] as const);
    expect(found.filter(([, at]) => at < 0)).toEqual([]);
    expect(Math.max(...found.map(([, at]) => at))).toBe(output.indexOf('is ready at'));
    expect(output).not.toContain('PLUGIN_TIMINGS');
  });

  it('prints a link that a phone can open, and its QR code', async () => {
    const link = /Capture link\s+(\S+)/.exec(started.output())?.[1] ?? '';
    expect(link).toMatch(new RegExp(`^https://${LAN ?? 'localhost'}:${started.port}/v/vfy_\\w{26}$`));
    expect(await get('localhost', new URL(link).pathname)).toBe(200);
    const code = stripVTControlCharacters(await QRCode.toString(link, { type: 'terminal', small: true })).trim();
    if (LAN) await expect.poll(started.output).toContain(code);
    else expect(started.output()).not.toContain(code);
  });

  it('forwards SIGTERM: running requests are answered, everything ends, nothing is left behind', async () => {
    const { pk_test } = await firstRunOf(started.dataDir);
    const sent = request({
      host: 'localhost',
      port: started.port,
      path: '/v1/verifications',
      method: 'POST',
      agent,
      headers: {
        authorization: `Bearer ${pk_test}`,
        'content-type': 'application/json',
        'content-length': 2,
        // Answered once the server has read the head.
        expect: '100-continue',
      },
    });
    sent.flushHeaders();
    await once(sent, 'continue');
    sent.write('{');
    expect(started.running().some(line => line.includes('postgres'))).toBe(true);
    const began = Date.now();
    started.npm.kill('SIGTERM');
    await sleep(300);
    sent.end('}');
    const [answer] = (await once(sent, 'response')) as [IncomingMessage];
    answer.resume();
    expect(answer.statusCode).toBe(201);
    await started.exited;
    // A connection is kept for 65 s.
    expect(Date.now() - began).toBeLessThan(30_000);
    expect(started.running()).toEqual([]);
    await expect(get('localhost', '/healthz')).rejects.toThrow();
    expect(existsSync(join(started.dataDir, 'postgres', 'postmaster.pid'))).toBe(false);
  });
});

onLinux('npm start', () => {
  it('prints no QR code for a link that no phone can open, and exits with 0 when stopped', async () => {
    const started = await npmStart([]);
    try {
      const link = new RegExp(`Capture link\\s+http://localhost:${started.port}/v/vfy_`);
      await expect.poll(started.output).toMatch(link);
      started.npm.kill('SIGTERM');
      const ended = await started.exited;
      expect(started.output()).not.toMatch(/[█▀▄]{3}/);
      expect(ended).toEqual([0, null]);
      expect(started.running()).toEqual([]);
    } finally {
      await started.remove();
    }
  });

  it('leaves nothing behind when stopped during start', async () => {
    const databaseRuns = (_: string, dataDir: string) =>
      processesOf(dataDir, 0).some(line => line.includes('bin/postgres '));
    const started = await npmStart([], databaseRuns);
    try {
      started.npm.kill('SIGTERM');
      await started.exited;
      await expect.poll(started.running).toEqual([]);
      expect(started.output()).not.toContain('Capture link');
    } finally {
      await started.remove();
    }
  });
});
