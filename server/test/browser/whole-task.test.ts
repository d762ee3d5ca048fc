import { receiveWebhooks } from '@firsthand/cli/receive-webhooks.ts';
import { describe, expect, it } from 'vitest';
import { signedInDesk } from './desk.ts';
import { openOnPhone } from './phone.ts';
import { ownService } from './stage.ts';

const service = await ownService();
await service.deps.db.query('update tenants set review_sample = 1');

describe('a whole task', () => {
  it('issue, capture, review: a member asks, a phone answers, a reviewer decides by keyboard, and the member sees the webhook', async () => {
    const receiver = await receiveWebhooks();
    try {
      const member = await signedInDesk(service, 'member', '/issue');
      await member.heading('New verification');
      await member.page.getByLabel('What the person reads').fill('The whole car');
      await member.page.getByLabel('At most').fill('2');
      await member.page.getByLabel('At least').fill('2');
      await member.page.getByLabel('Your reference').fill('C-500');
      await member.page.getByLabel('Webhook').fill(receiver.url);
      await member.press('Make the link');
      await member.heading('The link is ready');
      const link = (await member.page.locator('.copyable code').textContent())!;
      await member.press('Watch it live');
      await member.page.getByText('Not opened').waitFor();

      const phone = await openOnPhone(link);
      await phone.press('Start');
      await phone.page.getByRole('heading', { name: 'The whole car' }).waitFor();
      await phone.photo();
      const more = phone.page.getByRole('button', { name: /another|next photo/i });
      if (await more.isVisible().catch(() => false)) await more.click();
      await phone.photo();
      await phone.send();
      await phone.close();
      await member.page.getByText('Verified', { exact: true }).first().waitFor({ timeout: 60_000 });

      const reviewer = await signedInDesk(service, 'reviewer', '/review');
      await reviewer.page.getByRole('img', { name: /^Photo \d of 2/ }).waitFor();
      // A verified case that came up at random looks like any other.
      expect(await reviewer.page.locator('.title-line .tag').count()).toBe(0);
      expect(await reviewer.page.getByText('Verified', { exact: true }).count()).toBe(0);
      await reviewer.page.keyboard.press('c');
      const compare = reviewer.page.getByRole('dialog', { name: 'Compare' });
      await expect.poll(() => compare.locator('canvas').count()).toBe(2);
      await reviewer.fine('review-compare');
      await reviewer.page.keyboard.press('Escape');
      await compare.waitFor({ state: 'detached' });
      await reviewer.page.keyboard.press('a');
      await reviewer.page.keyboard.press('0');
      await reviewer.page.getByRole('heading', { name: 'All clear' }).waitFor();
      await reviewer.page.getByText(/^Today: \d+ created, \d+ completed\.$/).waitFor();
      await reviewer.page.getByText(/^Decided by people today: \d+\.$/).waitFor();
      await reviewer.close(/404/);

      await expect
        .poll(() => receiver.received.map(({ event }) => event.type), { timeout: 30_000 })
        .toContain('verification.reviewed');
      await member.page.evaluate(() => window.dispatchEvent(new Event('focus')));
      await member.page.reload();
      await member.page.locator('.delivery', { hasText: 'verification.reviewed' }).getByText('Delivered').waitFor();
      await member.page.goto(`${service.url}/dashboard/statistics`);
      await member.page.getByRole('region', { name: 'How people decide' }).getByText('1 of 1').waitFor();
      await member.close(/404/);
    } finally {
      await receiver.close();
    }
  });
});
