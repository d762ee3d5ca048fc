import * as z from 'zod';
import { tool } from '../tool.ts';
import { idempotencyKey, verificationId } from './fields.ts';

export const sendLink = tool({
  name: 'send_link',
  title: 'Send the link',
  description:
    'Sends the link of an open verification to the person, by e-mail or text message. Needs a secret key. The message leaves a moment later.',
  write: 'send',
  hints: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: true },
  input: {
    idempotency_key: idempotencyKey,
    verification_id: verificationId,
    by: z.enum(['email', 'phone']),
    to: z
      .string()
      .min(1)
      .max(254)
      .optional()
      .describe('Address, or number with +. Without it: the person of the request'),
    locale: z.string().max(35).optional().describe("The person's language, such as de. Without it: English"),
    remind: z.boolean().optional().describe('Send one reminder before the link ends'),
  },
  async run({ idempotency_key, verification_id, ...body }, { service, signal }) {
    const sent = await service.firsthand.verifications.sendLink(verification_id, body, {
      idempotencyKey: idempotency_key,
      signal,
    });
    return { facts: { verification_id, ...sent } };
  },
});
