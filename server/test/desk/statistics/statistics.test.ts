import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Statistics } from '@firsthand/contract/statistics/statistics.ts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { forgetChanges } from '../../../src/delivery/changes/hub.ts';
import { secondsOf } from '../../../src/desk/statistics/counts.ts';
import { foldStatistics, resumeStatistics } from '../../../src/desk/statistics/fold.ts';
import { one, type Queryable } from '../../../src/platform/db/sql.ts';
import { newId } from '../../../src/platform/lib/ids.ts';
import { normalizeRequest } from '../../../src/verification/verifications/issue.ts';
import { signedIn } from '../../identity/people/visitor.ts';
import { createChance } from '../../support/chance.ts';
import { pathsOf } from '../../support/failure.ts';
import { ask, createVerification, startTestService, submit, until, untilStatus } from '../../support/harness.ts';
import { plain } from '../../support/pictures.ts';
import { serviceOfSuite } from '../../support/suite.ts';

const chance = createChance();

const HOUR = 3_600_000;
const BEGAN = Date.UTC(2026, 9, 30, 22);
const HOURS = 72;
const LADDER = ['landing', 'ready', 'camera_blocked', 'capturing', 'reviewing', 'uploading', 'success'];

/** One step of a history. */
type Step =
  | { kind: 'progress'; reached: string }
  | { kind: 'capture'; seconds: number }
  | { kind: 'complete'; label: 'verified' | 'suspicious' | 'failed'; reason: string; seconds: number }
  | { kind: 'expire' | 'fail' | 'redact' | 'fold' | 'open review' | 'undo' }
  | { kind: 'review'; decision: 'approved' | 'rejected' | 'retake'; seconds: number };

interface History {
  minute: number;
  brand: string | null;
  template: string | null;
  steps: Step[];
}

/** What the history leaves, told without the database. */
interface Model {
  created: number;
  status: string;
  label: string | null;
  reason: string | null;
  furthest: number;
  toCapture: number | null;
  toVerdict: number | null;
  review: { decision: string; seconds: number } | null;
  brand: string | null;
  template: string | null;
}

const seconds = fc.oneof(fc.integer({ min: 0, max: 63 }), fc.integer({ min: 64, max: 400_000 }));
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ kind: fc.constant('progress' as const), reached: fc.constantFrom(...LADDER) }),
  fc.record({ kind: fc.constant('capture' as const), seconds }),
  fc.record({
    kind: fc.constant('complete' as const),
    label: fc.constantFrom('verified' as const, 'suspicious' as const, 'failed' as const),
    reason: fc.constantFrom('screen_detected', 'ai_generated'),
    seconds,
  }),
  fc.record({
    kind: fc.constantFrom('expire', 'fail', 'redact', 'fold', 'open review', 'undo'),
  }) as fc.Arbitrary<Step>,
  fc.record({
    kind: fc.constant('review' as const),
    decision: fc.constantFrom('approved' as const, 'rejected' as const, 'retake' as const),
    seconds,
  }),
);
const history: fc.Arbitrary<History> = fc.record({
  minute: fc.integer({ min: 0, max: HOURS * 60 - 1 }),
  brand: fc.option(fc.constantFrom('acme', 'globex')),
  template: fc.option(fc.constantFrom('tpl_a', 'tpl_b')),
  steps: fc.array(step, { maxLength: 7 }),
});

describe('GET /v1/statistics', () => {
  const service = serviceOfSuite({ worker: false });

  /** Plays a history on a row, as the service's own statements do, and on a model. */
  async function play(tenantId: string, { minute, brand, template, steps }: History): Promise<Model> {
    const { db } = service.deps;
    const created = BEGAN + minute * 60_000;
    const id = newId('vfy', created);
    const at = (after: number) => new Date(created + after * 1_000);
    const { config } = normalizeRequest({}, null);
    const hidden = {
      ...(brand ? { brand_slug: brand } : {}),
      ...(template ? { template: { id: template, version: 1 } } : {}),
    };
    await db.query(
      `insert into verifications (id, tenant_id, livemode, created_at, expires_at, config, private)
       values ($1, $2, true, $3, $3, $4, $5)`,
      [id, tenantId, at(0), JSON.stringify(config), JSON.stringify(hidden)],
    );
    const model: Model = {
      created,
      status: 'pending',
      label: null,
      reason: null,
      furthest: -1,
      toCapture: null,
      toVerdict: null,
      review: null,
      brand,
      template,
    };
    let open = true;
    let inReview = false;
    let erased = false;
    for (const step of steps) {
      if (step.kind === 'fold') await foldStatistics(service.deps);
      if (erased) continue;
      if (step.kind === 'progress') {
        const progress = JSON.stringify({ schema_version: 1, step: step.reached, elapsed_ms: 1, updated_at: at(1) });
        await db.query('update verifications set progress = $2 where id = $1', [id, progress]);
        model.furthest = Math.max(model.furthest, LADDER.indexOf(step.reached));
      } else if (step.kind === 'capture' && open && model.toCapture === null) {
        await db.query(
          `insert into captures (id, verification_id, tenant_id, step_key, source, content_type, size_bytes, width, height,
             sha256, image_blob, created_at) values ($1, $2, $3, 'capture_1', 'live', 'image/jpeg', 1, 1, 1, '', '', $4)`,
          [newId('cap'), id, tenantId, at(step.seconds)],
        );
        await db.query(`update verifications set status = 'partially_captured', captures_count = 1 where id = $1`, [
          id,
        ]);
        model.toCapture = step.seconds;
        model.status = 'partially_captured';
      } else if (step.kind === 'complete' && open) {
        const reason_code = step.label === 'verified' ? {} : { reason_code: step.reason };
        await db.query(`update verifications set status = 'completed', completed_at = $2, verdict = $3 where id = $1`, [
          id,
          at(step.seconds),
          JSON.stringify({ label: step.label, score: 0.9, signals: {}, ...reason_code }),
        ]);
        open = false;
        Object.assign(model, { status: 'completed', label: step.label, toVerdict: step.seconds });
        model.reason = step.label === 'verified' ? null : step.reason;
      } else if ((step.kind === 'expire' || step.kind === 'fail') && open) {
        model.status = step.kind === 'expire' ? 'expired' : 'failed';
        await db.query('update verifications set status = $2 where id = $1', [id, model.status]);
        open = false;
      } else if (step.kind === 'open review' && !open && !inReview) {
        await db.query(`update verifications set review_state = 'open', review_opened_at = $2 where id = $1`, [
          id,
          at(500),
        ]);
        inReview = true;
      } else if (step.kind === 'review' && inReview && !model.review) {
        await db.query(
          `update verifications set review_state = 'decided', review_decision = $2, review_decided_at = $3 where id = $1`,
          [id, step.decision, at(500 + step.seconds)],
        );
        model.review = { decision: step.decision, seconds: step.seconds };
      } else if (step.kind === 'undo' && model.review) {
        await db.query(
          `update verifications set review_state = 'open', review_decision = null, review_decided_at = null where id = $1`,
          [id],
        );
        model.review = null;
      } else if (step.kind === 'redact') {
        // An erasure ends an open verification in the same breath.
        const status = open ? 'expired' : model.status;
        await db.query(
          `update verifications set redacted_at = $2, status = $3, private = '{}', config = config - 'metadata', progress = null where id = $1`,
          [id, at(900_000), status],
        );
        model.status = status;
        erased = true;
      }
    }
    return model;
  }

  const middle = (numbers: (number | null)[]): number | undefined => {
    const sorted = numbers.filter(n => n !== null).sort((a, b) => a - b);
    if (sorted.length === 0) return undefined;
    return (sorted[Math.floor((sorted.length - 1) / 2)]! + sorted[Math.floor(sorted.length / 2)]!) / 2;
  };
  function recount(models: Model[]) {
    const n = (passes: (model: Model) => boolean) => models.filter(passes).length;
    const rejected: Record<string, number> = {};
    for (const { label, reason } of models) if (label === 'failed') rejected[reason!] = (rejected[reason!] ?? 0) + 1;
    return {
      created: models.length,
      completed: n(({ status }) => status === 'completed'),
      expired: n(({ status }) => status === 'expired'),
      failed: n(({ status }) => status === 'failed'),
      verified: n(({ label }) => label === 'verified'),
      suspicious: n(({ label }) => label === 'suspicious'),
      rejected_by_signal: rejected,
      reviewed: n(({ review }) => review !== null),
      overridden: n(
        ({ label, review }) =>
          (label === 'verified' && review?.decision === 'rejected') ||
          ((label === 'suspicious' || label === 'failed') && review?.decision === 'approved'),
      ),
    };
  }

  const KEYS = {
    verdict: (model: Model) => model.label,
    reason: (model: Model) => model.reason,
    template: (model: Model) => model.template,
    brand: (model: Model) => model.brand,
  };
  const startOf = (at: number, interval: string): number => {
    const day = new Date(at);
    if (interval === 'hour') return Math.floor(at / HOUR) * HOUR;
    day.setUTCHours(0, 0, 0, 0);
    if (interval === 'week') day.setUTCDate(day.getUTCDate() - ((day.getUTCDay() + 6) % 7));
    return day.getTime();
  };

  it('counts to the unit what a recount of random histories counts', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(history, { minLength: 1, maxLength: 12 }),
        fc.constantFrom('hour', 'day', 'week'),
        fc.constantFrom(...(Object.keys(KEYS) as (keyof typeof KEYS)[])),
        async (histories, interval, by) => {
          const tenant = await service.newTenant();
          const models: Model[] = [];
          for (const told of histories) models.push(await play(tenant.tenant_id, told));
          const query = new URLSearchParams({
            interval,
            by,
            from: new Date(BEGAN).toISOString(),
            to: new Date(BEGAN + HOURS * HOUR).toISOString(),
          });
          for (const folded of [false, true]) {
            if (folded) await foldStatistics(service.deps);
            const { status, body, text } = await ask<Statistics>(service, `/v1/statistics?${query}`, {
              key: tenant.rk_secret,
            });
            expect(status, text).toBe(200);
            const { buckets, funnel } = body;
            expect(buckets.reduce((sum, bucket) => sum + bucket.created, 0)).toBe(models.length);
            for (const {
              start,
              groups,
              median_seconds_to_capture,
              median_seconds_to_verdict,
              median_seconds_to_review,
              ...counts
            } of buckets) {
              const inside = models.filter(model => startOf(model.created, interval) === Date.parse(start));
              expect(counts).toEqual(recount(inside));
              for (const [shown, exact] of [
                [median_seconds_to_capture, middle(inside.map(model => model.toCapture))],
                [median_seconds_to_verdict, middle(inside.map(model => model.toVerdict))],
                [median_seconds_to_review, middle(inside.map(model => model.review?.seconds ?? null))],
              ]) {
                if (exact === undefined) expect(shown).toBeUndefined();
                // Seconds below 64 are kept as they are. The median may be the mean of one of them and a longer time.
                else expect(Math.abs(shown! - exact)).toBeLessThanOrEqual(exact < 32 ? 0 : exact * 0.016 + 0.5);
              }
              for (const { key, ...ofKey } of groups!) {
                expect(ofKey).toEqual(recount(inside.filter(model => KEYS[by](model) === key)));
              }
              const keys = new Set(inside.map(KEYS[by]).filter(key => key !== null));
              expect(new Set(groups!.map(group => group.key))).toEqual(keys);
            }
            for (const [rank, step] of LADDER.entries()) {
              expect(funnel[step as keyof typeof funnel]).toBe(models.filter(model => model.furthest === rank).length);
            }
          }
        },
      ),
      { numRuns: 25 },
    );
  });

  describe('to the unit, whoever adds up when', () => {
    const now = new Date();
    async function begin() {
      await foldStatistics(service.deps);
      const { tenant_id, rk_secret } = await service.newTenant();
      return {
        insert: (db: Queryable) =>
          db.query(
            `insert into verifications (id, tenant_id, livemode, created_at, expires_at, config, private)
             values ($1, $2, true, $3, $3, $4, '{}')`,
            [newId('vfy'), tenant_id, now, JSON.stringify(normalizeRequest({}, null).config)],
          ),
        async shown() {
          const { body } = await ask<Statistics>(service, '/v1/statistics?interval=hour', { key: rk_secret });
          return body.buckets.reduce((sum, { created }) => sum + created, 0);
        },
        async added() {
          const row = await one<{ n: number }>(
            service.deps.db,
            `select coalesce(sum((counts ->> 'created')::integer), 0)::integer as n from statistics
             where tenant_id = $1 and grain = 'hour' and grouping = ''`,
            [tenant_id],
          );
          return row!.n;
        },
      };
    }

    /** Folds until `count` are in the totals. An open transaction in any database of the same PostgreSQL holds the newest back. */
    const foldUntil = (count: number, added: () => Promise<number>) =>
      until(async () => {
        await foldStatistics(service.deps);
        return (await added()) === count;
      }, `${count} to be added`);

    it('waits for a transaction that began earlier and ends later', async () => {
      const { db } = service.deps;
      const { insert, shown, added } = await begin();
      const slow = await db.connect();
      try {
        await slow.query('begin');
        await insert(slow);
        await insert(db);
        await foldStatistics(service.deps);
        expect([await shown(), await added()]).toEqual([1, 0]);
        await slow.query('commit');
      } finally {
        slow.release();
      }
      expect(await shown()).toBe(2);
      await foldUntil(2, added);
      expect([await shown(), await added()]).toEqual([2, 2]);
    });

    it('goes on after a dump is restored into a cluster that has run fewer transactions', async () => {
      const { db } = service.deps;
      const { insert, shown, added } = await begin();
      await insert(db);
      await foldStatistics(service.deps);
      await insert(db);
      // As a dump carries them.
      await db.query(
        `update verification_changes set recorded_in = ((recorded_in::text::bigint + 1000000000)::text)::xid8`,
      );
      await db.query(`update statistics_position set upto = ((upto::text::bigint + 1000000000)::text)::xid8`);
      expect(await shown()).toBe(2);
      for (let start = 0; start < 2; start += 1) await resumeStatistics(db);
      expect([await shown(), await added()]).toEqual([2, 2]);
      await insert(db);
      expect(await shown()).toBe(3);
      await foldUntil(3, added);
      expect([await shown(), await added()]).toEqual([3, 3]);
    });

    it('forgets no change that is not in the totals', async () => {
      const { db } = service.deps;
      const { insert, shown, added } = await begin();
      await insert(db);
      await db.query(`update verification_changes set at = at - interval '1 hour'`);
      await forgetChanges(service.deps);
      expect(await shown()).toBe(1);
      await foldUntil(1, added);
      await forgetChanges(service.deps);
      expect(await shown()).toBe(1);
      expect(await one(db, 'select at from verification_changes')).toBeUndefined();
    });

    it('through kills of nodes that write and nodes that add up', async () => {
      const { insert, shown, added } = await begin();
      // Takes whole transactions, most of them half done when the node dies.
      const node = () =>
        spawn(
          process.execPath,
          [
            '--input-type=module',
            '-e',
            `import { foldStatistics } from ${JSON.stringify(import.meta.resolve('../../../src/desk/statistics/fold.ts'))};
             import pg from ${JSON.stringify(import.meta.resolve('pg'))};
             const db = new pg.Pool({ connectionString: process.env.URL });
             console.log('ready');
             for (;;) await foldStatistics({ db });`,
          ],
          { env: { ...process.env, URL: service.deps.config.databaseUrl! }, stdio: ['ignore', 'pipe', 'inherit'] },
        );
      let written = 0;
      for (let round = 0; round < 8; round += 1) {
        const nodes = [node(), node()];
        await Promise.all(nodes.map(({ stdout }) => once(stdout, 'data')));
        const writer = await service.deps.db.connect();
        const end = performance.now() + 100 + chance() * 200;
        while (performance.now() < end) {
          await insert(writer);
          written += 1;
        }
        // This one's node dies before its commit.
        await writer.query('begin');
        await insert(writer);
        for (const child of nodes) child.kill('SIGKILL');
        writer.release(true);
        await Promise.all(nodes.map(child => once(child, 'close')));
        expect(await shown()).toBe(written);
      }
      expect(await added()).toBeGreaterThan(0);
      await until(async () => {
        await foldStatistics(service.deps);
        return (await added()) === written;
      }, 'the last to be added');
      expect(await shown()).toBe(written);
    }, 60_000);
  });

  it('counts a verification that was photographed, judged and reviewed, in its own mode', async () => {
    const tenant = await service.newTenant();
    const worker = await startTestService({ beside: service });
    try {
      const { id } = await createVerification(service, { metadata: { test_outcome: 'suspicious' } }, tenant.pk_test);
      await ask(service, `/v1/verifications/${id}/progress`, {
        body: { schema_version: 1, step: 'reviewing', elapsed_ms: 10 },
      });
      expect((await submit(service, id, await plain())).status).toBe(201);
      await untilStatus(service, id, ['completed'], tenant.pk_test);
    } finally {
      await worker.stop();
    }
    const person = await signedIn(service, { tenantId: tenant.tenant_id, role: 'reviewer', livemode: false });
    const [first] = (
      await ask<{ data: { id: string }[] }>(service, '/v1/verifications?review=open', { key: tenant.pk_test })
    ).body.data;
    const decided = await person.ask(`/v1/verifications/${first!.id}/reviews`, { body: { decision: 'approved' } });
    expect(decided.status, decided.text).toBe(201);
    const { body } = await person.ask<Statistics>('/v1/statistics');
    const today = body.buckets.at(-1)!;
    expect([today.created, today.completed, today.suspicious, today.reviewed, today.overridden]).toEqual([
      1, 1, 1, 1, 1,
    ]);
    expect(today.median_seconds_to_capture).toBeGreaterThanOrEqual(0);
    expect(body.funnel.reviewing).toBe(1);
    const live = await ask<Statistics>(service, '/v1/statistics', { key: tenant.rk_secret });
    expect(live.body.buckets.every(bucket => bucket.created === 0)).toBe(true);
    const test = await ask<Statistics>(service, '/v1/statistics?mode=test', { key: tenant.rk_secret });
    expect(test.body).toEqual(body);
  });

  it.each([
    ['from=2026-11-02T00:00:00Z&to=2026-11-01T00:00:00Z', 'from'],
    ['from=2020-01-01T00:00:00Z&to=2026-11-01T00:00:00Z', 'from'],
    ['to=0000-01-01T00:00:00Z', 'to'],
    ['interval=month', 'interval'],
    ['by=person', 'by'],
  ])('refuses %s', async (query, path) => {
    const reply = await ask(service, `/v1/statistics?${query}`, {
      key: service.tenant.rk_secret,
    });
    expect([reply.status, pathsOf(reply)]).toEqual([400, [path]]);
  });

  it('keeps seconds in bins as wide as it says', async () => {
    const { rows } = await service.deps.db.query<{ s: number; bin: number }>(
      `select s, duration_bin(to_timestamp(0), to_timestamp(s)) as bin
       from (select generate_series(0, 300) union all select (1.13 ^ n)::int from generate_series(40, 130) n) t (s)`,
    );
    expect(rows.length).toBe(392);
    for (const { s, bin } of rows) {
      expect(Math.abs(secondsOf(bin) - s)).toBeLessThanOrEqual(s < 64 ? 0 : s * 0.016);
    }
  });
});
