import type { ErrorCode, ErrorResponse } from '@firsthand/contract/base/errors.ts';

/** The body of a refusal. */
export type Failure = ErrorResponse;

/** The status of an answer, and the code of its error if it is a refusal. */
export const codeOf = ({ status, body }: { status: number; body: unknown }): [status: number, code?: string] => [
  status,
  (body as Partial<Failure> | undefined)?.error?.code,
];

/** The paths of the faults that a refusal names; undefined where it names none. */
export const pathsOf = ({ body }: { body: unknown }): string[] | undefined =>
  (body as Partial<Failure> | undefined)?.error?.fields?.map(({ path }) => path);

/** The text of a refusal without faults. Equal errors of a service are equal byte for byte. */
export const refusalText = ({ url }: { url: string }, code: ErrorCode, message: string): string =>
  JSON.stringify({ error: { code, message, doc_url: `${url}/docs/errors#${code}` } });
