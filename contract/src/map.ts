import { type Static, type TSchema, Type } from 'typebox';

interface MapOptions {
  minProperties?: number;
  maxProperties?: number;
  propertyNames?: { minLength: number; maxLength: number };
  description?: string;
}

/**
 * An object that is a map: its members, whatever their names, each fit `value`. A pattern of names (`^.*$`) would let
 * those with a line break past unchecked.
 */
export const MapOf = <T extends TSchema>(value: T, o: MapOptions = {}) =>
  Type.Unsafe<Record<string, Static<T>>>({ type: 'object', additionalProperties: value, ...o });
