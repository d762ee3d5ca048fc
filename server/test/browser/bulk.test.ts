import { readFile } from 'node:fs/promises';
import type { Verification } from '@firsthand/contract/verification/verification.ts';
import { describe, expect, it } from 'vitest';
import { openCases } from '../desk/reviews/cases.ts';
import { ask, createVerification } from '../support/harness.ts';
import { signedInDesk } from './desk.ts';
import { ownService } from './stage.ts';

const service = await ownService();

describe('bulk actions in the list of verifications', () => {
  const statusOf = async (id: string) =>
    (await ask<Verification>(service, `/v1/verifications/${id}`, { key: service.tenant.pk_test })).body.status;

  it('verifications: rows are picked with Space and Shift, exported and cancelled; what refused says why', async () => {
    const [closed] = await openCases(service, 1, { livemode: false });
    const one = await createVerification(service, { metadata: { claim: 'one' } });
    const two = await createVerification(service, { metadata: { claim: 'two' } });
    const three = await createVerification(service, { metadata: { claim: 'three' } });
    const desk = await signedInDesk(service, 'member', '/verifications');
    const { page } = desk;
    await page.getByRole('link', { name: /claim two/ }).focus();
    await page.keyboard.press('Space');
    await page.getByText('1 picked').waitFor();
    await page.keyboard.press('End');
    await page.keyboard.press('Shift+Space');
    await page.getByText('3 picked').waitFor();
    await desk.fine('verifications-picked');
    const download = page.waitForEvent('download');
    await page.getByLabel('Bulk actions').getByRole('link', { name: 'Export as CSV' }).click();
    const lines = (await readFile(await (await download).path(), 'utf8')).trim().split('\r\n');
    expect(lines.slice(1).map(line => line.split(',')[0])).toEqual([two.id, one.id, closed]);
    expect(await page.getByRole('button', { name: 'Redact' }).count()).toBe(0);
    await page.getByLabel('Bulk actions').getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('alertdialog', { name: 'Cancel: 3 verifications' }).waitFor();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Cancel' }).last().click();
    await page.getByRole('status').getByText('3 of 3 done').waitFor();
    await page.getByText('verification_closed').waitFor();
    await desk.fine('bulk-act');
    expect(await Promise.all([one, two, three].map(({ id }) => statusOf(id)))).toEqual([
      'expired',
      'expired',
      'pending',
    ]);
    await page.getByRole('link', { name: 'Bulk actions' }).first().click();
    await page.getByRole('link', { name: 'Cancel: 3 verifications' }).waitFor();
    await desk.fine('bulk-acts');
    await desk.close();
  });

  it('verifications: all that match a filter are taken, also those not loaded, and no other', async () => {
    const made: string[] = [];
    for (let n = 0; n < 3; n += 1)
      made.push((await createVerification(service, { metadata: { claim: 'batch-7' } })).id);
    const other = await createVerification(service, { metadata: { claim: 'else' } });
    const desk = await signedInDesk(service, 'member', '/verifications?q=batch-7');
    const { page } = desk;
    await page
      .getByRole('checkbox', { name: /^Select (?!all)/ })
      .first()
      .check();
    await desk.press('Select all 3 that match');
    await page.getByText('All 3 that match').waitFor();
    await page.getByLabel('Bulk actions').getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Cancel' }).last().click();
    await page.getByRole('status').getByText('3 of 3 done').waitFor();
    await page.getByText('Every verification was changed.').waitFor();
    for (const id of made) expect(await statusOf(id)).toBe('expired');
    expect(await statusOf(other.id)).toBe('pending');
    await desk.close();
  });

  it('verifications: a viewer may export what is picked, and nothing else', async () => {
    await createVerification(service, { metadata: { claim: 'seen' } });
    const desk = await signedInDesk(service, 'viewer', '/verifications');
    await desk.page
      .getByRole('checkbox', { name: /^Select (?!all)/ })
      .first()
      .check();
    const bar = desk.page.getByLabel('Bulk actions');
    await bar.getByRole('link', { name: 'Export as CSV' }).waitFor();
    expect(await bar.getByRole('button').allTextContents()).not.toContain('Cancel');
    await desk.close();
  });
});
