// Measures the cost of the capture page for a phone: bytes of the first load and in all, time until it is usable on a
// slow line, time for each frame of a camera session, and Lighthouse's scores. First run npm run build and
// npm run tools, which installs Lighthouse. Then: node bench/src/page.ts

import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { imageOf } from '@firsthand/forensics/pixels/image.ts';
import { drawScene } from '@firsthand/forensics/simulate/scene.ts';
import { Firsthand, type SignalName } from '@firsthand/sdk';
import { type Browser, chromium, type Page } from 'playwright-core';
import sharp from 'sharp';
import { cameraFileOf, findChromium, launchChromium } from '../../server/test/browser/chromium.ts';
import { freePort } from '../../server/test/support/service-process.ts';
import { type OwnService, startOwnService } from './own-service.ts';

const LIMIT_KB = 60;
const LIMIT_ALL_KB = 70;
const LIMIT_FRAME_MS = 12;
const LIMIT_MS = 2_000;
const LIMIT_SCORE = 95;
const RUNS = 5;

/** The part of Lighthouse that this file uses. No workspace depends on it; `npm run tools` installs it. */
type Lighthouse = (
  url: string,
  flags: { port: number; output: 'json'; logLevel: 'error'; onlyCategories: string[] },
) => Promise<{ lhr: Report }>;
type Report = {
  runtimeError?: { message: string };
  categories: Record<string, { score: number | null }>;
  audits: Record<string, Audit>;
};
type Audit = { id: string; score: number | null; scoreDisplayMode: string; displayValue?: string };

async function loadLighthouse(): Promise<Lighthouse> {
  let path: string;
  try {
    path = createRequire(new URL('../../tools/package.json', import.meta.url)).resolve('lighthouse');
  } catch {
    console.error('Lighthouse is missing. Install it first: npm run tools');
    process.exit(1);
  }
  return (await import(pathToFileURL(path).href)).default;
}

/** Lighthouse's "slow 4G" as applied by the browser's own throttling. */
const SLOW_4G = {
  latency: 150 * 3.75,
  downloadThroughput: (1_638.4 * 1024 * 0.9) / 8,
  uploadThroughput: (675 * 1024) / 8,
};
const CPU_SLOWDOWN = 4;
/** Length of each part of the camera session. */
const SESSION_MS = 5_000;

/** Creates a link with the steps of a typical tenant. */
async function createLink({ url, tenant }: OwnService, signals_required: SignalName[] = ['screen']): Promise<string> {
  const { capture_url } = await new Firsthand(tenant.pk_test, { baseUrl: url }).verifications.create({
    signals_required,
    steps: [
      { key: 'front', description: 'The front of the car, with the number plate', min: 1, max: 1 },
      { key: 'damage', description: 'The damage from close up', min: 1, max: 3 },
    ],
  });
  return capture_url!;
}

const PHONE = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true, deviceScaleFactor: 2 };

/** Returns the transferred bytes (headers included) of scripts and styles until loading ends. */
async function firstLoad(browser: Browser, url: string, locale: string) {
  const context = await browser.newContext({ ...PHONE, locale });
  const page = await context.newPage();
  const session = await context.newCDPSession(page);
  await session.send('Network.enable');
  const kinds = new Map<string, string>();
  const bytes: Record<string, number> = {};
  session.on('Network.responseReceived', ({ requestId, type }) => kinds.set(requestId, type));
  session.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    const kind = kinds.get(requestId) ?? 'Other';
    bytes[kind] = (bytes[kind] ?? 0) + encodedDataLength;
  });
  await page.goto(url, { waitUntil: 'networkidle' });
  await context.close();
  return bytes;
}

/** Runs in the page: marks the time after the frame that painted the "continue" button. */
const MARK_WHEN_USABLE = `
  const seen = new MutationObserver(() => {
    if (!document.querySelector('[data-screen=landing] .actions button')) return;
    seen.disconnect();
    requestAnimationFrame(() => setTimeout(() => performance.mark('usable')));
  });
  seen.observe(document, { childList: true, subtree: true });
`;

/** Returns the milliseconds from navigation until the "continue" button can be pressed, with a cold cache. */
async function usableAfter(browser: Browser, url: string, throttled: boolean): Promise<number> {
  const context = await browser.newContext({ ...PHONE, locale: 'en-US' });
  const page = await context.newPage();
  if (throttled) await throttle(page);
  await page.addInitScript(MARK_WHEN_USABLE);
  await page.goto(url, { waitUntil: 'commit' });
  await page.waitForFunction(() => performance.getEntriesByName('usable').length > 0, undefined, { polling: 50 });
  const at = await page.evaluate(() => performance.getEntriesByName('usable')[0]!.startTime);
  await context.close();
  return at;
}

async function throttle(page: Page): Promise<void> {
  const session = await page.context().newCDPSession(page);
  await session.send('Network.enable');
  await session.send('Network.emulateNetworkConditions', { offline: false, ...SLOW_4G });
  await session.send('Emulation.setCPUThrottlingRate', { rate: CPU_SLOWDOWN });
}

/** The camera's film: a scene that slides from side to side, so that no challenge is ever done. */
async function slidingFilm(path: string): Promise<string> {
  const scene = await imageOf(drawScene(5, { width: 1500, height: 1000 }))
    .png()
    .toBuffer();
  const cut = (left: number) => sharp(scene).extract({ left, top: 20, width: 1280, height: 960 }).jpeg().toBuffer();
  const out = await Promise.all(Array.from({ length: 20 }, (_, i) => cut(i * 10)));
  return cameraFileOf(path, [...out, ...out.toReversed()], 2);
}

/** Runs in the page: notes how long the reader takes to answer for each frame. */
const TIME_READER = `
  const post = Worker.prototype.postMessage;
  globalThis.answers = [];
  Worker.prototype.postMessage = function (order, transfer) {
    const at = performance.now();
    if ('source' in order) this.addEventListener('message', () => answers.push(performance.now() - at), { once: true });
    return post.call(this, order, transfer);
  };
`;

/**
 * Returns the scripts and styles of a visit with a camera session, in kB, and the milliseconds that a frame of the camera session takes: processor
 * time of the page's thread times the slowdown, and the time until the reader's thread answers.
 */
async function frameCosts(service: OwnService): Promise<{ page: number; reader: number; rate: number; kb: number }> {
  const browser = await launchChromium(await slidingFilm(join(service.folder, 'sliding.mjpeg')));
  try {
    const context = await browser.newContext({ ...PHONE, permissions: ['camera'] });
    const page = await context.newPage();
    await page.addInitScript(TIME_READER);
    await page.goto(await createLink(service, ['screen', 'depth']));
    await page.locator('.actions button').click();
    await page.locator('.shutter:not([disabled])').click();
    await page.locator('.motion-track').waitFor();
    const session = await context.newCDPSession(page);
    await session.send('Performance.enable', { timeDomain: 'threadTicks' });
    const answers = () => page.evaluate<number[]>('answers');
    const busy = async () => {
      const { metrics } = await session.send('Performance.getMetrics');
      return metrics.find(({ name }) => name === 'TaskDuration')!.value * 1000;
    };
    const [before, busyBefore] = [(await answers()).length, await busy()];
    await page.waitForTimeout(SESSION_MS);
    const [times, busyAfter] = [await answers(), await busy()];
    const frames = times.length - before;
    const bytes = await page.evaluate(() =>
      performance
        .getEntriesByType('resource')
        .filter(({ name }) => /\.(js|css)$/.test(name))
        .reduce((sum, entry) => sum + (entry as unknown as { transferSize: number }).transferSize, 0),
    );
    return {
      page: (CPU_SLOWDOWN * (busyAfter - busyBefore)) / frames,
      reader: median(times),
      rate: (frames * 1000) / SESSION_MS,
      kb: bytes / 1000,
    };
  } finally {
    await browser.close();
  }
}

const median = (values: number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!;
const verdict = (holds: boolean) => (holds ? 'holds' : 'FAILS');

const lighthouse = await loadLighthouse();
const service = await startOwnService();
const port = await freePort();
const { executablePath, args, env } = await findChromium(true);
const browser = await chromium.launch({ executablePath, env, args: [...args, `--remote-debugging-port=${port}`] });
let holds = true;
try {
  const link = await createLink(service);
  const pages = { capture: link, certificate: link.replace('/v/', '/c/') };

  for (const [name, url] of Object.entries(pages)) {
    for (const locale of ['en-US', 'ar-EG']) {
      const { Script = 0, Stylesheet = 0, Document = 0, Font = 0 } = await firstLoad(browser, url, locale);
      const kb = (Script + Stylesheet) / 1000;
      holds &&= kb <= LIMIT_KB;
      console.log(
        `${name} ${locale}: ${kb.toFixed(1)} kB of scripts and styles (limit ${LIMIT_KB}: ${verdict(kb <= LIMIT_KB)}), ` +
          `document ${(Document / 1000).toFixed(1)} kB, fonts ${(Font / 1000).toFixed(1)} kB`,
      );
    }
  }

  const times: Record<'free' | 'slow', number[]> = { free: [], slow: [] };
  for (let run = 0; run < RUNS; run++) {
    times.free.push(await usableAfter(browser, link, false));
    times.slow.push(await usableAfter(browser, link, true));
  }
  const slow = median(times.slow);
  holds &&= slow < LIMIT_MS;
  console.log(
    `usable after ${slow.toFixed(0)} ms on slow 4G with a ${CPU_SLOWDOWN}x slower CPU ` +
      `(median of ${RUNS}, ${Math.min(...times.slow).toFixed(0)} to ${Math.max(...times.slow).toFixed(0)}; ` +
      `limit ${LIMIT_MS}: ${verdict(slow < LIMIT_MS)}); unthrottled ${median(times.free).toFixed(0)} ms`,
  );

  const { page, reader, rate, kb } = await frameCosts(service);
  holds &&= page <= LIMIT_FRAME_MS && kb <= LIMIT_ALL_KB;
  console.log(
    `camera session: ${kb.toFixed(1)} kB of scripts and styles in all (limit ${LIMIT_ALL_KB}: ` +
      `${verdict(kb <= LIMIT_ALL_KB)}); a frame takes ${page.toFixed(1)} ms of the page's thread with a ` +
      `${CPU_SLOWDOWN}x slower CPU (limit ${LIMIT_FRAME_MS}: ${verdict(page <= LIMIT_FRAME_MS)}); ` +
      `the reader's thread answers after ${reader.toFixed(1)} ms, ${rate.toFixed(0)} frames a second`,
  );

  for (const [name, url] of Object.entries(pages)) {
    const { lhr } = await lighthouse(url, {
      port,
      output: 'json',
      logLevel: 'error',
      onlyCategories: ['performance', 'accessibility', 'best-practices'],
    });
    if (lhr.runtimeError) {
      // The headless Chromium 147 of the npm package aborts every page with `Referrer-Policy: no-referrer` under Lighthouse.
      console.log(`Lighthouse mobile, ${name}: ${lhr.runtimeError.message}. Try again with an installed Chromium.`);
      holds = false;
      continue;
    }
    const scores = Object.entries(lhr.categories).map(([id, { score }]) => [id, (score ?? 0) * 100] as const);
    const least = Math.min(...scores.map(([, score]) => score));
    holds &&= least >= LIMIT_SCORE;
    console.log(
      `Lighthouse mobile, ${name}: ${scores.map(([id, score]) => `${id} ${score.toFixed(0)}`).join(', ')} ` +
        `(limit ${LIMIT_SCORE}: ${verdict(least >= LIMIT_SCORE)})`,
    );
    for (const audit of Object.values(lhr.audits)) {
      if (audit.score !== null && audit.score < 0.9 && audit.scoreDisplayMode !== 'informative') {
        console.log(`  ${audit.id}: ${audit.displayValue ?? audit.score}`);
      }
    }
  }
} finally {
  await browser.close();
  await service.close();
}
process.exitCode = holds ? 0 : 1;
