import type { ServerOptions } from 'node:https';
import cookie from '@fastify/cookie';
import type { FastifyInstance } from 'fastify';
import { getEvidence } from './custody/bundles/read-bundle.ts';
import { getCredential } from './custody/bundles/read-credential.ts';
import { registerStamps } from './custody/bundles/stamp-log.ts';
import { getLegalHold, liftLegalHold, placeLegalHold } from './custody/erasure/legal-hold.ts';
import { getPeopleData } from './custody/erasure/people-data.ts';
import { getRedaction, redactVerification } from './custody/erasure/redact.ts';
import { closeChanges, streamChanges } from './delivery/changes/stream.ts';
import {
  deleteChatWebhook,
  getChatWebhook,
  putChatWebhook,
  testChatWebhook,
} from './delivery/notifications/chat-webhook.ts';
import { sendVerificationLink } from './delivery/notifications/send-link.ts';
import {
  createWebhookEndpoint,
  deleteWebhookEndpoint,
  updateWebhookEndpoint,
} from './delivery/webhooks/account-endpoints.ts';
import { listDeliveries, recoverDeliveries, retryDelivery } from './delivery/webhooks/deliveries.ts';
import { enableWebhookEndpoint, listWebhookEndpoints } from './delivery/webhooks/endpoints.ts';
import { streamEvents } from './delivery/webhooks/stream.ts';
import { resendEvent, sendEndpointTest, sendTestEvent } from './delivery/webhooks/test-event.ts';
import { createBatch } from './desk/batches/create-batch.ts';
import { cancelBatch, getBatch, getBatchResults, listBatches } from './desk/batches/endpoints.ts';
import { createBulkAction } from './desk/bulk/create-bulk-action.ts';
import { cancelBulkAction, getBulkAction, getBulkActionResults, listBulkActions } from './desk/bulk/endpoints.ts';
import { addReview } from './desk/reviews/add-review.ts';
import { getReviewAgreement } from './desk/reviews/agreement.ts';
import { assignReview } from './desk/reviews/assign-review.ts';
import { claimReview, nextReview, releaseReview, waitingReviews } from './desk/reviews/claims.ts';
import { addComment, listComments } from './desk/reviews/comments.ts';
import { replayThresholds } from './desk/reviews/replay.ts';
import { undoReview } from './desk/reviews/undo-review.ts';
import { getStatistics } from './desk/statistics/statistics.ts';
import { registerEcho } from './desk/system/echo.ts';
import { getSystem } from './desk/system/read-system.ts';
import { listAuditLog } from './identity/audit/audit.ts';
import { exportAuditLog } from './identity/audit/export.ts';
import { getAuditFeed } from './identity/audit/feed.ts';
import { createGuard } from './identity/auth/guard.ts';
import { openLimiter } from './identity/auth/limits.ts';
import { endOtherSessions, endSession, getMe, listSessions, signOut, switchTenant } from './identity/people/me.ts';
import { addPasskey, deletePasskey, passkeyCreationOptions } from './identity/people/passkeys.ts';
import { endPersonsSessions, invitePerson, listPeople, patchPerson, removePerson } from './identity/people/people.ts';
import { redeemFirstRun, redeemMagicLink, requestMagicLink } from './identity/people/sign-in/links.ts';
import { redeemOneTimeCode, requestOneTimeCode } from './identity/people/sign-in/one-time-code.ts';
import { passkeyRequestOptions, redeemPasskey } from './identity/people/sign-in/passkey.ts';
import { providerCallback, startProvider } from './identity/people/sign-in/provider.ts';
import { getSignInMethods } from './identity/people/sign-in/ways.ts';
import { createApiKey, deleteApiKey, getApiKey, listApiKeys } from './identity/tenants/api-keys.ts';
import { deleteBrand, getBrand, listBrands, putBrand } from './identity/tenants/brands.ts';
import { createExamplePicture, deleteExamplePicture, getExamplePicture } from './identity/tenants/example-pictures.ts';
import { getLogo } from './identity/tenants/logo.ts';
import { getSettings, patchSettings } from './identity/tenants/settings.ts';
import { getWebhookSecret, rotateWebhookSecret } from './identity/tenants/webhook-secret.ts';
import { finalizeVerification } from './inspection/cases/finalize.ts';
import { capturePage, registerCapture } from './pages/capture.ts';
import { registerDashboard } from './pages/dashboard.ts';
import { registerDocs } from './pages/docs.ts';
import { registerVerifyPage } from './pages/verify.ts';
import type { Deps } from './platform/deps.ts';
import { blobRoutes } from './platform/http/blob-routes.ts';
import { createBodyBudget } from './platform/http/body-budget.ts';
import { type Endpoint, routes } from './platform/http/endpoint.ts';
import { type Phase, registerHealth } from './platform/http/health.ts';
import { register, registerPreflights } from './platform/http/register.ts';
import { createServer } from './platform/http/server.ts';
import { registerLog } from './record/evidence/log-routes.ts';
import { getEvidenceKeys } from './record/evidence/read-keys.ts';
import { registerWitness } from './record/evidence/witness.ts';
import { announceFilm } from './verification/captures/announce-film.ts';
import { submitAnswers } from './verification/captures/answers.ts';
import { createChallenge } from './verification/captures/challenge.ts';
import { reportProgress } from './verification/captures/progress.ts';
import { getSession } from './verification/captures/session.ts';
import { submitCapture } from './verification/captures/submit.ts';
import { uploadRules } from './verification/captures/upload-budget.ts';
import { createUploadUrl } from './verification/captures/upload-url.ts';
import { createLinkTemplate } from './verification/templates/create.ts';
import { listLinkTemplates } from './verification/templates/list.ts';
import { registerLinks } from './verification/templates/open-link.ts';
import { getLinkTemplate } from './verification/templates/read.ts';
import { revokeLinkTemplate } from './verification/templates/revoke.ts';
import { updateLinkTemplate } from './verification/templates/update.ts';
import { createTrial, getTrial } from './verification/trials/trial.ts';
import { cancelVerification } from './verification/verifications/cancel.ts';
import { createVerification } from './verification/verifications/create.ts';
import { exportVerifications } from './verification/verifications/export.ts';
import { listVerifications } from './verification/verifications/list.ts';
import { getPublicVerification, getVerification } from './verification/verifications/read.ts';

/** Every operation of the API, and the only place that names its path. */
export const ENDPOINTS: readonly Endpoint[] = routes({
  'POST /v1/verifications': createVerification,
  'GET /v1/verifications': listVerifications,
  'GET /v1/verifications/export': exportVerifications,
  'GET /v1/verifications/:id': getVerification,
  'POST /v1/verifications/:id/cancel': cancelVerification,
  'POST /v1/verifications/:id/send': sendVerificationLink,
  'POST /v1/verifications/:id/finalize': finalizeVerification,
  'GET /v1/verifications/:id/public': getPublicVerification,

  'GET /v1/verifications/:id/evidence': getEvidence,
  'GET /v1/verifications/:id/captures/:capture_id/credential': getCredential,
  'GET /v1/evidence-keys': getEvidenceKeys,

  'POST /v1/verifications/:id/redact': redactVerification,
  'GET /v1/verifications/:id/redaction': getRedaction,
  'PUT /v1/verifications/:id/legal-hold': placeLegalHold,
  'GET /v1/verifications/:id/legal-hold': getLegalHold,
  'DELETE /v1/verifications/:id/legal-hold': liftLegalHold,
  'GET /v1/people-data': getPeopleData,

  'POST /v1/reviews/next': nextReview,
  'GET /v1/reviews/waiting': waitingReviews,
  'GET /v1/reviews/agreement': getReviewAgreement,
  'GET /v1/reviews/replay': replayThresholds,
  'POST /v1/reviews/:verification_id/claim': claimReview,
  'POST /v1/reviews/:verification_id/release': releaseReview,
  'POST /v1/verifications/:id/reviews': addReview,
  'DELETE /v1/verifications/:id/reviews/:review_id': undoReview,
  'PUT /v1/verifications/:id/assignee': assignReview,
  'GET /v1/verifications/:id/comments': listComments,
  'POST /v1/verifications/:id/comments': addComment,

  'POST /v1/batches': createBatch,
  'GET /v1/batches': listBatches,
  'GET /v1/batches/:id': getBatch,
  'POST /v1/batches/:id/cancel': cancelBatch,
  'GET /v1/batches/:id/results': getBatchResults,

  'POST /v1/bulk-acts': createBulkAction,
  'GET /v1/bulk-acts': listBulkActions,
  'GET /v1/bulk-acts/:id': getBulkAction,
  'POST /v1/bulk-acts/:id/cancel': cancelBulkAction,
  'GET /v1/bulk-acts/:id/results': getBulkActionResults,

  'GET /v1/verify/:token': getSession,
  'POST /v1/verifications/:token/challenges': createChallenge,
  'POST /v1/verifications/:token/films': announceFilm,
  'POST /v1/verifications/:token/captures/upload-url': createUploadUrl,
  'POST /v1/verifications/:token/captures': submitCapture,
  'POST /v1/verifications/:token/answers': submitAnswers,
  'POST /v1/verifications/:token/progress': reportProgress,

  'POST /v1/trial/verifications': createTrial,
  'GET /v1/trial/verifications/:id': getTrial,

  'POST /v1/api-keys': createApiKey,
  'GET /v1/api-keys': listApiKeys,
  'GET /v1/api-keys/:id': getApiKey,
  'DELETE /v1/api-keys/:id': deleteApiKey,

  'GET /v1/settings': getSettings,
  'PATCH /v1/settings': patchSettings,

  'GET /v1/chat-webhook': getChatWebhook,
  'PUT /v1/chat-webhook': putChatWebhook,
  'DELETE /v1/chat-webhook': deleteChatWebhook,
  'POST /v1/chat-webhook/test': testChatWebhook,

  'PUT /v1/brands/:slug': putBrand,
  'GET /v1/brands/:slug': getBrand,
  'GET /v1/brands': listBrands,
  'DELETE /v1/brands/:slug': deleteBrand,
  'GET /brand-logos/:name': getLogo,

  'POST /v1/link-templates': createLinkTemplate,
  'PUT /v1/link-templates/:id': updateLinkTemplate,
  'POST /v1/link-templates/:id/revoke': revokeLinkTemplate,
  'GET /v1/link-templates/:id': getLinkTemplate,
  'GET /v1/link-templates': listLinkTemplates,
  'POST /v1/example-pictures': createExamplePicture,
  'DELETE /v1/example-pictures/:sha256': deleteExamplePicture,
  'GET /example-pictures/:name': getExamplePicture,

  'GET /v1/statistics': getStatistics,
  'GET /v1/changes/stream': streamChanges,

  'GET /v1/audit-log': listAuditLog,
  'GET /v1/audit-log/export': exportAuditLog,
  'GET /v1/audit-log/feed': getAuditFeed,
  'GET /v1/system': getSystem,

  'GET /v1/webhook-deliveries': listDeliveries,
  'POST /v1/webhook-deliveries/:id/retry': retryDelivery,
  'POST /v1/webhook-deliveries/recover': recoverDeliveries,
  'GET /v1/webhook-endpoints': listWebhookEndpoints,
  'POST /v1/webhook-endpoints': createWebhookEndpoint,
  'PATCH /v1/webhook-endpoints/:id': updateWebhookEndpoint,
  'DELETE /v1/webhook-endpoints/:id': deleteWebhookEndpoint,
  'POST /v1/webhook-endpoints/:id/test': sendEndpointTest,
  'POST /v1/webhook-endpoints/:id/enable': enableWebhookEndpoint,
  'POST /v1/webhooks/test': sendTestEvent,
  'POST /v1/events/:id/resend': resendEvent,
  'GET /v1/events/stream': streamEvents,
  'GET /v1/webhook-secret': getWebhookSecret,
  'POST /v1/webhook-secret/rotate': rotateWebhookSecret,

  'GET /v1/auth/methods': getSignInMethods,
  'GET /v1/auth/:provider/start': startProvider,
  'GET /v1/auth/:provider/callback': providerCallback,
  'POST /v1/auth/magic-link': requestMagicLink,
  'POST /v1/auth/magic-link/redeem': redeemMagicLink,
  'POST /v1/auth/one-time-code': requestOneTimeCode,
  'POST /v1/auth/one-time-code/redeem': redeemOneTimeCode,
  'POST /v1/auth/passkey/options': passkeyRequestOptions,
  'POST /v1/auth/passkey/redeem': redeemPasskey,
  'POST /v1/auth/first-run': redeemFirstRun,
  'POST /v1/auth/sign-out': signOut,

  'GET /v1/me': getMe,
  'POST /v1/me/tenant': switchTenant,
  'POST /v1/me/passkeys/options': passkeyCreationOptions,
  'POST /v1/me/passkeys': addPasskey,
  'DELETE /v1/me/passkeys/:id': deletePasskey,
  'GET /v1/me/sessions': listSessions,
  'DELETE /v1/me/sessions/:id': endSession,
  'DELETE /v1/me/sessions': endOtherSessions,

  'GET /v1/people': listPeople,
  'POST /v1/people': invitePerson,
  'PATCH /v1/people/:id': patchPerson,
  'DELETE /v1/people/:id': removePerson,
  'DELETE /v1/people/:id/sessions': endPersonsSessions,
});

export interface AppOptions {
  https?: ServerOptions;
  phase?: () => Phase;
}

/** The whole HTTP side of the service; it listens when the caller says so. */
export async function createApp(
  deps: Deps,
  { https, phase = () => 'serving' }: AppOptions = {},
): Promise<FastifyInstance> {
  const app = createServer(deps, https);
  await app.register(cookie);
  registerDocs(app, ENDPOINTS, deps);
  const limiter = await openLimiter(deps);
  app.addHook('onClose', () => limiter.close());
  app.addHook('onClose', () => closeChanges(deps));
  const guard = createGuard(deps, limiter);
  const budget = createBodyBudget();
  for (const endpoint of ENDPOINTS) register(app, deps, guard, budget, endpoint);
  registerPreflights(app, ENDPOINTS);
  const show = capturePage(deps);
  registerLinks(app, deps, limiter, (reply, end) => show(reply, 'index.html', { end }));
  registerHealth(app, deps, phase);
  registerEcho(app, deps);
  registerLog(app, deps);
  registerStamps(app, deps);
  registerWitness(app, deps, limiter);
  await registerCapture(app, deps, show);
  registerVerifyPage(app);
  await registerDashboard(app, deps);
  const rules = uploadRules(deps, limiter);
  await app.register(blobRoutes, { store: deps.blobs, stallMs: deps.config.bodyStallMs, rules, origins: deps.origins });
  return app;
}
