import { type Fault, fault } from '../base/fault.ts';
import { type Attributes, attributeFaults, attributeOf } from './step-attributes.ts';

/**
 * Pixels on the long side from which `screen` says that a photo shows no display. Below it the detector misses too many
 * displays: it can still raise a suspicion, and clears nothing.
 */
const CLEARS_FROM_SIDE = 640;

/** Bounds of the least size that a request asks for: pixels on the long side. */
const MIN_LONG_SIDE = { min: 1, max: 20_000 } as const;

interface Size {
  width: number;
  height: number;
}

const ALL_STEPS = 'min_long_side';
const ONE_STEP = `${ALL_STEPS}.`;

const isSize = (value: unknown): value is number =>
  Number.isInteger(value) && (value as number) >= MIN_LONG_SIDE.min && (value as number) <= MIN_LONG_SIDE.max;

export const longSideOf = ({ width, height }: Size): number => Math.max(width, height);

/** True when `screen` cannot clear a picture of this size. */
export const isTooSmallToClear = (size: Size): boolean => longSideOf(size) < CLEARS_FROM_SIDE;

/**
 * Pixels that a picture of this step must have on its long side: `context.attributes["min_long_side.KEY"]` for one step,
 * else `context.attributes.min_long_side` for all. Undefined: any size will do.
 */
export const minLongSideOf = (attributes: Attributes, stepKey: string): number | undefined =>
  [attributeOf(attributes, ONE_STEP + stepKey), attributeOf(attributes, ALL_STEPS)].find(isSize);

function sizeFault(path: string, value: unknown): Fault | null {
  if (isSize(value)) return null;
  const { min, max } = MIN_LONG_SIDE;
  const message = `must be a whole number from ${min} to ${max}`;
  if (!Number.isInteger(value)) return fault(path, 'type', message, { expected: ['integer'] });
  return (value as number) < min
    ? fault(path, 'too_small', message, { min })
    : fault(path, 'too_large', message, { max });
}

/** Faults of the sizes in `context.attributes`: one that is no whole number, or that names no step for pictures. */
export const sizeFaults = (attributes: Attributes, stepKeys: readonly string[]): Fault[] =>
  attributeFaults(attributes, stepKeys, {
    prefix: ONE_STEP,
    all: ALL_STEPS,
    faultOf: sizeFault,
  });
