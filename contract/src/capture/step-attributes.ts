import { type Fault, unknownReference } from '../base/fault.ts';

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
  /** The fault of a value that the rule does not take, or null. */
  faultOf: (path: string, value: unknown) => Fault | null;
}

/** Faults of attributes under a rule: a value that it does not take, or the key of no step for pictures. */
export const attributeFaults = (attributes: Attributes, stepKeys: readonly string[], rule: Rule): Fault[] =>
  Object.entries(attributes ?? {}).flatMap(([name, value]): Fault[] => {
    if (name !== rule.all && !name.startsWith(rule.prefix)) return [];
    const path = `context.attributes.${name}`;
    const found = rule.faultOf(path, value);
    if (found) return [found];
    if (name === rule.all || stepKeys.includes(name.slice(rule.prefix.length))) return [];
    return [unknownReference(path, 'must name an image or upload step')];
  });
