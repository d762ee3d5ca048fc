import type { InvitedPerson, Me } from '@firsthand/contract/people/people.ts';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { mailSignInLink } from '../../../src/delivery/notifications/sign-in-link.ts';
import { codeOf } from '../../../src/identity/people/sign-in/one-time-code.ts';
import type { NewTenant } from '../../../src/identity/tenants/create.ts';
import { ask } from '../../support/harness.ts';
import { openMailbox } from '../../support/mailbox.ts';
import { freePort } from '../../support/service-process.ts';
import { serviceOfSuite } from '../../support/suite.ts';
import { createAuthenticator, type Options } from './authenticator.ts';
import { openForger, providerSettings } from './identity-provider.ts';
import { tokenOf, type Visitor, visit } from './visitor.ts';

const PORT = await freePort();

type Kind = 'email' | 'phone_e164';
interface Contact {
  kind: Kind;
  value: string;
  owner: Human;
}
interface Human {
  name: string;
  sub: string;
  browsers: Browser[];
  passkeys: { key: ReturnType<typeof createAuthenticator>; browser: Browser; person: Person }[];
}
interface Browser {
  human: Human;
  visitor: Visitor;
  /** Signed in by a link that an account handed over, which proves nothing. */
  byLink: boolean;
}
/** A person of an account, and the humans who may be it: they owned one of its contacts since, or opened its link. */
interface Person {
  id: string;
  account: NewTenant;
  contacts: Contact[];
  link: string | null;
  humans: Set<Human>;
}

type Step =
  | { kind: 'invite'; account: number; email: number | null; phone: number | null; mailed: boolean }
  | { kind: 'mail' | 'code' | 'provider' | 'move'; contact: number; human: number }
  | { kind: 'link'; person: number; human: number }
  | { kind: 'passkey' | 'add passkey' | 'switch'; human: number; n: number; account: number }
  | { kind: 'remove'; person: number };

const small = fc.nat({ max: 1 });
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc
      .record({
        kind: fc.constant('invite' as const),
        account: small,
        email: fc.option(small),
        phone: fc.option(small),
        mailed: fc.boolean(),
      })
      .filter(({ email, phone }) => email !== null || phone !== null),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constantFrom('mail' as const, 'code' as const, 'provider' as const, 'move' as const),
      contact: small,
      human: small,
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constantFrom('passkey' as const, 'add passkey' as const, 'switch' as const),
      human: small,
      n: fc.nat({ max: 3 }),
      account: small,
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('link' as const), person: fc.nat({ max: 3 }), human: small }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('remove' as const), person: fc.nat({ max: 3 }) }) },
);

describe('proofs', () => {
  let mailbox: Awaited<ReturnType<typeof openMailbox>>;
  let forger: Awaited<ReturnType<typeof openForger>>;
  let runs = 0;
  // Registered before the service's own hook, so that it runs after the service has stopped.
  afterAll(async () => {
    await mailbox?.close();
    await forger?.close();
  });
  const service = serviceOfSuite(async () => {
    mailbox = await openMailbox();
    forger = await openForger();
    return {
      worker: false,
      env: {
        PORT: String(PORT),
        TRUSTED_PROXIES: '127.0.0.1,::1',
        SMTP_URL: mailbox.url,
        MAIL_FROM: 'no-reply@photos.example',
        BOT_URL: 'http://127.0.0.1:9/bot',
        BOT_SECRETS: 'bot-secret-that-signs-0001',
        ...providerSettings('FORGER', forger.issuer),
      },
    };
  });

  /** Sends the mails that wait, and returns the token of the last one to this address. */
  async function mailedToken(email: string): Promise<string | null> {
    const { deps } = service;
    const { rows } = await deps.db.query<{ id: string }>('select id from sign_in_mails order by created_at, id');
    for (const { id } of rows) await mailSignInLink(deps, id);
    const mail = mailbox.mails.findLast(({ to }) => to.includes(email));
    return /#token=(mlk_\w{26})/.exec(mail?.parts['text/plain'] ?? '')?.[1] ?? null;
  }

  async function play(steps: readonly Step[]): Promise<void> {
    runs += 1;
    const accounts = [await service.newTenant('A'), await service.newTenant('B')];
    const humans: Human[] = ['ann', 'eve'].map(name => ({ name, sub: `${name}-${runs}`, browsers: [], passkeys: [] }));
    const emails = humans.map(
      (owner): Contact => ({ kind: 'email', value: `${owner.name}-${runs}@people.example`, owner }),
    );
    const phones = humans.map(
      (owner, n): Contact => ({ kind: 'phone_e164', value: `+49151${String(runs * 10 + n).padStart(8, '0')}`, owner }),
    );
    const persons: Person[] = [];
    const mails: Contact[] = [];
    const known = (contact: Contact) => persons.some(({ contacts }) => contacts.includes(contact));

    const signedIn = (human: Human, visitor: Visitor, byLink = false): Browser => {
      const browser = { human, visitor, byLink };
      human.browsers.push(browser);
      return browser;
    };
    const me = async ({ visitor }: Browser) => {
      const reply = await visitor.ask<Me>('/v1/me');
      return reply.status === 200 ? reply.body : null;
    };
    const alive = async () => {
      const all = humans.flatMap(({ browsers }) => browsers);
      const answers = await Promise.all(all.map(me));
      return all.filter((_, n) => answers[n] !== null);
    };
    const redeem = async (token: string) => {
      const visitor = visit(service);
      const reply = await visitor.ask('/v1/auth/magic-link/redeem', { body: { token } });
      return { visitor, status: reply.status };
    };

    async function take(o: Step): Promise<void> {
      switch (o.kind) {
        case 'invite': {
          const account = accounts[o.account]!;
          const contacts = [
            ...(o.email === null ? [] : [emails[o.email]!]),
            ...(o.phone === null ? [] : [phones[o.phone]!]),
          ];
          const before = await alive();
          const { mailer } = service.deps;
          if (!o.mailed) Object.assign(service.deps, { mailer: null });
          const body = { role: 'owner', ...Object.fromEntries(contacts.map(({ kind, value }) => [kind, value])) };
          const reply = await ask<InvitedPerson>(service, '/v1/people', { key: account.rk_secret, body }).finally(() =>
            Object.assign(service.deps, { mailer }),
          );
          const taken = persons.some(
            person => person.account === account && person.contacts.some(contact => contacts.includes(contact)),
          );
          expect(reply.status).toBe(taken ? 409 : 201);
          expect(await alive()).toEqual(before);
          if (taken) return;
          const { id, sign_in_url: url } = reply.body;
          const link = url === undefined ? null : tokenOf(url);
          persons.push({ id, account, contacts, link, humans: new Set(contacts.map(({ owner }) => owner)) });
          return;
        }
        case 'move': {
          const contact = [...emails, ...phones][o.contact * 2 + o.human]!;
          contact.owner = humans.find(human => human !== contact.owner)!;
          for (const person of persons) if (person.contacts.includes(contact)) person.humans.add(contact.owner);
          return;
        }
        case 'mail': {
          const contact = emails[o.contact]!;
          await visit(service).ask('/v1/auth/magic-link', { body: { email: contact.value } });
          const token = await mailedToken(contact.value);
          if (token === null) return;
          const { visitor, status } = await redeem(token);
          mails.push(contact);
          // After five mails in an hour none comes.
          if (known(contact) && mails.filter(one => one === contact).length <= 5) expect(status).toBe(200);
          if (status === 200) signedIn(contact.owner, visitor);
          return;
        }
        case 'code': {
          const contact = phones[o.contact]!;
          const visitor = visit(service);
          const asked = await visitor.ask<{ otp_id: string }>('/v1/auth/one-time-code', {
            body: { phone_e164: contact.value },
          });
          const body = { otp_id: asked.body.otp_id, code: codeOf(service.deps, asked.body.otp_id) };
          const reply = await visitor.ask('/v1/auth/one-time-code/redeem', { body });
          if (asked.status === 202) expect(reply.status).toBe(known(contact) ? 200 : 401);
          if (reply.status === 200) signedIn(contact.owner, visitor);
          return;
        }
        case 'provider': {
          const human = humans[o.human]!;
          const email = emails.find(({ owner }) => owner === human);
          const claims = { sub: human.sub, email: email?.value, email_verified: true };
          const { visitor, reply } = await forger.signIn(visit(service), 'forger', { claims }, { sub: human.sub });
          if (email && known(email)) expect(reply.headers.get('location')).toBe('/dashboard');
          if (visitor.cookies.has('firsthand_session')) signedIn(human, visitor);
          return;
        }
        case 'link': {
          const person = persons[o.person];
          if (!person?.link) return;
          const human = humans[o.human]!;
          const { visitor, status } = await redeem(person.link);
          if (status !== 200) return;
          person.humans.add(human);
          signedIn(human, visitor, true);
          return;
        }
        case 'add passkey': {
          const browser = humans[o.human]!.browsers[o.n];
          const now = browser && (await me(browser));
          if (!now) return;
          const { body } = await browser.visitor.ask<Options>('/v1/me/passkeys/options', { method: 'POST' });
          const key = createAuthenticator();
          const response = key.register(body, { origin: service.url });
          const added = await browser.visitor.ask('/v1/me/passkeys', { body: { name: 'Key', response } });
          expect(added.status).toBe(201);
          const person = persons.find(({ id }) => id === now.person.id)!;
          browser.human.passkeys.push({ key, browser, person });
          return;
        }
        case 'passkey': {
          const human = humans[o.human]!;
          const passkey = human.passkeys[o.n];
          if (!passkey) return;
          const visitor = visit(service);
          const options = await visitor.ask<Options>('/v1/auth/passkey/options', { body: {} });
          const body = passkey.key.authenticate(options.body, { origin: service.url });
          const reply = await visitor.ask('/v1/auth/passkey/redeem', { body });
          // Nobody else ends a passkey, but for those that only a link vouches for.
          if (persons.includes(passkey.person) && !passkey.browser.byLink) expect(reply.status).toBe(200);
          if (reply.status === 200) signedIn(human, visitor, passkey.browser.byLink);
          return;
        }
        case 'switch': {
          const browser = humans[o.human]!.browsers[o.n];
          await browser?.visitor.ask('/v1/me/tenant', {
            body: { tenant_id: accounts[o.account]!.tenant_id, livemode: true },
          });
          return;
        }
        case 'remove': {
          const person = persons[o.person];
          if (!person) return;
          const path = `/v1/people/${person.id}`;
          const reply = await ask(service, path, { method: 'DELETE', key: person.account.rk_secret });
          expect(reply.status).toBe(204);
          persons.splice(o.person, 1);
          return;
        }
      }
    }

    for (const o of steps) {
      const before = (await alive()).filter(({ byLink }) => !byLink);
      await take(o);
      const open = await alive();
      // Only a removal ends a session that somebody proved.
      if (o.kind !== 'remove') expect(open).toEqual(expect.arrayContaining(before));
      for (const browser of open) {
        const now = (await me(browser))!;
        const current = persons.find(({ id }) => id === now.person.id);
        expect(current?.humans).toContain(browser.human);
        for (const { id } of [now.tenant, ...now.tenants, ...(now.invitations ?? [])]) {
          const theirs = persons.filter(({ account }) => account.tenant_id === id);
          expect(theirs.some(({ humans: may }) => may.has(browser.human))).toBe(true);
        }
      }
    }
  }

  const invite = (account: number, email: number | null, phone: number | null): Step => ({
    kind: 'invite',
    account,
    email,
    phone,
    mailed: false,
  });
  const eve = { human: 1, n: 0, account: 1 };

  it.each<[string, Step[]]>([
    [
      'an identity, a passkey and a session of one contact do not reach an account that invites the other contact',
      [
        invite(0, 1, 0),
        { kind: 'provider', contact: 0, human: 1 },
        { kind: 'add passkey', ...eve },
        invite(1, null, 0),
        { kind: 'switch', ...eve },
        { kind: 'code', contact: 0, human: 0 },
        { kind: 'provider', contact: 0, human: 1 },
        { kind: 'passkey', ...eve },
        { kind: 'switch', ...eve },
        { kind: 'mail', contact: 1, human: 1 },
      ],
    ],
    [
      'a former owner of an address does not reach an account that invites the next one',
      [
        invite(0, 1, null),
        { kind: 'provider', contact: 0, human: 1 },
        { kind: 'add passkey', ...eve },
        { kind: 'move', contact: 0, human: 1 },
        invite(1, 1, null),
        { kind: 'provider', contact: 0, human: 1 },
        { kind: 'passkey', ...eve },
        { kind: 'switch', ...eve },
        { kind: 'mail', contact: 1, human: 0 },
      ],
    ],
    [
      'whom an account made up with its own link reaches only that account',
      [
        invite(0, 0, 0),
        { kind: 'link', person: 0, human: 1 },
        { kind: 'add passkey', ...eve },
        invite(1, 0, 0),
        { kind: 'passkey', ...eve },
        { kind: 'switch', ...eve },
        { kind: 'mail', contact: 0, human: 0 },
        { kind: 'passkey', ...eve },
      ],
    ],
  ])('%s', async (_name, steps) => play(steps));

  it('any sequence of invitations, sign-ins, switches and removals opens an account only to who proved a contact that it invited', async () => {
    await fc.assert(fc.asyncProperty(fc.array(step, { minLength: 6, maxLength: 16, size: 'max' }), play), {
      numRuns: 25,
      endOnFailure: false,
    });
  }, 600_000);
});
