import { call } from '../base/api/call.ts';

/** The account's brands, for a form that chooses one. */
export const BRANDS = {
  queryKey: ['brands'],
  queryFn: ({ signal }: { signal: AbortSignal }) => call('GET /v1/brands', { signal, query: { limit: '100' } }),
};
