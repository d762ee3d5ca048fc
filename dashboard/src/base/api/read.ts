import { type QueryKey, type UseQueryOptions, useQuery } from '@tanstack/react-query';
import { type Answer, call, type Input } from './call.ts';
import type { Operations } from './operations.ts';

/** Reads the answer of an operation, kept under a key. */
export const useRead = <O extends keyof Operations>(
  queryKey: QueryKey,
  operation: O,
  input: Omit<Input<O>, 'signal'>,
  more: Omit<UseQueryOptions<Answer<O>>, 'queryKey' | 'queryFn'> = {},
) =>
  useQuery({
    queryKey,
    queryFn: ({ signal }) => call(operation, { ...input, signal } as Input<O>),
    ...more,
  });
