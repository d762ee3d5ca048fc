import { EXAMPLES } from '@firsthand/contract/examples.ts';
import type { Verification } from '@firsthand/contract/verification/verification.ts';
import { beforeAll, describe, expect, it } from 'vitest';
import { ENDPOINTS } from '../../../src/app.ts';
import type { Endpoint } from '../../../src/platform/http/endpoint.ts';
import { errorExample, errorsOf, exampleKey, openapiDocument } from '../../../src/platform/http/openapi.ts';
import { undescribed } from '../../support/conformance.ts';
import { ask, createVerification, type TestService } from '../../support/harness.ts';
import { serviceOfSuite } from '../../support/suite.ts';

const keyFor = (service: TestService, endpoint: Endpoint): string | undefined => {
  if (endpoint.credentials.includes('key')) return service.tenant.pk_test;
  return endpoint.credentials.includes('secret') ? service.tenant.rk_secret : undefined;
};

/** In the order in which they may be tried: a hold is read while it is in place. */
const ENDS = ['/legal-hold', '/cancel', '/redact', '/redaction'];

describe('OpenAPI document', () => {
  const service = serviceOfSuite({ worker: false });
  let target: Verification;
  beforeAll(async () => {
    target = await createVerification(service, EXAMPLES['POST /v1/verifications']?.request as object);
  });

  it('is OpenAPI 3.1 of version 0.1.0 and names every operation once', async () => {
    const { body } = await ask<ReturnType<typeof openapiDocument>>(service, '/v1/openapi.json');
    expect(body).toMatchObject({ openapi: '3.1.0', info: { version: '0.1.0' } });
    const ids = Object.values(body.paths as Record<string, Record<string, { operationId: string }>>).flatMap(methods =>
      Object.values(methods).map(operation => operation.operationId),
    );
    expect(ids).toHaveLength(ENDPOINTS.length);
    expect(new Set(ids).size).toBe(ids.length);
    expect(JSON.parse(JSON.stringify(body))).toEqual(JSON.parse(JSON.stringify(openapiDocument(ENDPOINTS))));
    expect((await fetch(`${service.url}/docs/api`)).status).toBe(200);
  });

  it.each(ENDPOINTS.map(endpoint => [exampleKey(endpoint), endpoint] as const))(
    'has a valid example of every request, answer and error of %s',
    (name, endpoint) => {
      const example = EXAMPLES[name];
      if (endpoint.body) expect(example?.request, 'a request example').toBeDefined();
      const path = endpoint.path.replace(/:\w+/g, 'x');
      for (const [status, schema] of Object.entries(endpoint.responses)) {
        if (!schema) continue;
        const answer = example?.responses?.[Number(status)];
        expect(answer, `an example of ${status}`).toBeDefined();
        expect(undescribed(endpoint.method, path, Number(status), answer)).toBeNull();
      }
      for (const code of errorsOf(endpoint)) {
        const status = { ...errorExample(code) };
        expect(status.error.code).toBe(code);
      }
    },
  );

  it('shows example requests that the service accepts', async () => {
    const documented = ENDPOINTS.filter(
      // A person's own actions are tried by the matrix.
      ({ target: has, path, credentials }) =>
        (has || path === '/v1/verifications') &&
        !path.startsWith('/v1/trial/') &&
        credentials.some(kind => kind !== 'session'),
    );
    // The challenge that the example of a film names.
    await service.deps.db.query(
      `insert into challenges (id, verification_id, step_key, moves, issued_at, expires_at)
       values ($1, $2, 'front', '{right,up}', now(), now() + interval '2 minutes')`,
      [(EXAMPLES['POST /v1/verifications/:token/films']!.request as { challenge_id: string }).challenge_id, target.id],
    );
    // Cancelling ends the target and redaction empties it: they go last.
    for (const endpoint of documented.toSorted(
      (a, b) => ENDS.findIndex(end => a.path.endsWith(end)) - ENDS.findIndex(end => b.path.endsWith(end)),
    )) {
      const example = EXAMPLES[exampleKey(endpoint)];
      const path = endpoint.path.replace(/:(id|token)/, () => target.id);
      const key = keyFor(service, endpoint);
      const reply = await ask(service, path, {
        method: endpoint.method,
        ...(key ? { key } : {}),
        ...(endpoint.credentials.includes('key')
          ? {}
          : endpoint.credentials.includes('secret')
            ? { key: service.tenant.rk_secret }
            : {}),
        ...(example?.request === undefined ? {} : { body: example.request }),
      });
      // These wait for captures to be analysed, or for a mail server, and answer with a documented conflict until then.
      const allowed = /\/(finalize|evidence|credential|send)$/.test(endpoint.path)
        ? [200, 202, 409]
        : Object.keys(endpoint.responses).map(Number);
      expect(allowed, `${exampleKey(endpoint)}: ${reply.text}`).toContain(reply.status);
    }
  });
});
