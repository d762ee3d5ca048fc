import type { CreateVerificationRequest } from '@firsthand/contract/verification/create-verification.ts';
import type { SignalName } from '@firsthand/contract/verification/signals.ts';
import type { Config, CreationWarning } from '@firsthand/contract/verification/verification.ts';
import { one, type Queryable } from '../../platform/db/sql.ts';
import type { Deps } from '../../platform/deps.ts';
import { requiredBy } from './account-defaults.ts';
import type { VerificationRow } from './row.ts';

type Installation = Pick<Deps, 'config' | 'vision'>;
type Owned = Pick<VerificationRow, 'tenant_id' | 'livemode'>;
type Asked = Owned & { config: Pick<Config, 'signals_required' | 'context'> };

const MESSAGES: Record<CreationWarning['reason'], string> = {
  no_context: 'The request has no `context`, so `context` has nothing to compare the photos with.',
  no_model:
    'This installation has no vision model, so `context` cannot be evaluated. Set VISION_BASE_URL and VISION_MODEL.',
  nothing_to_search:
    'There is nothing to search yet: no earlier photos in this account, no imported list and no search engine. Until there is, `reverse` cannot be evaluated.',
};

export const hasEngine = ({ config: { reverseSearch } }: Pick<Deps, 'config'>): boolean =>
  reverseSearch.googleApiKey !== null || reverseSearch.tineyeApiKey !== null;

/** True when the account has pictures to compare with: its own earlier photos of the mode, or an imported list. */
async function hasPictures(db: Queryable, { tenant_id, livemode }: Owned): Promise<boolean> {
  const found = await one(
    db,
    `select 1 as found from reverse_scopes scopes
     where (tenant_id = $1 and (livemode = $2 or livemode is null) or tenant_id is null)
       and exists (select from reverse_pictures where scope_id = scopes.id) limit 1`,
    [tenant_id, livemode],
  );
  return found !== undefined;
}

/** The required signals that this installation cannot evaluate as things stand. */
export async function warningsOf(db: Queryable, deps: Installation, asked: Asked): Promise<CreationWarning[]> {
  const { signals_required, context } = asked.config;
  const needs = (name: SignalName) => signals_required.includes(name);
  const warnings: Pick<CreationWarning, 'signal' | 'reason'>[] = [];
  if (needs('context') && !context) warnings.push({ signal: 'context', reason: 'no_context' });
  else if (needs('context') && !deps.vision) warnings.push({ signal: 'context', reason: 'no_model' });
  if (needs('reverse') && !hasEngine(deps) && !(await hasPictures(db, asked))) {
    warnings.push({ signal: 'reverse', reason: 'nothing_to_search' });
  }
  return warnings.map(warning => ({ ...warning, message: MESSAGES[warning.reason] }));
}

/** {@link warningsOf} each verification that will be made from a request, as an answer's member; none where there are none. */
export async function warningsOfRequest(
  db: Queryable,
  deps: Installation,
  { tenant_id, livemode, request }: Owned & { request: CreateVerificationRequest },
): Promise<{ warnings?: CreationWarning[] }> {
  const signals_required = await requiredBy(db, tenant_id, request);
  const { context } = request;
  const config = { signals_required, ...(context === undefined ? {} : { context }) };
  const warnings = await warningsOf(db, deps, { tenant_id, livemode, config });
  return warnings.length > 0 ? { warnings } : {};
}
