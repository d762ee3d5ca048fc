// Lists of names without their schemas: a page that needs a list does not load the schemas.

export const IMAGE_TYPES = ['image/jpeg', 'image/png', 'image/webp', 'image/heic', 'image/heif'] as const;
/** The types that an image step takes. An upload step lists its own. */
export const LIVE_IMAGE_TYPES = [...IMAGE_TYPES, 'image/avif'] as const;
export type LiveImageType = (typeof LIVE_IMAGE_TYPES)[number];
export const STATUSES = ['pending', 'partially_captured', 'completed', 'expired', 'failed', 'abandoned'] as const;
export const LABELS = ['verified', 'suspicious', 'failed'] as const;

/** `escalated` leaves the case open for members and owners; each of the others decides. */
export const DECISIONS = ['approved', 'rejected', 'retake', 'escalated'] as const;
export const REVIEW_STATES = ['none', 'open', 'claimed', 'disputed', 'decided'] as const;
/** What can be done to many verifications at once. */
export const BULK_ACTIONS = ['cancel', 'resend', 'reissue', 'review', 'redact'] as const;
export const REVIEW_QUEUES = ['all', 'mine', 'suspicious', 'failed', 'checks'] as const;
