import type { Fault } from '../base/errors.ts';

/** `context.attributes` of a request. Some names speak of one step: `NAME.KEY`. */
export type Attributes = Readonly<Record<string, unknown>> | undefined;

/** The value under a name, if the attributes hold it themselves. */
export const attributeOf = (attributes: Attributes, name: string): unknown =>
  attributes && Object.hasOwn(attributes, name) ? attributes[name] : undefined;

interface Rule {
  /** Begins the names that the rule is for; the rest is the key of a step. */
  prefix: string;
  /** A name that speaks of all steps. */
  all?: string;
  takes: (value: unknown) => boolean;
  /** Says what the value must be. */
  message: string;
}

/** Faults of attributes under a rule: a value that it does not take, or the key of no step for pictures. */
export const attributeFaults = (attributes: Attributes, stepKeys: readonly string[], rule: Rule): Fault[] =>
  Object.entries(attributes ?? {}).flatMap(([name, value]): Fault[] => {
    if (name !== rule.all && !name.startsWith(rule.prefix)) return [];
    const path = `context.attributes.${name}`;
    if (!rule.takes(value)) return [{ path, message: rule.message }];
    if (name === rule.all || stepKeys.includes(name.slice(rule.prefix.length))) return [];
    return [{ path, message: 'must name an image or upload step' }];
  });
