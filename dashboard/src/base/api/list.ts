import { type InfiniteData, type QueryKey, useInfiniteQuery } from '@tanstack/react-query';
import { type Answer, call, type Input } from './call.ts';
import type { Operations, Page } from './operations.ts';

type ListOperation = { [O in keyof Operations]: Answer<O> extends Page<unknown> ? O : never }[keyof Operations];
type Item<O extends ListOperation> = Answer<O>['data'][number];

interface ListOptions<One> {
  query?: Record<string, string | undefined>;
  /** Looks again while this holds of one item that was read. */
  whileAny?: (item: One) => boolean;
}

const LOOK_AGAIN_MS = 2_000;

/** Reads a list page by page; `data` has the items of all pages that were read. */
export function useList<O extends ListOperation>(queryKey: QueryKey, operation: O, o: ListOptions<Item<O>> = {}) {
  const { query, whileAny = () => false } = o;
  return useInfiniteQuery({
    queryKey,
    queryFn: async ({ signal, pageParam: cursor }) =>
      (await call(operation, { signal, query: { limit: '50', ...query, cursor } } as Input<O>)) as Page<Item<O>>,
    initialPageParam: undefined as string | undefined,
    getNextPageParam: page => page.next_cursor,
    select: ({ pages }: InfiniteData<Page<Item<O>>>) => pages.flatMap(page => page.data),
    refetchInterval: ({ state }) => (state.data?.pages.some(page => page.data.some(whileAny)) ? LOOK_AGAIN_MS : false),
  });
}
