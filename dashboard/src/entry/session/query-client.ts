import type { Me } from '@firsthand/contract/people/people.ts';
import { ApiError, isTransient } from '@firsthand/sdk/capture/errors.ts';
import { focusManager, MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';
import { navigate } from 'wouter/use-browser-location';
import { signInPath } from './return-to.ts';

declare module '@tanstack/react-query' {
  interface Register {
    /** `signsIn`: a refusal is an answer to show, not the end of a session. */
    mutationMeta: { signsIn?: boolean };
  }
}

export const ME = ['me'] as const;

/** A 401 signs the person out: their data leaves memory, and signing in leads back here. */
export function endIfUnauthorized(error: unknown): void {
  if (!(error instanceof ApiError) || error.status !== 401) return;
  const ended = queryClient.getQueryData<Me>(ME) !== undefined;
  queryClient.clear();
  navigate(signInPath(ended), { replace: true });
}

// Coming back from another window counts as well as coming back from another tab.
focusManager.setEventListener(cameBack => {
  const heard = () => cameBack();
  window.addEventListener('focus', heard);
  window.addEventListener('visibilitychange', heard);
  return () => {
    window.removeEventListener('focus', heard);
    window.removeEventListener('visibilitychange', heard);
  };
});

export const queryClient = new QueryClient({
  queryCache: new QueryCache({ onError: endIfUnauthorized }),
  mutationCache: new MutationCache({
    onError: (error, _input, _context, mutation) => {
      if (!mutation.meta?.signsIn) endIfUnauthorized(error);
    },
  }),
  defaultOptions: {
    queries: {
      staleTime: 10_000,
      retry: (failures, error) => failures < 2 && isTransient(error),
    },
  },
});
