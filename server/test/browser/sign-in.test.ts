import { afterAll, describe, expect, it } from 'vitest';
import { openBot } from '../identity/people/bot.ts';
import { openProvider } from '../identity/people/identity-provider.ts';
import { signedIn } from '../identity/people/visitor.ts';
import { startTestService, until } from '../support/harness.ts';
import { openMailbox } from '../support/mailbox.ts';
import { freePort } from '../support/service-process.ts';
import { openAtDesk } from './desk.ts';
import { ownService } from './stage.ts';

const SECRET = 'bot-secret-that-signs-0001';
/** A refused sign-in is an answer of 401, which the browser logs. */
const REFUSED = /401/;

const EMAIL = 'ada@people.example';

const mailbox = await openMailbox();
const bot = await openBot(SECRET);
const port = await freePort();
const provider = await openProvider({ redirectUris: () => [`http://localhost:${port}/v1/auth/example/callback`] });
provider.accounts.set('grace', { email: 'grace@people.example', email_verified: true, name: 'Grace' });
provider.accounts.set('mallory', { email: 'mallory@elsewhere.example', email_verified: true });
afterAll(() => Promise.all([mailbox.close(), bot.close(), provider.close()]));
const service = await ownService({
  env: {
    SMTP_URL: mailbox.url,
    MAIL_FROM: 'Firsthand <no-reply@photos.example>',
    BOT_URL: bot.url,
    BOT_SECRETS: SECRET,
    PORT: `${port}`,
    OIDC_EXAMPLE_ISSUER: provider.issuer,
    OIDC_EXAMPLE_CLIENT_ID: 'firsthand',
    OIDC_EXAMPLE_CLIENT_SECRET: 'a-secret-that-both-know',
    OIDC_EXAMPLE_LABEL: 'Example ID',
  },
});
for (const email of [EMAIL, 'grace@people.example'])
  await signedIn(service, { tenantId: service.tenant.tenant_id, role: 'reviewer', email });

describe('sign-in page', () => {
  const signIn = () => `${service.url}/dashboard/sign-in`;

  it('the link of the first start signs in with one button, offers a passkey, and the passkey signs in later', async () => {
    const desk = await openAtDesk();
    const device = await desk.authenticator();
    await desk.page.goto(service.dashboardUrl);
    await desk.heading('Welcome to Firsthand');
    await desk.fine('sign-in-first');
    await desk.press('Sign in');
    await desk.heading('Add a passkey');
    expect(desk.page.url()).toBe(signIn());
    await desk.fine('sign-in-offer');
    await desk.page.getByLabel('Name of the passkey').fill('Work laptop');
    await desk.press('Add a passkey');
    await desk.heading(/^Hello/);
    expect(await device.count()).toBe(1);
    await desk.fine('home-owner');

    await device.answers(false);
    await desk.press(/^Account menu/);
    await desk.page.getByRole('menuitem', { name: 'Sign out' }).click();
    await desk.heading('Sign in');
    await desk.fine('sign-in');
    await device.answers(true);
    await desk.press('Use a passkey');
    await desk.heading(/^Hello/);
    await desk.close();
  });

  it('a used link says so and offers the other ways', async () => {
    const desk = await openAtDesk();
    await desk.page.goto(`${signIn()}#token=mlk_01JXXXXXXXXXXXXXXXXXXXXXXX`);
    await desk.heading('Your link is ready');
    await desk.fine('sign-in-link');
    await desk.press('Sign in');
    await desk.page.getByRole('alert').getByText('wrong, used or too old').waitFor();
    await desk.fine('sign-in-link-refused');
    await desk.press('Sign in another way');
    await desk.heading('Sign in');
    await desk.close(REFUSED);
  });

  it('a mailed link signs in, and the page that requested it returns to where it was', async () => {
    const desk = await openAtDesk();
    await desk.page.goto(`${service.url}/dashboard/account`);
    await desk.heading('Sign in');
    await desk.page.getByLabel('E-mail address').fill('nobody');
    await desk.press('E-mail me a link');
    await desk.page.getByText('Enter an e-mail address').waitFor();
    await desk.page.getByLabel('E-mail address').fill(EMAIL);
    await desk.press('E-mail me a link');
    await desk.page.getByRole('heading', { name: 'Check your mail' }).waitFor();
    await desk.fine('sign-in-mail-sent');
    const mail = await until(async () => mailbox.mails.find(({ to }) => to.includes(EMAIL)), 'a mail');
    const link = /http:\/\/localhost:\d+\/dashboard\/sign-in#token=mlk_\w{26}/.exec(mail.parts['text/plain']!)![0];

    const tab = await desk.context.newPage();
    await tab.goto(link);
    await tab.getByRole('heading', { name: 'Your link is ready' }).waitFor();
    // A scanner that only opens the link uses nothing up.
    await tab.reload();
    await tab.getByRole('button', { name: 'Sign in', exact: true }).click();
    await tab.getByRole('heading', { name: /^Hello/, level: 1 }).waitFor();
    expect(tab.url()).not.toContain('mlk_');
    await desk.heading('Your account');
    await desk.close(REFUSED);
  });

  it('a code from a message signs in; a wrong code shows a message', async () => {
    const phone = '+4915123456789';
    const owner = await signedIn(service, { tenantId: service.tenant.tenant_id, role: 'owner' });
    const invited = await owner.ask('/v1/people', { body: { phone_e164: phone, role: 'viewer' } });
    expect(invited.status).toBe(201);
    const desk = await openAtDesk();
    await desk.page.goto(signIn());
    await desk.press('Get a code by message instead');
    await desk.page.getByLabel('Phone number').fill('0151 23456789');
    await desk.press('Send me a code');
    await desk.page.getByText('Enter the number with its country code').waitFor();
    await desk.fine('sign-in-code');
    await desk.page.getByLabel('Phone number').fill('+49 151 23456789');
    await desk.press('Send me a code');
    const code = desk.page.getByLabel('Code', { exact: true });
    await code.waitFor();
    await desk.fine('sign-in-code-sent');
    const sent = await until(async () => bot.codes.find(({ phone_e164 }) => phone_e164 === phone), 'a code');
    await code.fill(sent.code === '000000' ? '000001' : '000000');
    await desk.press('Sign in');
    await desk.page.getByRole('alert').getByText('wrong, used or too old').waitFor();
    await desk.fine('sign-in-code-refused');
    await code.fill(sent.code);
    await desk.press('Sign in');
    await desk.heading(/^Hello/);
    await desk.fine('home-viewer');
    await desk.close(REFUSED);
  });

  it('an identity provider signs in and leads back; a person without an invitation is told so', async () => {
    const desk = await openAtDesk({ allowed: [provider.issuer] });
    provider.state.as = 'grace';
    await desk.page.goto(`${service.url}/dashboard/account`);
    await desk.heading('Sign in');
    await desk.fine('sign-in-all');
    await desk.press('Continue with Example ID');
    await desk.heading('Your account');
    await desk.fine('account-provider');
    await desk.page.getByText('grace@people.example').first().waitFor();
    await desk.close(REFUSED);

    const stranger = await openAtDesk({ allowed: [provider.issuer] });
    provider.state.as = 'mallory';
    await stranger.page.goto(signIn());
    await stranger.press('Continue with Example ID');
    await stranger.page.getByText('Nobody has invited you yet').waitFor();
    await stranger.close();
  });

  it('offers a passkey in the e-mail field if the browser can', async () => {
    const desk = await openAtDesk();
    const device = await desk.authenticator();
    const person = await signedIn(service, { tenantId: service.tenant.tenant_id, role: 'member' });
    await desk.context.addCookies([
      { name: service.deps.config.sessionCookie, value: person.cookie.split('=')[1]!, url: service.url },
    ]);
    await desk.page.goto(`${service.url}/dashboard/account`);
    await desk.press('Add a passkey');
    await desk.page.getByRole('dialog').getByRole('button', { name: 'Add a passkey' }).click();
    await desk.page.getByText(/The passkey .* was added/).waitFor();
    await desk.press(/^Account menu/);
    await desk.page.getByRole('menuitem', { name: 'Sign out' }).click();
    // The device answers the field's offer by itself: nothing is pressed.
    await desk.heading(/^Hello/);
    expect(await device.count()).toBe(1);
    await desk.close(REFUSED);
  });

  it.each([
    ['cancelled', 'was cancelled'],
    ['expired', 'took too long'],
    ['not_invited', 'Nobody has invited you yet'],
    ['provider_unavailable', 'cannot be reached'],
    ['provider_failed', 'was not accepted'],
    ['anything', 'You were not signed in'],
  ])('?error=%s is said in words', async (code, words) => {
    const desk = await openAtDesk();
    await desk.page.goto(`${signIn()}?error=${code}`);
    await desk.page.getByRole('alert').getByText(words).waitFor();
    if (code === 'not_invited') await desk.fine('sign-in-error');
    await desk.close();
  });

  it('names the settings of each way that is off', async () => {
    const bare = await startTestService({ worker: false });
    const desk = await openAtDesk();
    await desk.page.goto(`${bare.url}/dashboard/sign-in`);
    await desk.page.getByText('Ways that are not set up').click();
    for (const name of ['OIDC_<NAME>_ISSUER', 'SMTP_URL', 'BOT_URL']) await desk.page.getByText(name).waitFor();
    await desk.fine('sign-in-bare');
    await desk.close();
    await bare.stop();
  });

  it('works with only the keyboard', async () => {
    const desk = await openAtDesk();
    const device = await desk.authenticator();
    const person = await signedIn(service, { tenantId: service.tenant.tenant_id, role: 'member' });
    await desk.context.addCookies([
      { name: service.deps.config.sessionCookie, value: person.cookie.split('=')[1]!, url: service.url },
    ]);
    const { keyboard } = desk.page;
    const focused = () =>
      desk.page.evaluate(
        () => document.activeElement?.getAttribute('aria-label') ?? document.activeElement?.textContent ?? '',
      );
    const tabTo = async (name: RegExp) => {
      for (let n = 0; n < 40; n++) {
        if (name.test(await focused())) return;
        await keyboard.press('Tab');
      }
      throw new Error(`Tab never reaches ${name}`);
    };
    await desk.page.goto(`${service.url}/dashboard/account`);
    await desk.heading('Your account');
    await tabTo(/^Skip to the page$/);
    await keyboard.press('Enter');
    await tabTo(/^Add a passkey$/);
    await keyboard.press('Enter');
    await desk.page.getByRole('dialog').waitFor();
    await keyboard.press('Escape');
    await desk.page.getByRole('dialog').waitFor({ state: 'detached' });
    await expect.poll(focused).toBe('Add a passkey');
    await keyboard.press('Enter');
    await tabTo(/^Add a passkey$/);
    await keyboard.press('Enter');
    await desk.page.getByText(/The passkey .* was added/).waitFor();
    await device.answers(false);
    await tabTo(/^Account menu/);
    await keyboard.press('Enter');
    await desk.page.getByRole('menu').waitFor();
    await keyboard.press('End');
    await keyboard.press('Enter');
    await desk.heading('Sign in');
    await tabTo(/^Use a passkey$/);
    await device.answers(true);
    await keyboard.press('Enter');
    await desk.heading(/^Hello/);
    await desk.close(REFUSED);
  });
});
