import type { Replay } from '@firsthand/contract/reviews/reviews.ts';
import type { Verification } from '@firsthand/contract/verification/verification.ts';
import sharp from 'sharp';
import { beforeAll, describe, expect, it } from 'vitest';
import { suggest } from '../../../src/desk/reviews/calibration.ts';
import { reviewedPhotos } from '../../../src/desk/reviews/reviewed-photos.ts';
import { signedIn } from '../../identity/people/visitor.ts';
import { completedVerification } from '../../support/completed.ts';
import { ask } from '../../support/harness.ts';
import { firstHand, photoOfScreen } from '../../support/pictures.ts';
import { serviceOfSuite } from '../../support/suite.ts';
import { read, review, setSettings } from './cases.ts';

/** One photo of a display and two of the thing itself, analysed for real. */
describe('why a case is doubted', () => {
  const service = serviceOfSuite();
  let display: Verification;
  let direct: Verification;
  const signals_required = ['screen', 'ai', 'depth'];

  beforeAll(async () => {
    const key = service.tenant.pk_live;
    const made = async (photo: Buffer) => {
      const more = { motion_frame_base64: photo.toString('base64') };
      return completedVerification(service, {
        request: { signals_required, metadata: { claim: 'C-3' } },
        photo,
        more,
        key,
      });
    };
    [display, direct] = await Promise.all([made(await photoOfScreen()), made(await firstHand())]);
  });

  const person = (role: 'viewer' | 'reviewer' | 'owner') =>
    signedIn(service, { tenantId: service.tenant.tenant_id, role, livemode: true });

  it('GET /v1/verifications/:id tells a person how rare the score is among genuine pictures, where the thresholds lie and which tiles say so', async () => {
    const viewer = await person('viewer');
    const [shown] = (await read(viewer, display.id)).captures;
    const screen = shown!.explanation!.screen!;
    expect(screen).toMatchObject({
      model: 'screen-still-15',
      odds: { pictures: 3_091, one_in: expect.any(Number) },
      thresholds: { doubtful: { at: 0.94771, odds: { as_high: 20, one_in: 150 } }, confident: { at: 0.99974 } },
      published: { flagged: { count: 19, of: 3_091 }, at_most: 0.01, found: { count: 193, of: 250, at_least: 0.71 } },
    });
    expect(screen.score).toBeGreaterThan(screen.thresholds!.doubtful.at);
    expect(screen.tiles!.length).toBeGreaterThan(0);
    for (const { x, y, width, height } of screen.tiles!) {
      expect(x + width).toBeLessThanOrEqual(1.0001);
      expect(y + height).toBeLessThanOrEqual(1.0001);
    }
    expect(shown!.explanation!.ai).toMatchObject({ model: 'generated-1', odds: { pictures: 860 } });
    expect(shown!.explanation!.depth!.no_odds).toMatch(/^(no_set|not_evaluated)$/);
    const [clean] = (await read(viewer, direct.id)).captures;
    expect(clean!.explanation!.screen!.odds!.one_in).toBeLessThan(screen.odds!.one_in);
  });

  it('GET /v1/verifications/:id tells a key nothing of it, nor do webhooks', async () => {
    for (const bearer of [service.tenant.pk_live, service.tenant.rk_secret]) {
      const { body } = await ask<Verification>(service, `/v1/verifications/${display.id}`, { key: bearer });
      expect(body.captures[0]).not.toHaveProperty('explanation');
      expect(body.captures[0]!.signals!.screen_detection).not.toHaveProperty('heat_tiles');
    }
    const { rows } = await service.deps.db.query<{ text: string }>('select body::text as text from events');
    expect(rows.length).toBeGreaterThan(0);
    for (const { text } of rows) expect(text).not.toMatch(/heat_tiles|explanation/);
  });

  it('the heat map is clear where nothing was found, and the second frame has an address', async () => {
    const [capture] = display.captures;
    const { heatmap_url } = capture!.signals!.screen_detection as unknown as { heatmap_url: string };
    const bytes = Buffer.from(await (await fetch(heatmap_url)).arrayBuffer());
    const { channels } = await sharp(bytes).stats();
    expect(channels).toHaveLength(4);
    expect(channels[3]!.max).toBeGreaterThan(0);
    const blank = (direct.captures[0]!.signals!.screen_detection as unknown as { heatmap_url: string }).heatmap_url;
    const alpha = (await sharp(Buffer.from(await (await fetch(blank)).arrayBuffer())).stats()).channels[3]!;
    expect(alpha.min).toBe(0);
    const frame = await fetch(capture!.second_frame_url!);
    expect([frame.status, frame.headers.get('content-type')]).toEqual([200, 'image/jpeg']);
    expect(capture).not.toHaveProperty('display_url');
  });

  describe('GET /v1/reviews/replay', () => {
    const replay = async (query: string) =>
      ask<Replay>(service, `/v1/reviews/replay${query}`, { key: service.tenant.rk_secret });

    it('flips nothing at the thresholds in force, and what only the screen detector stopped at the highest', async () => {
      const now = (await replay('')).body;
      expect(now).toMatchObject({ cases: 2, flips: 0, by: [], verifications: [], thresholds: now.in_force });
      const { label: from } = display.verdict!;
      const { body } = await replay('?doubtful=1&confident=1');
      expect(body).toMatchObject({ cases: 2, flips: 1, by: [{ from, to: 'verified', cases: 1 }] });
      expect(body.verifications).toMatchObject([{ id: display.id, name: 'claim C-3', from, to: 'verified' }]);
      const all = (await replay('?doubtful=0&confident=0')).body;
      expect(all.by.every(({ to }) => to === 'failed')).toBe(true);
      expect(all.verifications.map(({ id }) => id)).toContain(direct.id);
    });

    it('is for owners and the secret key, and names its faults', async () => {
      expect((await (await person('owner')).ask('/v1/reviews/replay')).status).toBe(200);
      expect((await (await person('reviewer')).ask('/v1/reviews/replay')).status).toBe(403);
      const key = service.tenant.pk_live;
      expect((await ask(service, '/v1/reviews/replay', { key })).status).toBe(403);
      for (const query of ['?doubtful=0.5', '?doubtful=0.9&confident=0.8', '?doubtful=2&confident=2']) {
        expect((await replay(query)).status).toBe(400);
      }
    });
  });

  it('calibrate --from-reviews takes what people agreed on, and a decided case for those that are not', async () => {
    await setSettings(service, { review_policy: 'one' });
    const reviewer = await person('reviewer');
    await review(reviewer, display.id, { decision: 'rejected', reasons: ['photo_of_display'] });
    await review(reviewer, direct.id, { decision: 'approved' });
    const { photos, cases, unused } = await reviewedPhotos(service.deps.db, service.tenant.tenant_id, true);
    expect([cases, unused, photos.map(({ genuine }) => genuine).toSorted()]).toEqual([2, 0, [false, true]]);
    expect(suggest(photos)).toMatchObject({ genuine: 1, displays: 1, effective: 1 });
    expect(suggest(photos)).not.toHaveProperty('doubtful');
  });
});
