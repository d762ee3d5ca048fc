import type { Fault } from '../base/errors.ts';

type Attributes = Readonly<Record<string, unknown>> | undefined;

const ONE_STEP = 'three_dimensional.';

/**
 * True where `context.attributes["three_dimensional.KEY"]` is false: photos of this step show flat things, such as documents,
 * and `depth` is not asked of them.
 */
export const isFlatStep = (attributes: Attributes, stepKey: string): boolean =>
  attributes !== undefined && Object.hasOwn(attributes, ONE_STEP + stepKey) && attributes[ONE_STEP + stepKey] === false;

/** Faults of `three_dimensional.KEY` in `context.attributes`: neither true nor false, or of no step for pictures. */
export function flatStepFaults(attributes: Attributes, stepKeys: readonly string[]): Fault[] {
  return Object.entries(attributes ?? {}).flatMap(([name, value]): Fault[] => {
    if (!name.startsWith(ONE_STEP)) return [];
    const path = `context.attributes.${name}`;
    if (typeof value !== 'boolean') return [{ path, message: 'must be true or false' }];
    if (stepKeys.includes(name.slice(ONE_STEP.length))) return [];
    return [{ path, message: 'must name an image or upload step' }];
  });
}
