/** The parts of c2pa-rs's JSON that are read here. Its strings come from the file, so each is checked before use. */
export interface Store {
  active_manifest?: string;
  validation_state?: string;
  validation_status?: Status[];
  validation_results?: Results;
  manifests?: Record<string, Manifest>;
}

export interface Status {
  code?: unknown;
  url?: unknown;
}

interface Codes {
  success?: Status[];
  informational?: Status[];
  failure?: Status[];
}

export interface Results {
  activeManifest?: Codes;
  ingredientDeltas?: { validationDeltas?: Codes }[];
}

export interface Manifest {
  claim_version?: unknown;
  claim_generator?: unknown;
  claim_generator_info?: { name?: unknown; version?: unknown }[];
  signature_info?: { issuer?: unknown; common_name?: unknown };
  assertions?: Assertion[];
  ingredients?: Ingredient[];
  redactions?: unknown[];
}

export interface Assertion {
  label?: unknown;
  data?: unknown;
  /** True in a claim of version 2 for what the signer made itself. What it only gathered has no such member, nor has version 1. */
  created?: unknown;
}

export interface Ingredient {
  label?: unknown;
  relationship?: unknown;
  active_manifest?: unknown;
  /** Where `resourceToBytes` finds the ingredient's own manifest store. */
  manifest_data?: { identifier?: unknown };
  /** What the signer of the manifest around it recorded: version 3 of the assertion. */
  validation_results?: Results;
  /** The same in versions 1 and 2. Writers list only failures, so an ingredient without fault has none. */
  validation_status?: Status[];
}

const MAX_TEXT = 300;

export const text = (value: unknown): string | undefined =>
  typeof value === 'string' && value ? value.slice(0, MAX_TEXT) : undefined;

/** The label in `self#jumbf=/c2pa/LABEL/c2pa.signature`; undefined for an address inside the manifest that holds it. */
export const labelIn = (url: unknown): string | undefined =>
  typeof url === 'string' ? url.match(/\/c2pa\/([^/]+)/)?.[1] : undefined;

/** Every status of a result. `active`: it is about the manifest that was validated, not about those before it. */
export function statusesOf(results: Results | undefined): { status: Status; failed: boolean; active: boolean }[] {
  const deltas = (results?.ingredientDeltas ?? []).map(delta => delta.validationDeltas);
  return [results?.activeManifest, ...deltas].flatMap((codes, at) => [
    ...[...(codes?.success ?? []), ...(codes?.informational ?? [])].map(status => ({
      status,
      failed: false,
      active: at === 0,
    })),
    ...(codes?.failure ?? []).map(status => ({ status, failed: true, active: at === 0 })),
  ]);
}
