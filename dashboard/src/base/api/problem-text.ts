import { ApiError, NetworkError } from '@firsthand/sdk/capture/errors.ts';
import type { MessageKey, Translator } from '../i18n.ts';

const SAID: Record<string, MessageKey> = {
  unauthorized: 'problem.unauthorized',
  forbidden: 'problem.forbidden',
  reauthentication_required: 'problem.reauthentication_required',
  not_found: 'problem.not_found',
  last_owner: 'problem.last_owner',
  mode_changed: 'problem.mode_changed',
  already_member: 'problem.already_member',
  not_configured: 'problem.not_configured',
  invalid_request: 'problem.invalid_request',
  claimed: 'problem.claimed',
  already_decided: 'problem.already_decided',
  review_changed: 'problem.review_changed',
  own_photo: 'problem.own_photo',
  not_reviewable: 'problem.not_reviewable',
  verification_closed: 'problem.verification_closed',
  already_finalized: 'problem.already_finalized',
  steps_incomplete: 'problem.steps_incomplete',
  expired: 'problem.expired',
  redacted: 'problem.redacted',
  on_hold: 'problem.on_hold',
};

/** An error in plain words: what happened, whether anything was lost, what to do. */
export function problemText({ t }: Pick<Translator, 't'>, error: unknown): string {
  if (error instanceof NetworkError) return t('problem.network');
  if (!(error instanceof ApiError)) return t('problem.unknown');
  if (error.code === 'too_many_requests') {
    return t('problem.too_many_requests', { n: Math.max(1, Math.ceil((error.retryAfterMs ?? 60_000) / 60_000)) });
  }
  const key = SAID[error.code];
  if (key) return t(key);
  return error.status >= 500 ? t('problem.server') : t('problem.unknown');
}

/** An error's code in plain words, for results that name it. */
export const codeText = ({ t }: Pick<Translator, 't'>, code: string): string => t(SAID[code] ?? 'problem.unknown');
