import type { Me } from '@firsthand/contract/people/people.ts';
import { describe, expect, it } from 'vitest';
import { serviceOfSuite } from '../../support/suite.ts';
import { createAuthenticator, type Options } from './authenticator.ts';
import { signedIn, type Visitor, visit } from './visitor.ts';

describe('passkeys', () => {
  let skew = 0;
  const service = serviceOfSuite({
    worker: false,
    env: { TRUSTED_PROXIES: '127.0.0.1,::1' },
    now: () => new Date(Date.now() + skew),
  });
  const origin = () => service.url;

  type Ceremony = Partial<Parameters<ReturnType<typeof createAuthenticator>['authenticate']>[1]>;
  const creation = async (visitor: Visitor) =>
    (await visitor.ask<Options>('/v1/me/passkeys/options', { method: 'POST' })).body;
  const request = async () => (await visit(service).ask<Options>('/v1/auth/passkey/options', { body: {} })).body;
  const add = async (visitor: Visitor, key = createAuthenticator(), o: Ceremony = {}) => ({
    key,
    reply: await visitor.ask<{ id: string }>('/v1/me/passkeys', {
      body: { name: 'Laptop', response: key.register(await creation(visitor), { origin: origin(), ...o }) },
    }),
  });
  const redeem = (body: unknown, visitor = visit(service)) => visitor.ask<Me>('/v1/auth/passkey/redeem', { body });
  const person = () => signedIn(service, { tenantId: service.tenant.tenant_id, role: 'owner' });

  it('POST /v1/me/passkeys adds a passkey that POST /v1/auth/passkey/redeem accepts', async () => {
    const visitor = await person();
    const { key, reply } = await add(visitor);
    expect([reply.status, reply.body]).toEqual([
      201,
      { id: expect.stringMatching(/^psk_/), name: 'Laptop', created_at: expect.any(String) },
    ]);
    const options = await request();
    expect(options).toMatchObject({ rpId: 'localhost', userVerification: 'required' });
    expect(options).not.toHaveProperty('allowCredentials.0');
    const browser = visit(service);
    const signed = await redeem(key.authenticate(options, { origin: origin() }), browser);
    expect([signed.status, signed.body.person.id, signed.body.session.method]).toEqual([
      200,
      visitor.personId,
      'passkey',
    ]);
    expect(signed.body.passkeys).toEqual([{ ...reply.body, last_used_at: expect.any(String) }]);
    expect((await browser.ask('/v1/me')).status).toBe(200);
  });

  it('DELETE /v1/me/passkeys/:id disables the passkey', async () => {
    const visitor = await person();
    const { key, reply } = await add(visitor);
    expect((await visitor.ask(`/v1/me/passkeys/${reply.body.id}`, { method: 'DELETE' })).status).toBe(204);
    expect((await redeem(key.authenticate(await request(), { origin: origin() }))).status).toBe(401);
  });

  it('POST /v1/auth/passkey/redeem refuses another origin, an old challenge, another person and an unverified user', async () => {
    const visitor = await person();
    const { key } = await add(visitor);
    const stranger = await add(await person());
    const answers: Record<string, unknown>[] = [];
    const bad: Ceremony[] = [
      { origin: 'https://evil.example' },
      { origin: `${origin()}.evil.example` },
      { rpId: 'evil.example' },
      { userVerified: false },
      { type: 'webauthn.create' },
      { counter: 0 },
    ];
    for (const ceremony of bad) answers.push(key.authenticate(await request(), { origin: origin(), ...ceremony }));
    const own = key.authenticate(await request(), { origin: origin() });
    const other = stranger.key.authenticate(await request(), { origin: origin() });
    answers.push(
      { ...own, response: { ...own.response, signature: other.response.signature } },
      { ...key.authenticate(await request(), { origin: origin() }), id: other.id, rawId: other.rawId },
      createAuthenticator().authenticate(await request(), { origin: origin() }),
      key.authenticate({ challenge: 'bWFkZSB1cA', rpId: 'localhost' }, { origin: origin() }),
      key.authenticate(await creation(visitor), { origin: origin(), rpId: 'localhost' }),
    );
    const handle = key.authenticate(await request(), { origin: origin() });
    answers.push({ ...handle, response: { ...handle.response, userHandle: other.response.userHandle } });
    const texts = new Set<string>();
    for (const [index, answer] of answers.entries()) {
      const reply = await redeem(answer);
      expect([index, reply.status, reply.headers.getSetCookie()]).toEqual([index, 401, []]);
      texts.add(reply.text);
    }
    expect(texts.size).toBe(1);
    // The limit of the account is spent: it is the address's no more.
    const last = await redeem(key.authenticate(await request(), { origin: origin() }));
    expect([200, 429]).toContain(last.status);
  });

  it('a challenge is valid for one answer and 10 minutes', async () => {
    const { key } = await add(await person());
    const options = await request();
    expect((await redeem(key.authenticate(options, { origin: origin() }))).status).toBe(200);
    expect((await redeem(key.authenticate(options, { origin: origin() }))).status).toBe(401);
    const old = await request();
    skew += 600_001;
    const reply = await redeem(key.authenticate(old, { origin: origin() })).finally(() => {
      skew = 0;
    });
    expect(reply.status).toBe(401);
  });

  it("POST /v1/me/passkeys refuses another person's challenge, another origin and an unverified user", async () => {
    const [own, other] = [await person(), await person()];
    const key = createAuthenticator();
    const foreign = key.register(await creation(other), { origin: origin() });
    const body = { name: 'Laptop', response: foreign };
    expect((await own.ask('/v1/me/passkeys', { body })).status).toBe(400);
    for (const ceremony of [{ origin: 'https://evil.example' }, { userVerified: false }, { rpId: 'evil.example' }]) {
      expect((await add(own, createAuthenticator(), ceremony)).reply.status).toBe(400);
    }
    const { reply } = await add(own, key);
    expect(reply.status).toBe(201);
    expect((await add(other, key)).reply.status).toBe(400);
  });
});
