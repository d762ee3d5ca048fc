// What the service says when it refuses what a person sent, and how the capture page recognises it: the wire carries English sentences.

const needs = (least: number | string) => `This step needs at least ${least} on the long side.`;

/** What the service says of a picture, after the name of its field. */
export const PICTURE_MESSAGES = {
  not_an_image: () => 'is not a picture',
  unsupported_type: () => 'must be a JPEG, PNG, WebP, HEIC, HEIF or AVIF picture',
  truncated: () => 'ends before the picture does; send it again',
  undecodable: () => 'cannot be decoded',
  too_many_pixels: (megapixels: number | string) => `has more than ${megapixels} megapixels`,
  too_large: (bytes: number | string) => `must be at most ${bytes} bytes`,
  too_small: (width: number, height: number, least: number) => `is ${width} × ${height} pixels. ${needs(least)}`,
  wrong_type: (type: string, accepted: string) => `is ${type}. This step accepts ${accepted}.`,
  wrong_content_type: (accepted: string) => `must be one of ${accepted}`,
  too_large_to_ask: (bytes: number | string) => `must be at most ${bytes}`,
  never_uploaded: () => 'was never uploaded',
  other_bytes: () => 'does not match the bytes that were uploaded',
} as const;

export const NOT_A_TEXT_STEP = 'is not a text step of this verification';

/** Why a picture or a request of the capture page was refused, as far as a person can do something about it. */
export type Refusal =
  | { reason: 'type' }
  | { reason: 'cut' }
  | { reason: 'unreadable' }
  | { reason: 'pixels'; megapixels: number }
  | { reason: 'size'; bytes: number }
  | { reason: 'least'; pixels: number }
  /** The bytes did not arrive as they were. Sending again may help. */
  | { reason: 'lost' }
  /** The step is not there, or takes no more. */
  | { reason: 'step' }
  | { reason: 'other' };

type Fault = { path: string; message: string };

/** Returns the reason of a refused picture from the code and the fields of the service's answer. */
export function refusalOf(code: string, fields: readonly Fault[]): Refusal {
  if (code === 'unknown_step' || code === 'step_full') return { reason: 'step' };
  if (code === 'idempotency_conflict') return { reason: 'lost' };
  for (const { message } of fields) {
    const found = refusalOfMessage(message);
    if (found) return found;
  }
  return { reason: 'other' };
}

/** The number in a message that `make` wrote. */
function numberIn(message: string, make: (n: string) => string): number | undefined {
  const [before, after] = make('\0').split('\0') as [string, string];
  if (!message.startsWith(before) || !message.endsWith(after)) return undefined;
  const digits = message.slice(before.length, message.length - after.length);
  return /^\d+(\.\d+)?$/.test(digits) ? Number(digits) : undefined;
}

function refusalOfMessage(message: string): Refusal | undefined {
  const m = PICTURE_MESSAGES;
  if (message === m.truncated()) return { reason: 'cut' };
  if (message === m.undecodable()) return { reason: 'unreadable' };
  if (message === m.not_an_image() || message === m.unsupported_type()) return { reason: 'type' };
  if (message === m.never_uploaded() || message === m.other_bytes()) return { reason: 'lost' };
  const megapixels = numberIn(message, m.too_many_pixels);
  if (megapixels !== undefined) return { reason: 'pixels', megapixels };
  const pixels = numberIn(message.replace(/^is \d+ × \d+ pixels\. /, ''), needs);
  if (pixels !== undefined) return { reason: 'least', pixels };
  const bytes = numberIn(message, m.too_large) ?? numberIn(message, m.too_large_to_ask);
  if (bytes !== undefined) return { reason: 'size', bytes };
  const [, types] = m.wrong_type('', '').split('. ') as [string, string];
  if (message.includes(types.slice(0, -1)) || message.startsWith(m.wrong_content_type(''))) return { reason: 'type' };
  return undefined;
}
