import type { LinkTemplate, Settings } from '@firsthand/contract/account/management.ts';
import type { EndUserView, Verification } from '@firsthand/contract/verification/verification.ts';
import sharp from 'sharp';
import { beforeAll, describe, expect, it } from 'vitest';
import { next, read } from '../../desk/reviews/cases.ts';
import { signedIn, type Visitor } from '../../identity/people/visitor.ts';
import type { Failure } from '../../support/failure.ts';
import { ask, createVerification, submit, untilStatus } from '../../support/harness.ts';
import { firstHand, plain } from '../../support/pictures.ts';
import { serviceOfSuite } from '../../support/suite.ts';

/** A photo with detail at this size. */
const photoOf = async (seed: number, width: number) =>
  sharp(await firstHand(seed))
    .resize(width)
    .jpeg()
    .toBuffer();
const pixel = () => plain({ width: 1, height: 1 });

const service = serviceOfSuite();
let owner: Visitor;
beforeAll(async () => {
  owner = await signedIn(service, { tenantId: service.tenant.tenant_id, role: 'owner', livemode: false });
});

/** Submits each picture, in the order of the steps named, and returns the finished verification. */
async function verify(body: object, pictures: [Buffer, string?][], key = service.tenant.pk_test) {
  const { id } = await createVerification(service, body, key);
  for (const [picture, step_key] of pictures) {
    const sent = await submit(service, id, picture, step_key ? { step_key } : {});
    expect(sent.status, sent.text).toBe(201);
  }
  return untilStatus(service, id, ['completed'], key);
}

function expectUnsupported({ verdict, review }: Verification) {
  expect(verdict).toMatchObject({ label: 'suspicious', score: 0.5 });
  expect(verdict).not.toHaveProperty('reason_code');
  expect(review.state).toBe('open');
}

describe('a verdict', () => {
  it('is suspicious without a reason for a photo below 640 pixels, and opens a review in the queue of checks', async () => {
    const done = await verify({ signals_required: ['screen', 'ai'] }, [[await photoOf(1, 639)]]);
    expectUnsupported(done);
    expect(done.verdict!.signals.screen_detection).toEqual({ screen_detected: false, confidence: 0, evaluated: false });
    expect(done.captures[0]!.signals!.screen_detection).toMatchObject({ evaluated: false, reason: 'too_small' });
    const [shown] = (await read(owner, done.id)).captures;
    expect(shown!.explanation!.screen).toMatchObject({
      no_odds: 'not_evaluated',
      unanswered: { reason: 'too_small', chosen_by: 'sender' },
    });
    expect((await next(owner, { queue: 'suspicious' })).status).toBe(204);
    expect((await next(owner, { queue: 'checks' })).body.id).toBe(done.id);
    expect((await verify({}, [[await photoOf(1, 640)]])).verdict).toMatchObject({ label: 'verified' });
  });

  it('is suspicious for one pixel by the defaults, and verified where only `ai` is required', async () => {
    expectUnsupported(await verify({}, [[await pixel()]]));
    expect((await verify({ signals_required: ['ai'] }, [[await pixel()]])).verdict).toMatchObject({
      label: 'verified',
      score: 0.5,
    });
  });

  it('is suspicious where nothing required can be evaluated', async () => {
    const context = { kind: 'claim', summary: 'hail on a blue car' };
    const photo = await firstHand(2);
    const upload = [{ type: 'upload', key: 'u', min: 1, max: 1 }];
    for (const [body, reason] of [
      [{ signals_required: ['context'], context }, 'no_model'],
      [{ signals_required: ['context'] }, 'no_context'],
      [{ signals_required: ['depth'] }, 'no_session'],
      [{ signals_required: ['screen', 'depth'], depth_policy: 'strict', steps: upload }, undefined],
    ] as const) {
      const done = await verify(body, [[photo, 'steps' in body ? 'u' : undefined]]);
      expectUnsupported(done);
      const { signals, context: checked } = done.captures[0]!;
      const depth = signals?.depth as { reason?: string; status?: string } | undefined;
      if (reason) expect(checked?.no_answer ?? depth?.reason).toBe(reason);
      else expect(depth?.status).toBe('not_applicable');
    }
  });

  it('is verified where what is missing is not the sender’s choice and another signal answers', async () => {
    const context = { kind: 'claim', summary: 'hail on a blue car' };
    const { tenant_id, pk_test } = await service.newTenant();
    expect(tenant_id).not.toBe(service.tenant.tenant_id);
    const signals_required = ['ai', 'reverse', 'context', 'depth'];
    const done = await verify({ signals_required, context }, [[await firstHand(3)]], pk_test);
    expect(done.verdict).toMatchObject({ label: 'verified', score: 0.5 });
    expect(done.captures[0]!.signals!.reverse_search).toMatchObject({ reason: 'nothing_to_search' });
    // Now there is something to search, and a plain picture cannot be recognised.
    const plainOne = await verify({ signals_required, context }, [[await plain()]], pk_test);
    expectUnsupported(plainOne);
    expect(plainOne.captures[0]!.signals!.reverse_search).toMatchObject({ reason: 'too_plain' });
  });

  it('needs support for each photo of a step, for optional live photos too, and none for uploads beside them', async () => {
    const [good, small] = [await firstHand(4), await photoOf(5, 480)];
    const steps = [
      { key: 'a', min: 1, max: 2 },
      { key: 'b', min: 0, max: 1 },
      { type: 'upload', key: 'u', min: 0, max: 1 },
    ];
    const optionalFirst = (step: string, picture: Buffer): [Buffer, string][] => [
      [picture, step],
      [good, 'a'],
    ];
    const two = [{ key: 'a', min: 2, max: 2 }];
    expectUnsupported(await verify({ steps: two }, [[good], [small]]));
    expectUnsupported(await verify({ steps }, optionalFirst('b', small)));
    expect((await verify({ steps }, optionalFirst('u', small))).verdict?.label).toBe('verified');
  });

  it('is what a test asks for, whatever is missing', async () => {
    const done = await verify({ metadata: { test_outcome: 'verified' } }, [[await pixel()]]);
    expect(done.verdict).toMatchObject({ label: 'verified', score: 0.99 });
  });
});

describe('context.attributes.min_long_side', () => {
  const context = (attributes: object) => ({ context: { kind: 'claim', summary: 'a car', attributes } });
  const steps = [
    { key: 'front', min: 1, max: 2 },
    { key: 'plate', min: 0, max: 1 },
  ];

  it('refuses a smaller picture by the step, and tells the page', async () => {
    const { id } = await createVerification(service, {
      steps,
      ...context({ min_long_side: 600, 'min_long_side.front': 1200 }),
    });
    const page = await ask<EndUserView>(service, `/v1/verify/${id}`);
    expect(page.body.step_states).toEqual([
      { key: 'front', type: 'image', captured: 0, remaining: 2, min_long_side: 1200 },
      { key: 'plate', type: 'image', captured: 0, remaining: 1, min_long_side: 600 },
    ]);
    expect(page.text).not.toContain('summary');
    const small = await photoOf(7, 1199);
    const refused = await submit(service, id, small, { step_key: 'front' });
    expect([refused.status, refused.body.error?.code, refused.body.error?.fields]).toEqual([
      400,
      'invalid_request',
      [
        {
          path: 'image_base64',
          message: expect.stringContaining('at least 1200 on the long side'),
          code: 'too_few_pixels',
          params: { min: 1_200, width: 1_199, height: expect.any(Number) },
        },
      ],
    ]);
    expect((await submit(service, id, small, { step_key: 'plate' })).status).toBe(201);
    expect((await submit(service, id, await firstHand(7), { step_key: 'front' })).status).toBe(201);
  });

  it('must be a whole number, of a step that takes pictures', async () => {
    for (const [attributes, path] of [
      [{ min_long_side: '640' }, 'context.attributes.min_long_side'],
      [{ min_long_side: 0 }, 'context.attributes.min_long_side'],
      [{ min_long_side: 640.5 }, 'context.attributes.min_long_side'],
      [{ 'min_long_side.back': 640 }, 'context.attributes.min_long_side.back'],
    ] as const) {
      const { status, body } = await ask<Failure>(service, '/v1/verifications', {
        key: service.tenant.pk_test,
        body: { steps, ...context(attributes) },
      });
      expect([status, body.error?.fields?.map(fault => fault.path)]).toEqual([400, [path]]);
    }
  });
});

describe('context.attributes["three_dimensional.KEY"]: false', () => {
  const steps = [
    { key: 'room', min: 0, max: 1 },
    { key: 'papers', min: 1, max: 1 },
  ];
  const body = (attributes: object) => ({
    steps,
    signals_required: ['screen', 'depth'],
    depth_policy: 'strict',
    context: { kind: 'claim', summary: 'a room and its papers', attributes },
  });

  it('asks for no moves and no depth in this step, and for both in others', async () => {
    const flat = body({ 'three_dimensional.papers': false });
    const { id } = await createVerification(service, flat);
    const page = await ask<EndUserView>(service, `/v1/verify/${id}`);
    expect(page.body.requires).toMatchObject({ motion_frame: true });
    expect(page.body.step_states).toEqual([
      { key: 'room', type: 'image', captured: 0, remaining: 1 },
      { key: 'papers', type: 'image', captured: 0, remaining: 1, motion_frame: false },
    ]);
    const papers = await verify(flat, [[await firstHand(1), 'papers']]);
    expect(papers.verdict).toMatchObject({ label: 'verified' });
    expect(papers.captures[0]!.signals).not.toHaveProperty('depth');
    expect(papers.captures[0]).not.toHaveProperty('presence');
    for (const [request, steps] of [
      [flat, ['room', 'papers']],
      [body({}), ['papers']],
    ] as const) {
      const pictures: [Buffer, string][] = [];
      for (const [n, key] of steps.entries()) pictures.push([await firstHand(n + 1), key]);
      const { verdict } = await verify(request, pictures);
      expect(verdict).toMatchObject({ label: 'suspicious', reason_code: 'depth_anomaly' });
    }
  });

  it('supports nothing where only depth is required', async () => {
    const alone = { ...body({ 'three_dimensional.papers': false }), signals_required: ['depth'] };
    expectUnsupported(await verify(alone, [[await firstHand(1), 'papers']]));
  });

  it('must be true or false, of a step that takes pictures', async () => {
    for (const attributes of [{ 'three_dimensional.papers': 'no' }, { 'three_dimensional.back': false }]) {
      const request = { key: service.tenant.pk_test, body: body(attributes) };
      const refused = await ask<Failure>(service, '/v1/verifications', request);
      expect([refused.status, refused.body.error?.fields?.map(fault => fault.path)]).toEqual([
        400,
        [`context.attributes.${Object.keys(attributes)[0]}`],
      ]);
    }
  });
});

describe('POST /v1/verifications', () => {
  it('warns of required signals that this installation cannot evaluate, and tells the claimant nothing', async () => {
    const { pk_test } = await service.newTenant();
    const body = { signals_required: ['screen', 'context', 'reverse'], context: { kind: 'claim', summary: 'a car' } };
    const created = await ask<Verification>(service, '/v1/verifications', { key: pk_test, body });
    expect(created.body.warnings).toEqual([
      { signal: 'context', reason: 'no_model', message: expect.any(String) },
      { signal: 'reverse', reason: 'nothing_to_search', message: expect.any(String) },
    ]);
    const read = await ask<Verification>(service, `/v1/verifications/${created.body.id}`, { key: pk_test });
    expect(read.body.warnings).toEqual(created.body.warnings);
    expect((await ask(service, `/v1/verify/${created.body.id}`)).text).not.toContain('warnings');
    expect((await ask(service, `/v1/verifications/${created.body.id}/public`)).text).not.toContain('warnings');
    const { rows } = await service.deps.db.query<{ body: string }>(
      'select body from events where verification_id = $1',
      [created.body.id],
    );
    expect(rows[0]!.body).not.toContain('warnings');
  });

  it('does not warn once there is something to search', async () => {
    const { pk_test, pk_live } = await service.newTenant();
    const body = { signals_required: ['reverse', 'ai'] };
    await verify(body, [[await firstHand(8)]], pk_test);
    const warningsWith = async (key: string) =>
      (await ask<Verification>(service, '/v1/verifications', { key, body })).body.warnings;
    expect(await warningsWith(pk_test)).toBeUndefined();
    expect(await warningsWith(pk_live)).toHaveLength(1);
  });
});

describe('link templates', () => {
  it('warn of required signals that this installation cannot evaluate, also of the account, until they are revoked', async () => {
    const tenant = await service.newTenant();
    const send = <T>(path: string, o: object = {}) => ask<T>(service, path, { key: tenant.rk_secret, ...o });
    const body = { name: 'Car', request: { context: { kind: 'claim', summary: 'a car' } } };
    const made = (await send<LinkTemplate>('/v1/link-templates', { body })).body;
    expect(made).not.toHaveProperty('warnings');
    await send('/v1/settings', { method: 'PATCH', body: { signals_required: ['context'] } });
    const path = `/v1/link-templates/${made.id}`;
    const warnings = [{ signal: 'context', reason: 'no_model', message: expect.any(String) }];
    expect((await send<LinkTemplate>(path)).body.warnings).toEqual(warnings);
    const own = { ...body, request: { ...body.request, signals_required: ['reverse'] } };
    expect((await send<LinkTemplate>(path, { method: 'PUT', body: own })).body.warnings).toEqual([
      { signal: 'reverse', reason: 'nothing_to_search', message: expect.any(String) },
    ]);
    await send(`${path}/revoke`, { body: {} });
    expect((await send<LinkTemplate>(path)).body).not.toHaveProperty('warnings');
  });
});

describe('the setting signals_required', () => {
  const change = (body: object) =>
    ask<Settings & Failure>(service, '/v1/settings', { method: 'PATCH', key: service.tenant.rk_secret, body });
  const create = (body: object) =>
    ask<Verification & Failure>(service, '/v1/verifications', { key: service.tenant.pk_test, body });

  it('is the default of later verifications and is copied into them', async () => {
    const before = await createVerification(service);
    expect((await change({ signals_required: ['screen', 'depth'], depth_policy: 'strict' })).body).toMatchObject({
      signals_required: ['screen', 'depth'],
    });
    try {
      const after = await createVerification(service);
      expect(before.config.signals_required).toEqual(['screen', 'ai']);
      expect(after.config).toMatchObject({ signals_required: ['screen', 'depth'], depth_policy: 'strict' });
      expect((await createVerification(service, { signals_required: ['ai'] })).config.signals_required).toEqual(['ai']);
      expect((await create({ depth_policy: 'lenient' })).body.config.depth_policy).toBe('lenient');
      await change({ signals_required: null });
      const kept = await ask<Verification>(service, `/v1/verifications/${after.id}`, { key: service.tenant.pk_test });
      expect(kept.body.config.signals_required).toEqual(['screen', 'depth']);
      expect((await createVerification(service)).config.signals_required).toEqual(['screen', 'ai']);
      expect((await create({ depth_policy: 'lenient' })).body.error?.fields).toEqual([
        {
          path: 'depth_policy',
          message: 'needs "depth" among signals_required',
          code: 'conflict',
          params: { with: ['signals_required'] },
        },
      ]);
    } finally {
      await change({ signals_required: null, depth_policy: 'lenient' });
    }
  });

  it('is refused empty, unknown or twice', async () => {
    for (const signals_required of [[], ['colour'], ['ai', 'ai'], 'ai']) {
      const { status, body } = await change({ signals_required });
      expect([status, body.error?.fields?.[0]?.path]).toEqual([400, expect.stringMatching(/^signals_required/)]);
    }
  });
});
