import type { Me } from '@firsthand/contract/people/people.ts';
import { createContext, useContext } from 'react';

export const SignedIn = createContext<Me | null>(null);

/** The signed-in person. Inside the frame there always is one. */
export function useSignedIn(): Me {
  const me = useContext(SignedIn);
  if (!me) throw new Error('useSignedIn outside of the frame');
  return me;
}
