import { type Static, Type } from 'typebox';

const closed = { additionalProperties: false } as const;

/** The parts of an installation, in the order in which they are shown. */
export const SYSTEM_PARTS = [
  'node',
  'data_folder',
  'disk_space',
  'database',
  'store',
  'seals',
  'retention',
  'vision_model',
  'text_reader',
  'reverse_search',
  'required_signals',
  'geocoder',
  'passkey',
  'providers',
  'magic_link',
  'one_time_code',
  'email',
  'attestation',
  'time_stamps',
] as const;
export type SystemPart = (typeof SYSTEM_PARTS)[number];

export const SystemFinding = Type.Object(
  {
    part: Type.Enum([...SYSTEM_PARTS], { title: 'SystemPart' }),
    state: Type.Enum(['ok', 'missing', 'wrong'], {
      title: 'SystemState',
      description: '`missing`: not configured, and the service works without it',
    }),
    what: Type.String(),
    advice: Type.Optional(Type.String({ description: 'what is lost without it, and what to set' })),
  },
  { ...closed, title: 'SystemFinding' },
);
export type SystemFinding = Static<typeof SystemFinding>;

/** The answer of GET /v1/system. */
export const SystemReport = Type.Object(
  {
    version: Type.String({ description: 'of the node that answers' }),
    commit: Type.Union([Type.String(), Type.Null()], { description: 'that it was built from; null: unknown' }),
    findings: Type.Array(SystemFinding),
  },
  { ...closed, title: 'SystemReport' },
);
export type SystemReport = Static<typeof SystemReport>;
