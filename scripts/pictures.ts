// Takes the pictures of the dashboard in docs/images, in Chromium on a service of its own. Its photos are simulated; its
// history is written into the database.
import { join } from 'node:path';
import { Firsthand, type MetadataFilter } from '@firsthand/sdk';
import type { Page } from 'playwright-core';
import sharp from 'sharp';
import { type OwnService, startOwnService } from '../bench/src/own-service.ts';
import { ensurePagesBuilt } from '../server/src/commands/build-pages.ts';
import { launchChromium } from '../server/test/browser/chromium.ts';
import { play } from './seed/play.ts';
import { TENANTS } from './seed/scenarios.ts';

const IMAGES = join(import.meta.dirname, '..', 'docs', 'images');
const WIDE = { width: 1440, height: 900 };
const PHONE = { width: 390, height: 844 };
const [ACME] = TENANTS;
/** Verifications of the 29 days before today. */
const HISTORY = 400;
const CSV = `Claim No.,Customer Name,E-Mail,Region
C-2001,Ada Fischer,ada@customers.example,North
C-2002,Ben Wagner,ben at customers.example,South
`;

await ensurePagesBuilt();
const service = await startOwnService();
try {
  await fill(service);
  await takePictures(service);
} finally {
  await service.close();
}

/** Plays the seed's scenarios of one tenant and writes a history behind them. */
async function fill({ url, tenant, openPool }: OwnService): Promise<void> {
  const client = new Firsthand(tenant.rk_secret, { baseUrl: url });
  const { name, slug, colors, scenarios } = ACME!;
  await client.settings.update({ name });
  await client.brands.put(slug, { name, colors });
  await client.linkTemplates.create({ name: 'One photo', request: { max_captures: 1 } });
  for (const [index, scenario] of scenarios.entries()) await play(url, tenant, slug, scenario, index + 1);

  const db = await openPool(1);
  const [model] = (await listOf(url, tenant.pk_test)).filter(
    row => row.verdict?.label === 'verified' && row.captures_count === 1,
  );
  // Weekdays have more; a tenth expires; one in twelve fails, and people approve a quarter of those.
  await db.query(
    `insert into verifications (id, tenant_id, livemode, created_at, expires_at, status, verdict, completed_at, first_captured_at, furthest,
       captures_count, config, review_state, review_needs, review_causes, review_opened_at, review_decision, review_decided_at)
     select 'vfy_0' || upper(lpad(substr(md5(n::text), 1, 25), 25, '0')), v.tenant_id, false, at, at + interval '1 day', made.status,
       case when made.status = 'completed' then jsonb_build_object('label', case when fails then 'failed' when doubted then 'suspicious' else 'verified' end,
         'score', 0.96, 'signals', '{}'::jsonb) || case when fails then jsonb_build_object('reason_code',
         (array['screen_detected', 'screen_detected', 'ai_generated', 'context_mismatch'])[1 + n % 4]) else '{}'::jsonb end end,
       case when made.status = 'completed' then at + (20 + n % 90) * interval '1 second' end,
       case when made.status = 'completed' then at + (15 + n % 60) * interval '1 second' end,
       case when made.status = 'completed' then 5 else n % 4 end, case when made.status = 'completed' then 1 else 0 end, v.config,
       case when made.status = 'completed' and (fails or doubted) then 'decided' else 'none' end, 1, '["failed"]',
       at + interval '2 minutes', case when made.status = 'completed' and (fails or doubted) then case when n % 36 = 5 then 'approved' else 'rejected' end end,
       at + (20 + n % 200) * interval '1 minute'
     from (select n, now() - (n * 29.0 / $2 + 1) * interval '1 day' + (n * 7919 % 600) * interval '1 minute' as at,
         n % 12 = 5 as fails, n % 40 = 7 as doubted,
         case when n % 10 = 3 then 'expired' when n % 60 = 1 then 'failed' else 'completed' end as status
       from generate_series(1, $2::int) n) made, verifications v
     where v.id = $1 and (extract(isodow from at) < 6 or n % 3 = 0)`,
    [model!.id, HISTORY],
  );
  await db.query(
    `insert into captures (id, verification_id, tenant_id, step_key, source, content_type, size_bytes, width, height, sha256, image_blob,
       created_at, signals, analysis_state, analyzed_at)
     select 'cap_0' || substr(v.id, 6), v.id, v.tenant_id, c.step_key, c.source, c.content_type, c.size_bytes, c.width, c.height, c.sha256,
       c.image_blob, v.completed_at, jsonb_set(c.signals, '{screen_detection}', c.signals -> 'screen_detection' ||
         case v.verdict ->> 'label' when 'verified' then jsonb_build_object('confidence', 0.99 - random() * 0.9)
           when 'suspicious' then jsonb_build_object('screen_detected', true, 'confidence', 0.95 + random() * 0.04)
           else jsonb_build_object('screen_detected', true, 'confidence', 0.998 + random() * 0.002) end), 'done', v.completed_at
     from verifications v, captures c where v.id like 'vfy\\_0%' and v.status = 'completed' and c.verification_id = $1
       and not exists (select from captures own where own.verification_id = v.id)`,
    [model!.id],
  );
}

async function listOf(url: string, key: string, filter: MetadataFilter = {}) {
  return (await new Firsthand(key, { baseUrl: url }).verifications.list({ limit: 100, ...filter })).data;
}

/** What asks the service as its own page does. */
function ofOwnPage(data: object) {
  return { data, headers: { 'sec-fetch-site': 'same-origin' } };
}

async function takePictures({ url, tenant }: OwnService): Promise<void> {
  const { sign_in_url } = await new Firsthand(tenant.rk_secret, { baseUrl: url }).people.invite({
    name: 'Maria Keller',
    email: 'maria@acme.example',
    role: 'owner',
  });
  if (!sign_in_url) throw new Error('the service sends mails, so it shows no sign-in link');
  // The photos are of this origin too.
  const { origin } = new URL(sign_in_url);
  const browser = await launchChromium();
  try {
    const context = await browser.newContext({ viewport: WIDE, locale: 'en-GB', reducedMotion: 'reduce' });
    const page = await context.newPage();
    const token = sign_in_url.split('token=')[1];
    await context.request.post(`${origin}/v1/auth/magic-link/redeem`, ofOwnPage({ token }));
    const open = async (path: string, ready: string) => {
      await page.goto(`${origin}/dashboard${path}`);
      await page.getByText(ready).first().waitFor();
    };

    await open('/review', 'genuine photo');
    await page.getByRole('button', { name: 'Show the heat map' }).click();
    await take(page, 'review', 'webp');

    await context.request.post(`${origin}/v1/me/tenant`, ofOwnPage({ tenant_id: tenant.tenant_id, livemode: false }));
    const [claim] = await listOf(url, tenant.pk_test, { 'metadata[claim]': 'C-1042' });
    const [other] = await listOf(url, tenant.pk_test, { 'metadata[scenario]': 'Uploaded file' });
    await open(`/verifications/${claim!.id}`, 'genuine photo');
    await take(page, 'verification');
    await open('/verifications', 'Two photos');
    await take(page, 'verifications');
    await open(`/compare?a=${claim!.id}&b=${other!.id}`, 'Differences');
    await take(page, 'compare');
    await open('/review/replay', 'would flip');
    const failedFrom = page.getByRole('slider', { name: 'Failed from' });
    await failedFrom.fill(String(Math.round(Number(await failedFrom.getAttribute('max')) * 0.97)));
    await page.getByText(/^[1-9]\d* of \d+ cases would flip/).waitFor();
    await take(page, 'replay');
    await open('/issue', 'What to ask for');
    await page.getByLabel('What the person reads').fill('The front of the car, with the number plate');
    await page.frameLocator('iframe').getByText('The front of the car').first().waitFor();
    await take(page, 'new');
    await open('/batches/new', 'Drop a CSV');
    await page
      .locator('input[type=file]')
      .setInputFiles({ name: 'claims.csv', mimeType: 'text/csv', buffer: Buffer.from(CSV) });
    await page.getByRole('button', { name: /^Check/ }).click();
    await page.getByText('This is not an e-mail address.').waitFor();
    await take(page, 'batch');
    await page.emulateMedia({ colorScheme: 'dark' });
    await open('/statistics', 'Outcomes');
    await take(page, 'statistics');
    await page.emulateMedia({ colorScheme: 'light' });
    await page.setViewportSize(PHONE);
    await open('/verifications', 'Two photos');
    await take(page, 'phone');
  } finally {
    await browser.close();
  }
}

/** Saves what the window shows, once everything on it is drawn. */
async function take(page: Page, name: string, as: 'png' | 'webp' = 'png'): Promise<void> {
  await page.locator('.loading').first().waitFor({ state: 'detached' });
  await page.waitForTimeout(1_000);
  const shot = await page.screenshot();
  const file = join(IMAGES, `dashboard-${name}.${as}`);
  await (as === 'webp' ? sharp(shot).webp({ quality: 82 }) : sharp(shot).png({ palette: true })).toFile(file);
  console.log(file);
}
