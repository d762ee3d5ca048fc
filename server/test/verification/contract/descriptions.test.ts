import type { EndUserView } from '@firsthand/contract/verification/verification.ts';
import { describe, expect, it } from 'vitest';
import { type Failure, pathsOf } from '../../support/failure.ts';
import { ask, createVerification } from '../../support/harness.ts';
import { serviceOfSuite } from '../../support/suite.ts';

describe('translations of steps', () => {
  const service = serviceOfSuite({ worker: false });
  const step = (descriptions: unknown) => ({ key: 'front', description: 'The front', descriptions, min: 1, max: 1 });
  const read = async (id: string) => (await ask<EndUserView>(service, `/v1/verify/${id}`)).body.config.steps[0];

  it('POST /v1/verifications keeps those that have a text, and the capture page gets them', async () => {
    const made = await createVerification(service, { steps: [step({ de: 'Die Front', fr: '', 'pt-BR': '  ' })] });
    const kept = { type: 'image', ...step({ de: 'Die Front' }) };
    expect(made.config.steps).toEqual([kept]);
    expect(await read(made.id)).toEqual(kept);
    const bare = await createVerification(service, { steps: [step({ fr: ' ' })] });
    expect(bare.config.steps[0]).not.toHaveProperty('descriptions');
  });

  it('POST /v1/link-templates keeps them for each verification of the link', async () => {
    const template = await ask<{ id: string; url: string }>(service, '/v1/link-templates', {
      key: service.tenant.rk_secret,
      body: { name: 'A car', request: { steps: [step({ de: 'Die Front' })] } },
    });
    expect(template.status, template.text).toBe(201);
    const opened = await fetch(`${service.url}/t/${template.body.id}`, { method: 'POST', redirect: 'manual' });
    const id = /vfy_\w+/.exec(opened.headers.get('location')!)![0];
    expect(await read(id)).toMatchObject({ descriptions: { de: 'Die Front' } });
  });

  it.each([
    ['a name that is no tag', { deutsch_: 'x' }, 'steps.0.descriptions.deutsch_'],
    ['a name with a line break', { 'de\n': 'x' }, 'steps.0.descriptions.de\n'],
    ['a language twice', { de: 'x', DE: 'y' }, 'steps.0.descriptions.DE'],
    ['a text that is too long', { de: 'x'.repeat(501) }, 'steps.0.descriptions.de'],
    [
      'more than 30',
      Object.fromEntries(
        Array.from({ length: 31 }, (_, n) => [`a${String.fromCharCode(97 + (n % 26))}-x${n + 10}`, 'x']),
      ),
      'steps.0.descriptions',
    ],
    ['no map', ['de'], 'steps.0.descriptions'],
  ])('POST /v1/verifications refuses %s', async (_what, descriptions, path) => {
    const reply = await ask<Failure>(service, '/v1/verifications', {
      key: service.tenant.pk_test,
      body: { steps: [step(descriptions)] },
    });
    expect([reply.status, pathsOf(reply)]).toEqual([400, [path]]);
  });
});
