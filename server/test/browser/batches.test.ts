import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { ask } from '../support/harness.ts';
import { signedInDesk } from './desk.ts';
import { ownService } from './stage.ts';

const service = await ownService();

describe('batches', () => {
  it('batches: a list with faults is mended, checked and made; each row gets one verification', async () => {
    const desk = await signedInDesk(service, 'member', '/batches');
    await desk.heading('Batches');
    await desk.page.getByRole('heading', { name: 'No batch yet' }).waitFor();
    await desk.fine('batches-empty');
    await desk.press('New batch');
    await desk.heading('New batch');
    await desk.fine('batch-file');
    const choose = (text: string) =>
      desk.page.locator('input[type=file]').setInputFiles({
        name: 'claims.csv',
        mimeType: 'text/csv',
        buffer: Buffer.from(text),
      });
    await choose(
      'Claim No.;Customer Name;E-Mail;Region\nC-1;Ada;ada@example.com;North\n\nC-2;Bob;bob at example;South\n',
    );
    await desk.page.getByText('2 rows').waitFor();
    expect(await desk.page.getByLabel('What E-Mail becomes').inputValue()).toBe('email');
    await desk.page.getByLabel('What Region becomes').selectOption('');
    await desk.press('Check the list');
    const fault = desk.page.getByRole('row', { name: /^4 / });
    await fault.waitFor();
    expect(await fault.getByRole('rowheader').textContent()).toBe('4');
    expect(await fault.getByRole('cell').last().textContent()).toBe('This is not an e-mail address.');
    expect(await desk.page.getByRole('button', { name: /Make 2/ }).count()).toBe(0);
    await desk.fine('batch-faults');
    await choose(
      'Claim No.;Customer Name;E-Mail;Region\nC-1;Ada;ada@example.com;North\nC-2;Bob;bob@example.com;South\nC-3;Cy;;\n',
    );
    await desk.press('Check the list');
    await desk.page.getByText('No fault in 3 rows.').waitFor();
    await desk.fine('batch-checked');
    await desk.press('Make 3 verifications');
    await desk.heading('Batch of 3 rows');
    await desk.page.getByRole('status').getByText('3 of 3 rows done').waitFor();
    await desk.page.locator('.columns a').nth(2).waitFor();
    await desk.fine('batch');
    const download = desk.page.waitForEvent('download');
    await desk.page.getByRole('link', { name: 'Download results' }).click();
    const lines = (await readFile(await (await download).path(), 'utf8')).trim().split('\r\n');
    expect(lines).toHaveLength(4);
    const { body } = await ask<{ data: { config: { metadata?: object } }[] }>(
      service,
      '/v1/verifications?external_ref=C-2',
      {
        key: service.tenant.pk_test,
      },
    );
    // What was said of the columns of the first file holds for the mended one: `Region` is left out.
    expect(body.data.map(({ config }) => config.metadata)).toEqual([undefined]);
    await desk.press('Batches');
    await desk.heading('Batches');
    await desk.page.getByText('3 made').waitFor();
    await desk.fine('batches');
    await desk.close();
  });

  it('batches: one that runs shows its progress and is stopped', async () => {
    const desk = await signedInDesk(service, 'member', '/batches/new');
    await desk.heading('New batch');
    const rows = Array.from({ length: 20_000 }, (_, n) => `R-${n}`).join('\n');
    await desk.page
      .locator('input[type=file]')
      .setInputFiles({ name: 'many.csv', mimeType: 'text/csv', buffer: Buffer.from(`external_ref\n${rows}\n`) });
    await desk.press('Check the list');
    await desk.press('Make 20,000 verifications');
    await desk.heading('Batch of 20,000 rows');
    await desk.page.getByText(/[1-9][\d,]* of 20,000 rows done/).waitFor();
    await desk.fine('batch-running');
    await desk.press('Stop the batch');
    await desk.page.getByRole('alertdialog').getByRole('button', { name: 'Stop the batch' }).click();
    await desk.page.locator('.tag', { hasText: 'Stopped' }).waitFor();
    await desk.close();
  });

  it('batches: a viewer reads progress and finds nothing to start or stop', async () => {
    const desk = await signedInDesk(service, 'viewer', '/batches');
    await desk.heading('Batches');
    expect(await desk.page.getByRole('link', { name: 'New batch' }).count()).toBe(0);
    await desk.page.goto(`${service.url}/dashboard/batches/new`);
    await desk.page.getByRole('heading', { name: 'Not open to your role' }).waitFor();
    await desk.close();
  });
});
