import type { Band } from '@firsthand/contract/verification/signals.ts';
import type { PictureAnalysis } from '@firsthand/forensics/analyze.ts';
import { many, one, type Queryable, transaction } from '../../../platform/db/sql.ts';
import type { Deps } from '../../../platform/deps.ts';
import { EngineFault, enginesOf, type WebMatch } from './engines.ts';
import { EXACT, findStored } from './find.ts';
import { CAME_BEFORE, OWN, type StoredMatch } from './match.ts';
import { rememberPicture } from './store.ts';

export interface SearchedCapture {
  id: string;
  verificationId: string;
  tenantId: string;
  livemode: boolean;
  externalRef: string | null;
  /** A trial's: strangers share one account, so their photos are neither kept nor compared with each other. */
  listsOnly: boolean;
}

/** The signal as stored and shown: the two members of the interface, plus how they were determined. */
export interface ReverseSignal {
  /** True when one of the corpora that this deployment searches contains the picture. */
  found_online: boolean;
  match_count: number;
  evaluated: boolean;
  band: Band;
  /** Probability that the matches show the same picture; absent without matches. */
  confidence?: number;
  /** The corpora that were searched, with `fault` for an external engine that gave no answer. */
  searched: { corpus: string; fault?: string }[];
  /** Why nothing was searched. */
  reason?: 'nothing_to_search' | 'too_plain' | 'engine_unavailable';
  matches: (StoredMatch | WebMatch)[];
}

const MAX_SHOWN = 20;

/**
 * Stores the capture's fingerprint, unless it is a trial's. If the request asks for reverse search, also searches the tenant's earlier captures of other
 * verifications, the imported lists and the configured external engines. Searches never cross tenants, or live and test mode. No
 * transaction is open while pictures are compared.
 */
export async function rememberAndSearch(
  deps: Pick<Deps, 'config' | 'log' | 'db' | 'clock'>,
  capture: SearchedCapture,
  analysis: Pick<PictureAnalysis, 'fingerprint' | 'reverse' | 'preview'>,
): Promise<ReverseSignal | undefined> {
  const { id, verificationId, tenantId, livemode, listsOnly } = capture;
  const of = { captureId: id, verificationId, tenantId, livemode };
  if (!listsOnly) await transaction(deps.db, tx => rememberPicture(tx, of, analysis.fingerprint, deps.clock.now()));
  if (!analysis.reverse) return undefined;
  const scopes = await scopesToSearch(deps.db, capture);
  const { probes, plane, corners } = analysis.reverse;
  const searched: ReverseSignal['searched'] = [];
  const matches: ReverseSignal['matches'] = [];
  if (probes.length > 0) {
    searched.push(...scopes.map(({ corpus }) => ({ corpus })));
    if (scopes.length > 0)
      matches.push(
        ...(await findStored(deps.db, {
          scopes: scopes.map(scope => scope.id),
          probes,
          plane,
          corners,
          verificationId,
          captureId: id,
        })),
      );
  }
  for (const engine of enginesOf(deps.config.reverseSearch)) {
    try {
      matches.push(...(await engine.search(analysis.preview)));
      searched.push({ corpus: engine.name });
    } catch (fault) {
      if (!(fault instanceof EngineFault)) throw fault;
      deps.log.warn({ captureId: id, engine: engine.name, err: fault }, 'reverse search engine gave no answer');
      searched.push({ corpus: engine.name, fault: fault.message });
    }
  }
  const evaluated = searched.some(({ fault }) => fault === undefined);
  const same = await sameSubject(deps.db, capture, matches);
  const judged = matches.map(match => judge(match, same)).sort((a, b) => b.confidence - a.confidence)[0];
  return {
    found_online: matches.length > 0,
    match_count: matches.length,
    evaluated,
    band: judged?.band ?? 'clear',
    ...(judged ? { confidence: judged.confidence } : {}),
    searched,
    ...(evaluated ? {} : { reason: whyNot(scopes.length > 0, searched.length > 0) }),
    matches: matches.slice(0, MAX_SHOWN),
  };
}

/** Why nothing was searched. A picture too plain for the pictures at hand stays so even where an engine gave no answer. */
function whyNot(hasPictures: boolean, askedEngine: boolean): NonNullable<ReverseSignal['reason']> {
  if (hasPictures) return 'too_plain';
  return askedEngine ? 'engine_unavailable' : 'nothing_to_search';
}

/** Returns the scopes that contain pictures this capture may be compared with. */
async function scopesToSearch(db: Queryable, capture: SearchedCapture): Promise<{ id: number; corpus: string }[]> {
  const rows = await many<{ id: string; own: boolean }>(
    db,
    `with own as (${OWN})
     select id, livemode is not null as own from reverse_scopes scopes
     where (tenant_id = $3 and (livemode = $4 and not $5 or livemode is null) or tenant_id is null)
       and exists (select from reverse_pictures pictures
                     left join captures on captures.id = capture_id left join own on true
                   where scope_id = scopes.id
                     and (capture_id is null or (pictures.verification_id <> $2 and ${CAME_BEFORE})))`,
    [capture.id, capture.verificationId, capture.tenantId, capture.livemode, capture.listsOnly],
  );
  return rows.map(({ id, own }) => ({ id: Number(id), corpus: own ? 'earlier_captures' : 'lists' }));
}

/** Returns the matches whose verification concerns the same person or asset. These are retries, not another person's picture. */
async function sameSubject(
  db: Queryable,
  { externalRef, tenantId }: SearchedCapture,
  matches: ReverseSignal['matches'],
): Promise<Set<string>> {
  const ids = matches.flatMap(match =>
    'verification_id' in match && match.verification_id ? [match.verification_id] : [],
  );
  if (!externalRef || ids.length === 0) return new Set();
  const row = await one<{ ids: string[] | null }>(
    db,
    'select array_agg(id) as ids from verifications where id = any($1) and tenant_id = $2 and external_ref = $3',
    [ids, tenantId, externalRef],
  );
  return new Set(row?.ids ?? []);
}

/**
 * Assigns a confidence to each kind of match. For matches within PDQ's limit and confirmed by geometry, 10,506 pairs of camera pictures
 * gave no false match. A retry of the same subject, a photo that was
 * submitted after this one, or a partial match on the web goes to manual review.
 */
function judge(match: StoredMatch | WebMatch, same: Set<string>): { band: Band; confidence: number } {
  if ('url' in match) {
    return match.extent === 'full' ? { band: 'confident', confidence: 0.95 } : { band: 'doubtful', confidence: 0.7 };
  }
  const confidence = match.distance <= EXACT ? 0.99 : 0.95;
  if (match.later || match.corners || (match.verification_id && same.has(match.verification_id)))
    return { band: 'doubtful', confidence };
  return { band: match.distance <= EXACT ? 'confident' : 'doubtful', confidence };
}
