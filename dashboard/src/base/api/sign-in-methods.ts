import { useQuery } from '@tanstack/react-query';
import { call } from './call.ts';

/** How people can sign in to this deployment. */
export const useSignInMethods = () =>
  useQuery({
    queryKey: ['auth', 'methods'],
    queryFn: ({ signal }) => call('GET /v1/auth/methods', { signal }),
    staleTime: Number.POSITIVE_INFINITY,
  });
