import { execFileSync } from 'node:child_process';
import { copyFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { verifyEvidence } from '@firsthand/cli/verify-evidence.ts';
import { type Signer, vkeyOf } from '@firsthand/evidence/note.ts';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type Files, forgeLog, keySetOf, type Made, makeBundle, zip } from '../../../evidence/test/build.ts';
import { CONTAINERS } from '../../../evidence/test/containers.ts';
import { forgedBundles } from '../../../evidence/test/mutations.ts';
import { distOf } from '../../src/pages/assets.ts';
import {
  ask,
  createVerification,
  startTestService,
  submit,
  type TestService,
  until,
  untilStatus,
} from '../support/harness.ts';
import { firstHand, plain } from '../support/pictures.ts';
import { expectAccessible, expectNoSidewaysScroll } from './accessible.ts';
import { sharedBrowser } from './stage.ts';

const BATCH = 50;
const BUILT = join(distOf('verify'), 'index.html');

const browser = await sharedBrowser();
const folder = await mkdtemp(join(tmpdir(), 'fh-verify-'));
afterAll(() => rm(folder, { recursive: true }));

/** The page from disk, with the network off; `asked` gets every request. */
async function openFromDisk(asked: string[] = [], options: object = {}): Promise<Page> {
  const file = join(folder, 'verify.html');
  await copyFile(BUILT, file);
  const context = await browser.newContext({ offline: true, viewport: { width: 1440, height: 900 }, ...options });
  const page = await context.newPage();
  page.on('request', request => asked.push(request.url()));
  page.on('pageerror', error => asked.push(`error: ${error.message}`));
  page.on('console', message => {
    if (message.type() === 'error') asked.push(`console: ${message.text()}`);
  });
  await page.goto(pathToFileURL(file).href);
  return page;
}

/** The page's result for each bundle, in the lines of the command, with the exit code. */
async function shownBy(page: Page, files: string[]): Promise<{ code: number; text: string }[]> {
  await page.locator('#bundle').setInputFiles(files);
  await page
    .locator('[data-outcome]')
    .nth(files.length - 1)
    .waitFor();
  return page.evaluate(() => {
    const marks: Record<string, string> = { holds: '[ok] ', fails: '[NO] ', absent: '[--] ' };
    const linesOf = (list: Element, indent: string): string[] =>
      [...list.children].flatMap(item => {
        const state = item.querySelector(':scope > .mark')?.getAttribute('data-mark') ?? '';
        const below = item.querySelector(':scope > div > .lines');
        const line = `${indent}${marks[state] ?? ''}${item.querySelector(':scope > div > .text')!.textContent}`;
        return [line, ...(below ? linesOf(below, `${indent}     `) : [])];
      });
    const photoLines = (photo: Element): string[] => {
      const facts = new Map(
        [...photo.querySelectorAll('.facts > div')].map(fact => [
          fact.querySelector('dt')!.textContent,
          fact.querySelector('dd')!.textContent,
        ]),
      );
      const [first, ...rest] = linesOf(photo.querySelector('.photo-text > .lines')!, '  ');
      const received = facts.has('Received') ? `received ${facts.get('Received')}, ` : '';
      const text = `${facts.get('File')}, ${facts.get('Size')}, ${received}SHA-256 ${facts.get('SHA-256')}`;
      return [first!.replace(/This photo .*/, () => text), ...rest];
    };
    return [...document.querySelectorAll('article')].map(article => {
      const subject = article.querySelector('.subject')?.textContent;
      const sections = [...article.querySelectorAll('section')].flatMap(section => [
        '',
        `${section.querySelector('h3')!.textContent}:`,
        ...(section.dataset.section === 'photos'
          ? [...section.querySelectorAll('.photo')].flatMap(photoLines)
          : linesOf(section.querySelector('.lines')!, '  ')),
      ]);
      const lines = [article.querySelector('.headline')!.textContent, ...(subject ? ['', subject] : []), ...sections];
      return { code: Number(article.dataset.exit), text: lines.join('\n') };
    });
  });
}

/** The output of `firsthand verify-evidence`, and its exit code. */
async function saidByCommand(file: string, trust: readonly Signer[]): Promise<{ code: number; text: string }> {
  const printed = vi.spyOn(console, 'log').mockImplementation(() => {});
  const before = process.exitCode;
  try {
    await verifyEvidence(file, { trust: trust.map(vkeyOf), witness: [] });
    return { code: Number(process.exitCode), text: String(printed.mock.lastCall?.[0]) };
  } finally {
    process.exitCode = before;
    printed.mockRestore();
  }
}

const STREAM_FOLDER = `
import os, sys, zipfile
class Stream:
    def __init__(self, file): self.write, self.flush, self.close = file.write, file.flush, file.close
with open(sys.argv[2], 'wb') as file, zipfile.ZipFile(Stream(file), 'w', zipfile.ZIP_DEFLATED) as archive:
    for folder, _, names in os.walk(sys.argv[1]):
        for name in names: archive.write(os.path.join(folder, name), os.path.join('bundle', os.path.relpath(os.path.join(folder, name), sys.argv[1])))
`;

const trusted = ({ log, bundle }: Made) => [log, bundle];

describe('the page /verify, from disk with the network off', () => {
  it('gives the verdict of the command in the same words on every forged bundle', async () => {
    vi.stubEnv('DATA_DIR', join(folder, 'none'));
    const original = makeBundle();
    const again = Object.entries(CONTAINERS);
    const bundles: { what: string; files: Files; pack?: (files: Files) => Uint8Array }[] = [
      { what: 'as issued', files: original.files },
      ...again.map(([what, pack]) => ({ what, files: original.files, pack })),
      { what: 'by a stranger', files: makeBundle().files },
      ...forgedBundles(original),
    ];
    expect(bundles.length).toBeGreaterThanOrEqual(245);
    const paths: string[] = [];
    for (const [at, { files, pack = zip }] of bundles.entries()) {
      const path = join(folder, `${at}.zip`);
      await writeFile(path, pack(files));
      paths.push(path);
    }
    const asked: string[] = [];
    const page = await openFromDisk(asked);
    await page.getByLabel('Keys you trust').fill(trusted(original).map(vkeyOf).join('\n'));
    const codes = new Map<number, number>();
    for (let at = 0; at < paths.length; at += BATCH) {
      const shown = await shownBy(page, paths.slice(at, at + BATCH));
      for (const [index, { code, text }] of shown.entries()) {
        const { what } = bundles[at + index]!;
        expect({ what, code, text }).toEqual({ what, ...(await saidByCommand(paths[at + index]!, trusted(original))) });
        codes.set(code, (codes.get(code) ?? 0) + 1);
      }
    }
    // Nothing but the files as issued holds.
    expect(codes.get(0)).toBe(1 + again.length);
    expect([...codes.keys()].sort()).toEqual([0, 1, 2, 3]);
    expect(asked.filter(url => !/^(file|blob|data):/.test(url))).toEqual([]);
    await page.context().close();
  });

  it('checks again when a key is pasted, takes a JWK set, and names a key that it cannot read', async () => {
    const made = makeBundle();
    const path = join(folder, 'one.zip');
    await writeFile(path, zip(made.files));
    const page = await openFromDisk();
    await page.locator('#bundle').setInputFiles(path);
    await page.getByRole('heading', { name: 'nobody vouched' }).waitFor();
    const keys = page.getByLabel('Keys you trust');
    await keys.fill('not a key');
    await page.getByText('This cannot be read: not a verifier key').waitFor();
    await keys.fill(trusted(made).map(vkeyOf).join('\n'));
    await page.getByRole('heading', { name: 'Everything holds, and the keys' }).waitFor();
    await page.getByText('Witnesses and time stamp').click();
    await page.getByLabel('Witnesses you require').fill(vkeyOf(makeBundle().witness));
    await page.getByText('did not cosign the state of the log').waitFor();
    await page.context().close();
  });

  it('takes each key of a JWK Set for its role only, and says when a key was retired', async () => {
    const made = makeBundle();
    const forged = forgeLog(made, made.bundle, made.bundle);
    const paths = ['genuine', 'forged'].map(name => join(folder, `${name}.zip`));
    await writeFile(paths[0]!, zip(made.files));
    await writeFile(paths[1]!, zip(forged.files));
    const page = await openFromDisk();
    const keys = page.getByLabel('Keys you trust');
    await keys.fill(keySetOf(made));
    const codes = async () => (await shownBy(page, paths)).map(({ code }) => code);
    expect(await codes()).toEqual([0, 1]);
    await page.getByText('is a bundle key of the issuer, not a log key').waitFor();
    const retired_at = '2025-12-01T00:00:00.000Z';
    await keys.fill(keySetOf(made, { retired_at }));
    await page.getByText(`not vouched for, retired on ${retired_at}`).waitFor();
    expect(await codes()).toEqual([2, 1]);
    await page.getByText('Witnesses and time stamp').click();
    await page.getByLabel('Witnesses you require').fill(vkeyOf(made.witness));
    await page.getByText(`(trusted, retired on ${retired_at})`).waitFor();
    expect((await codes())[0]).toBe(0);
    await keys.fill(keySetOf(made, { retired_at: 'soon' }));
    await page.getByText('This cannot be read: the retired_at of').waitFor();
    await page.locator('[data-outcome=unvouched]').waitFor();
    await page.context().close();
  });

  it('takes a dropped bundle', async () => {
    const made = makeBundle();
    const page = await openFromDisk();
    const base64 = Buffer.from(zip(made.files)).toString('base64');
    const transfer = await page.evaluateHandle(text => {
      const bytes = Uint8Array.from(atob(text), character => character.charCodeAt(0));
      const data = new DataTransfer();
      data.items.add(new File([bytes], 'dropped.zip'));
      return data;
    }, base64);
    await page.dispatchEvent('.drop', 'drop', { dataTransfer: transfer });
    await page.getByText(/dropped\.zip, \d+ bytes/).waitFor();
    await page.context().close();
  });
});

describe('the page /verify of a running service', () => {
  let service: TestService;
  let path: string;
  let again: string;
  let certificate: string;
  beforeAll(async () => {
    service = await startTestService();
    const { id } = await createVerification(service, { steps: [{ key: 'front', min: 2, max: 2 }] });
    await submit(service, id, await firstHand(1));
    await submit(service, id, await plain());
    await untilStatus(service, id, ['completed']);
    const bytes = await until(async () => {
      const answer = await fetch(`${service.url}/v1/verifications/${id}/evidence`, {
        headers: { authorization: `Bearer ${service.tenant.pk_test}` },
      });
      return answer.status === 200 ? Buffer.from(await answer.arrayBuffer()) : null;
    }, 'the bundle');
    path = join(folder, `${id}.zip`);
    await writeFile(path, bytes);
    // The same, zipped again as the folder by a tool that writes into a stream.
    again = join(folder, 'again.zip');
    const unpacked = join(folder, id);
    execFileSync('python3', ['-m', 'zipfile', '-e', path, unpacked]);
    execFileSync('python3', ['-c', STREAM_FOLDER, unpacked, again]);
    certificate = `${service.url}/c/${id}`;
  });
  afterAll(() => service?.stop());

  it('carries its policy as header and in itself, allows nothing inline beyond its hashes, and needs no second request', async () => {
    const { headers, text } = await ask(service, '/verify');
    const policy = headers.get('content-security-policy')!;
    expect(policy).toMatch(/^default-src 'none'; script-src 'sha256-[\w+/]{43}='; style-src 'sha256-[\w+/]{43}=';/);
    expect(policy).not.toContain('unsafe');
    expect(policy).toContain("frame-ancestors 'none'");
    expect(text).toContain(`content="${policy.split('; frame-ancestors')[0]}"`);
    const asked: string[] = [];
    const page = await (await browser.newContext()).newPage();
    page.on('request', request => asked.push(request.url()));
    page.on('console', message => asked.push(message.text()));
    await page.goto(`${service.url}/verify`);
    await page.locator('#bundle').setInputFiles(path);
    await page.locator('[data-outcome=unvouched]').waitFor();
    expect(asked.filter(url => !/^(blob|data):/.test(url))).toEqual([`${service.url}/verify`]);
    await page.context().close();
  });

  it('is linked from the certificate page, and saves itself for use from disk', async () => {
    const page = await (await browser.newContext({ acceptDownloads: true })).newPage();
    await page.goto(certificate);
    await page.getByRole('link', { name: 'Check an evidence file on this device' }).click();
    await page.waitForURL(`${service.url}/verify`);
    const saving = page.waitForEvent('download');
    await page.getByRole('link', { name: 'Save this page' }).click();
    const saved = join(folder, 'saved.html');
    await (await saving).saveAs(saved);
    await page.context().setOffline(true);
    await page.goto(pathToFileURL(saved).href);
    await page.locator('#bundle').setInputFiles(path);
    await page.locator('[data-outcome=unvouched]').waitFor();
    await page.context().close();
  });

  it.each([
    ['light', 1440],
    ['dark', 390],
    ['light', 320],
  ] as const)('shows every photo with its marks, in %s at %d px, for everybody', async (colorScheme, width) => {
    const page = await openFromDisk([], { colorScheme, viewport: { width, height: 844 } });
    await expectAccessible(page, 'verify, empty');
    const { text } = await ask(service, '/v1/evidence-keys');
    await page.getByLabel('Keys you trust').fill(text);
    await page.locator('#bundle').setInputFiles(width === 390 ? again : path);
    await page.locator('[data-outcome=holds]').waitFor();
    expect(await page.locator('.photo').count()).toBe(2);
    await until(
      () =>
        page
          .locator('.photo img')
          .evaluateAll(
            images => images.length === 2 && images.every(image => (image as HTMLImageElement).naturalWidth > 0),
          ),
      'the pictures',
    );
    expect(await page.locator('.photo [data-mark=holds]').count()).toBe(8);
    await expectAccessible(page, 'verify, a result');
    await expectNoSidewaysScroll(page, 'verify, a result');
    const shots = process.env.FIRSTHAND_SCREENSHOTS;
    if (shots) {
      await mkdir(shots, { recursive: true });
      await page.screenshot({ path: join(shots, `verify-${colorScheme}-${width}.png`), fullPage: true });
    }
    await page.context().close();
  });

  it('prints the result without the form, photos whole', async () => {
    const page = await openFromDisk();
    await page.locator('#bundle').setInputFiles(path);
    await page.locator('[data-outcome]').waitFor();
    await page.emulateMedia({ media: 'print' });
    expect(await page.locator('.form').isVisible()).toBe(false);
    expect(await page.locator('.photo img').first().isVisible()).toBe(true);
    const pdf = await page.pdf({ format: 'A4' });
    expect(pdf.subarray(0, 5).toString()).toBe('%PDF-');
    // Each photo is in it as an image.
    expect(pdf.toString('latin1').match(/\/Subtype\s*\/Image/g)?.length ?? 0).toBeGreaterThanOrEqual(2);

    await page.context().close();
  });
});
