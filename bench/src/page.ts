// Measures the cost of the capture page for a phone: bytes of the first load, time until it is usable on a slow line,
// and Lighthouse's scores. Run: node bench/src/page.ts (builds nothing: npm run build first).
import lighthouse from 'lighthouse';
import { type Browser, chromium, type Page } from 'playwright-core';
import { findChromium } from '../../server/test/browser/chromium.ts';
import { freePort } from '../../server/test/service-process.ts';
import { type OwnService, startOwnService } from './own-service.ts';

const LIMIT_KB = 60;
const LIMIT_MS = 2_000;
const LIMIT_SCORE = 95;
const RUNS = 5;

/** Lighthouse's "slow 4G" as applied by the browser's own throttling. */
const SLOW_4G = {
  latency: 150 * 3.75,
  downloadThroughput: (1_638.4 * 1024 * 0.9) / 8,
  uploadThroughput: (675 * 1024) / 8,
};
const CPU_SLOWDOWN = 4;

/** Creates a link with the steps of a typical tenant. */
async function createLink({ url, tenant }: OwnService): Promise<string> {
  const answer = await fetch(`${url}/v1/verifications`, {
    method: 'POST',
    headers: { authorization: `Bearer ${tenant.pk_test}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      steps: [
        { key: 'front', description: 'The front of the car, with the number plate', min: 1, max: 1 },
        { key: 'damage', description: 'The damage from close up', min: 1, max: 3 },
      ],
    }),
  });
  return ((await answer.json()) as { capture_url: string }).capture_url;
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

const median = (values: number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!;
const verdict = (holds: boolean) => (holds ? 'holds' : 'FAILS');

const service = await startOwnService();
const port = await freePort();
const { executablePath, args, env } = await findChromium();
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

  for (const [name, url] of Object.entries(pages)) {
    const result = await lighthouse(url, {
      port,
      output: 'json',
      logLevel: 'error',
      onlyCategories: ['performance', 'accessibility', 'best-practices'],
    });
    const scores = Object.entries(result?.lhr.categories ?? {}).map(
      ([id, { score }]) => [id, (score ?? 0) * 100] as const,
    );
    const least = Math.min(...scores.map(([, score]) => score));
    holds &&= least >= LIMIT_SCORE;
    console.log(
      `Lighthouse mobile, ${name}: ${scores.map(([id, score]) => `${id} ${score.toFixed(0)}`).join(', ')} ` +
        `(limit ${LIMIT_SCORE}: ${verdict(least >= LIMIT_SCORE)})`,
    );
    for (const audit of Object.values(result?.lhr.audits ?? {})) {
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
