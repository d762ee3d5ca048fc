import { execFile, spawnSync } from 'node:child_process';
import { chmodSync, closeSync, mkdirSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { vkeyOf } from '@firsthand/evidence/note.ts';
import type { Command } from 'commander';
import { afterAll, describe, expect, it } from 'vitest';
import { bomb } from '../../../evidence/test/bombs.ts';
import { forgeLog, keySetOf, makeBundle, zip } from '../../../evidence/test/build.ts';
import { createProgram } from '../../src/commands/program.ts';
import { runHere } from '../support/run-here.ts';
import { MAIN } from '../support/service-process.ts';

/** What a sentence for people does not hold: stack traces and names of classes. */
const TECHNICAL = /^ +at |\b[A-Z][A-Za-z]+(Error|Fault|InUse): |ENOENT/m;
const folder = mkdtempSync(join(tmpdir(), 'fh-outcome-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const ENV = { PATH: process.env.PATH, DATA_DIR: join(folder, 'data'), LOG_LEVEL: 'warn' };
const STUCK = join(import.meta.dirname, 'stuck.ts');
/** Commands that give 1 a meaning of its own. */
const failureOf = (path: string) => (path === 'verify-evidence' || path === 'monitor' ? 3 : 1);

interface Ended {
  code: number | null;
  out: string;
  err: string;
}

const run = (main: string, args: readonly string[], env: object = {}): Promise<Ended> =>
  new Promise(resolve => {
    const child = execFile(process.execPath, [main, ...args], { env: { ...ENV, ...env } }, (_error, out, err) =>
      resolve({ code: child.exitCode, out, err }),
    );
  });

const made = makeBundle();
const file = (name: string, bytes: Uint8Array | string) => {
  const path = join(folder, name);
  writeFileSync(path, bytes);
  return path;
};
const bundle = file('bundle.zip', zip(made.files));
const trust = file('trust.txt', `${vkeyOf(made.log)}\n${vkeyOf(made.bundle)}\n`);

const TENANT = 'tnt_01JD00000000000000000000AA';
/** A valid call of each command, by its path. */
const CALLS: Readonly<Record<string, readonly string[]>> = {
  all: [],
  serve: [],
  work: [],
  migrate: [],
  'create-tenant': ['Second tenant'],
  'mint-key': ['--tenant', TENANT, '--mode', 'test'],
  calibrate: ['--from-reviews'],
  'import-model': ['folder'],
  'replay-model': ['--model', 'model.json'],
  'corpus import': ['hashes.txt'],
  'list-keys': ['--tenant', TENANT],
  'revoke-key': ['key_01JD00000000000000000000AA', '--tenant', TENANT],
  'set-limit': [TENANT, 'default'],
  rekey: [],
  'sign-in-link': ['--email', 'owner@commands.example'],
  'people list': [],
  'people invite': ['--email', 'second@commands.example', '--role', 'viewer'],
  'people set-email': ['usr_01JD00000000000000000000AA', '--email', 'third@commands.example'],
  'people remove': ['usr_01JD00000000000000000000AA'],
  'log-name': ['vfy_01JD00000000000000000000AA'],
  doctor: [],
  demo: [],
  'rotate-evidence-key': [],
  'rotate-credential-key': [],
  backup: ['backup'],
  restore: ['backup'],
  'restore-check': [],
  'verify-evidence': ['bundle.zip', '--trust', 'trust.txt'],
  monitor: ['http://localhost:8080/log', '--once', '--state', 'state.json'],
  listen: ['--forward', 'http://localhost:9/hooks'],
  'events resend': ['whd_01JD00000000000000000000AA'],
};

/** The paths of all commands that do something themselves. */
function pathsOf(command: Command, parents: readonly string[] = []): string[] {
  return command.commands.flatMap(child => {
    const path = [...parents, child.name()];
    return child.commands.length > 0 ? pathsOf(child, path) : [path.join(' ')];
  });
}

describe('a command whose work never settles', () => {
  const paths = pathsOf(createProgram({}));

  it('CALLS names every command', () => {
    expect(Object.keys(CALLS).toSorted()).toEqual(paths.toSorted());
  });

  it.each(paths)('%s comes to its work', async path => {
    let begun = '';
    const program = createProgram({}).hook('preAction', (_program, command) => {
      begun = command.parent?.name() === 'firsthand' ? command.name() : `${command.parent?.name()} ${command.name()}`;
      throw new Error('begun');
    });
    await expect(program.parseAsync([...path.split(' '), ...CALLS[path]!], { from: 'user' })).rejects.toThrow('begun');
    expect(begun).toBe(path);
  });

  // A service, one that runs until it is stopped, two that give 1 a meaning of its own, one of a group, and one of the rest.
  it.each(['serve', 'listen', 'verify-evidence', 'monitor', 'people list', 'doctor'])(
    '%s says so and does not exit with 0',
    async path => {
      const { code, out, err } = await run(STUCK, [...path.split(' '), ...CALLS[path]!]);
      expect({ code, out }).toEqual({ code: failureOf(path), out: '' });
      expect(err).toBe('Firsthand stopped before its work was done. Nothing can be said about the result.\n');
    },
  );
});

describe('--help', () => {
  it('of every command and of every group prints how to use it and exits with 0', async () => {
    const paths = pathsOf(createProgram({}));
    const groups = new Set(paths.filter(path => path.includes(' ')).map(path => path.split(' ')[0]!));
    const all = ['', ...paths, ...groups];
    const ended: (Ended & { path: string })[] = [];
    const next = async (): Promise<void> => {
      const path = all.shift();
      if (path === undefined) return;
      ended.push({ path, ...(await run(MAIN, [...path.split(' ').filter(Boolean), '--help'])) });
      return next();
    };
    await Promise.all([next(), next(), next()]);
    expect(ended.length).toBeGreaterThan(30);
    expect(
      ended.filter(
        ({ path, code, out, err }) =>
          code !== 0 || err !== '' || !out.startsWith(`Usage: firsthand ${path}`.trim()) || !out.includes('--help'),
      ),
    ).toEqual([]);
  });
});

describe('a command whose output cannot be written', () => {
  const CASES: [string, string[]][] = [
    ['verify-evidence', ['verify-evidence', bundle, '--trust', trust]],
    ['log-name', ['log-name', 'vfy_01JD00000000000000000000AA']],
    ['--help', ['--help']],
  ];

  it.each(CASES)('%s does not exit with 0 where the disk is full', (name, args) => {
    const full = openSync('/dev/full', 'w');
    const { status, stderr } = spawnSync(process.execPath, [MAIN, ...args], {
      env: ENV,
      encoding: 'utf8',
      stdio: ['ignore', full, 'pipe'],
    });
    closeSync(full);
    expect(status).toBe(failureOf(name));
    expect(stderr).toContain('The output could not be written (ENOSPC).');
  });

  it.each(CASES)('%s does not exit with 0 where nobody reads its pipe', (name, args) => {
    const script = '{ sleep 0.2; "$@"; echo $? >&2; } | true';
    const { stderr } = spawnSync('bash', ['--norc', '-c', script, 'bash', process.execPath, MAIN, ...args], {
      env: ENV,
      encoding: 'utf8',
    });
    expect(stderr).toBe(`${failureOf(name)}\n`);
  });
});

describe('firsthand verify-evidence', () => {
  const missing = join(folder, 'missing.zip');

  it('gives 0 for a valid bundle', async () => {
    expect(await run(MAIN, ['verify-evidence', bundle, '--trust', trust])).toMatchObject({ code: 0, err: '' });
    expect(await run(MAIN, ['verify-evidence', missing])).toMatchObject({ code: 3, out: '' });
  });

  it('gives 1 and the reason for a photo that unpacks to more than it claims', async () => {
    const path = file('bomb.zip', bomb('a photo that claims 2 kB and unpacks to 64 MB'));
    const { code, out } = await runHere(['verify-evidence', path, '--trust', trust]);
    expect(code).toBe(1);
    expect(out).toContain('its compressed data are damaged');
  });

  it('takes each key of a JWK Set for its role only, and a retired one only with a date', async () => {
    const { log, bundle: signer, witness } = made;
    const retired_at = '2025-12-01T00:00:00.000Z';
    const lists = {
      current: keySetOf(made),
      retired: keySetOf(made, { retired_at }, { retired_at }),
      // A list that was downloaded before the rotation, beside one from after it.
      both: [keySetOf(made), keySetOf(made, { retired_at }, { retired_at })],
    };
    const check = async (what: string, bytes: Uint8Array, list: string | string[], ...more: string[]) => {
      const files = [list].flat().map((text, at) => file(`${what}-${at}.json`, text));
      const named = files.flatMap(path => ['--trust', path]);
      return runHere(['verify-evidence', file(`${what}.zip`, bytes), ...named, ...more]);
    };
    expect(await check('current', zip(made.files), lists.current)).toMatchObject({ code: 0 });
    for (const [what, forged, role] of [
      ['by-bundle-key', forgeLog(made, signer, signer), 'a bundle key of the issuer, not a log key'],
      ['by-log-key', forgeLog(made, log, log), 'a log key of the issuer, not a bundle key'],
    ] as const) {
      for (const list of [lists.current, lists.retired]) {
        const { code, out } = await check(what, zip(forged.files), list);
        expect({ what, code }).toEqual({ what, code: 1 });
        expect(out).toContain(role);
        expect(out).toContain('one key may not vouch for both');
      }
    }
    for (const list of [lists.retired, lists.both]) {
      const { code, out } = await check('retired', zip(made.files), list);
      expect(code).toBe(2);
      expect(out).toContain('a key that signed is retired, and nobody dates this bundle before');
      expect(out.split(`not vouched for, retired on ${retired_at}`)).toHaveLength(3);
      // The witness cosigned a week before.
      const dated = await check('dated', zip(made.files), list, '--witness', vkeyOf(witness));
      expect(dated.code).toBe(0);
      expect(dated.out).toContain(`trusted, retired on ${retired_at}`);
    }
  });

  const locked = file('locked.zip', 'x');
  chmodSync(locked, 0);
  mkdirSync(join(folder, 'folder.zip'));
  const CASES: [string, string[], string][] = [
    ['a missing file', [missing], `${missing} does not exist.`],
    [
      'a folder',
      [join(folder, 'folder.zip')],
      `The folder ${folder}/folder.zip is not a bundle. Zip its files, then name the zip.`,
    ],
    ['an empty file', [file('empty.zip', '')], `${folder}/empty.zip is empty. Download the bundle again.`],
    ['a path through a file', [join(bundle, 'x')], `${bundle}/x does not exist: part of its path is a file.`],
    ['missing keys', [bundle, '--trust', missing], `${missing} does not exist.`],
    ['a folder of keys', [bundle, '--trust', folder], 'is a folder. Name a file'],
    ['missing roots', [bundle, '--tsa-root', missing], `${missing} does not exist.`],
    ['an unknown role', [bundle, '--trust', file('role.json', keySetOf(made, { role: 'Log' }))], 'neither "log" nor'],
    [
      'a retirement that is no time',
      [bundle, '--trust', file('retired.json', keySetOf(made, { retired_at: 'soon' }))],
      'is not a time',
    ],
    ['a wrong witness', [bundle, '--witness', 'nonsense'], 'verifier key'],
    ...(process.getuid?.() === 0
      ? []
      : [['an unreadable file', [locked], 'this account lacks the permission.'] as [string, string[], string]]),
  ];
  it.each(CASES)('gives 3 and a sentence for %s', async (_what, args, sentence) => {
    const { code, out, err } = await runHere(['verify-evidence', ...args]);
    expect({ code, out }).toEqual({ code: 3, out: '' });
    expect(err).toContain(sentence);
    expect(err).not.toMatch(/^ +at /m);
  });
});

describe('arguments that the API would refuse', () => {
  const CASES: [string[], string][] = [
    [['create-tenant', ''], '<name> must not be empty.'],
    [['create-tenant', ' '], '<name> must'],
    [['create-tenant', 'x'.repeat(121)], '<name> must have at most 120 characters.'],
    [['log-name', 'nonsense'], '<verification> takes an id, vfy_…'],
    [['mint-key', '--tenant', 'me', '--mode', 'live'], '--tenant takes an id, tnt_…'],
    [
      ['mint-key', '--tenant', 'tnt_01JD00000000000000000000AA', '--mode', 'live', '--name', ''],
      '--name must not be empty.',
    ],
    [['list-keys', '--tenant', 'me'], '--tenant takes an id, tnt_…'],
    [['revoke-key', 'pk_live_x', '--tenant', 'tnt_01JD00000000000000000000AA'], '<id> takes an id, key_…'],
    [['set-limit', 'me', '10'], '<tenant> takes an id, tnt_…'],
    [['set-limit', 'tnt_01JD00000000000000000000AA', '0'], 'whole number from 1 to 1000000'],
    [['sign-in-link', '--email', 'notmail'], '--email must be an e-mail address.'],
    [['people', 'invite', '--email', 'notmail', '--role', 'viewer'], '--email must be an e-mail address.'],
    [['people', 'invite', '--phone', '0151', '--role', 'viewer'], '--phone must'],
    [['people', 'invite', '--email', 'a@b.example', '--role', 'boss'], 'Allowed choices are'],
    [['people', 'invite', '--role', 'viewer'], 'Give --email, --phone or both.'],
    [['people', 'list', '--tenant', 'me'], '--tenant takes an id, tnt_…'],
    [['people', 'remove', 'me'], '<id> takes an id, usr_…'],
    [['events', 'resend', 'me'], '<id> takes an id, whd_… or evt_…'],
    [['listen', '--forward', 'localhost:3000'], 'Give a URL that starts with http:// or https://.'],
    [['demo', '--url', 'localhost'], 'Give a URL that starts with http:// or https://.'],
    [['monitor', 'example.com/log'], 'Give a URL that starts with http:// or https://.'],
    [['backup', ''], 'Give a path.'],
    [['corpus', 'import', 'x', '--tenant', 'me'], '--tenant takes an id, tnt_…'],
    [['corpus', 'import', 'x', '--name', ''], '--name must not be empty.'],
    [['log-name', 'vfy_01JD00000000000000000000AA', 'more'], 'See: firsthand log-name --help'],
    [['people', 'list', '--all'], 'See: firsthand people list --help'],
    [['nonsense'], 'See: firsthand --help'],
    [['verify-evidence', bundle, '--trsut', trust], 'See: firsthand verify-evidence --help'],
    [['verify-evidence'], 'See: firsthand verify-evidence --help'],
    [['verify-evidence', ''], 'Give a path.'],
  ];
  it.each(CASES)('firsthand %j is refused with a sentence', async (args, sentence) => {
    const { code, err } = await runHere(args);
    expect(code).toBeNull();
    expect(err).toContain(sentence);
    expect(err).not.toMatch(TECHNICAL);
  });

  it.each([
    [['verify-evidence'], 3],
    [['nonsense'], 1],
  ] as const)('firsthand %j exits with %i', async (args, code) => {
    expect(await run(MAIN, args)).toMatchObject({ code, out: '' });
  });
});

describe('a known failure', () => {
  const missing = join(folder, 'nowhere');
  it.each([
    [['restore', missing], {}, `${missing}/manifest.json does not exist.`],
    [['corpus', 'import', missing], {}, `${missing} does not exist.`],
    [['calibrate', missing, '--model', missing], {}, 'cannot be read.'],
    [
      ['demo'],
      { PORT: '65001' },
      'http://localhost:65001/v1/verifications does not answer (ECONNREFUSED). Start the service with npm start',
    ],
    [['doctor'], { PORT: 'eighty' }, 'PORT="eighty" is not valid. PORT takes a whole number from 0 to 65535.'],
    [
      ['list-keys', '--tenant', 'tnt_01JD00000000000000000000AA'],
      { DATABASE_URL: 'postgres://127.0.0.1:9/x', ENCRYPTION_KEYS: Buffer.alloc(32).toString('base64') },
      'The database cannot be used: connect ECONNREFUSED 127.0.0.1:9. Check that it runs',
    ],
  ] as [string[], Record<string, string>, string][])('of firsthand %j is a sentence', async (args, env, sentence) => {
    writeFileSync(
      join(folder, 'first-run.json'),
      JSON.stringify({ pk_test: 'pk_test_x', webhook_secret: 'whsec_AAAA' }),
    );
    const { code, err } = await runHere(args, { DATA_DIR: folder, ...env });
    expect(err).toContain(sentence);
    expect(code).toBeNull();
    expect(err).not.toMatch(TECHNICAL);
  });

  it('of a busy port names PORT', async () => {
    const busy = createServer();
    await new Promise<void>(resolve => busy.listen(0, '127.0.0.1', resolve));
    const { port } = busy.address() as { port: number };
    try {
      const { code, err } = await run(MAIN, ['all'], { PORT: String(port), HOST: '127.0.0.1', ANALYSIS_THREADS: '1' });
      expect(code).toBe(1);
      expect(err).toContain(`Port ${port} is in use, perhaps by another Firsthand. Set PORT to another port`);
    } finally {
      busy.close();
    }
  });

  it('--version prints the version and the commit', async () => {
    const out = expect.stringMatching(/^\d+\.\d+\.\d+(\+[0-9a-f]{40})?\n$/);
    expect(await run(MAIN, ['--version'])).toMatchObject({ code: 0, out });
  });
});
