import { verifyWebhook } from '@firsthand/sdk/webhooks';

/** The `POST` export of `app/hooks/route.ts` in a Next.js application: a handler of web-standard requests. */
export const createPostHandler =
  (secret: string, onEvent: (type: string, verificationId: string) => void) =>
  async (request: Request): Promise<Response> => {
    try {
      const event = await verifyWebhook(await request.text(), request.headers, secret);
      onEvent(event.type, String((event.data as { id?: unknown }).id));
      return new Response(null, { status: 204 });
    } catch {
      return new Response(null, { status: 400 });
    }
  };
