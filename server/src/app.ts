import type { ServerOptions } from 'node:https';
import type { FastifyInstance } from 'fastify';
import { createGuard } from './auth/guard.ts';
import { openLimiter } from './auth/limits.ts';
import type { DiskStore } from './blobs/disk.ts';
import { blobRoutes } from './blobs/routes.ts';
import { submitAnswers } from './captures/answers.ts';
import { reportProgress } from './captures/progress.ts';
import { getSession } from './captures/session.ts';
import { submitCapture } from './captures/submit.ts';
import { createUploadUrl } from './captures/upload-url.ts';
import { finalizeVerification } from './cases/finalize.ts';
import type { Deps } from './deps.ts';
import type { Endpoint } from './http/endpoint.ts';
import { type Phase, registerHealth } from './http/health.ts';
import { registerOpenapi } from './http/openapi.ts';
import { createPages, registerPages } from './http/pages.ts';
import { register, registerPreflights } from './http/register.ts';
import { createServer } from './http/server.ts';
import {
  createLinkTemplate,
  getLinkTemplate,
  listLinkTemplates,
  revokeLinkTemplate,
  updateLinkTemplate,
} from './templates/manage.ts';
import { registerLinks } from './templates/open-link.ts';
import { createApiKey, deleteApiKey, getApiKey, listApiKeys } from './tenants/api-keys.ts';
import { listAuditLog } from './tenants/audit.ts';
import { deleteBrand, getBrand, listBrands, putBrand } from './tenants/brands.ts';
import { getLogo } from './tenants/logo.ts';
import { getSettings, patchSettings } from './tenants/settings.ts';
import { createTrial, getTrial } from './trials/trial.ts';
import { cancelVerification } from './verifications/cancel.ts';
import { createVerification } from './verifications/create.ts';
import { listVerifications } from './verifications/list.ts';
import { getPublicVerification, getVerification } from './verifications/read.ts';
import { listDeliveries, recoverDeliveries, retryDelivery } from './webhooks/deliveries.ts';
import { enableWebhookEndpoint, listWebhookEndpoints } from './webhooks/endpoints.ts';
import { getWebhookSecret, rotateWebhookSecret } from './webhooks/signing-secrets.ts';
import { streamEvents } from './webhooks/stream.ts';
import { resendEvent, sendTestEvent } from './webhooks/test-event.ts';

/** Every operation of the API. */
export const ENDPOINTS: readonly Endpoint[] = [
  createVerification,
  listVerifications,
  getVerification,
  cancelVerification,
  finalizeVerification,
  getPublicVerification,
  getSession,
  createUploadUrl,
  submitCapture,
  submitAnswers,
  reportProgress,
  createTrial,
  getTrial,
  createApiKey,
  listApiKeys,
  getApiKey,
  deleteApiKey,
  getSettings,
  patchSettings,
  putBrand,
  getBrand,
  listBrands,
  deleteBrand,
  getLogo,
  createLinkTemplate,
  updateLinkTemplate,
  revokeLinkTemplate,
  getLinkTemplate,
  listLinkTemplates,
  listAuditLog,
  listDeliveries,
  retryDelivery,
  recoverDeliveries,
  listWebhookEndpoints,
  enableWebhookEndpoint,
  sendTestEvent,
  resendEvent,
  streamEvents,
  getWebhookSecret,
  rotateWebhookSecret,
];

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
  await registerOpenapi(app, ENDPOINTS);
  const limiter = await openLimiter(deps);
  app.addHook('onClose', () => limiter.close());
  const guard = createGuard(deps, limiter);
  for (const endpoint of ENDPOINTS) register(app, deps, guard, endpoint);
  registerPreflights(app, ENDPOINTS);
  const pages = createPages(deps);
  registerLinks(app, deps, limiter, pages.show);
  registerHealth(app, deps, phase);
  await registerPages(app, pages);
  if ('signer' in deps.blobs) await app.register(blobRoutes, { store: deps.blobs as DiskStore });
  return app;
}
