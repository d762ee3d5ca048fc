import type { Me, Role } from '@firsthand/contract/people/people.ts';
import { hasRole } from '@firsthand/contract/people/roles.ts';
import { createContext, useContext } from 'react';

export const SignedIn = createContext<Me | null>(null);

/** Whether the signed-in person may do what the least role for it may. */
export const useMay = (least: Role): boolean => hasRole(useSignedIn().tenant.role, least);

/** The signed-in person. Inside the frame there always is one. */
export function useSignedIn(): Me {
  const me = useContext(SignedIn);
  if (!me) throw new Error('useSignedIn outside of the frame');
  return me;
}
