/** Bounds of the wire format. Each name states its unit. */
export const MAX_CAPTURES = 20;
export const URL_MAX = 2_048;
/** Origins of one account or brand. A header names them all. */
export const ORIGINS_MAX = 20;
/** Webhook endpoints that an account registers in one mode. */
export const ENDPOINTS_MAX = 16;
export const ENDPOINT_DESCRIPTION_MAX = 200;
export const METADATA_MAX_KEYS = 50;
export const METADATA_KEY_MAX = 40;
export const EXPIRES_IN_SECONDS = { min: 60, max: 86_400, default: 3_600 } as const;
export const UPLOAD_HARD_CAP_BYTES = 26_214_400;
export const UPLOAD_DEFAULT_BYTES = 10_485_760;
/** Counts the decoded bytes of an inline payload. */
export const INLINE_MAX_BYTES = 6 * 1_048_576;
export const UPLOAD_URL_TTL_SECONDS = 300;
export const IMAGE_URL_TTL_SECONDS = 3_600;
export const NARRATIVE_MAX = 2_000;
export const IDEMPOTENCY_TTL_SECONDS = 86_400;
export const BRAND_LOGO_MAX_BYTES = 1_048_576;
export const EXAMPLE_PICTURE_MAX_BYTES = 6_291_456;
export const RETENTION_DAYS_MAX = 3_650;
export const TRIAL_EXPIRES_IN_SECONDS = { min: 60, max: 600, default: 600 } as const;
export const REVIEW_REASONS_MAX = 8;
export const REVIEW_REASON_MAX = 40;
export const REVIEW_NOTE_MAX = 2_000;
/** A claim on a case lasts so long after its holder's last action. */
export const REVIEW_CLAIM_SECONDS = 600;
/** A review can be taken back for so long. */
export const REVIEW_UNDO_SECONDS = 600;
export const REVIEW_SECONDS_MAX = 86_400;
export const REVIEWS_HELD_MAX = 10;
export const COMMENT_MAX = 2_000;
export const MENTIONS_MAX = 20;
export const BATCH_ROWS_MAX = 50_000;
/** Room for 50,000 rows of 600 bytes. */
export const BATCH_BODY_MAX_BYTES = 32 * 1_048_576;
/** Translations of one text of a request. */
export const DESCRIPTIONS_MAX = 30;
