import { type Static, Type } from 'typebox';
import { DateTime, IdSchema } from '../base/ids.ts';
import { ONE_LINE, PHONE, SIX_DIGITS } from '../base/patterns.ts';
import { Email } from '../verification/create-verification.ts';
import { ROLES } from './roles.ts';

const closed = { additionalProperties: false } as const;

export type Role = (typeof ROLES)[number];
const RoleSchema = Type.Enum([...ROLES], { title: 'Role' });

/** A person's name: printable and on one line, because mails and lists show it. */
const PersonName = Type.String({
  minLength: 1,
  maxLength: 120,
  pattern: ONE_LINE,
});
const Phone = Type.String({ pattern: PHONE, description: 'E.164' });

/** GET /v1/auth/methods: how people can sign in to this deployment. */
export const SignInMethods = Type.Object(
  {
    providers: Type.Array(
      Type.Object({ name: Type.String(), label: Type.String() }, { ...closed, title: 'SignInProvider' }),
    ),
    magic_link: Type.Boolean(),
    one_time_code: Type.Boolean(),
    passkey: Type.Boolean(),
    missing: Type.Optional(
      Type.Object(
        {
          providers: Type.Optional(Type.String()),
          magic_link: Type.Optional(Type.String()),
          one_time_code: Type.Optional(Type.String()),
          passkey: Type.Optional(Type.String()),
        },
        { ...closed, description: 'of each way that is off, the settings that switch it on', title: 'MissingSettings' },
      ),
    ),
  },
  { ...closed, title: 'SignInMethods' },
);
export type SignInMethods = Static<typeof SignInMethods>;

export const MagicLinkRequest = Type.Object({ email: Email }, { ...closed, title: 'MagicLinkRequest' });
export const TokenRequest = Type.Object(
  { token: Type.String({ minLength: 1, maxLength: 200 }) },
  { ...closed, title: 'TokenRequest' },
);
export const Nothing = Type.Object({}, { ...closed, title: 'Nothing' });

export const OneTimeCodeRequest = Type.Object({ phone_e164: Phone }, { ...closed, title: 'OneTimeCodeRequest' });
export const OneTimeCode = Type.Object(
  { otp_id: IdSchema('walotp'), expires_at: DateTime },
  { ...closed, title: 'OneTimeCode' },
);
export const OneTimeCodeRedeem = Type.Object(
  { otp_id: IdSchema('walotp'), code: Type.String({ pattern: SIX_DIGITS }) },
  { ...closed, title: 'OneTimeCodeRedeem' },
);

/** JSON that a browser's WebAuthn API takes and returns (WebAuthn level 3, 5.1.8 to 5.1.10). */
export const PasskeyOptions = Type.Object(
  { challenge: Type.String() },
  { additionalProperties: true, title: 'PasskeyOptions' },
);
export type PasskeyOptions = Static<typeof PasskeyOptions>;
const passkeyResponse = (title: string, members: Record<string, ReturnType<typeof Type.String>>) =>
  Type.Object(
    {
      id: Type.String({ minLength: 1, maxLength: 2_000 }),
      rawId: Type.String({ minLength: 1, maxLength: 2_000 }),
      type: Type.Literal('public-key'),
      response: Type.Object(
        { clientDataJSON: Type.String({ minLength: 1, maxLength: 10_000 }), ...members },
        { additionalProperties: true, title: `${title}Response` },
      ),
      clientExtensionResults: Type.Optional(
        Type.Object({}, { additionalProperties: true, title: 'PasskeyExtensionResults' }),
      ),
      authenticatorAttachment: Type.Optional(Type.Union([Type.String({ maxLength: 40 }), Type.Null()])),
    },
    { additionalProperties: true, title },
  );
const Binary = Type.String({ minLength: 1, maxLength: 100_000 });
export const PasskeyAuthentication = passkeyResponse('PasskeyAssertion', {
  authenticatorData: Binary,
  signature: Binary,
});
export type PasskeyAuthentication = Static<typeof PasskeyAuthentication>;
export const AddPasskey = Type.Object(
  { name: PersonName, response: passkeyResponse('PasskeyAttestation', { attestationObject: Binary }) },
  { ...closed, title: 'AddPasskey' },
);
export type AddPasskey = Static<typeof AddPasskey>;

const passkey = { id: IdSchema('psk'), name: Type.String(), created_at: DateTime };
export const Passkey = Type.Object(
  { ...passkey, last_used_at: Type.Optional(DateTime) },
  { ...closed, title: 'Passkey' },
);
export type Passkey = Static<typeof Passkey>;

const session = {
  id: IdSchema('ses'),
  method: Type.String({
    description: '`passkey`, `magic_link`, `invitation`, `one_time_code`, `first_run` or `oidc:<provider>`',
  }),
  created_at: DateTime,
  expires_at: Type.String({ format: 'date-time', description: 'when it ends if nothing more is asked' }),
};
/** One session of the caller. */
export const SessionEntry = Type.Object(
  {
    ...session,
    last_seen_at: DateTime,
    address: Type.String({ description: 'IP address of the sign-in' }),
    device: Type.String({ description: 'in words, such as `Chrome on Windows`' }),
    current: Type.Boolean(),
  },
  { ...closed, title: 'SessionEntry' },
);
export type SessionEntry = Static<typeof SessionEntry>;
export const SessionList = Type.Object({ data: Type.Array(SessionEntry) }, { ...closed, title: 'SessionList' });
export type SessionList = Static<typeof SessionList>;

/** GET /v1/me: who is signed in, where and how. */
export const Me = Type.Object(
  {
    person: Type.Object(
      {
        id: IdSchema('usr'),
        name: Type.Optional(Type.String()),
        email: Type.Optional(Type.String()),
        phone_e164: Type.Optional(Type.String()),
      },
      { ...closed, title: 'MePerson' },
    ),
    tenant: Type.Object(
      { id: IdSchema('tnt'), name: Type.String(), role: RoleSchema, livemode: Type.Boolean() },
      { ...closed, title: 'MeTenant' },
    ),
    tenants: Type.Array(
      Type.Object(
        { id: IdSchema('tnt'), name: Type.String(), role: RoleSchema },
        { ...closed, title: 'MembershipEntry' },
      ),
    ),
    invitations: Type.Optional(
      Type.Array(
        Type.Object(
          { id: IdSchema('tnt'), name: Type.String(), role: RoleSchema },
          { ...closed, title: 'WaitingInvitation' },
        ),
        { description: 'accounts that invited the person and wait; `POST /v1/me/tenant` accepts. Absent: none' },
      ),
    ),
    last_visit_at: Type.Optional(
      Type.String({
        format: 'date-time',
        description: 'when the person was last here before this session; absent: never',
      }),
    ),
    session: Type.Object(session, { ...closed, title: 'MeSession' }),
    passkeys: Type.Array(Passkey),
  },
  { ...closed, title: 'Me' },
);
export type Me = Static<typeof Me>;

export const SwitchTenant = Type.Object(
  { tenant_id: IdSchema('tnt'), livemode: Type.Boolean() },
  { ...closed, title: 'SwitchTenant' },
);

const person = {
  id: IdSchema('usr'),
  name: Type.Optional(Type.String()),
  email: Type.Optional(Type.String({ description: 'only owners and the secret key see it' })),
  phone_e164: Type.Optional(Type.String({ description: 'only owners and the secret key see it' })),
  role: RoleSchema,
  created_at: DateTime,
  last_sign_in_at: Type.Optional(Type.String({ format: 'date-time', description: 'absent: never signed in' })),
};
export const Person = Type.Object(person, { ...closed, title: 'Person' });
export type Person = Static<typeof Person>;
export const InvitedPerson = Type.Object(
  {
    ...person,
    sign_in_url: Type.Optional(
      Type.String({
        format: 'uri',
        description:
          'where no mail was sent: hand it to the person. Works once, for 7 days; left out of a replayed answer',
      }),
    ),
  },
  { ...closed, title: 'InvitedPerson' },
);
export type InvitedPerson = Static<typeof InvitedPerson>;

/** Body of POST /v1/people. An e-mail address or a phone number is required. */
export const Invitation = Type.Object(
  {
    email: Type.Optional(Email),
    phone_e164: Type.Optional(Phone),
    name: Type.Optional(PersonName),
    role: RoleSchema,
  },
  { ...closed, title: 'Invitation' },
);
export type Invitation = Static<typeof Invitation>;
/** Body of PATCH /v1/people/:id. An absent field keeps its value. */
export const PersonPatch = Type.Object(
  { role: Type.Optional(RoleSchema), name: Type.Optional(PersonName) },
  { ...closed, title: 'PersonPatch' },
);
export type PersonPatch = Static<typeof PersonPatch>;
