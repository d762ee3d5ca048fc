import type { CaptureView } from './wire.ts';

/**
 * Orders held captures for submission. A verification may settle as soon as every minimum is met, so the capture that
 * meets the last minimum goes last: the last capture of the last step that is still short.
 */
export function submissionOrder<T extends { stepKey: string }>(view: CaptureView, held: readonly T[]): T[] {
  const lacking = new Set(
    view.config.steps
      .filter(step => step.type !== 'text')
      .filter(step => {
        const state = view.step_states.find(candidate => candidate.key === step.key);
        return step.min > (state && state.type !== 'text' ? state.captured : 0);
      })
      .map(step => step.key),
  );
  const last = held.findLast(capture => lacking.has(capture.stepKey));
  const rest = held.filter(capture => capture !== last);
  const optional = rest.filter(capture => !lacking.has(capture.stepKey));
  const required = rest.filter(capture => lacking.has(capture.stepKey));
  return last ? [...optional, ...required, last] : [...optional, ...required];
}
