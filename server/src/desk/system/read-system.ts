import { SystemReport } from '@firsthand/contract/statistics/system.ts';
import { ok, tenantEndpoint } from '../../platform/http/endpoint.ts';
import { commitOf, VERSION } from '../../platform/lib/version.ts';
import { machineFindings, reverseFinding, settingFindings, storageFindings } from './findings.ts';

export const getSystem = tenantEndpoint({
  operationId: 'getSystem',
  summary: 'Get the state of the installation',
  description:
    'What is configured, and what each missing part costs. `firsthand doctor` says the same with names of folders and ' +
    'servers; it also asks the vision model a question and computes every seal.',
  tag: 'Management',
  credentials: ['session', 'secret'],
  role: 'owner',
  responses: { 200: SystemReport },
  async handler({ deps }) {
    const found = await Promise.all([
      machineFindings(deps.config),
      storageFindings(deps),
      settingFindings(deps),
      reverseFinding(deps),
    ]);
    return ok({
      version: VERSION,
      commit: commitOf(),
      findings: found.flat().map(({ detail: _private, ...shown }) => shown),
    });
  },
});
