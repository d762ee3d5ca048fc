import { type Fault, fault } from '../base/fault.ts';
import { type Attributes, attributeFaults, attributeOf } from './step-attributes.ts';

const ONE_STEP = 'three_dimensional.';

/**
 * True where `context.attributes["three_dimensional.KEY"]` is false: photos of this step show flat things, such as documents,
 * and `depth` is not asked of them.
 */
export const isFlatStep = (attributes: Attributes, stepKey: string): boolean =>
  attributeOf(attributes, ONE_STEP + stepKey) === false;

/** Faults of `three_dimensional.KEY` in `context.attributes`: neither true nor false, or of no step for pictures. */
export const flatStepFaults = (attributes: Attributes, stepKeys: readonly string[]): Fault[] =>
  attributeFaults(attributes, stepKeys, {
    prefix: ONE_STEP,
    faultOf: (path, value) =>
      typeof value === 'boolean' ? null : fault(path, 'type', 'must be true or false', { expected: ['boolean'] }),
  });
