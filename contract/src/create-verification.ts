import { type Static, Type } from 'typebox';
import type { Fault } from './errors.ts';
import { EXPIRES_IN_SECONDS, MAX_CAPTURES, METADATA_KEY_MAX, METADATA_MAX_KEYS, URL_MAX } from './limits.ts';
import { MapOf } from './map.ts';
import { SIGNAL_NAMES } from './signals.ts';
import { StepInput } from './steps.ts';

const closed = { additionalProperties: false } as const;
const ExpectedLocation = Type.String({ minLength: 1, maxLength: 300 });
const ExpectedObject = Type.String({ minLength: 1, maxLength: 200 });
const ConditionAspects = Type.Array(Type.String({ minLength: 1, maxLength: 40 }), { minItems: 1, maxItems: 6 });
const OcrType = Type.String({ minLength: 1, maxLength: 40 });
export const Email = Type.String({ format: 'email', maxLength: 254 });

export const Context = Type.Object(
  {
    kind: Type.String({ minLength: 1, maxLength: 64 }),
    summary: Type.String({ minLength: 1, maxLength: 500 }),
    attributes: Type.Optional(MapOf(Type.Union([Type.String(), Type.Number(), Type.Boolean()]))),
  },
  closed,
);

export const Metadata = MapOf(Type.String({ maxLength: 500 }), {
  maxProperties: METADATA_MAX_KEYS,
  propertyNames: { minLength: 1, maxLength: METADATA_KEY_MAX },
});

export const Person = Type.Object(
  {
    name: Type.Optional(Type.String({ minLength: 1, maxLength: 120 })),
    email: Type.Optional(Email),
    phone_e164: Type.Optional(Type.String({ pattern: '^\\+[1-9]\\d{6,14}$' })),
    external_ref: Type.Optional(Type.String({ minLength: 1, maxLength: 120 })),
  },
  closed,
);

const expectations = {
  expected_location: Type.Optional(ExpectedLocation),
  expected_object: Type.Optional(ExpectedObject),
  condition_aspects: Type.Optional(ConditionAspects),
  ocr_type: Type.Optional(OcrType),
};

export const ExpectedInfo = Type.Object(
  {
    source: Type.Optional(Type.Enum(['individual', 'csv'], { default: 'individual' })),
    shared: Type.Optional(Type.Object(expectations, closed)),
    subject: Type.Optional(
      Type.Object(
        {
          ...expectations,
          asset_ref: Type.Optional(Type.String({ minLength: 1, maxLength: 120 })),
          person: Type.Optional(Person),
        },
        closed,
      ),
    ),
  },
  closed,
);

export const BRAND_SLUG_PATTERN = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;
export const BrandSlug = Type.String({ minLength: 2, maxLength: 40, pattern: BRAND_SLUG_PATTERN.source });

const fields = {
  max_captures: Type.Optional(Type.Integer({ minimum: 1, maximum: MAX_CAPTURES })),
  steps: Type.Optional(Type.Array(StepInput, { minItems: 1 })),
  expires_in_seconds: Type.Optional(
    Type.Integer({
      minimum: EXPIRES_IN_SECONDS.min,
      maximum: EXPIRES_IN_SECONDS.max,
      default: EXPIRES_IN_SECONDS.default,
    }),
  ),
  signals_required: Type.Optional(Type.Array(Type.Enum(SIGNAL_NAMES), { minItems: 1, default: ['screen', 'ai'] })),
  seal: Type.Optional(Type.Boolean({ default: true })),
  mode: Type.Optional(Type.Enum(['verification', 'audit'])),
  context: Type.Optional(Context),
  webhook_url: Type.Optional(Type.String({ format: 'uri', maxLength: URL_MAX })),
  notify_email: Type.Optional(Type.Union([Email, Type.Null()])),
  metadata: Type.Optional(Metadata),
  expected_location: Type.Optional(ExpectedLocation),
  expected_object: Type.Optional(ExpectedObject),
  condition_aspects: Type.Optional(ConditionAspects),
  expected_info: Type.Optional(ExpectedInfo),
  brand_slug: Type.Optional(BrandSlug),
};

/** Body of POST /v1/verifications. `tenant_id` is taken from the messaging bot alone. */
export const CreateVerificationRequest = Type.Object(
  { ...fields, tenant_id: Type.Optional(Type.String({ description: 'messaging bot only' })) },
  closed,
);
export type CreateVerificationRequest = Static<typeof CreateVerificationRequest>;

/** What a link template stores: the same without `tenant_id`. */
export const TemplateRequest = Type.Object(fields, closed);

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * Faults that span several fields. Takes any body: it is asked beside the schema, so that every fault of a request is
 * reported at once, and looks only at parts whose own shape is right.
 */
export function crossFieldFaults(body: unknown): Fault[] {
  if (!isRecord(body)) return [];
  const faults: Fault[] = [];
  if (body.max_captures !== undefined && body.steps !== undefined) {
    faults.push({ path: 'max_captures', message: 'cannot be sent together with steps' });
  }
  if (typeof body.webhook_url === 'string' && !/^https?:\/\/[^/]/i.test(body.webhook_url)) {
    faults.push({ path: 'webhook_url', message: 'must be an http or https URL' });
  }
  if (Array.isArray(body.steps)) faults.push(...stepFaults(body.steps));
  return faults;
}

function stepFaults(steps: unknown[]): Fault[] {
  const faults: Fault[] = [];
  const seen = new Set<string>();
  let capacity = 0;
  let pictureSteps = 0;
  steps.forEach((step, index) => {
    if (!isRecord(step)) return;
    if (typeof step.key === 'string') {
      if (seen.has(step.key)) faults.push({ path: `steps.${index}.key`, message: 'must be unique among the steps' });
      seen.add(step.key);
    }
    if (step.type === 'text') {
      const { validation } = step;
      if (!isRecord(validation)) return;
      const { min_length, max_length = 2_000 } = validation;
      if (typeof min_length === 'number' && typeof max_length === 'number' && min_length > max_length) {
        faults.push({ path: `steps.${index}.validation.min_length`, message: 'must not exceed max_length' });
      }
      return;
    }
    pictureSteps += 1;
    if (typeof step.max === 'number') capacity += step.max;
    if (typeof step.min === 'number' && typeof step.max === 'number' && step.min > step.max) {
      faults.push({ path: `steps.${index}.min`, message: 'must not exceed max' });
    }
  });
  if (steps.length > 0 && pictureSteps === 0 && steps.every(isRecord)) {
    faults.push({ path: 'steps', message: 'must hold at least one image or upload step' });
  }
  if (capacity > MAX_CAPTURES) {
    faults.push({ path: 'steps', message: `the sum of max must not exceed ${MAX_CAPTURES}` });
  }
  return faults;
}
