import { CreateApiKey } from '@firsthand/contract/account/management.ts';
import { type IdPrefix, isId } from '@firsthand/contract/base/ids.ts';
import { Invitation } from '@firsthand/contract/people/people.ts';
import { Type } from 'typebox';
import { compileBody } from '../platform/http/validate.ts';

/** An argument that the API would refuse too. */
export class UsageError extends Error {
  override name = 'UsageError';
}

/** The schemas that the API checks these values by. */
const SCHEMAS = {
  name: CreateApiKey.properties.name,
  email: Type.Required(Invitation).properties.email,
  phone: Type.Required(Invitation).properties.phone_e164,
  personName: Type.Required(Invitation).properties.name,
} as const;

/** Throws a {@link UsageError} unless the API would take `value`. `argument` is named as the help names it. */
export function checkValue(argument: string, kind: keyof typeof SCHEMAS, value: string): void {
  const faults = compileBody(Type.Object({ value: SCHEMAS[kind] })).faults({ value });
  if (faults.length > 0) throw new UsageError(faults.map(fault => `${argument} ${fault.message}.`).join('\n'));
}

/** Throws a {@link UsageError} unless `value` is an identifier with one of these prefixes. */
export function checkId(argument: string, prefixes: IdPrefix | readonly IdPrefix[], value: string): void {
  const list = [prefixes].flat();
  if (list.some(prefix => isId(prefix, value))) return;
  const forms = list.map(prefix => `${prefix}_…`).join(' or ');
  throw new UsageError(
    `${argument} takes an id, ${forms} with 26 letters and digits: ${JSON.stringify(value)} is none.`,
  );
}
