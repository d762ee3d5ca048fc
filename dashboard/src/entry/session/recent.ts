import { ApiError } from '@firsthand/sdk/capture/errors.ts';
import { type QueryKey, useMutation } from '@tanstack/react-query';
import { useSyncExternalStore } from 'react';
import { useSay } from '../../base/parts/toasts.tsx';
import { queryClient } from './query-client.ts';

/** The person chose not to sign in again: nothing happened, and nothing needs saying. */
class Declined extends Error {
  override name = 'Declined';
}

interface Wish {
  grant: () => void;
  decline: () => void;
}
let wish: Wish | null = null;
const listeners = new Set<() => void>();

function setWish(next: Wish | null): void {
  wish = next;
  for (const listener of listeners) listener();
}

/** The open wish for a recent sign-in, for the dialog that grants or declines it. */
export const useWish = (): Wish | null =>
  useSyncExternalStore(
    listener => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => wish,
  );

function signInAgain(): Promise<void> {
  wish?.decline();
  return new Promise((resolve, reject) => {
    setWish({
      grant: () => {
        setWish(null);
        resolve();
      },
      decline: () => {
        setWish(null);
        reject(new Declined());
      },
    });
  });
}

async function withRecentSignIn<Out>(action: () => Promise<Out>): Promise<Out> {
  try {
    return await action();
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'reauthentication_required') throw error;
    await signInAgain();
    return action();
  }
}

export interface ActionOptions<Out> {
  /** What it makes out of date. */
  refreshes?: readonly QueryKey[];
  /** What to say when it is done. */
  says?: (out: Out) => string;
  onDone?: (out: Out) => void;
}

/**
 * A change the person makes. Where the service asks for a recent sign-in first, a dialog signs in and the change is made
 * after all.
 */
export function useAction<Out, In = void>(action: (input: In) => Promise<Out>, o: ActionOptions<Out> = {}) {
  const say = useSay();
  const mutation = useMutation({
    mutationFn: (input: In) => withRecentSignIn(() => action(input)),
    onSuccess: async out => {
      await Promise.all((o.refreshes ?? []).map(queryKey => queryClient.invalidateQueries({ queryKey })));
      o.onDone?.(out);
      if (o.says) say(o.says(out));
    },
  });
  return { ...mutation, error: mutation.error instanceof Declined ? null : mutation.error };
}
