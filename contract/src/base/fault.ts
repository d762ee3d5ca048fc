/** What went wrong with one part of a request. Imports nothing: the capture page and the dashboard carry it too. */

type None = Record<never, never>;

/** What `params` holds, by code. */
export interface FaultParams {
  required: { unless?: string[]; with?: string[] };
  unknown_property: None;
  type: { expected: string[] };
  enum: { allowed: string[] };
  pattern: { pattern: string };
  format: { format: string };
  too_short: { min: number };
  too_long: { max: number };
  too_few: { min: number };
  too_many: { max: number };
  too_small: { min: number };
  too_large: { max: number };
  too_many_bytes: { max: number };
  wrong_size: { bytes: number };
  too_deep: { max: number };
  invalid_name: { min?: number; max?: number };
  unusable_text: None;
  duplicate: None;
  conflict: { with?: string[]; max?: number };
  not_allowed: { missing?: string[] };
  read_only: None;
  masked: None;
  unknown_reference: None;
  revoked: None;
  not_configured: { settings: string[] };
  incomplete: None;
  unsupported_type: { accepted: string[] };
  truncated: None;
  undecodable: None;
  too_many_pixels: { max: number };
  too_few_pixels: { min: number; width: number; height: number };
  not_uploaded: None;
  hash_mismatch: None;
  cell_count: { cells: number; columns: number };
  no_heading: { column: number };
  invalid: None;
}

export type FaultCode = keyof FaultParams;

/** One fault of a request: where (dotted path, `steps.0.max`) and what. Make one with {@link fault}. */
export interface Fault {
  path: string;
  /** In English, for people. */
  message: string;
  code: FaultCode;
  params?: Record<string, string | number | boolean | string[]>;
}

type Given<P> = Record<never, never> extends P ? [params?: P] : [params: P];
export type FaultArguments<C extends FaultCode> = [path: string, code: C, message: string, ...Given<FaultParams[C]>];

/** Makes a fault. The compiler asks for the parameters of its code. */
export function fault<C extends FaultCode>(...[path, code, message, params]: FaultArguments<C>): Fault {
  return params === undefined
    ? { path, message, code }
    : { path, message, code, params: params as NonNullable<Fault['params']> };
}

/** A fault as clients read it: its code says what `params` holds. */
export type KnownFault = { [C in FaultCode]: { code: C; params: FaultParams[C] } }[FaultCode];

/** Reads a fault of the service. Its code may be one of a later version: a `switch` needs a `default`. */
export const known = (found: { code: string; params?: unknown }): KnownFault => found as KnownFault;

export const required = (path: string, message = 'is required', params?: FaultParams['required']): Fault =>
  fault(path, 'required', message, params);
export const unknownReference = (path: string, message: string): Fault => fault(path, 'unknown_reference', message);
export const conflict = (path: string, message: string, others: string[]): Fault =>
  fault(path, 'conflict', message, { with: others });
export const duplicate = (path: string, message: string): Fault => fault(path, 'duplicate', message);
/** A date of the right form that no calendar holds. */
export const noSuchDate = (path: string): Fault =>
  fault(path, 'format', 'must be a date that exists', { format: 'date-time' });
