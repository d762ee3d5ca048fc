import { WORD_KEYS } from '@firsthand/react/word-keys.ts';

/** The texts of the hosted page that the screen shows too. The package has these only. */
export const NATIVE_WORD_KEYS = [
  ...WORD_KEYS,
  'common.back',
  'common.requester',
  'unreachable.title',
  'landing.title',
  'landing.titlePlain',
  'landing.titleFew',
  'landing.titleFewPlain',
  'landing.privacy',
  'landing.location',
  'landing.until',
  'landing.resumed',
  'camera.starting',
  'camera.shutter',
  'camera.taking',
  'camera.torchOn',
  'camera.torchOff',
  'camera.preview',
  'camera.photoOf',
  'motion.left',
  'motion.right',
  'motion.up',
  'motion.down',
  'motion.text',
  'motion.hard',
  'camera.failed',
  'camera.lostTitle',
  'camera.lost',
  'blocked.title',
  'review.title',
  'review.retake',
  'review.use',
  'review.alt',
  'upload.choose',
  'upload.more',
  'step.another',
  'step.needMore',
  'summary.sent',
  'sending.item',
  'sending.finishing',
  'sending.waiting',
  'sending.busy',
  'sending.busyText',
  'sending.progress',
  'end.expired.title',
  'end.withdrawn.title',
  'end.completed.title',
  'end.failed.title',
  'end.unknown.title',
  'end.redacted.title',
] as const;
export type PageWordKey = (typeof NATIVE_WORD_KEYS)[number];

/** Texts that the hosted page has not, because a browser has no settings of an app. */
export type AppWordKey = 'app.blocked' | 'app.settings';
export type WordKey = PageWordKey | AppWordKey;

/** Texts of yours in place of the language's, with the same `{placeholders}`. An object holds plural forms. */
export type Words = Partial<Record<WordKey, string | Partial<Record<Intl.LDMLPluralRule, string>>>>;
