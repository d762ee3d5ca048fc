import { type Static, Type } from 'typebox';
import { DateTime } from '../base/ids.ts';
import { URL_MAX } from '../base/limits.ts';

const closed = { additionalProperties: false } as const;

/** Body of PUT /v1/chat-webhook. */
export const ChatWebhookInput = Type.Object(
  {
    url: Type.String({
      format: 'iri',
      maxLength: URL_MAX,
      description: 'an incoming webhook of Slack, or of a chat that takes the same (Mattermost, Rocket.Chat, Zulip)',
    }),
  },
  { ...closed, title: 'ChatWebhookInput' },
);
export type ChatWebhookInput = Static<typeof ChatWebhookInput>;

/** The chat webhook without its path, which is a secret. */
export const ChatWebhook = Type.Object(
  {
    configured: Type.Boolean(),
    host: Type.Optional(Type.String()),
    updated_at: Type.Optional(DateTime),
  },
  { ...closed, title: 'ChatWebhook' },
);
export type ChatWebhook = Static<typeof ChatWebhook>;

/** The answer of POST /v1/chat-webhook/test. */
export const ChatWebhookTest = Type.Object(
  {
    delivered: Type.Boolean(),
    status_code: Type.Optional(Type.Integer({ description: 'absent when no answer came' })),
    answer: Type.Optional(Type.String({ description: 'its first characters' })),
  },
  { ...closed, title: 'ChatWebhookTest' },
);
export type ChatWebhookTest = Static<typeof ChatWebhookTest>;
