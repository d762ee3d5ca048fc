import { type Static, Type } from 'typebox';
import { isEmailAddress } from '../base/email-address.ts';
import { type Fault, fault } from '../base/fault.ts';
import { DateTime } from '../base/ids.ts';
import { isRecord } from '../base/is-record.ts';
import { LANGUAGE_NAMES } from '../base/languages.ts';
import { LANGUAGE_TAG, PHONE, wordsOfPattern } from '../base/patterns.ts';

const closed = { additionalProperties: false } as const;

/** How a link reaches the person. */
export const LINK_CHANNELS = ['email', 'phone'] as const;
export type LinkChannel = (typeof LINK_CHANNELS)[number];
export const LinkChannelSchema = Type.Enum([...LINK_CHANNELS], { title: 'LinkChannel' });

/** Body of POST /v1/verifications/:id/send. */
export const SendLink = Type.Object(
  {
    by: LinkChannelSchema,
    to: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 254,
        description:
          'The e-mail address, or the phone number with + and country code. Default: that of `expected_info.subject.person`',
      }),
    ),
    locale: Type.Optional(
      Type.String({
        pattern: LANGUAGE_TAG,
        maxLength: 35,
        description: "The person's language, such as `de` or `pt-BR`. English where the capture page does not speak it",
        default: 'en',
      }),
    ),
    remind: Type.Optional(
      Type.Boolean({
        default: false,
        description:
          'Sends one reminder two hours before the link ends (halfway, if less than four hours are left), unless everything has arrived by then',
      }),
    ),
  },
  { ...closed, title: 'SendLink' },
);
export type SendLink = Static<typeof SendLink>;

/** A message with the link that waits to be sent. */
export const SentLink = Type.Object(
  {
    by: LinkChannelSchema,
    locale: Type.Enum(LANGUAGE_NAMES, { title: 'Language', description: 'the language of the message' }),
    remind_at: Type.Optional(DateTime),
  },
  { ...closed, title: 'SentLink' },
);
export type SentLink = Static<typeof SentLink>;

/** Faults of `to`, which depend on `by`. */
export function sendLinkFaults(body: unknown): Fault[] {
  if (!isRecord(body) || typeof body.to !== 'string' || body.to === '') return [];
  if (body.by === 'email' && !isEmailAddress(body.to)) {
    return [fault('to', 'format', 'must be an e-mail address', { format: 'idn-email' })];
  }
  if (body.by === 'phone' && !new RegExp(PHONE).test(body.to)) {
    return [fault('to', 'pattern', wordsOfPattern(PHONE), { pattern: PHONE })];
  }
  return [];
}
