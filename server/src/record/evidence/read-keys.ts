import { EvidenceKeys } from '@firsthand/contract/evidence/evidence.ts';
import { ok, openEndpoint } from '../../platform/http/endpoint.ts';
import { listEvidenceKeys } from './log.ts';

export const getEvidenceKeys = openEndpoint({
  operationId: 'getEvidenceKeys',
  summary: 'List the keys that sign evidence',
  description: 'A JWK Set. `vkey` is the key as tools for transparency logs take it. Retired keys stay listed.',
  tag: 'Evidence',
  credentials: ['none'],
  responses: { 200: EvidenceKeys },
  handler: async ({ deps }) => ok(await listEvidenceKeys(deps.db)),
});
