import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { receiveWebhooks, type WebhookReceiver } from '@firsthand/cli/receive-webhooks.ts';
import type { Verification } from '@firsthand/contract/verification/verification.ts';
import type { WebhookDelivery } from '@firsthand/contract/webhooks/webhooks.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createProgram } from '../../../src/commands/program.ts';
import type { NewTenant } from '../../../src/identity/tenants/create.ts';
import { ask, until } from '../../support/harness.ts';
import { firstRunOf, freePort, type ServiceProcess, startServiceProcess } from '../../support/service-process.ts';
import { type Block, blocksOf, inlineCommands, isShell, ROOT, readDocuments, scriptOf } from './blocks.ts';

const program = createProgram({});
/** A command that runs until it is stopped has started when it still runs after so long. */
const RUNNING_MS = 4_000;

const documents = await readDocuments();

describe('blocksOf', () => {
  it('finds fenced blocks with their language and the note before them', () => {
    const text =
      'a\n\n<!-- not run: takes an hour -->\n\n```sh\nmake\n```\n\n- b\n  ```console\n  $ one \\\n  two\n  said\n  ```\n';
    const blocks = blocksOf(text);
    expect(blocks.map(block => [block.line, block.language, block.notRun])).toEqual([
      [5, 'sh', 'takes an hour'],
      [10, 'console', null],
    ]);
    expect(blocks.map(scriptOf)).toEqual(['make', 'one \\\ntwo']);
    expect(inlineCommands(`${text}\nRun \`npx firsthand doctor\` or \`npm\n  test\`; \`npm\` alone is none.`)).toEqual([
      'npx firsthand doctor',
      'npm test',
    ]);
  });
});

describe('docs', () => {
  it.each(documents)('name only existing commands: $file', ({ markdown, blocks }) => {
    const commands = [
      ...inlineCommands(markdown),
      ...blocks.filter(isShell).flatMap(block => scriptOf(block).replaceAll('\\\n', ' ').split(/\n|&&/)),
    ];
    for (const command of commands) expect(missing(command.trim()), command).toBeNull();
  });

  it.each(documents)('mark every block of commands: $file', ({ blocks }) => {
    for (const block of blocks.filter(({ language }) => language === '')) {
      expect(block.text, `line ${block.line}: write sh after the fence`).not.toMatch(
        /^\s*(\$ )?(npm|npx|node|curl|bash|docker|firsthand) /m,
      );
    }
  });
});

/** What a command names that is not there; null where everything is, or where it is none of ours. */
function missing(command: string): string | null {
  const words = command.split(/\s+/);
  if (words[0] === 'npm' && words[1] === 'run') {
    const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { scripts: object };
    const script = words
      .slice(2)
      .find(word => !word.startsWith('-'))
      ?.replace(/[^\w:-]+$/, '');
    return script && script in scripts ? null : `no npm script ${script}`;
  }
  if ((words[0] === 'node' || words[0] === 'bash') && words[1] && !words[1].startsWith('-')) {
    return existsSync(join(ROOT, words[1])) ? null : `no file ${words[1]}`;
  }
  const firsthand =
    words[0] === 'npx' ? words[1] === 'firsthand' && words.slice(2) : words[0] === 'firsthand' && words.slice(1);
  if (!firsthand) return null;
  const chosen = named(firsthand);
  if (!chosen) return `no command ${firsthand.join(' ')}`;
  const options = firsthand.filter(word => word.startsWith('--')).map(word => word.replace(/[^\w-]+$/, ''));
  const unknown = options.find(option => option !== '--help' && !chosen.options.some(({ long }) => long === option));
  return unknown ? `no option ${unknown}` : null;
}

/** The command that the words name (`corpus import FILE` is `import` of `corpus`); null if there is none. */
function named(words: string[]): typeof program | null {
  let found = program;
  for (const word of words) {
    if (found.commands.length === 0) break;
    const next = found.commands.find(one => one.name() === word);
    if (!next) return word.startsWith('-') ? found : null;
    found = next;
  }
  return found;
}

describe('commands in the docs', () => {
  let dataDir: string;
  let service: ServiceProcess;
  let tenant: NewTenant;
  let hooks: WebhookReceiver;
  /** What the docs write for an id of the reader's own. */
  let ids: Record<string, string>;
  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'fh-docs-'));
    service = startServiceProcess({ dataDir, port: await freePort(), env: { LOG_LEVEL: 'error' } });
    await service.ready();
    tenant = await firstRunOf(dataDir);
    hooks = await receiveWebhooks();
    const request = { webhook_url: hooks.url };
    const { body } = await ask<Verification>(service, '/v1/verifications', { key: tenant.pk_test, body: request });
    const { event_id, id } = await until(
      async () =>
        (await ask<{ data: WebhookDelivery[] }>(service, '/v1/webhook-deliveries', { key: tenant.rk_secret })).body
          .data[0],
      'a delivery',
    );
    const template = await ask<{ id: string }>(service, '/v1/link-templates', {
      key: tenant.rk_secret,
      body: { name: 'Of the app', request: {} },
    });
    ids = { tnt: tenant.tenant_id, vfy: body.id, evt: event_id, whd: id, tpl: template.body.id, key: '' };
  });
  afterAll(async () => {
    await hooks?.close();
    await service?.stop();
    await rm(dataDir, { recursive: true, force: true });
  });

  /** The reader's service, data folder and ids instead of those that the text shows. */
  const ours = (script: string): string =>
    script
      .replaceAll('localhost:8080', () => new URL(service.url).host)
      .replaceAll('http://localhost:3000/hooks', () => hooks.url)
      .replaceAll(/(^|[\s'"=(])(\.\/)?data\//g, (_, before) => `${before}${dataDir}/`)
      .replaceAll(/\b(tnt|vfy|evt|whd|tpl|key)_…/g, (_, kind) => ids[kind]!);

  const start = (script: string) => {
    const bash = spawn('bash', ['-c', script], {
      cwd: ROOT,
      env: {
        PATH: `${join(ROOT, 'node_modules/.bin')}:${process.env.PATH}`,
        HOME: process.env.HOME,
        DATA_DIR: dataDir,
        PORT: new URL(service.url).port,
        NO_COLOR: '1',
      },
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    for (const stream of [bash.stdout, bash.stderr]) stream.on('data', chunk => (output += chunk));
    return { bash, ended: once(bash, 'close'), output: () => output };
  };

  const readers = documents
    .map(({ file, blocks }) => ({ file, blocks: blocks.filter(block => isShell(block) && block.notRun === null) }))
    .filter(({ blocks }) => blocks.length > 0);

  it.each(readers)('run as $file says, in its order', async ({ blocks }) => {
    const minted = await ask<{ id: string }>(service, '/v1/api-keys', {
      key: tenant.rk_secret,
      body: { name: 'docs', mode: 'test' },
    });
    ids.key = minted.body.id;
    // One shell for the whole document, so that a variable set in one block is there in the next. An answer that is an
    // error fails the command; its body is printed.
    const prelude = 'set -euo pipefail\ncurl() { command curl --fail-with-body "$@"; }';
    const told = (block: Block) => `echo "── line ${block.line}" >&2\n${ours(scriptOf(block))}`;
    const { bash, ended, output } = start(
      [prelude, ...blocks.filter(block => !block.untilStopped).map(told)].join('\n'),
    );
    await ended;
    expect(bash.exitCode, output()).toBe(0);

    for (const block of blocks.filter(one => one.untilStopped)) {
      const running = start(ours(scriptOf(block)));
      await sleep(RUNNING_MS);
      const code = running.bash.exitCode;
      if (code === null) process.kill(-running.bash.pid!, 'SIGTERM');
      await running.ended;
      expect(code, `line ${block.line} ended:\n${running.output()}`).toBeNull();
    }
  });
});
