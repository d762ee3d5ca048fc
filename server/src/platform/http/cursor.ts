import { type TSchema, Type } from 'typebox';
import { invalidField } from './problem.ts';

/** The query of a list without filters. */
export const PageQuery = Type.Object(
  {
    limit: Type.Integer({ minimum: 1, maximum: 100, default: 20 }),
    cursor: Type.Optional(Type.String({ maxLength: 200 })),
  },
  { additionalProperties: false },
);

/** The body of a list: a page of items, and the cursor of the next page if there is one. */
export const Page = <T extends TSchema>(item: T) =>
  Type.Object(
    { data: Type.Array(item), next_cursor: Type.Optional(Type.String({ description: 'absent on the last page' })) },
    { additionalProperties: false, title: `${(item as { title?: string }).title}List` },
  );

/**
 * Encodes the id of the last row shown as a cursor; the next page starts below it. A cursor deliberately means nothing
 * else.
 */
export const encodeCursor = (id: string): string => Buffer.from(`after:${id}`).toString('base64url');

/** Returns the id inside a cursor. Throws `invalid_request` for a cursor that this list did not issue. */
export function decodeCursor(cursor: string, isValid: (id: string) => boolean): string {
  const text = Buffer.from(cursor, 'base64url').toString('utf8');
  const id = text.startsWith('after:') ? text.slice(6) : '';
  if (!isValid(id) || encodeCursor(id) !== cursor)
    throw invalidField('cursor', 'unknown_reference', 'is not a cursor of this list');
  return id;
}

/** Makes a page from rows that were queried with one more than `limit`. */
export function pageOf<R, T>(rows: readonly R[], limit: number, idOf: (row: R) => string, present: (row: R) => T) {
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  return {
    data: shown.map(present),
    ...(rows.length > limit && last !== undefined ? { next_cursor: encodeCursor(idOf(last)) } : {}),
  };
}
