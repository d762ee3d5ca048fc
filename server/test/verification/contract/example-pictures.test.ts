import type { ExamplePicture, LinkTemplateWithVersions } from '@firsthand/contract/account/management.ts';
import type { EndUserView, Verification } from '@firsthand/contract/verification/verification.ts';
import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { sweepExamples } from '../../../src/identity/tenants/example-pictures.ts';
import { type Failure, pathsOf } from '../../support/failure.ts';
import { ask, createVerification, submit } from '../../support/harness.ts';
import { plain } from '../../support/pictures.ts';
import { serviceOfSuite } from '../../support/suite.ts';

const NOTE = 'taken at home, 12 Elm Street';
const DAY_MS = 86_400_000;

describe('example pictures', () => {
  const service = serviceOfSuite({ worker: false });
  const manage = <T = Failure>(method: string, path: string, body?: object, key = service.tenant.rk_secret) =>
    ask<T>(service, path, { method, key, ...(body ? { body } : {}) });
  const add = async (picture: Buffer, key?: string) => {
    const added = await manage<ExamplePicture>(
      'POST',
      '/v1/example-pictures',
      { image_base64: picture.toString('base64') },
      key,
    );
    expect(added.status, added.text).toBe(201);
    return added.body;
  };
  let colours = 0;
  /** A picture that no other test has. */
  const another = () => {
    colours += 1;
    return plain({ colour: `rgb(${(colours * 37) % 256}, ${(colours * 91) % 256}, 120)` });
  };
  const step = (example_picture: unknown) => ({ key: 'front', min: 1, max: 1, example_picture });
  const viewOf = async (id: string) => (await ask<EndUserView>(service, `/v1/verify/${id}`)).body;
  const exampleOf = async (id: string) => {
    const [state] = (await viewOf(id)).step_states;
    return state?.type === 'image' ? state.example_url : undefined;
  };

  it('POST /v1/example-pictures draws a picture anew without its metadata, and everybody with the address sees it', async () => {
    const sent = await sharp(await plain({ width: 2_000, height: 1_000 }))
      .withExif({ IFD0: { ImageDescription: NOTE } })
      .jpeg()
      .toBuffer();
    expect(sent.includes(NOTE)).toBe(true);
    const added = await add(sent);
    const shown = await fetch(added.url);
    const bytes = Buffer.from(await shown.arrayBuffer());
    expect(shown.status).toBe(200);
    expect(Object.fromEntries(shown.headers)).toMatchObject({
      'content-type': 'image/jpeg',
      'x-content-type-options': 'nosniff',
      'cache-control': expect.stringContaining('immutable'),
      'cross-origin-resource-policy': 'cross-origin',
    });
    expect(bytes.includes(NOTE)).toBe(false);
    expect(await sharp(bytes).metadata()).toMatchObject({ format: 'jpeg', width: 1_280, height: 640 });
    expect((await sharp(bytes).metadata()).exif).toBeUndefined();
    expect(added).toMatchObject({ size_bytes: bytes.length });
    expect(added.url).toBe(`${service.url}/example-pictures/${added.sha256}.jpg`);
    expect(await add(sent)).toEqual(added);
  });

  it('POST /v1/example-pictures refuses what is no picture, too large, or a decompression bomb', async () => {
    const bomb = await sharp({ create: { width: 7_000, height: 7_000, channels: 3, background: '#fff' } })
      .png()
      .toBuffer();
    const bad: Record<string, Buffer> = {
      text: Buffer.from('hello'),
      svg: Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'),
      bomb,
      large: Buffer.alloc(6 * 1_048_576 + 1, 1),
    };
    for (const [what, bytes] of Object.entries(bad)) {
      const reply = await manage('POST', '/v1/example-pictures', { image_base64: bytes.toString('base64') });
      expect([what, reply.status, pathsOf(reply)]).toEqual([what, 400, ['image_base64']]);
    }
  });

  it('POST /v1/verifications keeps its hash in the record and shows the claimant where it is', async () => {
    const { sha256, url } = await add(await another());
    const made = await createVerification(service, {
      steps: [
        { ...step(sha256), description: 'The front' },
        { type: 'upload', ...step(sha256), key: 'receipt' },
      ],
    });
    expect(made.config.steps).toMatchObject([{ example_picture: sha256 }, { example_picture: sha256 }]);
    expect((await viewOf(made.id)).step_states).toMatchObject([{ example_url: url }, { example_url: url }]);
    const bare = await createVerification(service, {});
    expect((await viewOf(bare.id)).step_states[0]).not.toHaveProperty('example_url');
  });

  it('PUT /v1/link-templates/:id leaves each earlier version the picture it had', async () => {
    const [first, second] = [await add(await another()), await add(await another())];
    const body = (picture: ExamplePicture) => ({ name: 'A car', request: { steps: [step(picture.sha256)] } });
    const made = await manage<{ id: string }>('POST', '/v1/link-templates', body(first));
    expect(made.status, made.text).toBe(201);
    const { id } = made.body;
    const open = async () => {
      const opened = await fetch(`${service.url}/t/${id}`, { method: 'POST', redirect: 'manual' });
      return /vfy_\w+/.exec(opened.headers.get('location')!)![0];
    };
    const before = await open();
    expect((await manage('PUT', `/v1/link-templates/${id}`, body(second))).status).toBe(200);
    expect([await exampleOf(before), await exampleOf(await open())]).toEqual([first.url, second.url]);
    const { versions } = (await manage<LinkTemplateWithVersions>('GET', `/v1/link-templates/${id}`)).body;
    expect(versions.map(({ request }) => request.steps)).toMatchObject([
      [{ example_picture: second.sha256 }],
      [{ example_picture: first.sha256 }],
    ]);
  });

  it.each([
    ['POST', '/v1/verifications', (steps: object[]) => ({ steps }), 'steps'],
    ['POST', '/v1/link-templates', (steps: object[]) => ({ name: 'A', request: { steps } }), 'request.steps'],
    ['POST', '/v1/batches', (steps: object[]) => ({ request: { steps }, rows: [{}] }), 'request.steps'],
  ])('%s %s refuses a picture that the account does not have', async (method, path, body, at) => {
    const other = await service.newTenant();
    const theirs = await add(await another(), other.rk_secret);
    for (const sha256 of [theirs.sha256, 'a'.repeat(64)]) {
      const reply = await manage(method, path, body([{ ...step(sha256) }]));
      expect([reply.status, pathsOf(reply)]).toEqual([400, [`${at}.0.example_picture`]]);
    }
  });

  it.each([
    ['no hash', 'front.jpg'],
    ['an address', 'https://elsewhere.example/a.jpg'],
    ['null', null],
  ])('POST /v1/verifications refuses %s as an example', async (_what, named) => {
    const reply = await ask<Failure>(service, '/v1/verifications', {
      key: service.tenant.pk_test,
      body: { steps: [step(named)] },
    });
    expect([reply.status, pathsOf(reply)]).toEqual([400, ['steps.0.example_picture']]);
  });

  it('DELETE /v1/example-pictures/:sha256 shows it nowhere any more; links that name it work on', async () => {
    const { sha256, url } = await add(await another());
    const { id } = await createVerification(service, { steps: [step(sha256)] });
    const other = await service.newTenant();
    expect((await manage('DELETE', `/v1/example-pictures/${sha256}`, undefined, other.rk_secret)).status).toBe(404);
    expect((await manage('DELETE', `/v1/example-pictures/${sha256}`)).status).toBe(204);
    expect((await fetch(url)).status).toBe(404);
    expect((await manage('DELETE', `/v1/example-pictures/${sha256}`)).status).toBe(404);
    expect((await viewOf(id)).status).toBe('pending');
    expect((await submit(service, id, await plain())).status).toBe(201);
    const again = await manage('POST', '/v1/link-templates', { name: 'A', request: { steps: [step(sha256)] } });
    expect([again.status, pathsOf(again)]).toEqual([400, ['request.steps.0.example_picture']]);
  });

  it('DELETE /v1/example-pictures/:sha256 leaves another account the same picture', async () => {
    const other = await service.newTenant();
    const picture = await another();
    const [own, theirs] = [await add(picture), await add(picture, other.rk_secret)];
    expect(theirs.sha256).toBe(own.sha256);
    await manage('DELETE', `/v1/example-pictures/${own.sha256}`);
    expect((await fetch(theirs.url)).status).toBe(200);
  });

  it('a picture that no step names is forgotten after a day', async () => {
    const [used, inTemplate, unused] = [
      await add(await another()),
      await add(await another()),
      await add(await another()),
    ];
    await createVerification(service, { steps: [step(used.sha256)] });
    await manage('POST', '/v1/link-templates', { name: 'A', request: { steps: [step(inTemplate.sha256)] } });
    const shown = () => Promise.all([used, inTemplate, unused].map(async ({ url }) => (await fetch(url)).status));
    await sweepExamples(service.deps);
    expect(await shown()).toEqual([200, 200, 200]);
    const later = new Date(Date.now() + DAY_MS + 1_000);
    await sweepExamples({ ...service.deps, clock: { ...service.deps.clock, now: () => later } });
    expect(await shown()).toEqual([200, 200, 404]);
  });

  it('POST /v1/verifications/:token/captures does not take the example for a photo', async () => {
    const { sha256, url } = await add(await another());
    const { id } = await createVerification(service, { steps: [{ type: 'upload', ...step(sha256) }] });
    const example = Buffer.from(await (await fetch(url)).arrayBuffer());
    const reply = await submit(service, id, example, { step_key: 'front' });
    expect([reply.status, pathsOf(reply)]).toEqual([400, ['image_base64']]);
    expect((reply.body as Failure).error.fields?.[0]).toMatchObject({ code: 'duplicate' });
    expect((await submit(service, id, await plain(), { step_key: 'front' })).status).toBe(201);
  });

  it('GET /v1/verify/:token shows none on a trial, whose request a stranger made', async () => {
    const { sha256 } = await add(await another());
    const trial = await ask<Verification>(service, '/v1/trial/verifications', { body: { steps: [step(sha256)] } });
    expect(trial.status, trial.text).toBe(201);
    const view = await viewOf(trial.body.id);
    expect(view.config.steps[0]).not.toHaveProperty('example_picture');
    expect(view.step_states[0]).not.toHaveProperty('example_url');
  });
});
