import type { Config } from './verification.ts';

/** Metadata that steers the service or the client. It names nothing. */
const NO_NAMES: readonly string[] = ['test_outcome', 'idempotency_key'];

/** What a request says of its case, the most telling first. */
export const caseFacts = ({ metadata = {}, expected_object, context, steps }: Config): string[] =>
  [
    ...Object.entries(metadata)
      .filter(([key, value]) => value && !NO_NAMES.includes(key))
      .map(([key, value]) => `${key.replaceAll('_', ' ')} ${value}`),
    expected_object ?? context?.summary ?? steps.find(step => step.description)?.description ?? '',
  ].filter(fact => fact !== '');

/** The name of a case; undefined where the request says nothing of it. */
export const caseName = (config: Config): string | undefined => caseFacts(config)[0];
