import { type Static, Type } from 'typebox';
import { conflict, type Fault, required } from '../base/fault.ts';
import { DateTime, IdSchema } from '../base/ids.ts';
import { isRecord } from '../base/is-record.ts';
import { BRAND_LOGO_MAX_BYTES, EXAMPLE_PICTURE_MAX_BYTES, RETENTION_DAYS_MAX } from '../base/limits.ts';
import { MapOf } from '../base/map.ts';
import { EXAMPLE_PICTURE, HEX_COLOR, NOT_BLANK } from '../base/patterns.ts';
import { REVIEW_POLICIES } from '../reviews/reviews.ts';
import { BrandSlug, Email, TemplateRequest } from '../verification/create-verification.ts';
import { DepthPolicySchema } from '../verification/presence.ts';
import { LinkChannelSchema } from '../verification/send-link.ts';
import { SignalNameSchema } from '../verification/signals.ts';
import { CreationWarnings } from '../verification/verification.ts';
import { AllowedOrigins, BrandOrigins, BrandReturnUrl, TemplateReturnUrl } from './embedding.ts';
import { KEY_SCOPES } from './key-scopes.ts';

const closed = { additionalProperties: false } as const;
/** What people call an account, a key, a brand or a template. */
export const Name = Type.String({ minLength: 1, maxLength: 120, pattern: NOT_BLANK });

const Scopes = Type.Array(Type.Enum([...KEY_SCOPES], { title: 'KeyScope' }), {
  minItems: 1,
  uniqueItems: true,
  description:
    'limits the key to these actions: `create` creates verifications, `capture` is the capture flow of each. A key with scopes lists and ' +
    'reads nothing: put such a key into apps. It needs a `template_id`. Absent: every action of a publishable key',
});

const TemplateOfKey = Type.Optional(
  Type.String({
    description:
      'the link template that a key with scopes creates verifications from. It decides what is checked, who is told and what the ' +
      'page shows. Required with `scopes`',
  }),
);

/** Body of POST /v1/api-keys. */
export const CreateApiKey = Type.Object(
  {
    name: Name,
    mode: Type.Enum(['live', 'test', 'secret'], {
      title: 'KeyMode',
      description:
        '`secret` makes a secret key, which works in both modes. Only an owner who is signed in may ask for it.',
    }),
    scopes: Type.Optional(Scopes),
    template_id: TemplateOfKey,
  },
  { ...closed, title: 'CreateApiKey' },
);

export type CreateApiKey = Static<typeof CreateApiKey>;

/** Faults that span several members of {@link CreateApiKey}. */
export function apiKeyFaults(body: unknown): Fault[] {
  if (!isRecord(body)) return [];
  const { scopes, template_id } = body;
  if (scopes !== undefined && template_id === undefined)
    return [
      required('template_id', 'is required with scopes: the key creates verifications from this link template', {
        with: ['scopes'],
      }),
    ];
  if (scopes === undefined && template_id !== undefined)
    return [conflict('template_id', 'goes with scopes only', ['scopes'])];
  if (scopes !== undefined && body.mode === 'secret')
    return [conflict('scopes', 'limit publishable keys; a secret key does everything', ['mode'])];
  return [];
}

const apiKey = {
  id: IdSchema('key'),
  name: Type.String(),
  kind: Type.Enum(['publishable', 'secret'], { title: 'ApiKeyKind' }),
  livemode: Type.Optional(Type.Boolean({ description: 'absent on a secret key, which works in both modes' })),
  scopes: Type.Optional(Scopes),
  template_id: TemplateOfKey,
  prefix: Type.String({ description: 'the first characters of the key, to recognise it by' }),
  created_at: DateTime,
};
export const ApiKey = Type.Object({ ...apiKey, last_used_at: Type.Optional(DateTime) }, { ...closed, title: 'ApiKey' });
export type ApiKey = Static<typeof ApiKey>;
/** The answer that creates a key. No other answer shows the key. */
export const CreatedApiKey = Type.Object(
  { ...apiKey, key: Type.Optional(Type.String({ description: 'the key itself; a retry does not repeat it' })) },
  { ...closed, title: 'CreatedApiKey' },
);
export type CreatedApiKey = Static<typeof CreatedApiKey>;

export const PUBLIC_VERDICTS = ['always', 'decided'] as const;
export type PublicVerdictPolicy = (typeof PUBLIC_VERDICTS)[number];

const settings = {
  name: Name,
  notify_email: Type.Union([Email, Type.Null()], { description: 'default for verifications created without one' }),
  retention_days: Type.Union([Type.Integer({ minimum: 1, maximum: RETENTION_DAYS_MAX }), Type.Null()], {
    description: 'days after which a closed verification is redacted, existing ones too; null: never',
  }),
  review_policy: Type.Enum([...REVIEW_POLICIES], {
    title: 'ReviewPolicy',
    description:
      "how many people decide a case that comes up for review: nobody, one, or two who do not see each other's decision",
  }),
  review_sample: Type.Number({
    minimum: 0,
    maximum: 1,
    description: 'share of verified verifications that people review too, unmarked',
  }),
  depth_policy: DepthPolicySchema,
  signals_required: Type.Union([Type.Array(SignalNameSchema, { minItems: 1, uniqueItems: true }), Type.Null()], {
    description: 'default for verifications created without any; null: `screen` and `ai`',
  }),
  allowed_origins: AllowedOrigins,
  public_verdict: Type.Enum([...PUBLIC_VERDICTS], {
    title: 'PublicVerdictPolicy',
    description:
      'when the public page of a verification says the verdict: `always`, or not while a review is open (`decided`)',
  }),
};
export const Settings = Type.Object(
  {
    ...settings,
    rate_limit_per_minute: Type.Integer({ minimum: 1, description: 'read only' }),
    link_channels: Type.Array(LinkChannelSchema, {
      description: 'read only: how this installation sends links, by `POST /v1/verifications/:id/send`',
    }),
  },
  { ...closed, title: 'Settings' },
);
export type Settings = Static<typeof Settings>;
/** Body of PATCH /v1/settings. An absent field keeps its value. */
export const SettingsPatch = Type.Object(
  {
    name: Type.Optional(settings.name),
    notify_email: Type.Optional(settings.notify_email),
    retention_days: Type.Optional(settings.retention_days),
    review_policy: Type.Optional(settings.review_policy),
    review_sample: Type.Optional(settings.review_sample),
    depth_policy: Type.Optional(settings.depth_policy),
    signals_required: Type.Optional(settings.signals_required),
    allowed_origins: Type.Optional(settings.allowed_origins),
    public_verdict: Type.Optional(settings.public_verdict),
    rate_limit_per_minute: Type.Optional(Type.Unknown({ description: 'read only: sending it is an error' })),
  },
  { ...closed, title: 'SettingsPatch' },
);
export type SettingsPatch = Static<typeof SettingsPatch>;

const TemplateRetention = Type.Optional(
  Type.Integer({
    minimum: 1,
    maximum: RETENTION_DAYS_MAX,
    description: "for this template's verifications, in place of the account's `retention_days`",
  }),
);

const Color = Type.String({ pattern: HEX_COLOR, description: '#rrggbb' });
const Colors = Type.Object({ accent: Color, background: Type.Optional(Color) }, { ...closed, title: 'Colors' });

/** Body of PUT /v1/brands/:slug. An absent logo keeps its value; null removes it. */
export const BrandInput = Type.Object(
  {
    name: Name,
    logo_base64: Type.Optional(
      Type.Union([Type.String({ minLength: 1 }), Type.Null()], {
        description: `JPEG, PNG or WebP of at most ${BRAND_LOGO_MAX_BYTES} bytes`,
      }),
    ),
    colors: Type.Optional(Colors),
    allowed_origins: Type.Optional(BrandOrigins),
    return_url: Type.Optional(BrandReturnUrl),
  },
  { ...closed, title: 'BrandInput' },
);
export type BrandInput = Static<typeof BrandInput>;

export const Brand = Type.Object(
  {
    slug: BrandSlug,
    name: Type.String(),
    logo_url: Type.Optional(Type.String({ format: 'uri' })),
    colors: Type.Optional(Colors),
    worn_colors: Type.Optional(
      Type.Object(Colors.properties, {
        ...closed,
        title: 'WornColors',
        description: 'the colors the pages use, with the accent made legible',
      }),
    ),
    allowed_origins: Type.Optional(BrandOrigins),
    return_url: Type.Optional(BrandReturnUrl),
    created_at: DateTime,
    updated_at: DateTime,
  },
  { ...closed, title: 'Brand' },
);
export type Brand = Static<typeof Brand>;

/** Body of POST /v1/example-pictures. */
export const ExamplePictureInput = Type.Object(
  {
    image_base64: Type.String({
      minLength: 1,
      description: `JPEG, PNG or WebP of at most ${EXAMPLE_PICTURE_MAX_BYTES} bytes`,
    }),
  },
  { ...closed, title: 'ExamplePictureInput' },
);
export const ExamplePicture = Type.Object(
  {
    sha256: Type.String({ pattern: EXAMPLE_PICTURE, description: 'goes into `example_picture` of a step' }),
    url: Type.String({ format: 'uri', description: 'shows the picture, without a credential' }),
    size_bytes: Type.Integer({ minimum: 1 }),
    created_at: DateTime,
  },
  { ...closed, title: 'ExamplePicture' },
);
export type ExamplePicture = Static<typeof ExamplePicture>;

/** Body of POST and PUT /v1/link-templates. Each opening of the link issues a verification with this capture spec. */
export const LinkTemplateInput = Type.Object(
  {
    name: Name,
    request: TemplateRequest,
    retention_days: TemplateRetention,
    return_url: Type.Optional(TemplateReturnUrl),
  },
  { ...closed, title: 'LinkTemplateInput' },
);
export type LinkTemplateInput = Static<typeof LinkTemplateInput>;

const linkTemplate = {
  id: IdSchema('tpl'),
  name: Type.String(),
  version: Type.Integer({ minimum: 1 }),
  status: Type.Enum(['active', 'revoked'], { title: 'LinkTemplateStatus' }),
  url: Type.String({ format: 'uri', description: 'opening it creates a verification from the current version' }),
  request: TemplateRequest,
  retention_days: TemplateRetention,
  return_url: Type.Optional(TemplateReturnUrl),
  livemode: Type.Boolean(),
  created_at: DateTime,
  updated_at: DateTime,
  warnings: CreationWarnings('when one template is created, changed or read, until it is revoked'),
};
export const LinkTemplate = Type.Object(linkTemplate, { ...closed, title: 'LinkTemplate' });
export type LinkTemplate = Static<typeof LinkTemplate>;
export const LinkTemplateWithVersions = Type.Object(
  {
    ...linkTemplate,
    versions: Type.Array(
      Type.Object(
        {
          version: Type.Integer({ minimum: 1 }),
          name: Type.String(),
          request: TemplateRequest,
          retention_days: TemplateRetention,
          return_url: Type.Optional(TemplateReturnUrl),
          published_at: DateTime,
        },
        { ...closed, title: 'LinkTemplateVersion' },
      ),
      { description: 'newest first' },
    ),
  },
  { ...closed, title: 'LinkTemplateWithVersions' },
);
export type LinkTemplateWithVersions = Static<typeof LinkTemplateWithVersions>;

/** One management action. */
export const AuditEntry = Type.Object(
  {
    id: IdSchema('aud'),
    action: Type.String({ description: 'such as `api_key.created`' }),
    actor: Type.Object(
      {
        kind: Type.Enum(['secret', 'session', 'command_line', 'system'], { title: 'ActorKind' }),
        id: Type.Optional(Type.String()),
        via: Type.Optional(
          Type.Enum(['agent'], {
            title: 'ActorVia',
            description: 'a program, such as a language model, acted for it and said so in `Firsthand-Via`',
          }),
        ),
      },
      { ...closed, title: 'Actor' },
    ),
    target: Type.Optional(Type.String({ description: 'id or slug of the changed object' })),
    target_name: Type.Optional(Type.String({ description: 'its name today; absent where it has none, or was erased' })),
    detail: MapOf(Type.Unknown()),
    request_id: Type.Optional(Type.String()),
    address: Type.Optional(Type.String({ description: 'IP address it came from' })),
    device: Type.Optional(Type.String({ description: 'in words, such as `Chrome on Windows`' })),
    created_at: DateTime,
  },
  { ...closed, title: 'AuditEntry' },
);
export type AuditEntry = Static<typeof AuditEntry>;

/** The answer of the audit log's feed. */
export const AuditFeed = Type.Object(
  {
    data: Type.Array(AuditEntry),
    cursor: Type.String({ description: 'send it with the next request, also when `data` is empty' }),
  },
  { ...closed, title: 'AuditFeed' },
);
