import { caseFacts } from '@firsthand/contract/verification/name.ts';
import type { VerificationSummary } from '@firsthand/contract/verification/verification.ts';
import { type InfiniteData, useInfiniteQuery } from '@tanstack/react-query';
import { useCallback, useMemo, useState } from 'react';
import { call } from '../base/api/call.ts';
import type { Page } from '../base/api/operations.ts';
import { useChanges } from '../base/live.ts';
import { queryClient } from '../entry/session/query-client.ts';
import { type Filters, queryOf, searchOf } from './filters.ts';

const PAGE = 100;
/** More loaded rows than this that changed in one moment are read with the next page, not one by one. */
const READ_AT_ONCE = 20;

/** The fields that a row shows. Whole verifications would fill the memory at a hundred thousand rows. */
export interface Row
  extends Pick<
    VerificationSummary,
    'id' | 'status' | 'verdict' | 'review' | 'created_at' | 'completed_at' | 'cancelled_at' | 'captures_count'
  > {
  /** Photos that the request needs. */
  wanted: number;
  /** The name of the case, and what else the request says of it. */
  about: readonly string[];
}

const rowOf = (verification: VerificationSummary): Row => {
  const { id, status, verdict, created_at, completed_at, cancelled_at, captures_count, config, review } = verification;
  const [name, ...details] = caseFacts(config);
  return {
    id,
    status,
    verdict,
    review,
    created_at,
    completed_at,
    cancelled_at,
    captures_count,
    wanted: config.steps.reduce((sum, step) => sum + (step.type === 'text' ? 0 : step.min), 0),
    about: name === undefined ? [] : [name, details.join(' · ')].map(part => part.slice(0, 200)),
  } as Row;
};

type RowPage = Page<Row> & { total?: number };
type Rows = InfiniteData<RowPage, string | undefined>;
const VERIFICATIONS = ['verifications'] as const;

const readPage = async (filters: Filters, cursor: string | undefined, signal?: AbortSignal): Promise<RowPage> => {
  const {
    data,
    next_cursor,
    total_estimate: total,
  } = await call('GET /v1/verifications', {
    query: { ...queryOf(filters), limit: String(PAGE), cursor },
    ...(signal ? { signal } : {}),
  });
  return {
    data: data.map(rowOf),
    ...(next_cursor === undefined ? {} : { next_cursor }),
    ...(total === undefined ? {} : { total }),
  };
};

/** Puts fresh rows in the place of those with the same id. */
const withFresh = (old: Rows, fresh: ReadonlyMap<string, Row>): Rows => ({
  ...old,
  pages: old.pages.map(page =>
    page.data.some(row => fresh.has(row.id)) ? { ...page, data: page.data.map(row => fresh.get(row.id) ?? row) } : page,
  ),
});

/** Reads loaded rows that changed and are not among the newest, one by one. */
async function readChanged(ids: readonly string[]): Promise<Row[]> {
  const read = await Promise.all(
    ids.slice(0, READ_AT_ONCE).map(id => call('GET /v1/verifications/:id', { id }).then(rowOf, () => undefined)),
  );
  return read.filter(row => row !== undefined);
}

/** The ids of rows above the newest one that is loaded. */
function arrivedIn(top: readonly Row[], newest: string | undefined): string[] {
  const ahead = newest === undefined ? top.length : top.findIndex(row => row.id === newest);
  return top.slice(0, ahead < 0 ? PAGE : ahead).map(row => row.id);
}

/**
 * The rows of a list, read a page at a time and kept. A row that changes is changed where it stands. New ones wait until
 * the person asks for them, so that nothing moves under the pointer.
 */
export function useRows(filters: Filters) {
  const search = searchOf(filters);
  const queryKey = useMemo(() => [...VERIFICATIONS, 'list', search], [search]);
  const [waiting, setWaiting] = useState<{ search: string; ids: ReadonlySet<string> }>({ search, ids: new Set() });
  const query = useInfiniteQuery({
    queryKey,
    queryFn: ({ pageParam, signal }) => readPage(filters, pageParam, signal),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: page => page.next_cursor,
    // Reading again would read every page that was scrolled through; the stream of changes keeps the rows fresh.
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnWindowFocus: false,
    structuralSharing: false,
  });

  useChanges(async changed => {
    const loaded = queryClient.getQueryData<Rows>(queryKey);
    if (!loaded) return;
    const known = new Set(loaded.pages.flatMap(page => page.data.map(row => row.id)));
    const top = await readPage(filters, undefined).catch(() => null);
    if (!top) return;
    const fresh = new Map(top.data.filter(row => known.has(row.id)).map(row => [row.id, row]));
    const missed = [...(changed ?? [])].filter(id => known.has(id) && !fresh.has(id));
    for (const row of await readChanged(missed)) fresh.set(row.id, row);
    if (fresh.size > 0) queryClient.setQueryData<Rows>(queryKey, old => old && withFresh(old, fresh));
    const arrived = arrivedIn(top.data, loaded.pages[0]?.data[0]?.id).filter(id => !known.has(id));
    setWaiting({ search, ids: new Set(arrived) });
  });

  /** Shows the rows that arrived meanwhile, from the top. */
  const showNew = useCallback(async () => {
    await queryClient.resetQueries({ queryKey, exact: true });
    setWaiting({ search, ids: new Set() });
  }, [queryKey, search]);

  const rows = useMemo(() => query.data?.pages.flatMap(page => page.data) ?? [], [query.data]);
  const total = query.data?.pages[0]?.total ?? rows.length;
  return { query, rows, total, waiting: waiting.search === search ? waiting.ids.size : 0, showNew };
}
