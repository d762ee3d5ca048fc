import type { BulkActionRequest, BulkFilter } from '@firsthand/contract/batches/bulk-actions.ts';
import { type Filters, queryOf } from '../verifications/filters.ts';

/** What is picked for an action on many: single rows, or all that match the filters, loaded or not. */
export interface Picked {
  all: boolean;
  ids: ReadonlySet<string>;
}

export const NOTHING_PICKED: Picked = { all: false, ids: new Set() };

/** The most ids that one action takes, and the most that an address of an export holds. */
export const PICKED_MAX = 1_000;
export const EXPORTED_MAX = 200;
/** Beyond this the count of a list is an estimate. */
export const COUNTED = 1_000;

/** The filters as the body of an action says them. */
function filterOf(filters: Filters): BulkFilter {
  const { created_after, created_before } = queryOf(filters);
  const { q, status, verdict, review, assigned_to } = filters;
  return {
    ...(q === '' ? {} : { q }),
    ...(status.length > 0 ? { status } : {}),
    ...(verdict.length > 0 ? { verdict } : {}),
    ...(review.length > 0 ? { review } : {}),
    ...(assigned_to === '' ? {} : { assigned_to }),
    ...(created_after === undefined ? {} : { created_after }),
    ...(created_before === undefined ? {} : { created_before }),
  };
}

export const reachOf = ({ all, ids }: Picked, filters: Filters): Pick<BulkActionRequest, 'ids' | 'filter'> =>
  all ? { filter: filterOf(filters) } : { ids: [...ids] };
