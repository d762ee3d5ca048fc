import type { Fault } from '../base/errors.ts';
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
    takes: value => typeof value === 'boolean',
    message: 'must be true or false',
  });
