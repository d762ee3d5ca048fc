import { type Ingredient, labelIn, type Status, type Store, statusesOf, text } from './c2pa-store.ts';

/** A manifest store that was validated. */
export interface Validated {
  /** c2pa-rs's JSON. */
  store: Store;
  /** Validates the manifest store of an ingredient by itself and passes it to `use`. Undefined when it cannot be read. */
  readPart<T>(identifier: string, use: (part: Validated) => Promise<T>): Promise<T | undefined>;
}

/** For each ingredient's manifest that was judged, the codes that speak against it. An empty list: it may be believed. */
export type Standing = Map<string, string[]>;

/** A file of a trusted editor may name hundreds of components. Those beyond this number are not believed. */
const MAX_PARTS = 24;

const UNBOUND = /^assertion\.(dataHash|bmffHash|boxesHash|collectionHash)\.mismatch$/;
const BOUND = /^assertion\.(dataHash|bmffHash|boxesHash|collectionHash)\.match$/;
/** What the recorder's own lists said of signer and time stamp. Ours decide here, so both are asked again. */
const ASKED_AGAIN = /^signingCredential\.untrusted$|^timeStamp\./;
/** What our own check of the ingredient must have found. */
const REQUIRED = ['claimSignature.validated', 'claimSignature.insideValidity', 'signingCredential.trusted'];
/** Codes that no failure has (C2PA 2.2, 15.2.2). Versions 1 and 2 of the assertion keep all codes in one list. */
const FINE =
  /\.(validated|trusted|match|insideValidity|accessible|notRevoked|ocsp\.skipped|ocsp\.inaccessible|unknownProvenance|additionalExclusionsPresent)$|^algorithm\.deprecated$/;

/**
 * Decides which manifests of ingredients may be believed: the signature of each holds, its own signer is trusted by our anchors, and
 * nobody recorded a failure of it. The chain from the active manifest to it must be believed too, because whoever signs in
 * between may have replaced the picture.
 *
 * c2pa-rs validates the ingredients as well, but leaves out each result that the file itself has recorded. So each ingredient is read
 * again as if it were the active manifest. Only its hard binding cannot be checked again, since its picture is gone: the signer of the
 * manifest around it did that, and recorded the result.
 */
export async function standingOf(whole: Validated): Promise<Standing> {
  const standing: Standing = new Map();
  const recorded = recordedFailures(whole.store);
  const follow = async (at: Validated, redacted: ReadonlySet<unknown>): Promise<void> => {
    const manifest = at.store.manifests?.[at.store.active_manifest ?? ''];
    const gone = new Set([...redacted, ...(manifest?.redactions ?? [])]);
    for (const ingredient of manifest?.ingredients ?? []) {
      const label = text(ingredient.active_manifest);
      if (!label || ingredient.relationship === 'inputTo' || standing.has(label)) continue;
      const against = [...(recorded.get(label) ?? [])];
      standing.set(label, against);
      const identifier = text(ingredient.manifest_data?.identifier);
      if (!identifier || standing.size > MAX_PARTS) {
        against.push('not checked');
        continue;
      }
      const read = await at.readPart(identifier, async part => {
        against.push(...ownFailures(part.store, label, gone));
        if (!isBound(ingredient, part.store)) against.push('hard binding not recorded');
        if (against.length === 0) await follow(part, gone);
        return true;
      });
      if (!read) against.push('unreadable');
    }
  };
  if (whole.store.validation_state === 'Trusted') await follow(whole, new Set());
  return standing;
}

/**
 * The failures that any manifest of the store recorded, by the label of the manifest that failed. One that names no manifest of the store is
 * the ingredient's own: writers give a manifest another label where two have the same.
 */
function recordedFailures({ manifests = {} }: Store): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const ingredient of Object.values(manifests).flatMap(({ ingredients = [] }) => ingredients)) {
    const statuses = [
      ...statusesOf(ingredient.validation_results).filter(({ failed }) => failed),
      ...(ingredient.validation_status ?? []).map(status => ({ status, active: false })),
    ];
    for (const { status, active } of statuses) {
      const code = text(status.code) ?? 'unnamed';
      if (ASKED_AGAIN.test(code) || FINE.test(code)) continue;
      const named = labelIn(status.url);
      const labels = new Set([
        ...(named !== undefined && Object.hasOwn(manifests, named) ? [named] : []),
        ...(active ? [text(ingredient.active_manifest) ?? ''] : []),
      ]);
      if (labels.size === 0) labels.add(text(ingredient.active_manifest) ?? '');
      for (const label of labels) found.set(label, [...(found.get(label) ?? []), code]);
    }
  }
  return found;
}

/** What our own check of an ingredient's manifest holds against it. */
function ownFailures(store: Store, label: string, redacted: ReadonlySet<unknown>): string[] {
  if (store.active_manifest !== label) return ['another manifest'];
  const { success = [], failure = [] } = store.validation_results?.activeManifest ?? {};
  const failed = failure
    .filter(({ code, url }: Status) => !(code === 'assertion.missing' && redacted.has(url)))
    .map(({ code }) => text(code) ?? 'unnamed')
    .filter(code => !UNBOUND.test(code));
  const passed = success.filter(({ url }) => (labelIn(url) ?? label) === label).map(({ code }) => code);
  const lacking = REQUIRED.some(code => !passed.includes(code));
  return lacking && failed.length === 0 ? ['not validated'] : failed;
}

/**
 * True when somebody recorded that the ingredient's picture fits its manifest. Versions 1 and 2 of the assertion list only failures, so
 * silence is consent there. An update manifest has no binding of its own; it recorded that of the manifest before it.
 */
function isBound(ingredient: Ingredient, own: Store): boolean {
  const before = own.manifests?.[own.active_manifest ?? '']?.ingredients ?? [];
  return (
    !ingredient.validation_results ||
    [ingredient, ...before].some(({ validation_results }) =>
      statusesOf(validation_results).some(({ status, failed }) => !failed && BOUND.test(text(status.code) ?? '')),
    )
  );
}
