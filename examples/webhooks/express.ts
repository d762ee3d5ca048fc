import { verifyWebhook } from '@firsthand/sdk/webhooks';
import express, { type Express } from 'express';

/** An Express application that takes Firsthand's webhooks. The signature covers the raw body, so no JSON parser comes before. */
export function createExpressApp(secret: string, onEvent: (type: string, verificationId: string) => void): Express {
  const app = express();
  app.post('/hooks', express.raw({ type: 'application/json', limit: '1mb' }), async (request, response) => {
    try {
      const event = await verifyWebhook(request.body as Buffer, request.headers, secret);
      onEvent(event.type, String((event.data as { id?: unknown }).id));
      response.sendStatus(204);
    } catch {
      response.sendStatus(400);
    }
  });
  return app;
}
