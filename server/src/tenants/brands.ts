import type { BrandView } from '@firsthand/contract/verification.ts';
import type { Deps } from '../deps.ts';

/** The brand that a verification wears; undefined for the default one. */
export async function brandOf(
  _deps: Deps,
  _verification: { tenant_id: string; private: { brand_slug?: string } },
): Promise<BrandView | undefined> {
  return undefined;
}
