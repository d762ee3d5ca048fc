import type { PublicVerdictPolicy } from '@firsthand/contract/account/management.ts';
import { ULID } from '@firsthand/contract/base/ids.ts';
import { IMAGE_URL_TTL_SECONDS } from '@firsthand/contract/base/limits.ts';
import type { Attributes } from '@firsthand/contract/capture/step-attributes.ts';
import type { Step } from '@firsthand/contract/capture/steps.ts';
import type { Presence } from '@firsthand/contract/verification/presence.ts';
import type { CaptureSignals } from '@firsthand/contract/verification/signals.ts';
import {
  type BrandView,
  type Capture,
  type EndUserView,
  LOCATION_RESULTS,
  type PublicView,
  type StepState,
  type Verification,
  type VerificationSummary,
} from '@firsthand/contract/verification/verification.ts';
import { exampleUrl } from '../../identity/tenants/example-pictures.ts';
import type { BlobStore } from '../../platform/blobs/store.ts';
import type { Deps, Origins } from '../../platform/deps.ts';
import { holdsLinks, type Principal, viewerOf } from '../../platform/http/principal.ts';
import { isRecord } from '../../platform/lib/ask-json.ts';
import { withMaskedUrl } from '../../platform/lib/mask-url.ts';
import { explanationOf } from './explain.ts';
import { isUnderReview, reviewsOf, type ShownReviews } from './reviews.ts';
import {
  answeredKeys,
  type CaptureRow,
  capturesOf,
  findVerification,
  heldBy,
  isTerminal,
  type StoredPresence,
  type VerificationRow,
} from './row.ts';
import { sealOf } from './seal.ts';
import { type Held, stepStates } from './steps.ts';
import { warningsOf } from './warnings.ts';

const iso = (date: Date): string => date.toISOString();

/** Drops members that are null or undefined: on the wire, an absent value is an absent member. */
type Present<T> = { [K in keyof T]: Exclude<T[K], null> };
function present<T extends object>(members: T): Present<T> {
  return Object.fromEntries(
    Object.entries(members).filter(([, value]) => value !== null && value !== undefined),
  ) as Present<T>;
}

const baseOf = (row: VerificationRow, origins: Origins) => ({
  id: row.id,
  status: row.status,
  capture_url: `${origins.capture}/v/${row.id}`,
  created_at: iso(row.created_at),
  expires_at: iso(row.expires_at),
  captures_count: row.captures_count,
});

/** Nothing else ends an open verification as `expired` before its time. */
const isCancelled = ({ status, closed_at, expires_at }: VerificationRow): boolean =>
  status === 'expired' && closed_at !== null && closed_at < expires_at;

/** The tenant's view without captures, for lists. */
export function presentSummary(
  row: VerificationRow,
  origins: Origins,
  shown: ShownReviews,
  locationResults: readonly (string | undefined)[] = [],
): VerificationSummary {
  const { expected_location } = row.config;
  const worst = LOCATION_RESULTS.find(result => locationResults.includes(result));
  return present({
    ...baseOf(row, origins),
    config: withMaskedUrl(row.config),
    livemode: row.livemode,
    completed_at: row.completed_at && iso(row.completed_at),
    cancelled_at: isCancelled(row) ? iso(row.closed_at!) : undefined,
    answers: Object.keys(row.answers).length > 0 ? row.answers : undefined,
    record_seal: sealOf(row),
    verdict: row.verdict && { ...row.verdict, signals: withoutBlobs(row.verdict.signals) },
    narrative: row.narrative,
    case_analysis: row.case_analysis,
    object_match: row.object_match,
    condition: row.condition,
    instructions_found: row.instructions_found,
    location_match: expected_location && worst ? { result: worst, expected_location } : undefined,
    progress: row.progress,
    redacted_at: row.redacted_at && iso(row.redacted_at),
    ...shown,
  }) as VerificationSummary;
}

/**
 * Removes from CaptureSignals what the API shows elsewhere or not at all: the store's names of evidence, which become presigned URLs, and
 * what the explanation holds.
 */
function withoutBlobs(signals: CaptureSignals | null): CaptureSignals | undefined {
  if (!signals?.screen_detection || 'status' in signals.screen_detection) return signals ?? undefined;
  const { heatmap_blob: _, heat_tiles: _tiles, ...screen } = signals.screen_detection;
  return { ...signals, screen_detection: screen as CaptureSignals['screen_detection'] };
}

const shownPresence = ({ strip_blob: _, noise_blobs: _noise, ...shown }: StoredPresence): Presence => shown;

function presentCapture(row: CaptureRow): Capture {
  return present({
    id: row.id,
    step_key: row.step_key,
    source: row.source,
    surface: row.surface,
    content_type: row.content_type,
    size_bytes: row.size_bytes,
    width: row.width,
    height: row.height,
    sha256: row.sha256,
    created_at: iso(row.created_at),
    client_captured_at: row.client_captured_at && iso(row.client_captured_at),
    attestation: row.attestation,
    location: row.location,
    location_source: row.location_source,
    location_match: row.location_match,
    signals: withoutBlobs(row.signals),
    metadata: row.metadata,
    text: row.text,
    context: row.context,
    presence: row.presence && shownPresence(row.presence),
  }) as Capture;
}

/** The tenant's view without presigned URLs, for webhooks. */
export const presentFrozen = (
  row: VerificationRow,
  captures: readonly CaptureRow[],
  shown: ShownReviews,
  origins: Origins,
): Verification => ({
  ...presentSummary(
    row,
    origins,
    shown,
    captures.map(capture => capture.location_match?.result),
  ),
  captures: captures.map(presentCapture),
});

/** An id of a verification or a capture. */
const ID = new RegExp(`\\b(vfy|cap)_${ULID}\\b`);

/**
 * Takes the ids of other verifications and their captures out of what the signals found. An id is a link, so it is for the people and
 * keys of the account; a webhook of a verification made with a key for apps, a trial or a file for the person concerned goes to others.
 */
export function withoutOthers<V extends { captures?: Verification['captures'] }>(view: V): V {
  if (!view.captures) return view;
  return {
    ...view,
    captures: view.captures.map(capture =>
      capture.signals ? { ...capture, signals: unnamed(capture.signals) } : capture,
    ),
  };
}

/** Leaves out each member and each piece of evidence that holds an id. No signal names its own capture. */
function unnamed<T>(value: T): T {
  if (Array.isArray(value)) return value.filter(item => !namesAnother(item)).map(unnamed) as T;
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, member]) =>
      typeof member === 'string' && ID.test(member) ? [] : [[name, unnamed(member)]],
    ),
  ) as T;
}

/** A text with an id, or evidence `{source, field, value}` whose value holds one. */
const namesAnother = (item: unknown): boolean =>
  typeof item === 'string' ? ID.test(item) : isRecord(item) && 'field' in item && ID.test(String(item.value));

/**
 * The tenant's view as the caller sees it, with presigned image URLs that last one hour.
 */
export async function presentForTenant(
  deps: Pick<Deps, 'config' | 'db' | 'blobs' | 'origins' | 'clock' | 'vision'>,
  row: VerificationRow,
  caller: Principal,
): Promise<Verification> {
  const viewer = viewerOf(caller);
  const captures = await capturesOf(deps.db, row.id);
  const shown = await reviewsOf(deps.db, row, { viewer, now: deps.clock.now() });
  const view = withoutLink(presentFrozen(row, captures, shown, deps.origins), caller);
  if (row.redacted_at) return view;
  const warnings = isTerminal(row.status) ? [] : await warningsOf(deps.db, deps, row);
  if (warnings.length > 0) view.warnings = warnings;
  if (viewer !== null) addExplanations(deps, view, captures);
  return addImageUrls(deps, view, captures);
}

/** Takes the link away from a caller who may not create: with it they could send the photo themselves. */
export function withoutLink<V extends { capture_url?: string }>(view: V, caller: Principal): V {
  if (holdsLinks(caller)) return view;
  const { capture_url: _, ...rest } = view;
  return rest as V;
}

/** Says why the detectors say what they say. Only people see it: it would tell a forger who holds a page's key how close they came. */
function addExplanations(deps: Pick<Deps, 'config'>, view: Verification, rows: readonly CaptureRow[]): void {
  const policy = view.config.depth_policy;
  for (const shown of view.captures) {
    const row = rows.find(({ id }) => id === shown.id);
    if (row?.analysis_state === 'done') shown.explanation = explanationOf(row, deps.config, policy);
  }
}

/** Adds fresh presigned image URLs to a stored tenant's view. A redacted verification gets none. */
export async function withImageUrls(deps: Pick<Deps, 'db' | 'blobs'>, view: Verification): Promise<Verification> {
  const row = await findVerification(deps.db, view.id);
  return !row || row.redacted_at ? view : addImageUrls(deps, view, await capturesOf(deps.db, row.id));
}

async function addImageUrls(
  deps: Pick<Deps, 'blobs'>,
  view: Verification,
  rows: readonly CaptureRow[],
): Promise<Verification> {
  await Promise.all(
    rows.map(async capture => {
      // A stored view lacks captures that arrived after it.
      const shown = view.captures.find(({ id }) => id === capture.id);
      if (!shown) return;
      shown.image_url = await urlOf(deps.blobs, capture.image_blob, capture.content_type);
      if (capture.display_blob) shown.display_url = await urlOf(deps.blobs, capture.display_blob, 'image/jpeg');
      if (capture.motion_blob) shown.second_frame_url = await frameUrlOf(deps.blobs, capture.motion_blob);
      if (capture.preview_blob) shown.preview_url = await urlOf(deps.blobs, capture.preview_blob, 'image/jpeg');
      const screen = capture.signals?.screen_detection;
      if (screen && 'heatmap_blob' in screen && shown.signals?.screen_detection) {
        const heatmap_url = await urlOf(deps.blobs, String(screen.heatmap_blob), 'image/png');
        Object.assign(shown.signals.screen_detection, { heatmap_url });
      }
      if (capture.presence?.evidence) shown.presence = await withPictures(deps.blobs, capture.presence);
    }),
  );
  return view;
}

async function withPictures(blobs: BlobStore, presence: StoredPresence): Promise<Presence> {
  const { strip_blob, noise_blobs } = presence;
  const shown = shownPresence(presence);
  const evidence = { ...shown.evidence! };
  if (strip_blob) evidence.strip_url = await urlOf(blobs, strip_blob, 'image/jpeg');
  if (noise_blobs && evidence.noise) {
    const before_url = await urlOf(blobs, noise_blobs.before, 'image/png');
    const after_url = await urlOf(blobs, noise_blobs.after, 'image/png');
    evidence.noise = { ...evidence.noise, before_url, after_url };
  }
  return { ...shown, evidence };
}

const urlOf = (blobs: BlobStore, key: string, contentType: string) =>
  blobs.presignGet(key, { expiresSeconds: IMAGE_URL_TTL_SECONDS, contentType });

/** A second frame is shown as what it is; nothing but a picture passes the check when it is submitted. */
const frameUrlOf = (blobs: BlobStore, key: string) => blobs.presignGet(key, { expiresSeconds: IMAGE_URL_TTL_SECONDS });

/** A step without the words and the picture of whoever made the request. */
function withoutWords(step: Step): Step {
  const { descriptions: _, ...rest } = step;
  if (rest.type === 'text') return { ...rest, description: '' };
  const { example_picture: _picture, ...bare } = rest;
  return { ...bare, description: '' };
}

/** What each step holds, and where its example picture is shown. */
const statesOf = (origins: Origins, steps: readonly Step[], ...held: [Held, ReadonlySet<string>, Attributes]) =>
  stepStates(steps, ...held).map((state, index): StepState => {
    const step = steps[index]!;
    if (state.type === 'text' || step.type === 'text' || step.example_picture === undefined) return state;
    return { ...state, example_url: exampleUrl(origins, step.example_picture) };
  });

/** The claimant's view. */
export function presentForEndUser(
  deps: Pick<Deps, 'config' | 'origins'>,
  row: VerificationRow,
  captures: readonly Pick<CaptureRow, 'step_key'>[],
  brand: BrandView | undefined,
): EndUserView {
  const { max_captures, signals_required } = row.config;
  const trial = row.private.by === 'trial';
  // A stranger's words would stand on the service's own page. Without them the page shows its own.
  const steps = trial ? row.config.steps.map(withoutWords) : row.config.steps;
  return present({
    ...baseOf(row, deps.origins),
    config: { max_captures, steps, signals_required },
    step_states: statesOf(deps.origins, steps, heldBy(captures), answeredKeys(row), row.config.context?.attributes),
    trial: trial || undefined,
    under_review: isUnderReview(row) || undefined,
    brand,
    requires: {
      location: row.config.expected_location !== undefined,
      motion_frame: signals_required.includes('depth'),
    },
    turnstile_site_key: deps.config.turnstile?.siteKey,
  }) as EndUserView;
}

/** The view that is safe to share: the verdict's label and nothing that could embarrass or identify anyone. */
export function presentPublic(
  row: VerificationRow,
  policy: PublicVerdictPolicy,
  brand: BrandView | undefined,
): PublicView {
  const seal = sealOf(row);
  const waits = policy === 'decided' && isUnderReview(row);
  return present({
    id: row.id,
    status: row.status,
    created_at: iso(row.created_at),
    completed_at: row.completed_at && iso(row.completed_at),
    captures_count: row.captures_count,
    livemode: row.livemode ? undefined : false,
    verdict: row.verdict && !waits ? { label: row.verdict.label } : undefined,
    review: publicReview(row),
    brand,
    record_seal: seal ? { algorithm: seal.algorithm, hash: seal.hash } : undefined,
  }) as PublicView;
}

function publicReview(row: VerificationRow): PublicView['review'] {
  if (isUnderReview(row)) return { state: 'open' };
  if (row.review_decision !== 'approved') return undefined;
  return { state: 'approved', ...(row.review_decided_at ? { decided_at: iso(row.review_decided_at) } : {}) };
}
