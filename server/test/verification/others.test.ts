import { receiveWebhooks } from '@firsthand/cli/receive-webhooks.ts';
import type { CreatedApiKey } from '@firsthand/contract/account/management.ts';
import type { CaptureSignals } from '@firsthand/contract/verification/signals.ts';
import type { EndUserView, Verification } from '@firsthand/contract/verification/verification.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { keptAbout } from '../../src/custody/erasure/kept-files.ts';
import { signedIn } from '../identity/people/visitor.ts';
import {
  ask,
  createVerification,
  startTestService,
  submit,
  type TestService,
  until,
  untilStatus,
} from '../support/harness.ts';
import { firstHand } from '../support/pictures.ts';

const REVERSE = { signals_required: ['ai', 'reverse'] };

let service: TestService;
let photo: Buffer;
beforeAll(async () => {
  photo = await firstHand();
  service = await startTestService();
});
afterAll(() => service?.stop());

const matchesOf = (captures: { signals?: CaptureSignals }[]) =>
  (captures[0]!.signals!.reverse_search as unknown as { matches: Record<string, unknown>[] }).matches;

describe('the id of another verification that a photo matches', () => {
  let first: string;
  beforeAll(async () => {
    first = (await createVerification(service, REVERSE)).id;
    await submit(service, first, photo);
    await untilStatus(service, first, ['completed']);
  });

  it('is shown to keys without scopes and to people of the account', async () => {
    const { id } = await createVerification(service, REVERSE);
    await submit(service, id, photo);
    const done = await untilStatus(service, id, ['completed']);
    expect(matchesOf(done.captures)).toMatchObject([{ source: 'earlier_capture', verification_id: first }]);
    const viewer = await signedIn(service, { tenantId: service.tenant.tenant_id, role: 'viewer', livemode: false });
    expect((await viewer.ask(`/v1/verifications/${id}`)).text).toContain(first);
  });

  it('is not in the webhooks of a verification made with a key for apps, in its public view, in files for the person, or in the log', async () => {
    const hooks = await receiveWebhooks();
    try {
      const secret = service.tenant.rk_secret;
      const request = { ...REVERSE, webhook_url: hooks.url };
      const template = await ask<{ id: string }>(service, '/v1/link-templates', {
        key: secret,
        body: { name: 'App', request },
      });
      const key = await ask<CreatedApiKey>(service, '/v1/api-keys', {
        key: secret,
        body: { name: 'App', mode: 'test', scopes: ['create', 'capture'], template_id: template.body.id },
      });
      const { id } = await createVerification(service, {}, key.body.key!);
      await submit(service, id, photo);
      const done = await untilStatus(service, id, ['completed']);
      expect(matchesOf(done.captures).length).toBeGreaterThan(0);

      const told = await until(
        async () => hooks.of(id).find(({ event }) => event.type === 'verification.completed'),
        'the webhook',
      );
      const matches = matchesOf((told.event.data as unknown as Verification).captures);
      expect(matches[0]).toMatchObject({ source: 'earlier_capture', distance: expect.any(Number) });
      const [own, stranger] = [/vfy_\w+/g, /cap_\w+/g].map(pattern => new Set(told.raw.match(pattern)));
      expect([...own!]).toEqual([id]);
      expect(stranger!.size).toBe(1);

      const shown = await ask(service, `/v1/verifications/${id}/public`);
      expect(shown.text).not.toContain(first);
      let files = 0;
      for await (const { bytes } of keptAbout(service.deps, id)) {
        files += 1;
        expect(bytes.includes(first)).toBe(false);
      }
      expect(files).toBeGreaterThan(3);
      expect(service.logged.join('')).not.toContain(first);
    } finally {
      await hooks.close();
    }
  });
});

describe('a trial', () => {
  type Trial = { id: string; config: { steps: { description: string }[] }; captures: { signals?: CaptureSignals }[] };
  const trial = async (body: object) => {
    const made = await ask<Trial>(service, '/v1/trial/verifications', { body });
    expect(made.status, made.text).toBe(201);
    return made.body;
  };
  const analysed = (id: string) =>
    until(async () => {
      const { body } = await ask<Trial>(service, `/v1/trial/verifications/${id}`);
      return body.captures[0]?.signals ? body : null;
    }, `trial ${id}`);

  it('is neither matched with other trials nor found by them', async () => {
    const others = await trial(REVERSE);
    await submit(service, others.id, photo);
    await analysed(others.id);
    const mine = await trial(REVERSE);
    await submit(service, mine.id, photo);
    const { captures } = await analysed(mine.id);
    expect(captures[0]!.signals!.reverse_search).toMatchObject({ found_online: false, match_count: 0, matches: [] });
    expect(JSON.stringify(captures)).not.toContain(others.id);
  });

  it('shows the claimant none of the words that a stranger wrote, and says that it is a trial', async () => {
    const words = 'Your claim was refused. Call +49 900 5550199';
    const steps = [{ key: 'call-us', description: words, min: 1, max: 1 }];
    const { id, config } = await trial({ steps });
    expect(config.steps[0]!.description).toBe(words);
    const view = await ask<EndUserView>(service, `/v1/verify/${id}`);
    expect([view.body.trial, view.body.config.steps.map(({ description }) => description)]).toEqual([true, ['']]);
    const sent = await submit(service, id, photo);
    expect(view.text + sent.text).not.toContain('refused');
    const read = await ask<Trial>(service, `/v1/trial/verifications/${id}`);
    expect(read.body.config.steps[0]!.description).toBe(words);
    const own = await createVerification(service, { steps });
    const owned = await ask<EndUserView>(service, `/v1/verify/${own.id}`);
    expect([owned.body.trial, owned.body.config.steps[0]!.description]).toEqual([undefined, words]);
  });
});
