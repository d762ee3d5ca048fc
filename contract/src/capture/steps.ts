import { type Static, Type } from 'typebox';
import { IMAGE_TYPES } from '../base/enums.ts';
import { DESCRIPTIONS_MAX, UPLOAD_DEFAULT_BYTES, UPLOAD_HARD_CAP_BYTES } from '../base/limits.ts';
import { MapOf } from '../base/map.ts';
import { EXAMPLE_PICTURE, STEP_KEY } from '../base/patterns.ts';
import { TEXT_FORMAT_NAMES } from './text-formats.ts';

const closed = { additionalProperties: false } as const;
const Key = Type.String({ minLength: 1, maxLength: 64, pattern: STEP_KEY });
const Description = Type.String({ maxLength: 500, description: 'what the person reads above the viewfinder' });
const Descriptions = Type.Optional(
  MapOf(Type.String({ maxLength: 500 }), {
    description:
      '`description` in other languages, by language tag: `{"de": "Die Front"}`. An empty text counts as missing; the person then reads `description`.',
    maxProperties: DESCRIPTIONS_MAX,
    propertyNames: { minLength: 2, maxLength: 35 },
  }),
);
const Min = Type.Integer({ minimum: 0, description: 'captures needed; 0 makes the step optional' });
const Max = Type.Integer({ minimum: 1, description: 'the most captures that this step takes' });
const ExamplePicture = Type.Optional(
  Type.String({
    pattern: EXAMPLE_PICTURE,
    description: 'SHA-256 of a picture of `POST /v1/example-pictures`: the page shows it as an example of this photo',
  }),
);
const TextLength = (minimum: number) => Type.Integer({ minimum, maximum: 2_000 });

/** What steps that take pictures have in common. */
const pictured = {
  key: Key,
  description: Description,
  descriptions: Descriptions,
  example_picture: ExamplePicture,
  min: Min,
  max: Max,
};
const picturedInput = { ...pictured, description: Type.Optional(Description) };

const ImageStepInput = Type.Object(
  {
    type: Type.Optional(Type.Literal('image')),
    ...picturedInput,
  },
  { ...closed, title: 'ImageStepInput' },
);

const TextStepInput = Type.Object(
  {
    type: Type.Literal('text'),
    key: Key,
    description: Type.Optional(Description),
    descriptions: Descriptions,
    required: Type.Optional(Type.Boolean({ default: true })),
    validation: Type.Optional(
      Type.Object(
        {
          min_length: Type.Optional(TextLength(0)),
          max_length: Type.Optional(TextLength(1)),
          format: Type.Optional(Type.Enum(TEXT_FORMAT_NAMES, { title: 'TextFormat' })),
        },
        { ...closed, title: 'TextValidationInput' },
      ),
    ),
  },
  { ...closed, title: 'TextStepInput' },
);

const UploadStepInput = Type.Object(
  {
    type: Type.Literal('upload'),
    ...picturedInput,
    accept: Type.Optional(Type.Array(Type.Enum([...IMAGE_TYPES], { title: 'ImageType' }), { minItems: 1 })),
    max_size_bytes: Type.Optional(
      Type.Integer({ minimum: 1, maximum: UPLOAD_HARD_CAP_BYTES, default: UPLOAD_DEFAULT_BYTES }),
    ),
  },
  { ...closed, title: 'UploadStepInput' },
);

/** Tells generated clients which schema of a union an answer has. */
export const byType = (schemas: Record<string, string>) => ({
  propertyName: 'type',
  mapping: Object.fromEntries(Object.entries(schemas).map(([type, title]) => [type, `#/components/schemas/${title}`])),
});

/** A step as a tenant sends it; `type` absent means `image`. */
export const StepInput = Type.Union([ImageStepInput, TextStepInput, UploadStepInput], { title: 'StepInput' });
export type StepInput = Static<typeof StepInput>;

const ImageStep = Type.Object(
  {
    type: Type.Literal('image'),
    ...pictured,
  },
  { ...closed, title: 'ImageStep' },
);
const TextStep = Type.Object(
  {
    type: Type.Literal('text'),
    key: Key,
    description: Description,
    descriptions: Descriptions,
    required: Type.Boolean(),
    validation: Type.Object(
      {
        min_length: Type.Optional(TextLength(0)),
        max_length: TextLength(1),
        format: Type.Enum(TEXT_FORMAT_NAMES, { title: 'TextFormat' }),
      },
      { ...closed, title: 'TextValidation' },
    ),
  },
  { ...closed, title: 'TextStep' },
);
const UploadStep = Type.Object(
  {
    type: Type.Literal('upload'),
    ...pictured,
    accept: Type.Array(Type.Enum([...IMAGE_TYPES], { title: 'ImageType' }), { minItems: 1 }),
    max_size_bytes: Type.Integer({ minimum: 1, maximum: UPLOAD_HARD_CAP_BYTES }),
  },
  { ...closed, title: 'UploadStep' },
);

/** A normalised step: every field present. */
export const Step = Type.Union([ImageStep, TextStep, UploadStep], {
  title: 'Step',
  discriminator: byType({ image: 'ImageStep', text: 'TextStep', upload: 'UploadStep' }),
});
export type Step = Static<typeof Step>;
export type ImageStep = Static<typeof ImageStep>;
export type TextStep = Static<typeof TextStep>;
export type UploadStep = Static<typeof UploadStep>;
export type PictureStep = ImageStep | UploadStep;

export const isPictureStep = (step: Step): step is PictureStep => step.type !== 'text';

/** What a step asks for, without the empty texts. */
function describedOf({ description = '', descriptions = {} }: StepInput): Pick<Step, 'description' | 'descriptions'> {
  const given = Object.entries(descriptions).filter(([, text]) => text.trim() !== '');
  return { description, ...(given.length > 0 ? { descriptions: Object.fromEntries(given) } : {}) };
}

/** Fills in the defaults of one step. */
export function normalizeStep(input: StepInput): Step {
  const described = describedOf(input);
  if (input.type === 'text') {
    const { min_length, max_length = 2_000, format = 'free_text' } = input.validation ?? {};
    return {
      type: 'text',
      key: input.key,
      ...described,
      required: input.required ?? true,
      validation: { ...(min_length === undefined ? {} : { min_length }), max_length, format },
    };
  }
  const example = input.example_picture === undefined ? {} : { example_picture: input.example_picture };
  if (input.type === 'upload') {
    return {
      type: 'upload',
      key: input.key,
      ...described,
      ...example,
      min: input.min,
      max: input.max,
      accept: input.accept ? [...new Set(input.accept)] : [...IMAGE_TYPES],
      max_size_bytes: input.max_size_bytes ?? UPLOAD_DEFAULT_BYTES,
    };
  }
  return { type: 'image', key: input.key, ...described, ...example, min: input.min, max: input.max };
}

/** Key of the step that `max_captures` stands for. */
export const ONLY_STEP = 'capture_1';

/** Converts `max_captures: n` to one image step that requires all n. */
export const stepOfMaxCaptures = (n: number): Step => ({
  type: 'image',
  key: ONLY_STEP,
  description: '',
  min: n,
  max: n,
});

/** Total capacity of a capture spec: the sum of `max` over image and upload steps. */
export const capacityOf = (steps: readonly Step[]): number =>
  steps.reduce((sum, step) => sum + (isPictureStep(step) ? step.max : 0), 0);
