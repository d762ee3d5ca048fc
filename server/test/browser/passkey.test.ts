import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { addAuthenticator } from './desk.ts';
import { ownService, sharedBrowser } from './stage.ts';

/** One request of the page to its own origin, with its cookies. */
const ask = (page: Page, path: string, body: unknown = {}) =>
  page.evaluate(
    async ([to, sent]) => {
      const answer = await fetch(to, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(sent),
      });
      return { status: answer.status, body: answer.status === 204 ? null : await answer.json() };
    },
    [path, body] as const,
  );

const service = await ownService({ worker: false });

describe('passkey in a browser', () => {
  it('signs in on the first link, adds itself, signs out and signs in again', async () => {
    const page = await (await sharedBrowser()).newPage();
    await addAuthenticator(page.context(), page);
    await page.goto(`${service.url}/dashboard`);
    const token = new URL(service.dashboardUrl).hash.replace('#first=', '');
    expect((await ask(page, '/v1/auth/first-run', { token })).status).toBe(200);

    const creation = await ask(page, '/v1/me/passkeys/options');
    const made = await page.evaluate(async options => {
      const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(options);
      return ((await navigator.credentials.create({ publicKey })) as PublicKeyCredential).toJSON();
    }, creation.body);
    const added = await ask(page, '/v1/me/passkeys', { name: 'Virtual', response: made });
    expect([added.status, added.body]).toMatchObject([201, { name: 'Virtual' }]);
    expect((await ask(page, '/v1/auth/sign-out')).status).toBe(204);
    expect((await ask(page, '/v1/me/passkeys/options')).status).toBe(401);

    const request = await ask(page, '/v1/auth/passkey/options');
    const signed = await page.evaluate(async options => {
      const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(options);
      return ((await navigator.credentials.get({ publicKey })) as PublicKeyCredential).toJSON();
    }, request.body);
    const back = await ask(page, '/v1/auth/passkey/redeem', signed);
    expect([back.status, back.body]).toMatchObject([
      200,
      { session: { method: 'passkey' }, tenant: { role: 'owner' }, passkeys: [{ name: 'Virtual' }] },
    ]);
    const [cookie] = await page.context().cookies();
    expect(cookie).toMatchObject({ name: 'firsthand_session', httpOnly: true, sameSite: 'Lax', secure: false });
    expect((await ask(page, '/v1/auth/passkey/redeem', signed)).status).toBe(401);
    await page.close();
  });
});
