import { STATUSES } from '@firsthand/contract/base/enums.ts';
import fc from 'fast-check';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { many } from '../../../src/platform/db/sql.ts';
import {
  type CaptureRow,
  isTerminal,
  next,
  TERMINAL,
  TRANSITIONS,
  type Trigger,
  type VerificationRow,
} from '../../../src/verification/verifications/row.ts';
import { pickSlot, requirementsMet } from '../../../src/verification/verifications/steps.ts';
import { ask, createVerification, startTestService, submit, type TestService, until } from '../../support/harness.ts';

const TRIGGERS: Trigger[] = [
  'capture_submitted',
  'verdict_written',
  'left',
  'deadline_passed',
  'cancelled',
  'analysis_failed',
];

describe('verification status', () => {
  it('has exactly the transitions of the contract', () => {
    expect(TRANSITIONS).toEqual({
      pending: {
        capture_submitted: 'partially_captured',
        left: 'abandoned',
        deadline_passed: 'expired',
        cancelled: 'expired',
      },
      partially_captured: {
        capture_submitted: 'partially_captured',
        verdict_written: 'completed',
        left: 'abandoned',
        deadline_passed: 'expired',
        cancelled: 'expired',
        analysis_failed: 'failed',
      },
      abandoned: {
        capture_submitted: 'partially_captured',
        verdict_written: 'completed',
        deadline_passed: 'expired',
        cancelled: 'expired',
        analysis_failed: 'failed',
      },
      completed: {},
      expired: {},
      failed: {},
    });
  });

  it('never leaves a terminal state', () => {
    fc.assert(
      fc.property(fc.constantFrom(...STATUSES), fc.array(fc.constantFrom(...TRIGGERS)), (start, triggers) => {
        let status = start;
        let ended = isTerminal(start) ? start : null;
        for (const trigger of triggers) {
          status = next(status, trigger) ?? status;
          if (ended) expect(status).toBe(ended);
          else if (TERMINAL.includes(status)) ended = status;
        }
      }),
    );
  });
});

const stepsArbitrary = fc
  .array(fc.record({ type: fc.constantFrom('image' as const, 'upload' as const), min: fc.nat(2), extra: fc.nat(2) }), {
    minLength: 1,
    maxLength: 4,
  })
  .map(list =>
    list.map(({ type, min, extra }, index) => ({
      type,
      key: `s${index}`,
      description: '',
      min,
      max: Math.max(1, min + extra),
    })),
  );

describe('capture slots', () => {
  it('never exceed a step’s max, and an unnamed capture never fills an upload step', () => {
    fc.assert(
      fc.property(
        stepsArbitrary,
        fc.array(fc.option(fc.nat(4), { nil: undefined }), { maxLength: 20 }),
        (shapes, picks) => {
          const steps = shapes.map(step =>
            step.type === 'upload' ? { ...step, accept: [], max_size_bytes: 1 } : { ...step, type: 'image' as const },
          ) as Parameters<typeof pickSlot>[0];
          const held: Record<string, number> = {};
          for (const pick of picks) {
            const slot = pickSlot(steps, held, pick === undefined ? undefined : `s${pick}`);
            if (!('step' in slot)) {
              if (pick !== undefined) expect(slot.fault).toBe(pick < steps.length ? 'step_full' : 'unknown_step');
              continue;
            }
            if (pick === undefined) expect(slot.step.type).toBe('image');
            held[slot.step.key] = (held[slot.step.key] ?? 0) + 1;
            expect(held[slot.step.key]).toBeLessThanOrEqual(slot.step.max);
          }
          const met = requirementsMet(steps, held, new Set());
          const enough = shapes.every(step => (held[step.key] ?? 0) >= step.min) && Object.keys(held).length > 0;
          expect(met).toBe(enough);
        },
      ),
    );
  });
});

type Act =
  | { act: 'submit'; step: string | undefined; retryOf: string | undefined }
  | { act: 'progress'; abandoned: boolean }
  | { act: 'answer' }
  | { act: 'cancel' }
  | { act: 'read' }
  | { act: 'wait'; seconds: number };

const actArbitrary: fc.Arbitrary<Act> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      act: fc.constant('submit' as const),
      step: fc.constantFrom(undefined, 'a', 'b', 'u'),
      retryOf: fc.constantFrom(undefined, undefined, 'k1', 'k2'),
    }),
  },
  { weight: 2, arbitrary: fc.record({ act: fc.constant('progress' as const), abandoned: fc.boolean() }) },
  { weight: 2, arbitrary: fc.constant({ act: 'answer' as const }) },
  { weight: 1, arbitrary: fc.constant({ act: 'cancel' as const }) },
  { weight: 1, arbitrary: fc.constant({ act: 'read' as const }) },
  { weight: 1, arbitrary: fc.record({ act: fc.constant('wait' as const), seconds: fc.constantFrom(1, 30, 61) }) },
);

describe('verification, any sequence of concurrent acts', () => {
  let service: TestService;
  let skewMs = 0;
  beforeAll(async () => {
    service = await startTestService({ now: () => new Date(Date.now() + skewMs) });
  });
  afterAll(() => service?.stop());

  it('keeps its counts, verdict, terminal status and every acknowledged capture', async () => {
    const pixel = await sharp({ create: { width: 2, height: 2, channels: 3, background: '#456' } })
      .png()
      .toBuffer();
    const steps = [
      { key: 'a', min: 1, max: 2 },
      { key: 'b', min: 0, max: 1 },
      { type: 'upload', key: 'u', min: 0, max: 1 },
      { type: 'text', key: 't' },
    ];
    const max: Record<string, number> = { a: 2, b: 1, u: 1 };

    const run = async (id: string, act: Act): Promise<{ stored: boolean; key: string | undefined; before: number }> => {
      const none = { stored: false, key: undefined, before: 0 };
      if (act.act === 'submit') {
        const more = act.step ? { step_key: act.step } : {};
        const reply = await submit(service, id, pixel, more, act.retryOf ? { 'idempotency-key': act.retryOf } : {});
        // A key under which the picture went to another step already is no retry.
        expect(act.retryOf && act.step ? [201, 409, 410, 422] : [201, 409, 410]).toContain(reply.status);
        return { stored: reply.status === 201, key: act.retryOf, before: 0 };
      }
      if (act.act === 'wait') skewMs += act.seconds * 1_000;
      else if (act.act === 'progress') {
        const body = { schema_version: 1, step: 'ready', elapsed_ms: 1, abandoned: act.abandoned };
        expect((await ask(service, `/v1/verifications/${id}/progress`, { body })).status).toBe(204);
      } else if (act.act === 'answer') {
        const reply = await ask(service, `/v1/verifications/${id}/answers`, { body: { answers: { t: 'x' } } });
        expect([200, 409, 410]).toContain(reply.status);
      } else if (act.act === 'cancel') {
        const options = { key: service.tenant.rk_secret, method: 'POST' };
        expect([200, 409]).toContain((await ask(service, `/v1/verifications/${id}/cancel`, options)).status);
      } else expect((await ask(service, `/v1/verifications/${id}`, { key: service.tenant.pk_test })).status).toBe(200);
      return none;
    };

    const plan = fc.array(fc.array(actArbitrary, { minLength: 1, maxLength: 5 }), { minLength: 1, maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(plan, async batches => {
        const { id } = await createVerification(service, { steps, expires_in_seconds: 60 });
        const acknowledged = new Set<string>();
        let unkeyed = 0;
        for (const batch of batches) {
          for (const { stored, key } of await Promise.all(batch.map(act => run(id, act)))) {
            if (stored && key) acknowledged.add(key);
            else if (stored) unkeyed += 1;
          }
        }
        await until(
          async () =>
            (
              await many(
                service.deps.db,
                `select 1 from captures where verification_id = $1 and analysis_state = 'pending'`,
                [id],
              )
            ).length === 0,
          'analysis to end',
        );
        const db = service.deps.db;
        const [row] = await many<VerificationRow>(db, 'select * from verifications where id = $1', [id]);
        const captures = await many<CaptureRow>(db, 'select * from captures where verification_id = $1', [id]);
        const events = await many<{ type: string; sequence: number }>(
          db,
          'select type, sequence from events where verification_id = $1 order by sequence',
          [id],
        );
        expect(captures).toHaveLength(acknowledged.size + unkeyed);
        expect(row!.captures_count).toBe(captures.length);
        for (const [key, limit] of Object.entries(max)) {
          expect(captures.filter(capture => capture.step_key === key).length).toBeLessThanOrEqual(limit);
        }
        expect(events.map(event => event.sequence)).toEqual(events.map((_, index) => index + 1));
        expect(events.filter(event => event.type === 'verification.capture.persisted')).toHaveLength(captures.length);
        const endings = events.filter(event => /\.(completed|expired|failed)$/.test(event.type));
        expect(endings.length).toBeLessThanOrEqual(1);
        if (endings.length > 0) expect(events.at(-1)).toEqual(endings[0]);
        expect(isTerminal(row!.status)).toBe(endings.length === 1);
        expect(row!.verdict !== null).toBe(row!.status === 'completed');
      }),
      { numRuns: 60 },
    );
  });
});

describe('POST /v1/verifications/:token/captures, twenty at once into a step of max 3', () => {
  it.each([1, 2])('stores exactly three captures on %i node(s)', async nodes => {
    const first = await startTestService();
    const services = [first];
    if (nodes === 2) services.push(await startTestService({ beside: first }));
    try {
      const pixel = await sharp({ create: { width: 2, height: 2, channels: 3, background: '#456' } })
        .png()
        .toBuffer();
      const { id } = await createVerification(first, { steps: [{ key: 'a', min: 3, max: 3 }] });
      const replies = await Promise.all(
        Array.from({ length: 20 }, (_, index) => submit(services[index % nodes]!, id, pixel)),
      );
      expect(replies.filter(reply => reply.status === 201)).toHaveLength(3);
      const refused = replies.filter(reply => reply.status !== 201);
      expect(refused.map(reply => [reply.status, reply.body.error?.code])).toEqual(
        Array.from({ length: 17 }, () => [409, 'step_full']),
      );
      const rows = await many(first.deps.db, 'select 1 from captures where verification_id = $1', [id]);
      expect(rows).toHaveLength(3);
    } finally {
      for (const service of services.reverse()) await service.stop();
    }
  });
});
