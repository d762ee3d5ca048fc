import type { ChatWebhook, ChatWebhookInput, ChatWebhookTest } from '@firsthand/contract/account/chat-webhook.ts';
import type {
  ApiKey,
  AuditEntry,
  Brand,
  BrandInput,
  CreateApiKey,
  CreatedApiKey,
  ExamplePicture,
  LinkTemplate,
  LinkTemplateInput,
  LinkTemplateWithVersions,
  Settings,
  SettingsPatch,
} from '@firsthand/contract/account/management.ts';
import type { Batch, BatchCheck } from '@firsthand/contract/batches/batches.ts';
import type { BulkAction, BulkActionRequest } from '@firsthand/contract/batches/bulk-actions.ts';
import type {
  AddPasskey,
  Invitation,
  InvitedPerson,
  Me,
  Passkey,
  PasskeyAuthentication,
  PasskeyOptions,
  Person,
  PersonPatch,
  SessionList,
  SignInMethods,
} from '@firsthand/contract/people/people.ts';
import type { CommentInput, ReviewComment } from '@firsthand/contract/reviews/comments.ts';
import type {
  Assignment,
  NextReview,
  Replay,
  Review,
  ReviewAgreement,
  ReviewInput,
  WaitingReviews,
} from '@firsthand/contract/reviews/reviews.ts';
import type { Statistics } from '@firsthand/contract/statistics/statistics.ts';
import type { SystemReport } from '@firsthand/contract/statistics/system.ts';
import type { CreateVerificationRequest } from '@firsthand/contract/verification/create-verification.ts';
import type { SendLink, SentLink } from '@firsthand/contract/verification/send-link.ts';
import type { PublicView, Verification, VerificationSummary } from '@firsthand/contract/verification/verification.ts';
import type {
  WebhookDelivery,
  WebhookEndpoint,
  WebhookEndpointInput,
  WebhookEndpointPatch,
  WebhookSecret,
} from '@firsthand/contract/webhooks/webhooks.ts';

export interface Page<Item> {
  data: Item[];
  next_cursor?: string;
}

/** The API operations that the dashboard uses: body and answer of each. */
export interface Operations {
  'GET /v1/auth/methods': { answer: SignInMethods };
  'POST /v1/auth/first-run': { body: { token: string }; answer: Me };
  'POST /v1/auth/magic-link': { body: { email: string }; answer: object };
  'POST /v1/auth/magic-link/redeem': { body: { token: string }; answer: Me };
  'POST /v1/auth/one-time-code': { body: { phone_e164: string }; answer: { otp_id: string; expires_at: string } };
  'POST /v1/auth/one-time-code/redeem': { body: { otp_id: string; code: string }; answer: Me };
  'POST /v1/auth/passkey/options': { body: object; answer: PasskeyOptions };
  'POST /v1/auth/passkey/redeem': { body: PasskeyAuthentication; answer: Me };
  'POST /v1/auth/sign-out': { body: object; answer: undefined };
  'GET /v1/me': { answer: Me };
  'POST /v1/me/tenant': { body: { tenant_id: string; livemode: boolean }; answer: Me };
  'POST /v1/me/passkeys/options': { body: object; answer: PasskeyOptions };
  'POST /v1/me/passkeys': { body: AddPasskey; answer: Passkey };
  'DELETE /v1/me/passkeys/:id': { answer: undefined };
  'GET /v1/me/sessions': { answer: SessionList };
  'DELETE /v1/me/sessions': { answer: undefined };
  'DELETE /v1/me/sessions/:id': { answer: undefined };
  'GET /v1/people': { answer: Page<Person> };
  'POST /v1/people': { body: Invitation; answer: InvitedPerson };
  'PATCH /v1/people/:id': { body: PersonPatch; answer: Person };
  'DELETE /v1/people/:id': { answer: undefined };
  'GET /v1/verifications': { answer: Page<VerificationSummary> & { total_estimate?: number } };
  'POST /v1/verifications': { body: CreateVerificationRequest; answer: Verification };
  'GET /v1/verifications/:id': { answer: Verification };
  'GET /v1/verifications/:id/public': { answer: PublicView };
  'POST /v1/verifications/:id/cancel': { body: object; answer: Verification };
  'POST /v1/verifications/:id/send': { body: SendLink; answer: SentLink };
  'POST /v1/verifications/:id/finalize': { body: { narrative: string }; answer: Verification };
  'POST /v1/reviews/next': { body: NextReview; answer: Verification | undefined };
  'GET /v1/reviews/waiting': { answer: WaitingReviews };
  'GET /v1/reviews/agreement': { answer: ReviewAgreement };
  'GET /v1/reviews/replay': { answer: Replay };
  'POST /v1/reviews/:id/claim': { body: object; answer: Verification };
  'POST /v1/verifications/:id/reviews': { body: ReviewInput; answer: Review };
  'DELETE /v1/verifications/:id/reviews/:review': { answer: undefined };
  'PUT /v1/verifications/:id/assignee': { body: Assignment; answer: Verification };
  'GET /v1/verifications/:id/comments': { answer: { data: ReviewComment[] } };
  'POST /v1/verifications/:id/comments': { body: CommentInput; answer: ReviewComment };
  'GET /v1/webhook-endpoints': { answer: Page<WebhookEndpoint> };
  'POST /v1/webhook-endpoints': { body: WebhookEndpointInput; answer: WebhookEndpoint };
  'PATCH /v1/webhook-endpoints/:id': { body: WebhookEndpointPatch; answer: WebhookEndpoint };
  'DELETE /v1/webhook-endpoints/:id': { answer: undefined };
  'POST /v1/webhook-endpoints/:id/test': { body: object; answer: { delivery_id: string } };
  'POST /v1/webhook-endpoints/:id/enable': { body: object; answer: WebhookEndpoint };
  'POST /v1/webhook-deliveries/recover': { body: { since: string; url?: string }; answer: { recovered: number } };
  'POST /v1/webhooks/test': { body: { url: string }; answer: { delivery_id: string } };
  'GET /v1/webhook-secret': { answer: WebhookSecret };
  'POST /v1/webhook-secret/rotate': { body: object; answer: WebhookSecret };
  'GET /v1/settings': { answer: Settings };
  'PATCH /v1/settings': { body: SettingsPatch; answer: Settings };
  'GET /v1/api-keys': { answer: Page<ApiKey> };
  'POST /v1/api-keys': { body: CreateApiKey; answer: CreatedApiKey };
  'DELETE /v1/api-keys/:id': { answer: undefined };
  'GET /v1/audit-log': { answer: Page<AuditEntry> };
  'GET /v1/system': { answer: SystemReport };
  'GET /v1/brands': { answer: Page<Brand> };
  'PUT /v1/brands/:id': { body: BrandInput; answer: Brand };
  'DELETE /v1/brands/:id': { answer: undefined };
  'GET /v1/chat-webhook': { answer: ChatWebhook };
  'PUT /v1/chat-webhook': { body: ChatWebhookInput; answer: ChatWebhook };
  'DELETE /v1/chat-webhook': { answer: undefined };
  'POST /v1/chat-webhook/test': { body: object; answer: ChatWebhookTest };
  'POST /v1/example-pictures': { body: { image_base64: string }; answer: ExamplePicture };
  'GET /v1/link-templates': { answer: Page<LinkTemplate> };
  'POST /v1/link-templates': { body: LinkTemplateInput; answer: LinkTemplate };
  'GET /v1/link-templates/:id': { answer: LinkTemplateWithVersions };
  'PUT /v1/link-templates/:id': { body: LinkTemplateInput; answer: LinkTemplate };
  'POST /v1/link-templates/:id/revoke': { body: object; answer: LinkTemplate };
  'GET /v1/batches': { answer: Page<Batch> };
  /** 202 `Batch`; with `dry_run` 200 `BatchCheck`. */
  'POST /v1/batches': { body: Blob; answer: Batch | BatchCheck };
  'GET /v1/batches/:id': { answer: Batch };
  'POST /v1/batches/:id/cancel': { body: object; answer: Batch };
  'POST /v1/bulk-acts': { body: BulkActionRequest; answer: BulkAction };
  'GET /v1/bulk-acts': { answer: Page<BulkAction> };
  'GET /v1/bulk-acts/:id': { answer: BulkAction };
  'POST /v1/bulk-acts/:id/cancel': { body: object; answer: BulkAction };
  'GET /v1/statistics': { answer: Statistics };
  'GET /v1/webhook-deliveries': { answer: Page<WebhookDelivery> };
  'POST /v1/webhook-deliveries/:id/retry': { body: object; answer: WebhookDelivery };
}
