import type { VerificationSummary } from '@firsthand/contract/verification/verification.ts';

/** The name of a verification on the pages. */
export const nameOf = ({ config, id }: Pick<VerificationSummary, 'config' | 'id'>): string =>
  Object.entries(config.metadata ?? {}).find(([key]) => key !== 'test_outcome')?.[1] ??
  config.expected_object ??
  config.context?.summary ??
  `…${id.slice(-6)}`;
