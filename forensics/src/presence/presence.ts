import type { DepthPolicy } from '@firsthand/contract/verification/presence.ts';
import type { Band } from '@firsthand/contract/verification/signals.ts';
import { checkAsked } from './asked.ts';
import { checkContinuous } from './continuous.ts';
import { checkDepth } from './depth.ts';
import { checkFresh } from './fresh.ts';
import { checkHand } from './hand.ts';
import { checkLight } from './light.ts';
import { type Path, pathOf } from './path.ts';
import { checkSensor } from './sensor.ts';
import { type CheckResult, noAnswer, type Session } from './trace.ts';

export type CheckName = 'fresh' | 'continuous' | 'asked' | 'depth' | 'sensor' | 'hand' | 'light';
export type PresenceResult = 'passed' | 'failed' | 'inconclusive' | 'not_performed';

export interface Presence {
  result: PresenceResult;
  checks: Partial<Record<CheckName, CheckResult>>;
}

/** A session passes only if each of these passed. The others can fail it. */
const NEEDED: readonly CheckName[] = ['fresh', 'continuous', 'asked', 'depth'];

/** Runs all checks of a camera session. Without a session nothing was performed. */
export function examine(session: Session | undefined): Presence {
  return session ? examineAlong(session, pathOf(session.trace.frames)) : { result: 'not_performed', checks: {} };
}

/** Runs all checks. `path` is the path of the trace's frames. */
export function examineAlong(session: Session, path: Path): Presence {
  const { trace, challenge } = session;
  return concluded({
    fresh: checkFresh(session),
    continuous: checkContinuous(session, path),
    asked: checkAsked(path, challenge.moves),
    depth: checkDepth(trace.frames, path),
    sensor: checkSensor(trace, path),
    hand: checkHand(path, trace, session.metadata),
    light: checkLight(trace.frames, path),
  });
}

/**
 * Combines the checks. A plane by itself fails nobody, because walls and documents are flat: it leaves the session inconclusive, and fails it
 * together with bands of light. Bands of light by themselves leave it inconclusive only where depth has no answer.
 */
export function concluded(checks: Presence['checks']): Presence {
  const failed = (name: CheckName): boolean => checks[name]?.evaluated === true && checks[name].passed === false;
  const passed = (name: CheckName): boolean => checks[name]?.evaluated === true && checks[name].passed === true;
  if ((['fresh', 'continuous', 'asked', 'hand', 'sensor'] as const).some(failed)) return { result: 'failed', checks };
  if (failed('depth') && failed('light')) return { result: 'failed', checks };
  return { result: NEEDED.every(passed) ? 'passed' : 'inconclusive', checks };
}

/** The checks that lack under a policy what they should have, by name. */
const lackingChecks = (
  { checks }: Presence,
  policy: DepthPolicy,
): [name: string, check: CheckResult, lacks: string][] =>
  policy !== 'strict'
    ? []
    : Object.entries(checks).flatMap(([name, check]) =>
        check.missing === undefined || check.passed === false ? [] : [[name, check, check.missing]],
      );

/** What a session lacks under a policy, in sentences for the person who reviews. */
export const lackingUnder = (presence: Presence, policy: DepthPolicy): string[] =>
  lackingChecks(presence, policy).map(([, , lacks]) => lacks);

/** What a policy makes of the checks. Under `strict` a check that lacks what it should have has no answer, and the session did not pass. */
export function underPolicy(presence: Presence, policy: DepthPolicy): Presence {
  const lacking = lackingChecks(presence, policy).map(
    ([name, { evidence }, lacks]) => [name, noAnswer(lacks, evidence)] as const,
  );
  if (lacking.length === 0) return presence;
  return {
    result: presence.result === 'passed' ? 'inconclusive' : presence.result,
    checks: { ...presence.checks, ...Object.fromEntries(lacking) },
  };
}

/**
 * Returns the band of a live capture's presence under a policy. A clear contradiction is confident under every policy, any other failure
 * is a doubt. `strict` also doubts a session that did not pass.
 */
export function presenceBand(presence: Presence, policy: DepthPolicy): Band {
  const { result, checks } = underPolicy(presence, policy);
  const contradiction = Object.values(checks).some(
    ({ evaluated, passed, contradiction }) => evaluated && passed === false && contradiction === true,
  );
  if (contradiction) return 'confident';
  if (result === 'failed') return 'doubtful';
  return policy === 'strict' && result !== 'passed' ? 'doubtful' : 'clear';
}
