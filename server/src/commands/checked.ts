import type { Static, TSchema } from 'typebox';
import { compileBody } from '../http/validate.ts';

/** What the API refuses, a command refuses, by the same schema. `options`: what the user calls each member. */
export function checked<S extends TSchema>(schema: S, value: unknown, options: Record<string, string>): Static<S> {
  const faults = compileBody(schema).faults(value);
  if (faults.length > 0) {
    throw new Error(faults.map(({ path, message }) => `${options[path] ?? path} ${message}.`).join('\n'));
  }
  return value as Static<S>;
}
