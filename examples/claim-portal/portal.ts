import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { ApiError, type Firsthand, type VerificationEvent, WebhookVerificationError } from '@firsthand/sdk';
import express, { type Express } from 'express';
import type { Claim } from './claim.ts';
import { claimPage, claimsPage } from './pages.ts';

export interface PortalOptions {
  /** With `webhookSecret`. */
  firsthand: Firsthand;
  /** Where the service reaches this portal. */
  portalUrl: string;
}

/** Creates claims, gives out their links, takes webhooks and hands out bundles. Keeps everything in memory and asks nobody to sign in. */
export function createPortal({ firsthand, portalUrl }: PortalOptions): Express {
  const claims = new Map<string, Claim>();
  const app = express();
  app.disable('x-powered-by');
  app.param('claim', (_request, response, next, id: string) => {
    if (claims.has(id)) next();
    else response.sendStatus(404);
  });

  app.get('/', (_request, response) => {
    response.send(claimsPage([...claims.values()].toReversed()));
  });

  app.post('/claims', express.urlencoded({ extended: false }), async (request, response) => {
    const { number = '', email = '' } = (request.body ?? {}) as Record<string, string>;
    const claim: Claim = { id: randomUUID(), number, email, status: 'pending', sequence: 0, events: [] };
    // Kept before the request: the first webhook may overtake its answer.
    claims.set(claim.id, claim);
    // However often this call is repeated, the claim gets one verification.
    const { id, capture_url } = await firsthand.verifications.create(
      { ...photosOf(claim), webhook_url: `${portalUrl}/hooks` },
      { idempotencyKey: `claim-${claim.id}` },
    );
    Object.assign(claim, { verificationId: id, captureUrl: capture_url });
    response.redirect(303, `/claims/${claim.id}`);
  });

  app.get('/claims/:claim', (request, response) => {
    response.send(claimPage(claims.get(request.params.claim)!));
  });

  app.get('/claims/:claim/bundle', async (request, response) => {
    const { verificationId } = claims.get(request.params.claim)!;
    if (!verificationId) return void response.sendStatus(409);
    const bundle = await firsthand.evidence.download(verificationId);
    response.type(bundle.contentType).attachment(bundle.filename ?? 'evidence.zip');
    await pipeline(Readable.fromWeb(bundle.body as Parameters<typeof Readable.fromWeb>[0]), response);
  });

  // The signature covers the bytes as they came, so no JSON parser runs before.
  app.post('/hooks', express.raw({ type: 'application/json', limit: '1mb' }), async (request, response) => {
    const event = await firsthand.webhooks.unwrap(request.body as Buffer, request.headers);
    // A type of a later version is answered like any other.
    if (event.type !== 'webhook.test') note(event);
    response.sendStatus(204);
  });

  function note({ type, data }: VerificationEvent): void {
    const claim = claims.get(data.metadata.claim_id ?? '');
    if (!claim) return;
    const { sequence, status, verdict, review } = data;
    if (sequence <= claim.sequence) return;
    Object.assign(claim, { sequence, status, verdict, review });
    claim.events.push(type);
  }

  app.use(answerError);
  return app;
}

/** The photos and answers that a claim needs. */
const photosOf = ({ id, number }: Claim) => ({
  steps: [
    { key: 'whole', description: 'The whole car, with its number plate', min: 1, max: 2 },
    { key: 'damage', description: 'The damage, from near', min: 1, max: 3 },
    { type: 'text' as const, key: 'when', description: 'When did it happen?' },
  ],
  context: { kind: 'motor_claim', summary: `Damage to a car, claim ${number}`.slice(0, 500) },
  metadata: { claim_id: id, claim_number: number.slice(0, 500) },
});

const answerError: express.ErrorRequestHandler = (error, _request, response, next) => {
  if (response.headersSent) return next(error);
  if (error instanceof WebhookVerificationError) response.sendStatus(400);
  else if (error instanceof ApiError) response.status(error.status).type('text').send(error.message);
  else next(error);
};
