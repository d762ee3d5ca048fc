import { caseName } from '@firsthand/contract/verification/name.ts';
import type { VerificationSummary } from '@firsthand/contract/verification/verification.ts';
import { useWords } from './language.tsx';

type Named = Pick<VerificationSummary, 'config'>;

/** Gives the name of a verification, the same on each page. */
export function useCaseName(): (verification: Named) => string {
  const { t } = useWords();
  return ({ config }) => caseName(config) ?? t('case.unnamed');
}

/** The end of an id, which tells cases of one name apart. */
export const shortId = (id: string): string => `…${id.slice(-6)}`;
