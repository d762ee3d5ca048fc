import base from '@firsthand/dashboard/src/base/messages/en/base.json' with { type: 'json' };
import cases from '@firsthand/dashboard/src/base/messages/en/cases.json' with { type: 'json' };
import type { Finding } from '@firsthand/dashboard/src/case/why/findings.ts';
import type { Capture, Verification } from '@firsthand/sdk';
import { tool } from '../tool.ts';
import { READS, verificationId } from './fields.ts';
import { findingsIn } from './findings.ts';

const WORDS: Readonly<Record<string, unknown>> = { ...base, ...cases };

/** The dashboard's words. A code without words is shown as it is. */
function words(key: string, values: Readonly<Record<string, string | number>> = {}): string {
  const text = WORDS[key];
  if (typeof text !== 'string') return key.slice(key.lastIndexOf('.') + 1);
  return text.replace(/\{(\w+)\}/g, (whole, name: string) => String(values[name] ?? whole));
}

export const explainVerdict = tool({
  name: 'explain_verdict',
  title: 'Explain a verdict',
  description:
    'Says in sentences why a verification has its verdict: the label, what each signal found in each photo, the checks, the decision of ' +
    'people. The same verification always gives the same sentences.',
  hints: READS,
  input: { verification_id: verificationId },
  async run({ verification_id }, { service, signal }) {
    const found = await service.firsthand.verifications.get(verification_id, { signal });
    const { id, status, livemode, verdict } = found;
    return {
      facts: {
        verification_id: id,
        status,
        livemode,
        label: verdict?.label,
        score: verdict?.score,
        reason_code: verdict?.reason_code,
        explanation: [
          ...outcome(found),
          ...found.captures.flatMap((photo, index) => ofPhoto(photo, index + 1)),
          ...checks(found),
          ...decision(found),
        ],
      },
    };
  },
});

const OPEN: Readonly<Record<Verification['status'], string>> = {
  pending: 'No verdict yet: no photo has arrived.',
  partially_captured: 'No verdict yet: photos are still missing or being analysed.',
  abandoned: 'No verdict yet: the person left. The link works until it expires.',
  expired: 'No verdict: the link expired before everything had arrived.',
  failed: 'No verdict: no photo could be analysed.',
  completed: 'No verdict is kept.',
};

function outcome({ status, verdict, livemode, config, redacted_at }: Verification): string[] {
  const test = livemode ? [] : ['This is a test verification: it proves nothing.'];
  const forced = livemode ? undefined : config.metadata?.test_outcome;
  const erased = redacted_at === undefined ? [] : ['Its photos and answers were erased.'];
  if (!verdict) return [OPEN[status], ...test, ...erased];
  return [
    headline(verdict),
    `The score is ${verdict.score}, from 0 to 1: how sure the service is of this label.`,
    ...test,
    ...(forced === undefined
      ? []
      : ['A test key asked for this outcome. The findings below are what the photos really show.']),
    ...erased,
  ];
}

function headline({ label, reason_code }: NonNullable<Verification['verdict']>): string {
  const reason = reason_code === undefined ? '' : ` (${words(`reason.${reason_code}`)})`;
  if (label === 'verified')
    return 'Verified: nothing speaks against the photos, and every photo that needs support has it.';
  if (label === 'failed') return `Failed: a required signal is confident that something is wrong${reason}.`;
  return reason === ''
    ? 'Suspicious: no signal tripped, but a required check is missing, so nothing supports "verified".'
    : `Suspicious: a required signal is in doubt${reason}.`;
}

function ofPhoto(photo: Capture, n: number): string[] {
  const name = `Photo ${n} (${photo.id}, ${words(`source.${photo.source}`)})`;
  const findings = findingsIn(photo);
  if (findings.length === 0) return [`${name}: ${words('why.notYet')}`];
  return findings.map(finding => `${name}, ${words(`signal.${finding.signal}`)}: ${sentences(finding)}`);
}

function sentences({ signal, state, source, missing }: Finding): string {
  const doubted = state === 'doubtful' || state === 'confident';
  const key =
    doubted && source === 'attestation'
      ? 'finding.attestation'
      : doubted && source === 'camera_session'
        ? 'finding.session'
        : `finding.${signal}.${state}`;
  const why = missing === undefined ? '' : ` ${words('why.missing', { why: words(`why.not.${missing}`) })}`;
  return words(key) + why;
}

function checks({ location_match, object_match, condition, instructions_found }: Verification): string[] {
  return [
    ...(location_match ? [`${words('checks.location')}: ${words(`location.${location_match.result}`)}.`] : []),
    ...(object_match ? [words(`object.${object_match.status}`, { object: 'the expected object' })] : []),
    ...(condition
      ? [`${words('checks.condition')}: ${words(`condition.${condition.label}`, { score: condition.score })}.`]
      : []),
    ...(instructions_found
      ? [
          words('checks.instructionsText', {
            checks: instructions_found.map(check => words(`instructed.${check}`)).join(', '),
          }),
        ]
      : []),
  ];
}

function decision({ review }: Verification): string[] {
  if (review.decision !== undefined) return [`The review decided: ${review.decision}. The verdict stays as it is.`];
  if (review.state === 'none') return [];
  return [`The review is ${review.state}: it waits for a decision.`];
}
