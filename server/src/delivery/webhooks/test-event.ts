import { isId } from '@firsthand/contract/base/ids.ts';
import { URL_MAX } from '@firsthand/contract/base/limits.ts';
import { WebhookDelivery } from '@firsthand/contract/webhooks/webhooks.ts';
import { Type } from 'typebox';
import { one, type Queryable, type Tx, transaction } from '../../platform/db/sql.ts';
import { tenantEndpoint } from '../../platform/http/endpoint.ts';
import { createsLive, type Principal, readableModes } from '../../platform/http/principal.ts';
import { notFound, redacted } from '../../platform/http/problem.ts';
import { isMasked, maskedFaults } from '../../platform/lib/mask-url.ts';
import { recordTestEvent } from '../../record/events/record.ts';
import { readDeliveries, sendAgain } from './deliveries.ts';
import { ownEndpoint } from './endpoints.ts';
import { endpointsOf, insertDeliveries, withUrl } from './queue.ts';

const Url = Type.String({ format: 'iri', maxLength: URL_MAX });

const TestEventAccepted = Type.Object(
  { delivery_id: Type.String() },
  { additionalProperties: false, title: 'TestEventAccepted' },
);

/** Records a test event and queues its delivery, to a disabled endpoint too. */
async function sendTest(tx: Tx, destination: { tenantId: string; livemode: boolean; url: string }, at: Date) {
  const eventId = await recordTestEvent(tx, { ...destination, at });
  const [endpoint] = await endpointsOf(tx, [destination], at);
  const [inserted] = await insertDeliveries(tx, [{ eventId, endpointId: endpoint!.id }], at, { includeDisabled: true });
  return { status: 202, body: { delivery_id: inserted!.id } };
}

export const sendTestEvent = tenantEndpoint({
  operationId: 'sendTestEvent',
  summary: 'Send a test event to a URL',
  description: 'Sends a signed `webhook.test` and retries it like any other event. The delivery shows each attempt.',
  tag: 'Webhooks',
  credentials: ['session', 'secret'],
  role: 'member',
  body: Type.Object({ url: Url }, { additionalProperties: false, title: 'TestEventRequest' }),
  faults: body => maskedFaults('url', (body as { url?: unknown } | null)?.url),
  responses: { 202: TestEventAccepted },
  async handler({ deps, principal, body, keepAnswer }) {
    const destination = { tenantId: principal.tenantId, livemode: createsLive(principal), url: body.url };
    return transaction(deps.db, async tx => {
      const answer = await sendTest(tx, destination, deps.clock.now());
      await keepAnswer(tx, answer);
      return answer;
    });
  },
});

export const sendEndpointTest = tenantEndpoint({
  operationId: 'sendEndpointTest',
  summary: 'Send a test event to an endpoint',
  description: 'As `POST /v1/webhooks/test`, to the address and in the mode of the endpoint.',
  tag: 'Webhooks',
  credentials: ['session', 'secret'],
  role: 'member',
  exists: async ({ deps, principal, params }) => (await ownEndpoint(deps.db, principal, params.id!)) !== undefined,
  responses: { 202: TestEventAccepted },
  async handler({ deps, principal, params, keepAnswer }) {
    return transaction(deps.db, async tx => {
      const endpoint = await ownEndpoint(tx, principal, params.id!);
      if (!endpoint) throw notFound();
      const answer = await sendTest(tx, { ...endpoint, tenantId: principal.tenantId }, deps.clock.now());
      await keepAnswer(tx, answer);
      return answer;
    });
  },
});

const ownEvent = async (
  db: Queryable,
  principal: Principal,
  id: string,
): Promise<{ livemode: boolean; erased: boolean } | undefined> =>
  isId('evt', id)
    ? one<{ livemode: boolean; erased: boolean }>(
        db,
        `select livemode, body is null as erased from events where id = $1 and tenant_id = $2 and livemode = any($3)
         for key share`,
        [id, principal.tenantId, readableModes(principal)],
      )
    : undefined;

export const resendEvent = tenantEndpoint({
  operationId: 'resendEvent',
  summary: 'Send an event again',
  description: 'Sends the event to every URL it went to, or only to `url`, with the same `webhook-id`.',
  tag: 'Webhooks',
  credentials: ['session', 'secret'],
  role: 'member',
  // It sends what people answered to an address that nobody chose before.
  recentFor: [{ member: 'url' }],
  body: Type.Object({ url: Type.Optional(Url) }, { additionalProperties: false, title: 'ResendRequest' }),
  bodyOptional: true,
  exists: async ({ deps, principal, params }) => (await ownEvent(deps.db, principal, params.id!)) !== undefined,
  responses: {
    202: Type.Object({ data: Type.Array(WebhookDelivery) }, { additionalProperties: false, title: 'ResentDeliveries' }),
  },
  errors: ['redacted'],
  async handler({ deps, principal, params, body, keepAnswer }) {
    const id = params.id!;
    return transaction(deps.db, async tx => {
      const event = await ownEvent(tx, principal, id);
      if (!event) throw notFound();
      if (event.erased) throw redacted();
      const at = deps.clock.now();
      if (body?.url !== undefined && !isMasked(body.url)) {
        const destination = { tenantId: principal.tenantId, livemode: event.livemode, url: body.url };
        const [endpoint] = await endpointsOf(tx, [destination], at);
        await insertDeliveries(tx, [{ eventId: id, endpointId: endpoint!.id }], at, { includeDisabled: true });
      }
      const only = await withUrl(tx, principal.tenantId, body?.url);
      const again = await sendAgain(
        tx,
        'd.event_id = $2 and ($3::text[] is null or d.endpoint_id = any($3))',
        [id, only],
        at,
      );
      const deliveries = await readDeliveries(tx, again);
      const answer = { status: 202, body: { data: deliveries } };
      await keepAnswer(tx, answer);
      return answer;
    });
  },
});
