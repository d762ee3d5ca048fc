import { type Static, Type } from 'typebox';
import { conflict, duplicate, type Fault, fault } from '../base/fault.ts';
import { isRecord } from '../base/is-record.ts';
import { EXPIRES_IN_SECONDS, MAX_CAPTURES, METADATA_KEY_MAX, METADATA_MAX_KEYS, URL_MAX } from '../base/limits.ts';
import { MapOf } from '../base/map.ts';
import { LANGUAGE_TAG, PHONE, SLUG, wordsOfPattern } from '../base/patterns.ts';
import { flatStepFaults } from '../capture/flat-steps.ts';
import { sizeFaults } from '../capture/sizes.ts';
import { ONLY_STEP, StepInput } from '../capture/steps.ts';
import { DepthPolicySchema } from './presence.ts';
import { SignalNameSchema } from './signals.ts';

const closed = { additionalProperties: false } as const;
const ExpectedLocation = Type.String({
  minLength: 1,
  maxLength: 300,
  description: 'Where the photos must be taken: an address, `latitude,longitude` or a full plus code',
});
const ExpectedObject = Type.String({ minLength: 1, maxLength: 200, description: 'What the photos must show' });
const ConditionAspects = Type.Array(Type.String({ minLength: 1, maxLength: 40 }), {
  minItems: 1,
  maxItems: 6,
  description: 'What to grade from 0 to 10, for example `paint`',
});
const OcrType = Type.String({ minLength: 1, maxLength: 40 });
export const Email = Type.String({ format: 'idn-email', maxLength: 254 });

export const Context = Type.Object(
  {
    kind: Type.String({ minLength: 1, maxLength: 64 }),
    summary: Type.String({ minLength: 1, maxLength: 500 }),
    attributes: Type.Optional(MapOf(Type.Union([Type.String(), Type.Number(), Type.Boolean()]))),
  },
  { ...closed, title: 'Context' },
);

export const Metadata = MapOf(Type.String({ maxLength: 500 }), {
  description: 'Your own keys and values. Every read and every webhook repeats them.',
  maxProperties: METADATA_MAX_KEYS,
  propertyNames: { minLength: 1, maxLength: METADATA_KEY_MAX },
});

export const Person = Type.Object(
  {
    name: Type.Optional(Type.String({ minLength: 1, maxLength: 120 })),
    email: Type.Optional(Email),
    phone_e164: Type.Optional(Type.String({ pattern: PHONE })),
    external_ref: Type.Optional(Type.String({ minLength: 1, maxLength: 120 })),
  },
  { ...closed, title: 'ExpectedPerson' },
);

const expectations = {
  expected_location: Type.Optional(ExpectedLocation),
  expected_object: Type.Optional(ExpectedObject),
  condition_aspects: Type.Optional(ConditionAspects),
  ocr_type: Type.Optional(OcrType),
};

export const ExpectedInfo = Type.Object(
  {
    source: Type.Optional(Type.Enum(['individual', 'csv'], { title: 'ExpectedInfoSource', default: 'individual' })),
    shared: Type.Optional(Type.Object(expectations, { ...closed, title: 'SharedExpectations' })),
    subject: Type.Optional(
      Type.Object(
        {
          ...expectations,
          asset_ref: Type.Optional(Type.String({ minLength: 1, maxLength: 120 })),
          person: Type.Optional(Person),
        },
        { ...closed, title: 'SubjectExpectations' },
      ),
    ),
  },
  { ...closed, title: 'ExpectedInfo' },
);

export const BRAND_SLUG_PATTERN = new RegExp(SLUG);
export const BrandSlug = Type.String({
  description: 'The short name of a brand',
  minLength: 2,
  maxLength: 40,
  pattern: SLUG,
});

const fields = {
  max_captures: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: MAX_CAPTURES,
      description: 'Asks for this many photos in one step. Send this or `steps`.',
    }),
  ),
  steps: Type.Optional(
    Type.Array(StepInput, {
      minItems: 1,
      description: `The photos, files and answers to ask for, in order. At most ${MAX_CAPTURES} captures in all.`,
    }),
  ),
  expires_in_seconds: Type.Optional(
    Type.Integer({
      minimum: EXPIRES_IN_SECONDS.min,
      maximum: EXPIRES_IN_SECONDS.max,
      default: EXPIRES_IN_SECONDS.default,
      description: 'How long the capture link works',
    }),
  ),
  signals_required: Type.Optional(
    Type.Array(SignalNameSchema, {
      minItems: 1,
      default: ['screen', 'ai'],
      description: "The signals that decide the verdict. The account's setting replaces the default.",
    }),
  ),
  depth_policy: Type.Optional(DepthPolicySchema),
  seal: Type.Optional(
    Type.Boolean({ default: true, description: 'Seals the record and the answers with a hash at completion' }),
  ),
  mode: Type.Optional(
    Type.Enum(['verification', 'audit'], {
      title: 'VerificationMode',
      description: '`audit`: existing files instead of live photos; `screen` and `depth` do not apply',
    }),
  ),
  context: Type.Optional(Context),
  webhook_url: Type.Optional(
    Type.String({
      format: 'iri',
      maxLength: URL_MAX,
      description: 'Gets a signed POST for every event of the verification',
    }),
  ),
  notify_email: Type.Optional(
    Type.Union([Email, Type.Null()], {
      description: "Gets an e-mail with the outcome. `null` turns off the account's default.",
    }),
  ),
  metadata: Type.Optional(Metadata),
  expected_location: Type.Optional(ExpectedLocation),
  expected_object: Type.Optional(ExpectedObject),
  condition_aspects: Type.Optional(ConditionAspects),
  expected_info: Type.Optional(ExpectedInfo),
  brand_slug: Type.Optional(BrandSlug),
};

/** Body of POST /v1/verifications. Only the messaging bot may send `tenant_id`. */
export const CreateVerificationRequest = Type.Object(
  { ...fields, tenant_id: Type.Optional(Type.String({ description: 'messaging bot only' })) },
  { ...closed, title: 'CreateVerificationRequest' },
);
export type CreateVerificationRequest = Static<typeof CreateVerificationRequest>;

/** The capture spec that a link template stores: CreateVerificationRequest without `tenant_id`. */
export const TemplateRequest = Type.Object(fields, { ...closed, title: 'TemplateRequest' });

export const DEPTH_POLICY_FAULT: Fault = conflict('depth_policy', 'needs "depth" among signals_required', [
  'signals_required',
]);

/**
 * Faults that span several fields. Accepts any body and checks only the parts whose own shape is right. It runs beside
 * the schema, so one answer reports every fault of a request.
 */
export function crossFieldFaults(body: unknown): Fault[] {
  if (!isRecord(body)) return [];
  const faults: Fault[] = [];
  if (body.max_captures !== undefined && body.steps !== undefined) {
    faults.push(conflict('max_captures', 'cannot be sent together with steps', ['steps']));
  }
  // Without signals_required the account's decide, which only the service knows.
  if (body.depth_policy !== undefined && Array.isArray(body.signals_required)) {
    if (!body.signals_required.includes('depth')) faults.push(DEPTH_POLICY_FAULT);
  }
  if (Array.isArray(body.steps)) faults.push(...stepFaults(body.steps));
  if (isRecord(body.context) && isRecord(body.context.attributes)) {
    const { attributes } = body.context;
    const keys = pictureKeys(body.steps);
    faults.push(...sizeFaults(attributes, keys), ...flatStepFaults(attributes, keys));
  }
  return faults;
}

/** Keys of the steps that take pictures; without `steps`, the key that `max_captures` stands for. */
const pictureKeys = (steps: unknown): string[] =>
  Array.isArray(steps)
    ? steps.flatMap(step => (isRecord(step) && step.type !== 'text' && typeof step.key === 'string' ? [step.key] : []))
    : [ONLY_STEP];

/** Faults of translations whose name is no language tag, or the same as another's. */
function languageFaults(texts: unknown, path: string): Fault[] {
  if (!isRecord(texts)) return [];
  const tag = new RegExp(LANGUAGE_TAG);
  const seen = new Set<string>();
  return Object.keys(texts).flatMap(name => {
    const isTwice = seen.has(name.toLowerCase());
    seen.add(name.toLowerCase());
    if (!tag.test(name))
      return [fault(`${path}.${name}`, 'pattern', wordsOfPattern(LANGUAGE_TAG), { pattern: LANGUAGE_TAG })];
    return isTwice ? [duplicate(`${path}.${name}`, 'must be named once, whatever its case')] : [];
  });
}

function stepFaults(steps: unknown[]): Fault[] {
  const faults: Fault[] = [];
  const seen = new Set<string>();
  let capacity = 0;
  let pictureSteps = 0;
  steps.forEach((step, index) => {
    if (!isRecord(step)) return;
    if (typeof step.key === 'string') {
      if (seen.has(step.key)) faults.push(duplicate(`steps.${index}.key`, 'must be unique among the steps'));
      seen.add(step.key);
    }
    faults.push(...languageFaults(step.descriptions, `steps.${index}.descriptions`));
    if (step.type === 'text') {
      const { validation } = step;
      if (!isRecord(validation)) return;
      const { min_length, max_length = 2_000 } = validation;
      if (typeof min_length === 'number' && typeof max_length === 'number' && min_length > max_length) {
        const at = `steps.${index}.validation`;
        faults.push(conflict(`${at}.min_length`, 'must not exceed max_length', [`${at}.max_length`]));
      }
      return;
    }
    pictureSteps += 1;
    if (typeof step.max === 'number') capacity += step.max;
    if (typeof step.min === 'number' && typeof step.max === 'number' && step.min > step.max) {
      faults.push(conflict(`steps.${index}.min`, 'must not exceed max', [`steps.${index}.max`]));
    }
  });
  if (steps.length > 0 && pictureSteps === 0 && steps.every(isRecord)) {
    faults.push(fault('steps', 'too_few', 'must hold at least one image or upload step', { min: 1 }));
  }
  if (capacity > MAX_CAPTURES) {
    faults.push(fault('steps', 'too_many', `the sum of max must not exceed ${MAX_CAPTURES}`, { max: MAX_CAPTURES }));
  }
  return faults;
}
