import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { openProvider } from '../identity/people/identity-provider.ts';
import { signInAsOwner, type Visitor, visit } from '../identity/people/visitor.ts';
import { ask, startTestService, type TestService, until } from '../support/harness.ts';
import { openMailbox } from '../support/mailbox.ts';
import { type ReverseProxy, startReverseProxy } from '../support/reverse-proxy.ts';
import { freePort } from '../support/service-process.ts';

describe('a service below a path of its host', () => {
  const PATH = '/tools/photos';
  let proxy: ReverseProxy;
  let mailbox: Awaited<ReturnType<typeof openMailbox>>;
  let provider: Awaited<ReturnType<typeof openProvider>>;
  let service: TestService;
  let owner: Visitor;
  beforeAll(async () => {
    proxy = await startReverseProxy(PATH, { strips: true });
    mailbox = await openMailbox();
    provider = await openProvider({ redirectUris: () => [`${proxy.url}/v1/auth/acme/callback`] });
    const port = await freePort();
    service = await startTestService({
      env: {
        PUBLIC_URL: proxy.url,
        PORT: String(port),
        TRUSTED_PROXIES: '127.0.0.1,::1',
        SMTP_URL: mailbox.url,
        MAIL_FROM: 'Firsthand <noreply@firsthand.test>',
        OIDC_ACME_ISSUER: provider.issuer,
        OIDC_ACME_CLIENT_ID: 'firsthand',
        OIDC_ACME_CLIENT_SECRET: 'a-secret-that-both-know',
      },
    });
    proxy.passTo(`http://localhost:${port}`);
    owner = await signInAsOwner(service);
  });
  afterAll(async () => {
    await service?.stop();
    await provider?.close();
    await mailbox?.close();
    await proxy?.close();
  });
  afterEach(() => expect(proxy.outside).toEqual([]));

  /** The addresses in the next mail to somebody. */
  const linksTo = (email: string) =>
    until(async () => {
      const mail = mailbox.mails.find(({ to }) => to.includes(email));
      return mail && Object.values(mail.parts).flatMap(part => part.match(/https?:\/\/[^\s"<>]+/g) ?? []);
    }, `a mail to ${email}`);

  it('signs in with an identity provider that comes back below the path', async () => {
    await owner.ask('/v1/people', { body: { email: 'ada@people.example', role: 'member' } });
    provider.accounts.set('ada', { email: 'ada@people.example', email_verified: true, name: 'Ada' });
    provider.state.as = 'ada';
    const visitor = visit(service);
    const started = await visitor.ask(`/v1/auth/acme/start?return_to=${PATH}/dashboard/verifications`);
    const wanted = new URL(started.headers.get('location')!);
    expect(wanted.searchParams.get('redirect_uri')).toBe(`${proxy.url}/v1/auth/acme/callback`);
    const back = await provider.visitProvider(wanted.href);
    const reply = await visitor.ask(back, { site: 'cross-site' });
    expect([reply.status, reply.headers.get('location')]).toEqual([303, `${PATH}/dashboard/verifications`]);
    expect((await visitor.ask('/v1/me')).body).toMatchObject({ person: { email: 'ada@people.example' } });
  });

  it('mails links below the path: to sign in, to join, to take photos', async () => {
    await owner.ask('/v1/people', { body: { email: 'lin@people.example', role: 'viewer' } });
    const batch = { rows: [{ name: 'Max', email: 'max@people.example' }] };
    const sent = await ask(service, '/v1/batches?send=true', { key: service.tenant.rk_secret, body: batch });
    expect(sent.status, sent.text).toBe(202);
    for (const email of ['lin@people.example', 'max@people.example']) {
      const links = await linksTo(email);
      expect(links.length).toBeGreaterThan(0);
      for (const link of links) expect(link.startsWith(`${proxy.url}/`), link).toBe(true);
    }
    const [link] = (await linksTo('max@people.example')).filter(url => url.includes('/v/'));
    expect((await fetch(link!)).status).toBe(200);
  });

  it('names its log by host and path', async () => {
    const { rows } = await service.deps.db.query<{ origin: string }>('select origin from evidence_logs');
    expect(rows).toEqual([{ origin: `${proxy.url.replace('http://', '')}/log` }]);
  });
});
