import { receiveWebhooks } from '@firsthand/cli/receive-webhooks.ts';
import type { Role } from '@firsthand/contract/people/people.ts';
import type { Verification } from '@firsthand/contract/verification/verification.ts';
import { describe, expect, it } from 'vitest';
import { transaction } from '../../src/platform/db/sql.ts';
import { normalizeRequest } from '../../src/verification/verifications/issue.ts';
import { openCases } from '../desk/reviews/cases.ts';
import { ask, bundleOf, createVerification, submit, until, untilStatus } from '../support/harness.ts';
import { firstHand, photoOfScreen, plain } from '../support/pictures.ts';
import { type Desk, signedInDesk } from './desk.ts';
import { ownService } from './stage.ts';

const MANY = 100_000;
/** Rows that one statement inserts. */
const INSERTED = 5_000;
const MOST_NODES = 1_500;

const service = await ownService();

describe('the pages of verifications', () => {
  const open = (role: Role, path: string, heading: string | RegExp, tenantId?: string) =>
    signedInDesk(service, role, path, { heading, tenantId, permissions: ['clipboard-read', 'clipboard-write'] });
  const copied = (desk: Desk) => desk.page.evaluate(() => navigator.clipboard.readText());
  /** The person comes back to the page. */
  const comeBack = (desk: Desk) => desk.page.evaluate(() => window.dispatchEvent(new Event('focus')));
  const rows = (desk: Desk) => desk.page.getByRole('row').filter({ has: desk.page.getByRole('link') });
  const nodes = (desk: Desk) => desk.page.evaluate(() => document.querySelectorAll('*').length);

  it('verifications: an empty account makes its first one and sees what became of it', async () => {
    const tenant = await service.newTenant('Fresh');
    const desk = await open('member', '/verifications', 'Verifications', tenant.tenant_id);
    await desk.page.getByRole('heading', { name: 'Make the first with your phone' }).waitFor();
    await desk.fine('verifications-empty');
    await desk.press('Make a verification');
    await desk.page.getByRole('img', { name: 'QR code of the capture link' }).waitFor();
    const url = await desk.page.getByRole('link', { name: 'Open the link on this device' }).getAttribute('href');
    const id = url!.split('/').at(-1)!;
    await desk.press('Watch it live');
    await desk.page.getByText('Not opened').waitFor();
    await submit(service, id, await firstHand());
    await untilStatus(service, id, ['completed'], tenant.pk_test);
    await comeBack(desk);
    await desk.page.getByText('Verified', { exact: true }).first().waitFor();
    await desk.page.getByRole('img', { name: /^Photo 1 of 1/ }).waitFor();
    await desk.close();
  });

  it('verifications: what took less than no time, by the clocks of two nodes, took 0 s', async () => {
    const tenant = await service.newTenant('Clocks');
    const [id] = await openCases(service, 1, { tenantId: tenant.tenant_id, livemode: false });
    await service.deps.db.query(
      `update verifications set completed_at = created_at - interval '30 milliseconds' where id = $1`,
      [id],
    );
    const desk = await open('member', '/verifications', 'Verifications', tenant.tenant_id);
    await expect.poll(() => desk.page.locator('.cell-took').last().innerText()).toBe('0s');
    await desk.close();
  });

  it('verifications: a viewer of an empty account is told who makes them, and finds no button', async () => {
    const tenant = await service.newTenant('Empty');
    const desk = await open('viewer', '/verifications', 'Verifications', tenant.tenant_id);
    await desk.page.getByRole('heading', { name: 'No verifications yet' }).waitFor();
    expect(await desk.page.getByRole('button', { name: 'Make a verification' }).count()).toBe(0);
    await desk.close();
  });

  it(`verifications: ${MANY} rows scroll with at most ${MOST_NODES} nodes in the document`, async () => {
    const tenant = await service.newTenant('Many');
    const config = JSON.stringify(normalizeRequest({}, null).config);
    // In parts, so that no statement comes near the time limit of the pool on a slow machine.
    for (let first = 1; first <= MANY; first += INSERTED) {
      await transaction(service.deps.db, async tx => {
        // Nobody searches these rows: their words are not indexed, which takes longest.
        await tx.query('set local session_replication_role = replica');
        await tx.query(
          `insert into verifications (id, tenant_id, livemode, created_at, expires_at, status, verdict, config)
         select 'vfy_0' || upper(lpad(substr(md5(n::text), 1, 25), 25, '0')), $1, false,
           now() - n * interval '20 seconds', now() + interval '1 day',
           case when n % 7 = 0 then 'expired' else 'completed' end,
           case when n % 7 = 0 then null else jsonb_build_object('label', case when n % 5 = 0 then 'failed' else 'verified' end,
             'score', 0.97, 'signals', '{}'::jsonb) end,
           $2::jsonb || jsonb_build_object('metadata', jsonb_build_object('claim', 'C-' || n))
         from generate_series($3::int, $4::int) n`,
          [tenant.tenant_id, config, first, Math.min(MANY, first + INSERTED - 1)],
        );
      });
    }
    const desk = await open('viewer', '/verifications', 'Verifications', tenant.tenant_id);
    await desk.page.getByText('claim C-1', { exact: true }).waitFor();
    expect(await nodes(desk)).toBeLessThanOrEqual(MOST_NODES);
    const box = desk.page.locator('.grid-body');
    await expect
      .poll(() =>
        box.evaluate(element => {
          element.scrollBy(0, 2_400);
          return element.scrollHeight;
        }),
      )
      .toBeGreaterThan(1_000 * 40);
    expect(await nodes(desk)).toBeLessThanOrEqual(MOST_NODES);
    expect(await rows(desk).count()).toBeGreaterThan(10);
    await desk.close();
  });

  it('verifications: j, k and the arrows move between rows, Enter opens one, and going back finds the list as it was', async () => {
    const tenant = await service.newTenant('Keys');
    for (const claim of ['one', 'two', 'three']) {
      await createVerification(service, { metadata: { claim } }, tenant.pk_test);
    }
    const desk = await open('viewer', '/verifications', 'Verifications', tenant.tenant_id);
    await desk.page.getByText('claim three').waitFor();
    await desk.page.keyboard.press('j');
    await expect.poll(() => desk.page.evaluate(() => document.activeElement?.textContent)).toContain('claim three');
    await desk.page.keyboard.press('j');
    await expect.poll(() => desk.page.evaluate(() => document.activeElement?.textContent)).toContain('claim two');
    await desk.page.keyboard.press('k');
    await expect.poll(() => desk.page.evaluate(() => document.activeElement?.textContent)).toContain('claim three');
    await desk.page.keyboard.press('ArrowDown');
    await expect.poll(() => desk.page.evaluate(() => document.activeElement?.textContent)).toContain('claim two');
    await desk.page.keyboard.press('End');
    await expect.poll(() => desk.page.evaluate(() => document.activeElement?.textContent)).toContain('claim one');
    await desk.page.keyboard.press('Enter');
    await desk.heading('one');
    await desk.page.goBack();
    await desk.page.getByText('claim two').waitFor();
    await desk.close();
  });

  it('verifications: filters stand in the address, and a view keeps them under a name', async () => {
    const tenant = await service.newTenant('Filters');
    await createVerification(service, { metadata: { claim: 'waits' } }, tenant.pk_test);
    const cancelled = await createVerification(service, { metadata: { claim: 'gone' } }, tenant.pk_test);
    await ask(service, `/v1/verifications/${cancelled.id}/cancel`, { key: tenant.rk_secret, body: {} });
    const desk = await open('viewer', '/verifications', 'Verifications', tenant.tenant_id);
    await desk.page.getByText('claim gone').waitFor();
    await desk.press('Status');
    await desk.page.getByRole('menuitemcheckbox', { name: 'Not opened' }).click();
    await desk.page.keyboard.press('Escape');
    await desk.page.getByText('claim waits').waitFor();
    await expect.poll(() => desk.page.getByText('claim gone').count()).toBe(0);
    expect(new URL(desk.page.url()).search).toBe('?status=pending&mode=test');
    await desk.press('Save this view');
    await desk.page.getByLabel('Name', { exact: true }).fill('Waiting for the customer');
    await desk.page.getByRole('dialog').getByRole('button', { name: 'Save this view' }).click();
    await desk.page.getByRole('link', { name: 'Waiting for the customer' }).waitFor();
    await desk.press('Everything');
    await desk.page.getByText('claim gone').waitFor();
    await desk.press('Waiting for the customer');
    await expect.poll(() => desk.page.getByText('claim gone').count()).toBe(0);
    await desk.page.reload();
    await desk.page.getByText('claim waits').waitFor();
    await desk.fine('verifications-view');
    await desk.page.getByLabel('Search').fill('WAIT');
    await expect.poll(() => new URL(desk.page.url()).searchParams.get('q')).toBe('WAIT');
    await desk.page.getByText('claim waits').waitFor();
    await desk.page.getByLabel('Search').fill('nobody has this');
    await desk.page.getByRole('heading', { name: 'Nothing matches' }).waitFor();
    await desk.close();
  });

  it('verifications: new rows are announced and wait until somebody asks for them', async () => {
    const tenant = await service.newTenant('Live');
    await createVerification(service, { metadata: { claim: 'first' } }, tenant.pk_test);
    const desk = await open('viewer', '/verifications', 'Verifications', tenant.tenant_id);
    await desk.page.getByText('claim first').waitFor();
    const top = await rows(desk).first().boundingBox();
    await createVerification(service, { metadata: { claim: 'second' } }, tenant.pk_test);
    await expect
      .poll(async () => {
        await comeBack(desk);
        return desk.page.getByRole('button', { name: '1 new verification' }).count();
      })
      .toBe(1);
    expect(await desk.page.getByText('claim second').count()).toBe(0);
    expect(await rows(desk).first().boundingBox()).toEqual(top);
    await desk.press('1 new verification');
    await desk.page.getByText('claim second').waitFor();
    await desk.close();
  });

  it('verifications: a list that cannot be read says so, and trying again helps', async () => {
    const desk = await open('viewer', '/account', 'Your account');
    await desk.context.route('**/v1/verifications?*', route => route.abort());
    await desk.press('Verifications');
    await desk.page.getByText('The service could not be reached. Nothing is lost.').waitFor({ timeout: 30_000 });
    await desk.fine('verifications-failed');
    await desk.context.unroute('**/v1/verifications?*');
    await desk.press('Try again');
    await desk.heading('Verifications');
    await desk.close(/ERR_FAILED|404/);
  });

  it('a verification shows photo, heat map, place and file; the photo zooms to single pixels', async () => {
    const made = await createVerification(service, {
      expected_location: '52.5163,13.3777',
      metadata: { claim: 'C-7 display' },
    });
    await submit(service, made.id, await photoOfScreen(), {
      location: { latitude: 52.5263, longitude: 13.3777, accuracy_m: 40 },
    });
    await untilStatus(service, made.id, ['completed']);
    const desk = await open('viewer', `/verifications/${made.id}`, 'C-7 display');
    await desk.page.getByText('Photo of a display').first().waitFor();
    const canvas = desk.page.getByRole('img', { name: /^Photo 1 of 1/ });
    await canvas.waitFor();
    const middle = () =>
      canvas.evaluate(element => {
        const { width, height } = element as HTMLCanvasElement;
        const { data } = (element as HTMLCanvasElement).getContext('2d')!.getImageData(width / 2, height / 2, 8, 8);
        return [...data].join();
      });
    await expect.poll(middle).not.toMatch(/^(0,)+0$/);
    const whole = await middle();
    await desk.press('Show the heat map');
    await expect.poll(middle).not.toBe(whole);
    await desk.fine('verification');
    await desk.press('Hide the heat map');
    for (let n = 0; n < 12; n += 1) await desk.press('Zoom in');
    await desk.page.getByText('3,200%').waitFor();
    // Each read of the case brings other presigned addresses of the same pictures. The zoom stays.
    await ask(service, `/v1/verifications/${made.id}/finalize`, {
      key: service.tenant.pk_test,
      body: { narrative: 'It fell.' },
    });
    await desk.page.getByRole('heading', { name: 'Case analysis' }).waitFor();
    await desk.page.evaluate(() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done))));
    expect(await desk.page.getByText('3,200%').count()).toBe(1);
    // One pixel of the photo is 32 of the screen: eight neighbours are all of one colour.
    await expect
      .poll(async () => {
        const pixels = (await middle()).match(/\d+,\d+,\d+,\d+/g)!;
        return new Set(pixels).size;
      })
      .toBeLessThanOrEqual(4);
    await canvas.focus();
    await desk.page.keyboard.press('Home');
    await desk.page.getByRole('img', { name: /1,112 m|1\.1 km/ }).waitFor();
    expect(await desk.page.getByRole('button', { name: /Cancel it|Finalize|Send again/ }).count()).toBe(0);
    await desk.close();
  });

  it('a verification: a member finalizes with a narrative, downloads the evidence and copies each action as curl', async () => {
    const made = await createVerification(service, { metadata: { claim: 'C-8' } });
    await submit(service, made.id, await firstHand(2));
    await untilStatus(service, made.id, ['completed']);
    const desk = await open('member', `/verifications/${made.id}`, 'C-8');
    await desk.press('Finalize');
    await desk.page.getByLabel('Narrative').fill("It was me, said 'nobody'.");
    await desk.page.getByRole('dialog').getByRole('button', { name: 'Copy as curl' }).click();
    expect(await copied(desk)).toContain(`/v1/verifications/${made.id}/finalize`);
    await desk.page.getByRole('dialog').getByRole('button', { name: 'Finalize' }).click();
    await desk.page.getByRole('heading', { name: 'Case analysis' }).waitFor();
    await desk.fine('verification-finalized');
    await bundleOf(service, made.id);
    const download = desk.page.waitForEvent('download');
    await desk.press('Evidence');
    expect((await download).suggestedFilename()).toBe(`${made.id}.zip`);
    await desk.close();
  });

  it('a verification: a member cancels an open one; its link is gone', async () => {
    const made = await createVerification(service, { metadata: { claim: 'C-9' } });
    const desk = await open('member', `/verifications/${made.id}`, 'C-9');
    await desk.press('Cancel it');
    await desk.page.getByRole('alertdialog').waitFor();
    await desk.page.getByRole('alertdialog').getByRole('button', { name: 'Cancel it' }).click();
    await desk.page.getByText('Cancelled', { exact: true }).first().waitFor();
    const { body } = await ask<Verification>(service, `/v1/verifications/${made.id}`, { key: service.tenant.pk_test });
    expect(body.status).toBe('expired');
    expect(await desk.page.getByRole('button', { name: 'Cancel it' }).count()).toBe(0);
    await desk.close();
  });

  it('a verification shows what its webhook receiver answered, and sends a delivery again', async () => {
    let answer = 500;
    const receiver = await receiveWebhooks(response => void response.writeHead(answer).end());
    try {
      const made = await createVerification(service, { webhook_url: receiver.url, metadata: { claim: 'C-10' } });
      await until(async () => {
        const query = 'select from webhook_deliveries where jsonb_array_length(attempts) > 0';
        return (await service.deps.db.query(query)).rowCount !== 0;
      }, 'the first attempt');
      const desk = await open('member', `/verifications/${made.id}`, 'C-10');
      await desk.page.getByText('1 attempt').click();
      await desk.page.getByText('not accepted').waitFor();
      answer = 204;
      const before = receiver.received.length;
      await desk.press('Send again');
      await expect.poll(() => receiver.received.length).toBeGreaterThan(before);
      await desk.page.evaluate(() => window.dispatchEvent(new Event('focus')));
      await desk.close();
    } finally {
      await receiver.close();
    }
  });

  it('a verification of another account, or of none, is not there', async () => {
    const other = await service.newTenant('Other');
    const theirs = await createVerification(service, {}, other.pk_test);
    const desk = await open('viewer', '/account', 'Your account');
    await desk.page.goto(`${service.url}/dashboard/verifications/${theirs.id}`);
    await desk.page.getByText('It is no longer there.').waitFor();
    await desk.close(/404/);
  });

  it('a photo that a browser cannot decode is offered as a file', async () => {
    const made = await createVerification(service, { metadata: { claim: 'C-11' } });
    await submit(service, made.id, await plain());
    await untilStatus(service, made.id, ['completed']);
    const desk = await open('viewer', '/account', 'Your account');
    await desk.context.route('**/blobs/**', route =>
      route.fulfill({ body: 'not a picture', contentType: 'image/heic' }),
    );
    await desk.page.goto(`${service.url}/dashboard/verifications/${made.id}`);
    await desk.page.getByText('This browser cannot show the file.').waitFor();
    await desk.close(/Failed to load|decode|404/);
  });
});
