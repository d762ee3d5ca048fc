import type { Standing } from './c2pa-standing.ts';
import { type Assertion, type Manifest, type Store, text } from './c2pa-store.ts';
import { type SourceKind, sourceKind } from './source-type.ts';

/** One statement of a manifest about the origin of the picture or of a part of it. */
export interface C2paClaim {
  kind: SourceKind;
  /** Whether the statement concerns the picture itself or material placed in it. */
  of: 'picture' | 'component';
  /** The claim's location in the manifest, for example `c2pa.actions.v2/c2pa.created`. */
  field: string;
  value: string;
  /** A signer whom we trust answers for it. */
  vouched: boolean;
}

const MAX_CLAIMS = 200;

/** Returns the origin claims of the active manifest and of its ingredients, and the device that a trusted signer names. */
export function claimsOf(store: Store, standing: Standing): { claims: C2paClaim[]; device?: string } {
  const active = store.active_manifest ?? '';
  const believed = (label: string): boolean =>
    label === active ? store.validation_state === 'Trusted' : standing.get(label)?.length === 0;
  const claims: C2paClaim[] = [];
  collect({ store, believed, seen: new Set(), claims }, active, 'picture');
  const device = deviceOf(store, believed, active, new Set());
  return { claims, ...(device ? { device } : {}) };
}

interface Walk {
  store: Store;
  believed: (label: string) => boolean;
  seen: Set<string>;
  claims: C2paClaim[];
}

/**
 * Walks from the active manifest to its ingredients. An ingredient that only went *into* a tool (`inputTo`) says
 * nothing about the picture.
 */
function collect(walk: Walk, label: string, of: C2paClaim['of']): void {
  const { store, seen, claims } = walk;
  const manifest = store.manifests?.[label];
  if (!manifest || seen.has(label) || claims.length > MAX_CLAIMS) return;
  seen.add(label);
  for (const assertion of manifest.assertions ?? []) {
    const name = text(assertion.label) ?? '';
    const answered = walk.believed(label) && isSignersOwn(manifest, assertion);
    if (isActions(assertion))
      claims.push(...actionClaims(name, assertion.data).map(claim => ({ ...claim, of, vouched: answered })));
    else if (/^(stds\.iptc|c2pa\.metadata|cawg\.metadata)/.test(name)) {
      // Editors copy metadata from the file that they opened, so it is the word of whoever wrote that file.
      const vouched = answered && !hasOpened(manifest);
      claims.push(...metadataClaims(name, assertion.data).map(claim => ({ ...claim, of, vouched })));
    }
  }
  for (const ingredient of manifest.ingredients ?? []) {
    const next = text(ingredient.active_manifest);
    if (!next || ingredient.relationship === 'inputTo') continue;
    collect(walk, next, ingredient.relationship === 'parentOf' ? of : 'component');
  }
}

/**
 * False for what the signer only gathered: it passes that on and does not answer for it (C2PA 2.2, 10.3.2.2). Claims of version 1 know no
 * such list. c2pa-rs gathers all that its caller does not mark, also the action that began the picture. So a signer without
 * actions of its own answers for the gathered ones: every manifest must say how its picture began.
 */
const isSignersOwn = (manifest: Manifest, assertion: Assertion): boolean =>
  manifest.claim_version === 1 ||
  assertion.created === true ||
  (isActions(assertion) && !manifest.assertions?.some(other => other.created === true && isActions(other)));

const isActions = ({ label }: Assertion): boolean => text(label)?.startsWith('c2pa.actions') === true;

/** True when the signer began with somebody else's file. */
const hasOpened = ({ assertions, ingredients }: Manifest): boolean =>
  (ingredients ?? []).some(({ relationship }) => relationship === 'parentOf') ||
  (assertions ?? []).some(
    assertion => isActions(assertion) && actionsIn(assertion.data).some(({ action }) => action === 'c2pa.opened'),
  );

/**
 * Make and model from the metadata of a believed manifest that made the picture, or of the manifests that its picture came from. Libraries
 * file a camera's metadata under what was gathered, so a signer that answers for the capture is believed there too.
 */
function deviceOf(store: Store, believed: Walk['believed'], label: string, seen: Set<string>): string | undefined {
  const manifest = store.manifests?.[label];
  if (!manifest || seen.has(label) || !believed(label)) return undefined;
  seen.add(label);
  if (!hasOpened(manifest)) {
    const metadata = (manifest.assertions ?? []).filter(
      assertion =>
        /^(stds\.exif|c2pa\.metadata|cawg\.metadata)/.test(text(assertion.label) ?? '') &&
        (isSignersOwn(manifest, assertion) || saysCaptured(manifest)),
    );
    for (const { data } of metadata) {
      const fields = (typeof data === 'object' && data !== null ? data : {}) as Record<string, unknown>;
      const [make, model] = [text(fields['tiff:Make']), text(fields['tiff:Model'])];
      if (make || model) return [make, model].filter(Boolean).join(' ');
    }
  }
  for (const { relationship, active_manifest } of manifest.ingredients ?? []) {
    const device = relationship === 'parentOf' && deviceOf(store, believed, text(active_manifest) ?? '', seen);
    if (device) return device;
  }
  return undefined;
}

/** True when the signer answers for an action that captured the picture. */
const saysCaptured = (manifest: Manifest): boolean =>
  (manifest.assertions ?? []).some(
    assertion =>
      isActions(assertion) &&
      isSignersOwn(manifest, assertion) &&
      actionClaims('', assertion.data).some(({ kind }) => kind === 'captured'),
  );

type Said = Pick<C2paClaim, 'kind' | 'field' | 'value'>;

function actionsIn(data: unknown): Record<string, unknown>[] {
  const list = (data as { actions?: unknown } | undefined | null)?.actions;
  return Array.isArray(list) ? list.filter(action => typeof action === 'object' && action !== null) : [];
}

function actionClaims(label: string, data: unknown): Said[] {
  return actionsIn(data).flatMap(action => {
    const name = text(action.action) ?? 'action';
    const type =
      text(action.digitalSourceType) ??
      text((action.parameters as Record<string, unknown> | undefined)?.digitalSourceType);
    const agent =
      text(action.softwareAgent) ?? text((action.softwareAgent as Record<string, unknown> | undefined)?.name);
    const source = type && sourceKind(type);
    if (!source) return [];
    const value = agent ? `${source.term} (${agent})` : source.term;
    return [{ kind: source.kind, field: `${label}/${name}`, value }];
  });
}

function metadataClaims(label: string, data: unknown): Said[] {
  if (typeof data !== 'object' || data === null) return [];
  return Object.entries(data).flatMap(([key, value]) => {
    const source = /(^|:)DigitalSourceType$/i.test(key) && typeof value === 'string' ? sourceKind(value) : undefined;
    return source ? [{ kind: source.kind, field: `${label}/${key}`, value: source.term }] : [];
  });
}
