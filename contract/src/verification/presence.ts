import { type Static, Type } from 'typebox';
import { DateTime, IdSchema } from '../base/ids.ts';
import { MapOf } from '../base/map.ts';
import { SHA256_HEX } from '../base/patterns.ts';

// The camera session: the server asks for moves, the page films while the person makes them, the server checks the film.

const closed = { additionalProperties: false } as const;

export const MOVES = ['left', 'right', 'up', 'down'] as const;
export type Move = (typeof MOVES)[number];
const MoveSchema = Type.Enum([...MOVES], { title: 'Move', description: 'where to move the camera' });

/** Body of POST …/challenges. */
export const ChallengeRequest = Type.Object({ step_key: Type.String() }, { ...closed, title: 'ChallengeRequest' });

export const Challenge = Type.Object(
  {
    challenge_id: IdSchema('chl'),
    moves: Type.Array(MoveSchema, { minItems: 2, maxItems: 3, description: 'make them one after the other' }),
    issued_at: Type.String({
      format: 'date-time',
      description:
        "ISO 8601, UTC. Count the trace's `began_at` from this time, so that the phone's clock does not matter.",
    }),
    expires_at: Type.String({
      format: 'date-time',
      description: 'ISO 8601, UTC. Make the film and announce it before this time.',
    }),
  },
  { ...closed, title: 'Challenge' },
);
export type Challenge = Static<typeof Challenge>;

export const CHALLENGE_TTL_SECONDS = 120;

/** Body of POST …/films. */
export const FilmAnnouncement = Type.Object(
  {
    challenge_id: IdSchema('chl'),
    image_sha256: Type.String({ pattern: SHA256_HEX, description: 'of the photo' }),
    trace_sha256: Type.String({ pattern: SHA256_HEX, description: 'of the film' }),
  },
  { ...closed, title: 'FilmAnnouncement' },
);

export const AnnouncedFilm = Type.Object(
  { challenge_id: IdSchema('chl'), announced_at: DateTime },
  { ...closed, title: 'AnnouncedFilm' },
);

/** The content type that upload-url takes for a trace. */
export const TRACE_CONTENT_TYPE = 'application/vnd.firsthand.trace';

/** Bounds of a trace file: four bytes (big-endian) with the length of the JSON header, the header, the JPEGs. */
export const TRACE = {
  maxBytes: 1_500_000,
  maxHeaderBytes: 65_536,
  minFrames: 16,
  maxFrames: 32,
  /** Pixels of a frame's longest side. */
  maxSide: 480,
  maxCrops: 12,
  /** Pixels of a crop's sides. */
  cropSide: 256,
  maxMotionSamples: 600,
} as const;

/** What suggests to the page that something stands in the place of the camera. */
export const CAMERA_SIGNS = ['drawn_track', 'replaced_function'] as const;
export type CameraSign = (typeof CAMERA_SIGNS)[number];

/**
 * Why a trace has no samples of the motion sensor, by the page's own account. `refused`: the browser asked and the person said no (iOS), or its settings forbid it. `blocked`: the page that
 * embeds this one does not pass it on. `silent`: the browser gave none, as on phones without a gyroscope, in Brave and on computers.
 */
export const MOTION_ABSENCES = ['refused', 'blocked', 'silent'] as const;
export type MotionAbsence = (typeof MOTION_ABSENCES)[number];

/** The JSON header of a trace file, version 1. The JPEGs of the frames follow it, then those of the crops. */
export interface TraceHeader {
  version: 1;
  challenge_id: string;
  /** When the first frame was taken: ms since 1970 by the server's clock, counted from the challenge's `issued_at`. */
  began_at: number;
  /** Pixels of the full video frame. */
  video: { width: number; height: number };
  /** `at`: the video's own time in ms. `bytes`: length of the JPEG. */
  frames: { at: number; bytes: number }[];
  /** Upper left corner in pixels of the full video frame. */
  crops: { frame: number; x: number; y: number; size: 256; bytes: number }[];
  /** Time in ms and rotation rates in rad/s about the device's axes: x to the right, y up, z out of the display. */
  motion: [at: number, x: number, y: number, z: number][];
  /** `program`: the camera's name, where it is that of a program that pretends to be a camera. Names of other cameras are not sent. */
  track: {
    settings: Record<string, unknown>;
    capabilities: Record<string, unknown>;
    program?: string;
    signs?: CameraSign[];
    /** Where `motion` is empty: why. */
    motion?: MotionAbsence;
  };
  guidance: { gave_up: boolean; seconds: number; moves: { move: Move; done: boolean }[] };
}

export const DEPTH_POLICIES = ['lenient', 'strict', 'attested'] as const;
export type DepthPolicy = (typeof DEPTH_POLICIES)[number];
export const DepthPolicySchema = Type.Enum([...DEPTH_POLICIES], {
  title: 'DepthPolicy',
  description:
    'where `depth` is required: `lenient` counts what a camera session contradicts; `strict` calls a live photo suspicious ' +
    'unless its session passed; `attested` does what `lenient` does, and calls a live photo suspicious unless App Attest ' +
    'or Play Integrity attested its bytes',
});

export const PRESENCE_RESULTS = ['passed', 'failed', 'inconclusive', 'not_performed'] as const;
export const PRESENCE_CHECKS = ['fresh', 'continuous', 'asked', 'depth', 'sensor', 'hand', 'light'] as const;

const PresenceCheck = Type.Object(
  {
    evaluated: Type.Boolean({ description: 'false: the check has no answer and counts neither way' }),
    passed: Type.Optional(Type.Boolean()),
    probability: Type.Optional(
      Type.Number({
        minimum: 0,
        maximum: 1,
        description: 'that the session is the attack this check looks for; ordered, not calibrated',
      }),
    ),
    words: Type.String({ description: 'one sentence for the person who reviews the photo' }),
    evidence: Type.Optional(MapOf(Type.Unknown(), { description: 'what was measured' })),
  },
  { ...closed, title: 'PresenceCheck' },
);

const PresenceEvidence = Type.Object(
  {
    strip_url: Type.Optional(
      Type.String({ description: 'presigned URL, valid for 1 hour: JPEG with some frames of the trace side by side' }),
    ),
    moves_asked: Type.Array(MoveSchema),
    moves_done: Type.Optional(
      Type.Array(MoveSchema, { description: 'the moves that the page saw, by its own account' }),
    ),
    path: Type.Array(
      Type.Object(
        { at: Type.Number({ description: 'ms since the first frame' }), x: Type.Number(), y: Type.Number() },
        { ...closed, title: 'PathPoint' },
      ),
      { description: 'where the camera pointed at each frame, as shares of the picture’s longer side; y down' },
    ),
    noise: Type.Optional(
      Type.Object(
        {
          before: Type.Number({ description: 'correlation of the crops’ noise at rest on the sensor, -1 to 1' }),
          after: Type.Number({
            description:
              'correlation after the crops were aligned by the scene, -1 to 1; near 1 in a photo that a program pans',
          }),
          before_url: Type.Optional(
            Type.String({
              description:
                'presigned URL, valid for 1 hour: PNG with the noise of two crops laid on each other; grey where they agree, coloured where not',
            }),
          ),
          after_url: Type.Optional(
            Type.String({
              description: 'the same after the crops were aligned by the scene; grey in a photo that a program pans',
            }),
          ),
        },
        { ...closed, title: 'PresenceNoise' },
      ),
    ),
    uncovered: Type.Optional(
      Type.Number({ minimum: 0, maximum: 1, description: 'share of the photo’s area that the film does not show' }),
    ),
    began_at: Type.Optional(DateTime),
    delay_seconds: Type.Optional(
      Type.Number({ description: 'from the beginning of the trace to the arrival of the photo' }),
    ),
    challenges: Type.Optional(
      Type.Integer({ minimum: 1, description: 'how many challenges were asked for in this step' }),
    ),
    gave_up: Type.Optional(Type.Boolean({ description: 'the person chose the way out' })),
    camera_signs: Type.Optional(
      Type.Array(Type.Enum([...CAMERA_SIGNS], { title: 'CameraSign' }), {
        description:
          'what suggests that something stands in the place of the camera: `drawn_track`, the film comes from a canvas or a ' +
          'program; `replaced_function`, a function of the browser that opens or describes cameras is not its own, which ' +
          'privacy extensions do too',
      }),
    ),
  },
  { ...closed, title: 'PresenceEvidence' },
);
export type PresenceEvidence = Static<typeof PresenceEvidence>;

/** The camera session of a capture. */
export const Presence = Type.Object(
  {
    result: Type.Enum([...PRESENCE_RESULTS], { title: 'PresenceResult' }),
    checks: Type.Object(Object.fromEntries(PRESENCE_CHECKS.map(name => [name, Type.Optional(PresenceCheck)])), {
      ...closed,
      title: 'PresenceChecks',
    }),
    words: Type.Optional(
      Type.String({ description: 'why there are no checks of a session, or what a session lacks under `strict`' }),
    ),
    evidence: Type.Optional(PresenceEvidence),
  },
  { ...closed, title: 'Presence' },
);
export type Presence = Omit<Static<typeof Presence>, 'checks'> & {
  checks: Partial<Record<(typeof PRESENCE_CHECKS)[number], Static<typeof PresenceCheck>>>;
};
