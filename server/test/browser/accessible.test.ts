import { afterAll, expect, it } from 'vitest';
import { expectAccessible } from './accessible.ts';
import { sharedBrowser } from './stage.ts';

const page = await (await sharedBrowser()).newPage();
afterAll(() => page.close());

const show = (inner: string) =>
  page.setContent(`<!doctype html><html lang="en"><title>A page</title><main><h1>A page</h1>${inner}</main></html>`);

it('expectAccessible finds pale text with all rules and with those about colours, but not with the others', async () => {
  await show('<p style="color: #999; background: #aaa">pale</p>');
  await expect(expectAccessible(page, 'pale')).rejects.toThrow('axe on pale');
  await expect(expectAccessible(page, 'pale', 'colours')).rejects.toThrow('axe on pale');
  await expectAccessible(page, 'pale', 'all but colours');
});

it('expectAccessible finds a picture without a text with all rules and with those not about colours, but not with the others', async () => {
  await show('<img src="data:,">');
  await expect(expectAccessible(page, 'bare')).rejects.toThrow('axe on bare');
  await expect(expectAccessible(page, 'bare', 'all but colours')).rejects.toThrow('axe on bare');
  await expectAccessible(page, 'bare', 'colours');
});
