// An integrator's day, from packed files: empty folders, the docs' own lines, a fresh service. It needs the npm registry, and Python's
// index for its Python part.
import assert from 'node:assert/strict';
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { globSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Firsthand } from '@firsthand/sdk/index.ts';
import { signWebhook } from '@firsthand/sdk/webhooks.ts';
import type { Page } from 'playwright-core';
import { launchChromium } from '../server/test/browser/chromium.ts';
import { readDocuments } from '../server/test/platform/docs/blocks.ts';
import {
  firstRunOf,
  freePort,
  type ServiceProcess,
  startServiceProcess,
} from '../server/test/support/service-process.ts';
import { HERMES, runInHermes } from './hermes.ts';
import { go, importers, java } from './other-tools.ts';
import { packPackage } from './pack.ts';

const HELP = `usage: npm run integrator -- [--only PART,PART] [--keep]

Installs the packed clients in empty folders, as docs/install.md says, and uses them beside a fresh service.
  --only   some of: typescript, react, next, python, cli, expo, importers, go, java. Without it, a part is skipped if its program is missing
  --keep   keeps the folder with the projects and the pictures of their pages`;

const CHECKOUT = join(import.meta.dirname, '..');
const PHOTO = join(CHECKOUT, 'docs/images/capture.png');
/** What these programs need besides our packages, in the versions that people have. */
const TYPESCRIPT = ['typescript@5.9', '@types/node@24'];
const REACT = ['react@19', 'react-dom@19', '@types/react@19'];
/** As `create-vite` and the guide for Node.js write them. */
const STRICT = { strict: true, target: 'es2022', lib: ['es2022', 'dom', 'dom.iterable'], noEmit: true };
const ATTEMPTS = 300;
const PAUSE_MS = 200;

interface Day {
  folder: string;
  service: ServiceProcess;
  keys: Awaited<ReturnType<typeof firstRunOf>>;
  firsthand: Firsthand;
  /** Makes an empty folder with these files. */
  project(name: string, files: Record<string, string>): Promise<Project>;
  documents: Awaited<ReturnType<typeof readDocuments>>;
}
interface Project {
  folder: string;
  /** Runs a command line in the folder. Returns its output; throws with it where the command fails. */
  sh(line: string, env?: Record<string, string>): Promise<string>;
  /** Starts a command line that runs until the day ends. Returns its output so far. */
  start(line: string, env?: Record<string, string>): () => string;
}

async function until<T>(what: string, look: () => Promise<T> | T): Promise<NonNullable<T>> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const found = await look();
    if (found) return found;
    await new Promise(resolve => setTimeout(resolve, PAUSE_MS));
  }
  throw new Error(`waited in vain for ${what}`);
}

/** The blocks of a page in one language, as one program that speaks to this service. */
function program(day: Day, file: string, language: string, untilStopped = false): string {
  const page = day.documents.find(document => document.file === file)!;
  const blocks = page.blocks.filter(block => block.language === language && block.untilStopped === untilStopped);
  return blocks.map(({ text }) => text.replaceAll('http://localhost:8080', () => day.service.url)).join('\n');
}

/** The line of docs/install.md that installs an archive or a folder of the checkout. */
function installLine(day: Day, holds: RegExp): string {
  const page = day.documents.find(({ file }) => file === 'docs/install.md')!;
  const lines = page.blocks.flatMap(({ text }) => text.split('\n')).filter(line => line.includes('CHECKOUT'));
  const line = lines.map(each => each.replace(/ +#.*/, '')).find(each => holds.test(each));
  if (line === undefined) throw new Error(`docs/install.md has no line for ${holds}`);
  const packages = join(day.folder, 'packages');
  return line.replaceAll('CHECKOUT/dist/packages', () => packages).replaceAll('CHECKOUT', () => CHECKOUT);
}
const npmLine = (day: Day, holds: RegExp, more: string[] = []) =>
  [installLine(day, holds), '--no-audit --no-fund', ...more].join(' ');

async function typescript(day: Day): Promise<string> {
  const nodenext = { module: 'nodenext', moduleResolution: 'nodenext', types: ['node'] };
  const readme = program(day, 'README.md', 'ts');
  const guide = program(day, 'docs/first-verification.md', 'ts');
  const project = await day.project('typescript', {
    'package.json': '{ "private": true, "type": "module" }',
    'tsconfig.json': JSON.stringify({ compilerOptions: { ...STRICT, ...nodenext } }),
    'readme.ts': `${readme}\nexport const link: string = capture_url;\nconsole.log(id);\n`,
    'claim.ts': guide,
    'receive.mjs': program(day, 'docs/webhooks.md', 'ts', true),
  });
  await project.sh(npmLine(day, /sdk\.tgz$/, TYPESCRIPT));
  await project.sh('npx tsc');
  const env = { KEY: day.keys.pk_test, WEBHOOK_SECRET: day.keys.webhook_secret };
  const claimed = await project.sh(`"${process.execPath}" claim.ts`, env);
  assert.ok(claimed.includes("reason_code: 'screen_detected'"), `claim.ts prints the verdict: ${claimed}`);
  return 'compiled under strict, and the guide ended with its verdict';
}

const FLOW = (baseUrl: string) => `import { CaptureFlow } from '@firsthand/react';
import { createRoot } from 'react-dom/client';
import '@firsthand/react/styles.css';

const token = new URLSearchParams(location.search).get('token')!;
const { dataset } = document.body;
createRoot(document.getElementById('root')!).render(
  <CaptureFlow token={token} baseUrl="${baseUrl}" onDone={({ id }) => (dataset.done = id)} />,
);
`;

/** Opens a page with a capture flow, sends a photo in it, and waits for the verdict. */
async function capture(day: Day, url: string, picture: string): Promise<void> {
  const { id } = await day.firsthand.verifications.create({
    steps: [{ key: 'front', description: 'The front', min: 1, max: 1 }],
    metadata: { test_outcome: 'verified' },
  });
  const browser = await launchChromium();
  try {
    const page: Page = await browser.newPage({ viewport: { width: 390, height: 700 } });
    const faults: string[] = [];
    page.on('pageerror', error => faults.push(error.message));
    await page.goto(`${url}?token=${id}`);
    await page.getByLabel('The front').setInputFiles(PHOTO);
    await page.getByAltText('The front, photo 1').waitFor();
    await page.screenshot({ path: join(day.folder, picture) });
    await page.getByRole('button', { name: 'Send' }).click();
    await page.getByText('All sent. Thank you.').waitFor();
    assert.ok(faults.length === 0, `a page without errors: ${faults.join('; ')}`);
  } finally {
    await browser.close();
  }
  const { verdict } = await day.firsthand.verifications.waitForVerdict(id);
  assert.ok(verdict?.label === 'verified', `a verdict for ${id}`);
}

async function react(day: Day): Promise<string> {
  const project = await day.project('react', {
    'package.json': '{ "private": true, "type": "module" }',
    'index.html': '<!doctype html><html lang="en"><div id="root"></div><script type="module" src="/main.tsx"></script>',
    'tsconfig.json': JSON.stringify({
      compilerOptions: { ...STRICT, module: 'esnext', moduleResolution: 'bundler', jsx: 'react-jsx' },
    }),
    'main.tsx': FLOW(day.service.url),
  });
  const more = [...TYPESCRIPT, ...REACT, '@types/react-dom@19', 'vite', '@vitejs/plugin-react'];
  await project.sh(npmLine(day, /react\.tgz$/, more));
  await project.sh('npx tsc && npx vite build');
  const port = await freePort();
  project.start(`npx vite preview --port ${port} --strictPort`);
  const url = `http://localhost:${port}/`;
  await until('Vite', () =>
    fetch(url).then(
      ({ ok }) => ok,
      () => false,
    ),
  );
  await capture(day, url, 'react.png');
  return 'one React, a photo sent from the page, its verdict';
}

const NEXT_PAGE = (baseUrl: string) => `import { CaptureFlow, FirsthandCapture } from '@firsthand/react';

// A server component: the packages say themselves what belongs into the browser.
export default async function Page({ searchParams }: { searchParams: Promise<{ token: string }> }) {
  const { token } = await searchParams;
  return (
    <main>
      <CaptureFlow token={token} baseUrl="${baseUrl}" className="photos" />
      <div hidden><FirsthandCapture token={token} baseUrl="${baseUrl}" /></div>
    </main>
  );
}
`;
const NEXT_LAYOUT = `export default function Layout({ children }: { children: React.ReactNode }) {
  return <html lang="en"><body>{children}</body></html>;
}
`;
const NEXT_ROUTE = `import { createPostHandler } from '../../next-route';

export const POST = createPostHandler(process.env.WEBHOOK_SECRET!, (...event) => console.log('event', ...event));
`;

async function next(day: Day): Promise<string> {
  const project = await day.project('next', {
    'package.json': '{ "private": true }',
    'app/layout.tsx': NEXT_LAYOUT,
    'app/page.tsx': NEXT_PAGE(day.service.url),
    'app/hooks/route.ts': NEXT_ROUTE,
    'next-route.ts': await readFile(join(CHECKOUT, 'examples/webhooks/next-route.ts'), 'utf8'),
  });
  await project.sh(npmLine(day, /react\.tgz$/, ['next@16', ...REACT, ...TYPESCRIPT]));
  const env = { NEXT_TELEMETRY_DISABLED: '1', NODE_ENV: 'production', WEBHOOK_SECRET: day.keys.webhook_secret };
  await project.sh('npx next build', env);
  const port = await freePort();
  const said = project.start(`npx next start -p ${port}`, env);
  const url = `http://localhost:${port}`;
  await until('Next.js', () =>
    fetch(url).then(
      ({ ok }) => ok,
      () => false,
    ),
  );
  const html = await (await fetch(`${url}?token=vfy_1`)).text();
  assert.ok(html.includes('<div class="photos" data-firsthand="loading">'), 'the server renders the capture flow');
  await capture(day, url, 'next.png');

  const event = JSON.stringify({ type: 'verification.completed', timestamp: '', data: { id: 'vfy_1' } });
  const post = async (body: string) => {
    const headers = await signWebhook('evt_1', event, day.keys.webhook_secret);
    return (await fetch(`${url}/hooks`, { method: 'POST', headers, body })).status;
  };
  assert.ok((await post(event)) === 204, 'the route takes a genuine event');
  assert.ok((await post(event.replace('completed', 'expired'))) === 400, 'the route refuses a forged event');
  await until('the event', () => said().includes('event verification.completed vfy_1'));
  return 'built, rendered on the server, a photo sent, genuine events only';
}

async function python(day: Day): Promise<string> {
  const project = await day.project('python', { 'claim.py': program(day, 'docs/first-verification.md', 'python') });
  await project.sh('python3 -m venv env');
  await project.sh(`. env/bin/activate && ${installLine(day, /^pip /)} && pip install mypy`);
  await project.sh('env/bin/mypy --strict claim.py');
  const claimed = await project.sh('env/bin/python claim.py', { KEY: day.keys.pk_test });
  assert.ok(claimed.includes("'reason_code': 'screen_detected'"), `claim.py prints the verdict: ${claimed}`);
  return 'passed mypy --strict, and the guide ended with its verdict';
}

async function cli(day: Day): Promise<string> {
  const port = await freePort();
  const project = await day.project('cli', {
    'package.json': '{ "private": true, "type": "module" }',
    'receive.mjs': program(day, 'docs/webhooks.md', 'ts', true).replace('listen(3000)', () => `listen(${port})`),
  });
  // The docs install it for the whole machine; here this folder is the machine.
  await project.sh(npmLine(day, /cli\.tgz$/, [join(day.folder, 'packages/sdk.tgz')]).replace('--global ', ''));
  const env = { FIRSTHAND_URL: day.service.url };
  const received = project.start('node receive.mjs', { WEBHOOK_SECRET: day.keys.webhook_secret });
  const forward = `npx firsthand listen --key ${day.keys.rk_secret} --forward http://localhost:${port}/hooks`;
  const listened = project.start(forward, env);
  await until('the first words of listen', listened);
  const demo = await project.sh(`npx firsthand demo --key ${day.keys.pk_test}`, env);
  assert.ok(/verified[\s\S]*screen_detected/.test(demo), `demo prints both verdicts: ${demo}`);
  await until('the forwarded event', () => received().includes('verification.completed'));

  const { id } = await until('a completed verification', async () => {
    const { data } = await day.firsthand.verifications.list({ status: ['completed'] });
    return data[0];
  });
  const bundle = await day.firsthand.evidence.download(id);
  await writeFile(join(project.folder, 'case.zip'), new Uint8Array(await bundle.arrayBuffer()));
  await project.sh(`curl -sf ${day.service.url}/v1/evidence-keys -o keys.json`);
  await project.sh('npx firsthand verify-evidence case.zip --trust keys.json');
  return 'demo, listen with the receiver of the docs, a bundle checked offline';
}

/** The block of docs/expo.md in one language, of those that begin so. */
function expoBlock(day: Day, language: string, begins: string): string {
  const page = day.documents.find(({ file }) => file === 'docs/expo.md')!;
  const block = page.blocks.find(each => each.language === language && each.text.startsWith(begins));
  if (!block) throw new Error(`docs/expo.md has no ${language} block that begins with ${begins}`);
  return block.text;
}

/** Bytecode of Hermes begins with these bytes (`MAGIC` in its `BytecodeFileFormat.h`). */
const HERMES_MAGIC = 'c61fbc03c103191f';

async function expo(day: Day): Promise<string> {
  const example = join(CHECKOUT, 'examples/app');
  const own = (path: string) => !/^(node_modules|\.expo|dist|ios|android)$/.test(path.slice(example.length + 1));
  const project = await day.project('expo', {});
  await cp(example, project.folder, { recursive: true, filter: own });
  await project.sh('npm ci --no-audit --no-fund');
  await project.sh(npmLine(day, /react-native\.tgz$/, ['--no-save']));
  const env = { CI: '1', EXPO_NO_TELEMETRY: '1' };
  const again = globSync('node_modules/**/node_modules/{react,react-native}/package.json', { cwd: project.folder });
  assert.deepEqual(again, [], 'one React and one React Native');
  await project.sh('npx jest --ci', env);
  if (process.platform === 'linux' && process.arch === 'x64') {
    await project.sh(`npm install --prefix hermes --no-audit --no-fund ${HERMES}`);
    const ran = await runInHermes(project.folder);
    assert.ok(/"attestation":"made".*"outcome":"done","attested":true,"left":0/.test(ran), `in Hermes: ${ran}`);
  }

  // Now the lines of the guide, in the same project.
  await writeFile(join(project.folder, 'app.json'), expoBlock(day, 'json', '{'));
  await writeFile(join(project.folder, 'claim.tsx'), expoBlock(day, 'tsx', 'import { type CaptureEnd'));
  await writeFile(join(project.folder, 'own.tsx'), expoBlock(day, 'tsx', 'import { expoCamera'));
  await writeFile(join(project.folder, 'index.ts'), "import './app';\nimport './claim';\nimport './own';\n");
  await project.sh('npx tsc');
  await project.sh('npx expo export --platform all', env);
  const bundles = globSync('dist/_expo/static/js/*/*.hbc', { cwd: project.folder });
  assert.ok(bundles.length === 2, `a bundle for each platform: ${bundles}`);
  for (const bundle of bundles) {
    const bytes = await readFile(join(project.folder, bundle));
    assert.ok(bytes.subarray(0, 8).toString('hex') === HERMES_MAGIC, `${bundle} is bytecode`);
  }
  await project.sh('npx expo prebuild --no-install', env);
  const native = (pattern: string) => {
    const [file] = globSync(pattern, { cwd: project.folder });
    return readFile(join(project.folder, file ?? pattern), 'utf8');
  };
  const [plist, entitlements] = [await native('ios/*/Info.plist'), await native('ios/*/*.entitlements')];
  const manifest = await native('android/app/src/main/AndroidManifest.xml');
  assert.ok(plist.includes('The camera takes the photos of your claim.'), 'iOS asks for the camera');
  assert.ok(!/Microphone|RECORD_AUDIO/.test(plist + manifest), 'nobody asks for the microphone');
  assert.match(entitlements, /appattest-environment<\/key>\s*<string>production/);
  return 'the screen’s tests on both platforms, both bundles, both native projects';
}

const PARTS = { typescript, react, next, python, cli, expo, importers, go, java };
/** Programs that many machines lack, with the command that shows whether they are there. */
const PROGRAMS: Record<string, string> = { go: 'java -version && go version', java: 'javac -version' };

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: { only: { type: 'string' }, keep: { type: 'boolean' }, help: { type: 'boolean' } },
  });
  if (values.help) return console.log(HELP);
  const chosen = Object.entries(PARTS).filter(([name]) => !values.only || values.only.split(',').includes(name));
  const folder = await mkdtemp(join(tmpdir(), 'firsthand-integrator-'));
  const started: ChildProcess[] = [];
  let service: ServiceProcess | undefined;
  try {
    await mkdir(join(folder, 'packages'));
    for (const name of ['sdk', 'react', 'react-native', 'cli'] as const)
      await packPackage(name, join(folder, 'packages'));
    service = startServiceProcess({ dataDir: join(folder, 'data'), port: await freePort() });
    await service.ready(150_000);
    const keys = await firstRunOf(join(folder, 'data'));
    const day: Day = {
      folder,
      service,
      keys,
      firsthand: new Firsthand(keys.pk_test, { baseUrl: service.url }),
      documents: await readDocuments(),
      project: (name, files) => newProject(join(folder, name), files, started),
    };
    for (const [name, part] of chosen) {
      const began = performance.now();
      const programs = PROGRAMS[name];
      if (programs && !values.only && spawnSync('sh', ['-c', programs]).status !== 0) {
        console.log(`- ${name.padEnd(10)} skipped: \`${programs}\` does not run here`);
        continue;
      }
      const did = await part(day);
      console.log(`✓ ${name.padEnd(10)} ${did} (${Math.round((performance.now() - began) / 1000)} s)`);
    }
  } finally {
    for (const child of started) if (child.exitCode === null) process.kill(-child.pid!, 'SIGTERM');
    await service?.stop();
    if (values.keep) console.log(folder);
    else await rm(folder, { recursive: true, force: true });
  }
}

async function newProject(folder: string, files: Record<string, string>, started: ChildProcess[]): Promise<Project> {
  for (const [file, text] of Object.entries(files)) {
    await mkdir(join(folder, file, '..'), { recursive: true });
    await writeFile(join(folder, file), text);
  }
  // An integrator has none of the settings that `npm run` makes.
  const inherited = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^npm_|^INIT_CWD$/.test(name)));
  const launch = (line: string, env: Record<string, string> = {}) => {
    const child = spawn('bash', ['-c', line], { cwd: folder, env: { ...inherited, ...env }, detached: true });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', text => (output += text));
    return { child, output: () => output };
  };
  return {
    folder,
    async sh(line, env) {
      const { child, output } = launch(line, env);
      const code = await new Promise(resolve => child.on('close', resolve));
      if (code !== 0) throw new Error(`${line}\nended with ${code}:\n${output()}`);
      return output();
    },
    start(line, env) {
      const { child, output } = launch(line, env);
      started.push(child);
      return output;
    },
  };
}

await main();
