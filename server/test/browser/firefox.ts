import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onPath } from './chromium.ts';

/** The system's Firefox, driven by WebDriver BiDi (https://w3c.github.io/webdriver-bidi/). Playwright drives only its own build of Firefox. */
export interface Firefox {
  /** Opens a page in a new tab of a phone's size. */
  open(url: string): Promise<FirefoxPage>;
  close(): Promise<void>;
}

export interface FirefoxPage {
  /** Runs a function in the page; its result crosses as JSON. */
  evaluate<T>(work: () => T): Promise<T>;
  /** The page in the first frame, once there is one. */
  frame(): Promise<FirefoxPage | undefined>;
}

interface Context {
  context: string;
  children: Context[] | null;
}

/** The program's path; undefined where none is installed. */
export const findFirefox = () => onPath(['firefox', 'firefox-esr']);

/** Firefox's own test camera, always allowed; no location; no first-run pages. */
const PREFERENCES = {
  'media.navigator.streams.fake': true,
  'media.navigator.permission.disabled': true,
  'permissions.default.camera': 1,
  'permissions.default.geo': 2,
  'browser.shell.checkDefaultBrowser': false,
  'datareporting.policy.dataSubmissionEnabled': false,
  'app.update.disabledForTesting': true,
};

export async function launchFirefox(program: string): Promise<Firefox> {
  const profile = await mkdtemp(join(tmpdir(), 'fh-firefox-'));
  const lines = Object.entries(PREFERENCES).map(([name, value]) => `user_pref('${name}', ${value});`);
  await writeFile(join(profile, 'user.js'), lines.join('\n'));
  const args = ['--headless', '--no-remote', '--profile', profile, '--remote-debugging-port', '0'];
  const child = spawn(program, args, { stdio: ['ignore', 'ignore', 'pipe'], env: { ...process.env, HOME: profile } });
  const ended = new Promise<void>(resolve => child.once('exit', () => resolve()));
  const address = await new Promise<string>((resolve, reject) => {
    let said = '';
    child.stderr.on('data', chunk => {
      said += chunk;
      const found = /WebDriver BiDi listening on (ws:\S+)/.exec(said);
      if (found) resolve(found[1]!);
    });
    child.once('exit', code => reject(new Error(`Firefox ended with ${code}: ${said}`)));
  });
  const socket = new WebSocket(`${address}/session`);
  await new Promise((resolve, reject) => {
    socket.addEventListener('open', resolve);
    socket.addEventListener('error', reject);
  });
  const waiting = new Map<number, (answer: { error?: string; message?: string; result?: unknown }) => void>();
  socket.addEventListener('message', ({ data }) => {
    const answer = JSON.parse(String(data));
    waiting.get(answer.id)?.(answer);
    waiting.delete(answer.id);
  });
  let last = 0;
  const send = <T>(method: string, params: object): Promise<T> =>
    new Promise((resolve, reject) => {
      last += 1;
      waiting.set(last, ({ error, message, result }) =>
        error ? reject(new Error(`${method}: ${error}: ${message}`)) : resolve(result as T),
      );
      socket.send(JSON.stringify({ id: last, method, params }));
    });
  await send('session.new', { capabilities: {} });

  const pageOf = (context: string): FirefoxPage => ({
    async evaluate<T>(work: () => T) {
      const { result, exceptionDetails } = await send<{
        result?: { value?: string };
        exceptionDetails?: { text: string };
      }>('script.evaluate', {
        expression: `(async () => JSON.stringify(await (${work})()) ?? 'null')()`,
        target: { context },
        awaitPromise: true,
      });
      if (exceptionDetails) throw new Error(exceptionDetails.text);
      return JSON.parse(result!.value!) as T;
    },
    async frame() {
      const { contexts } = await send<{ contexts: Context[] }>('browsingContext.getTree', { root: context });
      const child = contexts[0]?.children?.[0];
      return child && pageOf(child.context);
    },
  });
  return {
    async open(url) {
      const { context } = await send<{ context: string }>('browsingContext.create', { type: 'tab' });
      await send('browsingContext.setViewport', { context, viewport: { width: 390, height: 844 } });
      await send('browsingContext.navigate', { context, url, wait: 'complete' });
      return pageOf(context);
    },
    async close() {
      await send('browser.close', {}).catch(() => child.kill());
      await ended;
      await rm(profile, { recursive: true, force: true });
    },
  };
}
