import { ProgressRequest } from '@firsthand/contract/capture/capture-flow.ts';
import { transaction } from '../../platform/db/sql.ts';
import { noContent, openEndpoint } from '../../platform/http/endpoint.ts';
import { abandon, lockKept } from '../verifications/advance.ts';
import { answeredKeys, capturesOf, heldBy } from '../verifications/row.ts';
import { requirementsMet } from '../verifications/steps.ts';
import { storeProgress } from '../verifications/write.ts';
import { CAPTURE_ROUTE } from './accepting.ts';

export const reportProgress = openEndpoint({
  operationId: 'reportProgress',
  summary: 'Report progress on the capture page',
  description: 'Each report replaces the previous one. Send `abandoned: true` when the person leaves before finishing.',
  ...CAPTURE_ROUTE,
  body: ProgressRequest,
  responses: { 204: null },
  errors: ['redacted'],
  async handler({ deps, params, body }) {
    const { abandoned, updated_at: _clientTime, ...snapshot } = body;
    await transaction(deps.db, async tx => {
      const row = await lockKept(tx, deps, params.token!);
      const progress = { ...snapshot, updated_at: deps.clock.now().toISOString() };
      await storeProgress(tx, row.id, progress);
      if (!abandoned) return;
      const held = heldBy(await capturesOf(tx, row.id));
      if (!requirementsMet(row.config.steps, held, answeredKeys(row))) await abandon(tx, row);
    });
    return noContent;
  },
});
