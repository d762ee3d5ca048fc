import { EXPIRES_IN_SECONDS, MAX_CAPTURES } from '@firsthand/contract/base/limits.ts';
import { SIGNAL_NAMES } from '@firsthand/contract/verification/signals.ts';
import * as z from 'zod';
import { tool } from '../tool.ts';
import { idempotencyKey } from './fields.ts';

const step = z.strictObject({
  key: z.string().min(1).max(64).describe('Short name of the step, such as front: letters, digits, _ and -'),
  description: z.string().max(500).describe('What the person reads above the viewfinder'),
  min: z.int().min(0).max(MAX_CAPTURES).describe('Photos needed'),
  max: z.int().min(1).max(MAX_CAPTURES).describe('The most photos that the step takes'),
});
const person = z.strictObject({
  name: z.string().min(1).max(120).optional(),
  email: z.string().max(254).optional(),
  phone_e164: z.string().max(20).optional().describe('With + and country code'),
});

export const createVerification = tool({
  name: 'create_verification',
  title: 'Ask for photos',
  description:
    'Creates a verification and returns the link under which one person takes the photos. Nobody is told yet: send the link with ' +
    'send_link, or give it to the user.',
  write: 'create',
  hints: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  input: {
    idempotency_key: idempotencyKey,
    photos: z
      .int()
      .min(1)
      .max(MAX_CAPTURES)
      .optional()
      .describe('Ask for this many photos in one step. Give this or steps, not both'),
    steps: z
      .array(step)
      .min(1)
      .max(MAX_CAPTURES)
      .optional()
      .describe('The photos to ask for, in order. Give this or photos, not both'),
    person: person.optional().describe('Who is to take the photos: send_link then knows the address'),
    expires_in_seconds: z
      .int()
      .min(EXPIRES_IN_SECONDS.min)
      .max(EXPIRES_IN_SECONDS.max)
      .optional()
      .describe('How long the link works. Without it: one hour'),
    expected_object: z.string().min(1).max(200).optional().describe('What the photos must show'),
    expected_location: z.string().min(1).max(300).optional().describe('Where: an address or latitude,longitude'),
    signals: z
      .array(z.enum(SIGNAL_NAMES))
      .min(1)
      .optional()
      .describe("The signals that decide the verdict. Without it, the account's choice"),
    metadata: z.record(z.string(), z.string()).optional().describe('Your own keys and values, such as claim: C-1042'),
  },
  async run({ idempotency_key, photos, steps, person, signals, ...rest }, { service, signal }) {
    const made = await service.firsthand.verifications.create(
      {
        ...rest,
        ...(photos === undefined ? {} : { max_captures: photos }),
        ...(steps === undefined ? {} : { steps }),
        ...(signals === undefined ? {} : { signals_required: signals }),
        ...(person === undefined ? {} : { expected_info: { subject: { person } } }),
      },
      { idempotencyKey: idempotency_key, signal },
    );
    const { id, status, livemode, expires_at, capture_url, warnings } = made;
    return { facts: { verification_id: id, capture_url, status, livemode, expires_at, warnings }, link: capture_url };
  },
});
