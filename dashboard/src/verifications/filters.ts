import { LABELS, REVIEW_STATES, STATUSES } from '@firsthand/contract/base/enums.ts';
import type { ReviewState } from '@firsthand/contract/reviews/reviews.ts';
import { endOf, startOf } from '../base/days.ts';

type Status = (typeof STATUSES)[number];
type Label = (typeof LABELS)[number];

/** The filters of the list, as they stand in the address. */
export interface Filters {
  q: string;
  status: Status[];
  verdict: Label[];
  review: ReviewState[];
  /** The id of a person whose cases they are. */
  assigned_to: string;
  /** Days of the person's own calendar, `2026-11-22`, both included. */
  from: string;
  to: string;
}

/** The longest text that the API looks for. */
export const SEARCH_MAX = 120;
const DAY = /^\d{4}-\d\d-\d\d$/;
const among = <Value extends string>(known: readonly Value[], text: string | null): Value[] =>
  known.filter(value => text?.split(',').includes(value));
const day = (text: string | null) => (text && DAY.test(text) && !Number.isNaN(Date.parse(text)) ? text : '');

/** Reads the filters from an address; what it does not know, it leaves out. */
export function filtersOf(search: string): Filters {
  const said = new URLSearchParams(search);
  return {
    q: (said.get('q') ?? '').slice(0, SEARCH_MAX),
    status: among(STATUSES, said.get('status')),
    verdict: among(LABELS, said.get('verdict')),
    review: among(REVIEW_STATES, said.get('review')),
    assigned_to: /^usr_\w+$/.exec(said.get('assigned_to') ?? '')?.[0] ?? '',
    from: day(said.get('from')),
    to: day(said.get('to')),
  };
}

/** The address's query, in one order whatever was chosen first: two equal views have one address. */
export function searchOf({ q, status, verdict, review, assigned_to, from, to }: Filters): string {
  const entries = Object.entries({
    q,
    status: status.join(),
    verdict: verdict.join(),
    review: review.join(),
    assigned_to,
    from,
    to,
  });
  const said = new URLSearchParams(entries.filter(([, value]) => value !== ''));
  return said.size > 0 ? `?${said.toString().replaceAll('%2C', ',')}` : '';
}

/** The list's query at the API. */
export function queryOf({
  q,
  status,
  verdict,
  review,
  assigned_to,
  from,
  to,
}: Filters): Record<string, string | undefined> {
  return {
    q: q || undefined,
    status: status.join() || undefined,
    verdict: verdict.join() || undefined,
    review: review.join() || undefined,
    assigned_to: assigned_to || undefined,
    // The API's bounds are not part of the range.
    created_after: from ? new Date(startOf(from).getTime() - 1).toISOString() : undefined,
    created_before: to ? endOf(to).toISOString() : undefined,
  };
}

export const NOTHING: Filters = filtersOf('');
