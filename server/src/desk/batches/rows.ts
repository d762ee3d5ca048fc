import { fault } from '@firsthand/contract/base/fault.ts';
import { METADATA_MAX_KEYS } from '@firsthand/contract/base/limits.ts';
import {
  BATCH_COLUMNS,
  type BatchColumn,
  type BatchFault,
  BatchRowContent,
  inRow,
} from '@firsthand/contract/batches/batches.ts';
import type { CreateVerificationRequest } from '@firsthand/contract/verification/create-verification.ts';
import { compileBody } from '../../platform/http/validate.ts';
import { isRecord } from '../../platform/lib/ask-json.ts';

/** One row as it came: its number, and values by column. */
export interface RawRow {
  row: number;
  values: Record<string, unknown>;
}

export type BatchBase = Omit<CreateVerificationRequest, 'tenant_id'>;

const PERSON: readonly string[] = ['name', 'email', 'phone_e164', 'external_ref'] satisfies BatchColumn[];
const METADATA = 'metadata.';
export const NOT_A_COLUMN = 'is not a column of a batch';
const check = compileBody(BatchRowContent, undefined);

export const isColumn = (name: string): boolean =>
  (BATCH_COLUMNS as readonly string[]).includes(name) || (name.startsWith(METADATA) && name.length > METADATA.length);

/** Converts one row's values to what it adds to the request, with the faults of each column. */
export function checkRow({ row, values }: RawRow): { content: BatchRowContent; faults: BatchFault[] } {
  const faults: BatchFault[] = [];
  const subject: Record<string, unknown> = {};
  const person: Record<string, unknown> = {};
  const metadata: Record<string, unknown> = {};
  for (const [column, value] of Object.entries(values)) {
    if (value === undefined || value === '') continue;
    if (column === 'metadata' && isRecord(value)) Object.assign(metadata, value);
    else if (!isColumn(column)) faults.push(inRow(row, fault(column, 'unknown_property', NOT_A_COLUMN)));
    else if (column.startsWith(METADATA)) metadata[column.slice(METADATA.length)] = value;
    else if (PERSON.includes(column)) person[column] = value;
    else subject[column] = column === 'condition_aspects' ? aspectsOf(value) : value;
  }
  if (Object.keys(person).length > 0) subject.person = person;
  const content = {
    ...(Object.keys(subject).length > 0 ? { subject } : {}),
    ...(Object.keys(metadata).length > 0 ? { metadata } : {}),
  };
  for (const found of check.faults(content)) faults.push(inRow(row, { ...found, path: columnOf(found.path) }));
  return { content: content as BatchRowContent, faults };
}

const aspectsOf = (value: unknown): unknown =>
  typeof value === 'string'
    ? value
        .split(';')
        .map(aspect => aspect.trim())
        .filter(aspect => aspect !== '')
    : value;

/** The column that a fault of the content lies in. */
const columnOf = (path: string): string =>
  path
    .replace(/^subject\.(?:person\.)?/, '')
    .replace(/^condition_aspects\..*/, 'condition_aspects')
    .replace(/^(?:subject|person)$/, '');

/** Lays a row over the request of its batch. What a row says comes before what the batch says. */
export function requestOfRow(base: BatchBase, { subject, metadata }: BatchRowContent): CreateVerificationRequest {
  const { expected_location, expected_object, condition_aspects, expected_info, ...rest } = base;
  const shared = {
    ...expected_info?.shared,
    ...expected_info?.subject,
    ...(expected_location === undefined ? {} : { expected_location }),
    ...(expected_object === undefined ? {} : { expected_object }),
    ...(condition_aspects === undefined ? {} : { condition_aspects }),
  };
  // A person and an asset belong to only one row.
  const {
    person: _person,
    asset_ref: _asset,
    ...common
  } = shared as typeof shared & { person?: unknown; asset_ref?: unknown };
  return {
    ...rest,
    ...(rest.metadata || metadata ? { metadata: { ...rest.metadata, ...metadata } } : {}),
    expected_info: {
      source: 'csv',
      ...(Object.keys(common).length > 0 ? { shared: common } : {}),
      ...(subject ? { subject } : {}),
    },
  };
}

/** Says when the metadata of batch and row together are too many. */
export function metadataFault(base: BatchBase, { metadata }: BatchRowContent, row: number): BatchFault[] {
  const names = new Set([...Object.keys(base.metadata ?? {}), ...Object.keys(metadata ?? {})]);
  if (names.size <= METADATA_MAX_KEYS) return [];
  const message = `must have at most ${METADATA_MAX_KEYS} members, the request's included`;
  return [inRow(row, fault('metadata', 'too_many', message, { max: METADATA_MAX_KEYS }))];
}
