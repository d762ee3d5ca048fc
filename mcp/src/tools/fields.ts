import * as z from 'zod';

// Inputs that several tools take.

export const verificationId = z
  .string()
  .regex(/^vfy_[0-9A-HJKMNP-TV-Z]{26}$/)
  .describe('Id of the verification');

export const idempotencyKey = z
  .string()
  .min(1)
  .max(255)
  .describe(
    'A text of your own for this one action. When an answer was lost, repeat the call with the same text: the action is done once',
  );

export const READS = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false };
