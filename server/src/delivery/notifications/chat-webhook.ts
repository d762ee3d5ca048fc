import { ChatWebhook, ChatWebhookInput, ChatWebhookTest } from '@firsthand/contract/account/chat-webhook.ts';
import { activityOf, audit } from '../../identity/audit/audit.ts';
import { one, transaction } from '../../platform/db/sql.ts';
import { noContent, ok, tenantEndpoint } from '../../platform/http/endpoint.ts';
import { notFound } from '../../platform/http/problem.ts';
import { chatUrlOf, postToChat } from './chat.ts';

interface ChatRow {
  host: string;
  updated_at: Date;
}

const EXCERPT = 200;
const present = (row: ChatRow | undefined): ChatWebhook =>
  row ? { configured: true, host: row.host, updated_at: row.updated_at.toISOString() } : { configured: false };

export const getChatWebhook = tenantEndpoint({
  operationId: 'getChatWebhook',
  summary: 'Get the chat webhook',
  description: 'Whether there is one, and its host. No answer shows its path, which is a secret.',
  tag: 'Management',
  credentials: ['session', 'secret'],
  responses: { 200: ChatWebhook },
  async handler({ deps, principal }) {
    const row = await one<ChatRow>(deps.db, 'select host, updated_at from chat_webhooks where tenant_id = $1', [
      principal.tenantId,
    ]);
    return ok(present(row));
  },
});

export const putChatWebhook = tenantEndpoint({
  operationId: 'putChatWebhook',
  summary: 'Set the chat webhook',
  description:
    'The chat gets a message when a verdict is `suspicious` or `failed`, and when a verification fails. A message that is not ' +
    'taken is retried for hours.',
  tag: 'Management',
  credentials: ['session', 'secret'],
  role: 'owner',
  recent: true,
  body: ChatWebhookInput,
  responses: { 200: ChatWebhook },
  async handler(call) {
    const { deps, principal, body } = call;
    const { host } = new URL(body.url);
    return transaction(deps.db, async tx => {
      const row = await one<ChatRow>(
        tx,
        `insert into chat_webhooks (tenant_id, sealed, host, updated_at) values ($1, $2, $3, $4)
         on conflict (tenant_id) do update set sealed = excluded.sealed, host = excluded.host, updated_at = excluded.updated_at
         returning host, updated_at`,
        [principal.tenantId, deps.keyring.encrypt(body.url), host, deps.clock.now()],
      );
      await audit(tx, activityOf(call), { action: 'chat_webhook.set', detail: { host } });
      return ok(present(row));
    });
  },
});

export const deleteChatWebhook = tenantEndpoint({
  operationId: 'deleteChatWebhook',
  summary: 'Remove the chat webhook',
  tag: 'Management',
  credentials: ['session', 'secret'],
  role: 'owner',
  recent: true,
  responses: { 204: null },
  async handler(call) {
    const { deps, principal } = call;
    await transaction(deps.db, async tx => {
      const gone = await tx.query('delete from chat_webhooks where tenant_id = $1', [principal.tenantId]);
      if (gone.rowCount) await audit(tx, activityOf(call), { action: 'chat_webhook.removed' });
    });
    return noContent;
  },
});

export const testChatWebhook = tenantEndpoint({
  operationId: 'sendChatTest',
  summary: 'Send a test message to the chat',
  description: 'Posts once, now, and answers with what the chat said.',
  tag: 'Management',
  credentials: ['session', 'secret'],
  role: 'owner',
  responses: { 200: ChatWebhookTest },
  errors: ['not_found'],
  async handler({ deps, principal }) {
    const { tenantId } = principal;
    const url = await chatUrlOf(deps, tenantId);
    if (url === undefined) throw notFound();
    const text = `Firsthand posts here when a verification needs a look.\n<${deps.origins.public}/dashboard/settings|Change it in the settings>`;
    const sent = await postToChat(deps, { tenantId, url, text });
    return ok({
      delivered: sent.error === null,
      ...(sent.statusCode === null ? {} : { status_code: sent.statusCode }),
      ...(sent.excerpt ? { answer: sent.excerpt.slice(0, EXCERPT) } : {}),
    });
  },
});
