import { ROOT } from '@firsthand/look/root.ts';
import { errorFromResponse, NetworkError } from '@firsthand/sdk/capture/errors.ts';
import type { Operations } from './operations.ts';

type Operation = keyof Operations;
export type Answer<O extends Operation> = Operations[O]['answer'];
export type Input<O extends Operation> = (O extends `${string}/:id${string}` ? { id: string } : object) &
  (O extends `${string}/:review` ? { review: string } : object) &
  (Operations[O] extends { body: infer Body } ? { body: Body } : object) & {
    query?: Record<string, string | undefined>;
    signal?: AbortSignal;
  };

const TIMEOUT_MS = 20_000;
/** A file may be some megabytes, and the line slow. */
const FILE_TIMEOUT_MS = 180_000;

/** The mode that the page shows. The service refuses a change that was meant for another one. */
let shown: boolean | undefined;
export const showMode = (livemode: boolean | undefined): void => {
  shown = livemode;
};

/** Headers of a request. Changes of the person's own session, and what signs in, have no mode. */
const headersOf = (method: string, path: string, type: string | undefined): Record<string, string> => ({
  ...(type === undefined ? {} : { 'content-type': type }),
  ...(method === 'GET' || shown === undefined || /^\/v1\/(me|auth)\//.test(path)
    ? {}
    : { 'firsthand-mode': shown ? 'live' : 'test' }),
});

/**
 * One request to the API, as the person who is signed in. A `Blob` as the body is sent as it is, with its own type.
 *
 * @throws ApiError the service's own answer; NetworkError when none came.
 */
export async function call<O extends Operation>(operation: O, input: Input<O>): Promise<Answer<O>> {
  const { id, review, body, query, signal } = input as {
    id?: string;
    review?: string;
    body?: unknown;
    query?: object;
    signal?: AbortSignal;
  };
  const [method, pattern] = operation.split(' ') as [string, string];
  const path = pattern
    .replace(':id', () => encodeURIComponent(id ?? ''))
    .replace(':review', () => encodeURIComponent(review ?? ''));
  const wanted = Object.entries(query ?? {}).filter(([, value]) => value !== undefined);
  const search = wanted.length > 0 ? `?${new URLSearchParams(wanted as [string, string][])}` : '';
  const file = body instanceof Blob;
  const timeout = AbortSignal.timeout(file ? FILE_TIMEOUT_MS : TIMEOUT_MS);
  const response = await fetch(ROOT + path + search, {
    method,
    credentials: 'same-origin',
    signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
    headers: headersOf(method, path, body === undefined ? undefined : file ? body.type : 'application/json'),
    ...(body === undefined ? {} : { body: file ? body : JSON.stringify(body) }),
  }).catch((error: unknown) => {
    if (signal?.aborted) throw error;
    throw new NetworkError(error);
  });
  if (!response.ok) throw await errorFromResponse(response);
  if (response.status === 204) return undefined as Answer<O>;
  return (await response.json().catch(error => {
    throw new NetworkError(error);
  })) as Answer<O>;
}
