import { EXPIRES_IN_SECONDS } from '@firsthand/contract/base/limits.ts';
import type { StepInput } from '@firsthand/contract/capture/steps.ts';
import type { TextFormat } from '@firsthand/contract/capture/text-formats.ts';
import type { CreateVerificationRequest } from '@firsthand/contract/verification/create-verification.ts';
import { SIGNAL_NAMES, type SignalName } from '@firsthand/contract/verification/signals.ts';

/** One step as the form holds it: the members of every type side by side, so that changing the type loses nothing. */
export interface StepValues {
  type: 'image' | 'text' | 'upload';
  key: string;
  description: string;
  /** The description in other languages, by language tag. */
  translations: { language: string; text: string }[];
  /** SHA-256 of the example picture; empty for none. */
  example_picture: string;
  min: number;
  max: number;
  required: boolean;
  format: TextFormat;
}

export interface RequestValues {
  steps: StepValues[];
  expected_object: string;
  expected_location: string;
  condition_aspects: string;
  context_kind: string;
  context_summary: string;
  signals: SignalName[];
  /** The form has no field for it: it keeps what the request had. */
  depth_policy: CreateVerificationRequest['depth_policy'];
  audit: boolean;
  expires_in_seconds: number;
  brand_slug: string;
  webhook_url: string;
  notify: 'default' | 'address' | 'off';
  notify_email: string;
  metadata: { key: string; value: string }[];
  person_name: string;
  person_email: string;
  person_phone: string;
  person_ref: string;
}

export const NEW_STEP: StepValues = {
  type: 'image',
  key: 'photo',
  description: '',
  translations: [],
  example_picture: '',
  min: 1,
  max: 1,
  required: true,
  format: 'free_text',
};

export const EMPTY: RequestValues = {
  steps: [NEW_STEP],
  expected_object: '',
  expected_location: '',
  condition_aspects: '',
  context_kind: '',
  context_summary: '',
  signals: ['screen', 'ai'],
  depth_policy: undefined,
  audit: false,
  // The API's hour is for a person who waits. Who gets a link by mail opens it later.
  expires_in_seconds: 86_400,
  brand_slug: '',
  webhook_url: '',
  notify: 'default',
  notify_email: '',
  metadata: [],
  person_name: '',
  person_email: '',
  person_phone: '',
  person_ref: '',
};

/** Drops what was left empty. */
const filled = <T extends Record<string, string | undefined>>(members: T): Partial<T> =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value?.trim())) as Partial<T>;

/** The translations that have a text; undefined where none has. */
export function descriptionsOf({ translations }: Pick<StepValues, 'translations'>): Record<string, string> | undefined {
  const given = translations.filter(({ text }) => text.trim() !== '');
  if (given.length === 0) return undefined;
  return Object.fromEntries(given.map(({ language, text }) => [language, text.trim()]));
}

function stepOf(step: StepValues): StepInput {
  const { type, key, min, max, required, format } = step;
  const descriptions = descriptionsOf(step);
  const common = {
    key: key.trim(),
    ...filled({ description: step.description.trim() }),
    ...(descriptions ? { descriptions } : {}),
  };
  if (type === 'text') return { type, ...common, required, validation: { format } };
  const example = filled({ example_picture: step.example_picture });
  return { ...(type === 'upload' ? { type } : {}), ...common, ...example, min, max } as StepInput;
}

/** The body that the API takes. The service checks it; what it faults is shown beside the field. */
export function requestOf(values: RequestValues): CreateVerificationRequest {
  const aspects = values.condition_aspects
    .split(/[,;]/)
    .map(aspect => aspect.trim())
    .filter(Boolean);
  const person = filled({
    name: values.person_name.trim(),
    email: values.person_email.trim(),
    phone_e164: values.person_phone.trim(),
    external_ref: values.person_ref.trim(),
  });
  const context = filled({ kind: values.context_kind.trim(), summary: values.context_summary.trim() });
  const metadata = values.metadata.filter(({ key }) => key.trim());
  return {
    steps: values.steps.map(stepOf),
    ...(values.expires_in_seconds === EXPIRES_IN_SECONDS.default
      ? {}
      : { expires_in_seconds: values.expires_in_seconds }),
    signals_required: SIGNAL_NAMES.filter(name => values.signals.includes(name)),
    // It needs the signal.
    ...(values.depth_policy && values.signals.includes('depth') ? { depth_policy: values.depth_policy } : {}),
    ...(values.audit ? { mode: 'audit' } : {}),
    ...(Object.keys(context).length > 0 ? { context } : {}),
    ...filled({
      expected_object: values.expected_object.trim(),
      expected_location: values.expected_location.trim(),
      brand_slug: values.brand_slug,
      webhook_url: values.webhook_url.trim(),
    }),
    ...(aspects.length > 0 ? { condition_aspects: aspects } : {}),
    ...(values.notify === 'off' ? { notify_email: null } : {}),
    ...(values.notify === 'address' ? { notify_email: values.notify_email.trim() } : {}),
    ...(metadata.length > 0
      ? { metadata: Object.fromEntries(metadata.map(({ key, value }) => [key.trim(), value])) }
      : {}),
    ...(Object.keys(person).length > 0 ? { expected_info: { subject: { person } } } : {}),
  } as CreateVerificationRequest;
}

type Lost = (request: CreateVerificationRequest, again: CreateVerificationRequest) => readonly string[];
const held: Lost = () => [];

/** Says of each field of a request what the form cannot hold of it. The compiler asks here for every new field. */
const LOST: Record<keyof CreateVerificationRequest, Lost> = {
  steps: ({ steps = [] }) => steps.filter(isMoreThanHeld).map(({ key }) => `steps.${key}`),
  max_captures: held,
  expires_in_seconds: held,
  signals_required: held,
  depth_policy: held,
  seal: ({ seal }) => (seal === false ? ['seal'] : []),
  mode: held,
  context: ({ context }) => (context?.attributes ? ['context.attributes'] : []),
  webhook_url: held,
  notify_email: held,
  metadata: held,
  expected_location: held,
  expected_object: held,
  condition_aspects: held,
  expected_info: ({ expected_info: stored }, { expected_info: again }) =>
    stored && JSON.stringify(again) !== JSON.stringify(stored) ? ['expected_info'] : [],
  brand_slug: held,
  // No template has it.
  tenant_id: held,
};

function isMoreThanHeld(step: StepInput): boolean {
  if (step.type === 'text') {
    return step.validation?.min_length !== undefined || step.validation?.max_length !== undefined;
  }
  return step.type === 'upload' && (step.accept !== undefined || step.max_size_bytes !== undefined);
}

/** A stored request in the form. What the form cannot hold is named in `lost`: it must not vanish unseen. */
export function valuesOf(request: CreateVerificationRequest): { values: RequestValues; lost: string[] } {
  const { steps, max_captures, context, metadata, notify_email, expected_info } = request;
  const person = expected_info?.subject?.person;
  const values: RequestValues = {
    ...EMPTY,
    steps: steps
      ? steps.map(
          (step): StepValues => ({
            ...NEW_STEP,
            type: step.type ?? 'image',
            key: step.key,
            description: step.description ?? '',
            translations: Object.entries(step.descriptions ?? {}).map(([language, text]) => ({ language, text })),
            ...(step.type === 'text'
              ? { required: step.required ?? true, format: step.validation?.format ?? 'free_text' }
              : { example_picture: step.example_picture ?? '', min: step.min, max: step.max }),
          }),
        )
      : [{ ...NEW_STEP, key: 'capture_1', min: max_captures ?? 1, max: max_captures ?? 1 }],
    expected_object: request.expected_object ?? '',
    expected_location: request.expected_location ?? '',
    condition_aspects: request.condition_aspects?.join(', ') ?? '',
    context_kind: context?.kind ?? '',
    context_summary: context?.summary ?? '',
    signals: [...(request.signals_required ?? EMPTY.signals)],
    depth_policy: request.depth_policy,
    audit: request.mode === 'audit',
    expires_in_seconds: request.expires_in_seconds ?? EXPIRES_IN_SECONDS.default,
    brand_slug: request.brand_slug ?? '',
    webhook_url: request.webhook_url ?? '',
    notify: notify_email === undefined ? 'default' : notify_email === null ? 'off' : 'address',
    notify_email: notify_email ?? '',
    metadata: Object.entries(metadata ?? {}).map(([key, value]) => ({ key, value })),
    person_name: person?.name ?? '',
    person_email: person?.email ?? '',
    person_phone: person?.phone_e164 ?? '',
    person_ref: person?.external_ref ?? '',
  };
  const lost = Object.values(LOST).flatMap(of => of(request, requestOf(values)));
  return { values, lost };
}
