import { type Static, type TSchema, Type } from 'typebox';

interface MapOptions {
  minProperties?: number;
  maxProperties?: number;
  propertyNames?: { minLength: number; maxLength: number };
  description?: string;
}

/**
 * A map: every member fits `value`, whatever its name. `additionalProperties` checks all members; a pattern of names
 * (`^.*$`) would skip names with a line break.
 */
export const MapOf = <T extends TSchema>(value: T, o: MapOptions = {}) =>
  Type.Unsafe<Record<string, Static<T>>>({ type: 'object', additionalProperties: value, ...o });
