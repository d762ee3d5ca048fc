import { genuineScreen } from '@firsthand/forensics/screen/genuine.ts';
import { suggest } from '../desk/reviews/calibration.ts';
import { reviewedPhotos } from '../desk/reviews/reviewed-photos.ts';
import { checkTenant, tenantOf } from './tenant-of.ts';
import { printJson, withDeps } from './tenants.ts';

/**
 * `firsthand calibrate --from-reviews`: takes what reviewers agreed on as labelled pictures and prints what they suggest for the thresholds
 * of the screen detector. Changes nothing.
 */
export async function calibrateFromReviews(o: { tenant?: string | undefined; mode: 'live' | 'test' }): Promise<void> {
  checkTenant(o);
  return withDeps(async deps => {
    const tenant_id = await tenantOf(deps, o.tenant);
    const { photos, cases, unused } = await reviewedPhotos(deps.db, tenant_id, o.mode === 'live');
    const { doubtful, confident, ...rest } = suggest(photos);
    const in_force = deps.config.screenThresholds ?? genuineScreen.thresholds;
    printJson({
      tenant_id,
      model: genuineScreen.model,
      cases,
      cases_without_agreement: unused,
      ...rest,
      in_force: { SCREEN_SUSPICIOUS_AT: in_force.doubtful, SCREEN_FAILED_AT: in_force.confident },
      // A threshold that the photos cannot vouch for is undefined, so it is not printed.
      suggested: { SCREEN_SUSPICIOUS_AT: doubtful, SCREEN_FAILED_AT: confident },
    });
    if (doubtful === undefined) {
      console.error(
        `Too few to suggest a threshold: 1% takes genuine photos worth 99 independent ones, there are ${rest.effective}.`,
      );
    } else if (confident === undefined) {
      console.error(`Too few to suggest SCREEN_FAILED_AT: 0.1% takes photos worth 999, there are ${rest.effective}.`);
    }
  });
}
