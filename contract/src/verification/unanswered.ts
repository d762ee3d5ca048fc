import type { DepthPolicy } from './presence.ts';

/** Who can make a signal stay without an answer: whoever sends the picture, or nobody but the service and its settings. */
export type Chooser = 'sender' | 'service';

type Row = Readonly<Record<DepthPolicy, Chooser>>;

const by = (chooser: Chooser): Row => ({ lenient: chooser, strict: chooser, attested: chooser });
const sender = by('sender');
const service = by('service');
/** Without a session nothing speaks against the photo; `strict` asks for one. `attested` doubts a photo that no app attested in any case. */
const byPolicy: Row = { lenient: 'service', strict: 'sender', attested: 'service' };

/**
 * Why a required signal can have no answer, by signal and policy, and who chose that. A photo that lacks an answer by its
 * sender's choice is not `verified`. docs/verdict.md shows this table.
 */
export const UNANSWERED = {
  screen: { too_small: sender, too_dark: sender, analysis_error: service },
  ai: { analysis_error: service },
  context: {
    too_small: sender,
    no_context: service,
    no_model: service,
    timeout: service,
    refused: service,
    wrong_answer: service,
    rate_limited: service,
    unreachable: service,
    rejected: service,
    resting: service,
    analysis_error: service,
  },
  reverse: { too_plain: sender, nothing_to_search: service, engine_unavailable: service, analysis_error: service },
  depth: { no_session: byPolicy, session_inconclusive: byPolicy, analysis_error: service },
} as const satisfies Record<string, Record<string, Row>>;

type ReasonsOf<T> = T extends unknown ? keyof T : never;
/** Why a signal has no answer. */
export type Unanswered = ReasonsOf<(typeof UNANSWERED)[keyof typeof UNANSWERED]>;
export const UNANSWERED_REASONS = [
  ...new Set(Object.values(UNANSWERED).flatMap(reasons => Object.keys(reasons))),
] as Unanswered[];

/** Who chose that a signal has no answer. A reason that the table does not list counts as the sender's. */
export function chooserOf(
  signal: keyof typeof UNANSWERED,
  reason: string | undefined,
  policy: DepthPolicy | undefined,
): Chooser {
  const rows: Readonly<Record<string, Row>> = UNANSWERED[signal];
  const row = reason !== undefined && Object.hasOwn(rows, reason) ? rows[reason] : undefined;
  return row?.[policy ?? 'lenient'] ?? 'sender';
}
