import type { LABELS } from '@firsthand/contract/base/enums.ts';
import type { Verdict } from '@firsthand/contract/verification/verification.ts';
import { one } from '../../platform/db/sql.ts';
import type { Deps, Origins } from '../../platform/deps.ts';
import { lacksCheck } from '../../verification/verifications/steps.ts';
import { type Letter, mailLetter } from './letter.ts';
import { wordsFor } from './reason.ts';

interface OutcomeRow {
  public_type: string;
  created_at: Date;
  livemode: boolean;
  verification_id: string;
  external_ref: string | null;
  captures_count: number;
  notify_email: string | null;
  verdict: Verdict | null;
  redacted_at: Date | null;
}

const VERDICT: Record<(typeof LABELS)[number], string> = {
  verified: 'The photos passed every check.',
  suspicious: 'At least one check was not sure. Please look at the photos.',
  failed: 'At least one check found a problem. Please look at the photos.',
};

const INCOMPLETE = 'No check found a problem, but one that you asked for is missing. Please look at the photos.';

/** Job: e-mails the verification's `notify_email` that it completed, expired or could not be analysed. */
export async function mailOutcome(
  deps: Pick<Deps, 'log' | 'db' | 'origins' | 'mailer'>,
  eventId: string,
): Promise<void> {
  if (!deps.mailer) return;
  const row = await one<OutcomeRow>(
    deps.db,
    `select e.public_type, e.created_at, e.livemode, v.id as verification_id, v.external_ref, v.captures_count,
       v.config ->> 'notify_email' as notify_email, v.verdict, v.redacted_at
     from events e join verifications v on v.id = e.verification_id where e.id = $1`,
    [eventId],
  );
  // Skip the e-mail if the verification was redacted after this job was queued.
  if (!row?.notify_email || row.redacted_at) return;
  const letter = letterOf(row, deps.origins);
  if (letter)
    await mailLetter(deps, deps.mailer, { to: row.notify_email, id: eventId, about: { event: eventId }, letter });
}

function letterOf(row: OutcomeRow, origins: Origins): Letter | null {
  const { verdict } = row;
  const name = row.external_ref ?? row.verification_id;
  const test = row.livemode ? '' : '[Test] ';
  const facts: [string, string][] = [
    ['Verification', row.verification_id],
    ...(row.external_ref ? ([['Reference', row.external_ref]] as [string, string][]) : []),
    ['Photos', String(row.captures_count)],
    ...(verdict?.reason_code ? ([['Reason', wordsFor(verdict.reason_code)]] as [string, string][]) : []),
    ['Time', `${row.created_at.toISOString().slice(0, 16).replace('T', ' ')} UTC`],
  ];
  const common = {
    facts,
    link: { text: 'Open the verification', url: `${origins.capture}/c/${row.verification_id}` },
    footer: 'You get this e-mail because this verification sends its notifications to your address.',
  };
  switch (row.public_type) {
    case 'verification.completed':
      return {
        ...common,
        subject: `${test}Verification ${verdict?.label ?? 'completed'}: ${name}`,
        heading: `Verification completed${verdict ? `: ${verdict.label}` : ''}`,
        lead: verdict ? (lacksCheck(verdict) ? INCOMPLETE : VERDICT[verdict.label]) : 'The verification has completed.',
      };
    case 'verification.expired':
      return {
        ...common,
        subject: `${test}Verification expired: ${name}`,
        heading: 'Verification expired',
        lead: 'The link expired before all photos and answers arrived. Create a new verification to ask again.',
      };
    case 'verification.failed':
      return {
        ...common,
        subject: `${test}Verification failed: ${name}`,
        heading: 'Verification could not be analysed',
        lead: 'A photo could not be analysed, so there is no verdict. The photos are kept.',
      };
    default:
      return null;
  }
}
