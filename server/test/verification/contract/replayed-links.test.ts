import type { Verification } from '@firsthand/contract/verification/verification.ts';
import { expect, it } from 'vitest';
import { sha256Hex } from '../../../src/platform/lib/keyring.ts';
import { ask, createVerification, startTestService, submit, until, untilStatus } from '../../support/harness.ts';
import { plain } from '../../support/pictures.ts';

const HOUR_MS = 3_600_000;

it('finalize and cancel replay their answer with fresh presigned links, and store none', async () => {
  let ahead = 0;
  const service = await startTestService({ now: () => new Date(Date.now() + ahead) });
  try {
    const key = service.tenant.rk_secret;
    const picture = await plain();
    const done = await createVerification(service);
    await submit(service, done.id, picture);
    await untilStatus(service, done.id, ['completed']);
    const partly = await createVerification(service, { max_captures: 2 });
    await submit(service, partly.id, picture);
    // A preview that is made between answer and replay would be new in the replay.
    await until(async () => {
      const { body } = await ask<Verification>(service, `/v1/verifications/${partly.id}`, { key });
      return body.captures.every(capture => capture.preview_url);
    }, 'the preview');

    const calls: [string, object | undefined][] = [
      [`/v1/verifications/${done.id}/finalize`, { narrative: 'The roof was hit by hail.' }],
      [`/v1/verifications/${partly.id}/cancel`, undefined],
    ];
    for (const [index, [path, body]] of calls.entries()) {
      const send = () =>
        ask<Verification>(service, path, {
          key,
          method: 'POST',
          headers: { 'idempotency-key': `replayed-${index}` },
          ...(body ? { body } : {}),
        });
      const links = ({ captures }: Verification) =>
        captures!.flatMap(c => [c.image_url!, c.preview_url!].filter(Boolean));
      const first = await send();
      // A case that takes longer is answered before it is done.
      expect([200, 202], first.text).toContain(first.status);
      expect(links(first.body).length).toBeGreaterThan(0);
      const { rows } = await service.deps.db.query<{ body: string }>(
        'select body from idempotency_keys where key = $1',
        [sha256Hex(`replayed-${index}`)],
      );
      expect(rows[0]!.body).toContain('"captures"');
      expect(rows[0]!.body).not.toMatch(/signature|\/blobs\//i);

      ahead += 2 * HOUR_MS;
      for (const link of links(first.body)) expect((await fetch(link)).status).toBe(410);
      const replayed = await send();
      expect(replayed.headers.get('idempotent-replayed')).toBe('true');
      for (const link of links(replayed.body)) expect((await fetch(link)).status).toBe(200);
      const unlinked = (view: Verification) =>
        JSON.parse(JSON.stringify(view).replaceAll(/"(\w+_url)":"[^"]*\/blobs\/[^"]*"/g, '"$1":"a link"'));
      expect(unlinked(replayed.body)).toEqual(unlinked(first.body));
    }
  } finally {
    await service.stop();
  }
});
