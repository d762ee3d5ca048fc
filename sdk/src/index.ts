// The package's main entry.
export type * from './api.generated.ts';
export * from './client/errors.generated.ts';
export * from './client/errors.ts';
export {
  type Captures,
  type CreatedVerification,
  type Events,
  Firsthand,
  type PhotoOptions,
  type StreamedEvent,
  type Verifications,
  type WaitOptions,
  type Webhooks,
} from './client/firsthand.ts';
export type {
  ClientOptions,
  Download,
  List,
  MetadataFilter,
  Page,
  RequestOptions,
  ServerSentEvent,
} from './client/request.ts';
export type * from './client/resources.generated.ts';
export { type WebhookEvent, type WebhookFault, type WebhookHeaders, WebhookVerificationError } from './webhooks.ts';
