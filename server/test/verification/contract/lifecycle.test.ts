import { STATUSES } from '@firsthand/contract/base/enums.ts';
import fc from 'fast-check';
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
import { ask, createVerification, startTestService, submit, type TestService, until } from '../../support/harness.ts';
import { plain } from '../../support/pictures.ts';

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

type Step =
  | { action: 'submit'; step: string | undefined; retryOf: string | undefined }
  | { action: 'progress'; abandoned: boolean }
  | { action: 'answer' }
  | { action: 'cancel' }
  | { action: 'read' }
  | { action: 'wait'; seconds: number };

const stepArbitrary: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      action: fc.constant('submit' as const),
      step: fc.constantFrom(undefined, 'a', 'b', 'u'),
      retryOf: fc.constantFrom(undefined, undefined, 'k1', 'k2'),
    }),
  },
  { weight: 2, arbitrary: fc.record({ action: fc.constant('progress' as const), abandoned: fc.boolean() }) },
  { weight: 2, arbitrary: fc.constant({ action: 'answer' as const }) },
  { weight: 1, arbitrary: fc.constant({ action: 'cancel' as const }) },
  { weight: 1, arbitrary: fc.constant({ action: 'read' as const }) },
  { weight: 1, arbitrary: fc.record({ action: fc.constant('wait' as const), seconds: fc.constantFrom(1, 30, 61) }) },
);

describe('verification, any sequence of concurrent actions', () => {
  let service: TestService;
  let skewMs = 0;
  let pixel: Buffer;
  beforeAll(async () => {
    pixel = await plain({ width: 2, height: 2 });
    service = await startTestService({ now: () => new Date(Date.now() + skewMs) });
  });
  afterAll(() => service?.stop());

  it('keeps its counts, verdict, terminal status and every acknowledged capture', async () => {
    const steps = [
      { key: 'a', min: 1, max: 2 },
      { key: 'b', min: 0, max: 1 },
      { type: 'upload', key: 'u', min: 0, max: 1 },
      { type: 'text', key: 't' },
    ];
    const max: Record<string, number> = { a: 2, b: 1, u: 1 };

    const run = async (id: string, step: Step): Promise<{ stored: boolean; key?: string | undefined }> => {
      if (step.action === 'submit') {
        const more = step.step ? { step_key: step.step } : {};
        const reply = await submit(service, id, pixel, more, step.retryOf ? { 'idempotency-key': step.retryOf } : {});
        // A key under which the picture went to another step already is no retry.
        expect(step.retryOf && step.step ? [201, 409, 410, 422] : [201, 409, 410]).toContain(reply.status);
        return { stored: reply.status === 201, key: step.retryOf };
      }
      if (step.action === 'wait') skewMs += step.seconds * 1_000;
      else if (step.action === 'progress') {
        const body = { schema_version: 1, step: 'ready', elapsed_ms: 1, abandoned: step.abandoned };
        expect((await ask(service, `/v1/verifications/${id}/progress`, { body })).status).toBe(204);
      } else if (step.action === 'answer') {
        const reply = await ask(service, `/v1/verifications/${id}/answers`, { body: { answers: { t: 'x' } } });
        expect([200, 409, 410]).toContain(reply.status);
      } else if (step.action === 'cancel') {
        const options = { key: service.tenant.rk_secret, method: 'POST' };
        expect([200, 409]).toContain((await ask(service, `/v1/verifications/${id}/cancel`, options)).status);
      } else expect((await ask(service, `/v1/verifications/${id}`, { key: service.tenant.pk_test })).status).toBe(200);
      return { stored: false };
    };

    const plan = fc.array(fc.array(stepArbitrary, { minLength: 1, maxLength: 5 }), { minLength: 1, maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(plan, async batches => {
        const { id } = await createVerification(service, { steps, expires_in_seconds: 60 });
        const acknowledged = new Set<string>();
        let unkeyed = 0;
        for (const batch of batches) {
          for (const { stored, key } of await Promise.all(batch.map(step => run(id, step)))) {
            if (stored && key) acknowledged.add(key);
            else if (stored) unkeyed += 1;
          }
        }
        const { db } = service.deps;
        const pending = `select 1 from captures where verification_id = $1 and analysis_state = 'pending'`;
        await until(async () => (await many(db, pending, [id])).length === 0, 'analysis to end');
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

  it('stores exactly three of twenty captures that arrive at once at two nodes, in a step of max 3', async () => {
    const second = await startTestService({ beside: service });
    try {
      const { id } = await createVerification(service, { steps: [{ key: 'a', min: 3, max: 3 }] });
      const replies = await Promise.all(
        Array.from({ length: 20 }, (_, index) => submit(index % 2 === 0 ? service : second, id, pixel)),
      );
      const codes = replies.map(({ status, body }) => (status === 201 ? 'stored' : `${status} ${body.error?.code}`));
      expect(codes.toSorted()).toEqual([...Array(17).fill('409 step_full'), ...Array(3).fill('stored')]);
      expect(await many(service.deps.db, 'select 1 from captures where verification_id = $1', [id])).toHaveLength(3);
    } finally {
      await second.stop();
    }
  });
});
