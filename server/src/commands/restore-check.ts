import { restoreCheck } from '../custody/erasure/restore-check.ts';
import { printJson, withDeps } from './tenants.ts';

/** `firsthand restore-check`: prints how many receipts it looked at and what it erased again, as JSON. */
export const restoreCheckCommand = (): Promise<void> =>
  withDeps(async deps => printJson(await restoreCheck(deps, { everything: true })));
