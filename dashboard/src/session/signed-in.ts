import type { Me } from '@firsthand/contract/people.ts';
import { createContext, useContext } from 'react';

export const SignedIn = createContext<Me | null>(null);

/** Who is signed in; within the frame there is always somebody. */
export function useSignedIn(): Me {
  const me = useContext(SignedIn);
  if (!me) throw new Error('useSignedIn outside of the frame');
  return me;
}
