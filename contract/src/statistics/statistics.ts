import { type Static, Type } from 'typebox';
import { DateTime } from '../base/ids.ts';
import { MapOf } from '../base/map.ts';

const closed = { additionalProperties: false } as const;
const Count = Type.Integer({ minimum: 0 });
const Seconds = Type.Optional(
  Type.Number({ minimum: 0, description: 'exact to the second up to 63, within 1.6% beyond; absent without any' }),
);

export const STATISTICS_INTERVALS = ['hour', 'day', 'week'] as const;
export const STATISTICS_GROUPINGS = ['verdict', 'reason', 'template', 'brand'] as const;

/** Steps of the funnel, from the first to the last. */
export const FUNNEL_STEPS = [
  'landing',
  'ready',
  'camera_blocked',
  'capturing',
  'reviewing',
  'uploading',
  'success',
] as const;

const counts = {
  created: Count,
  completed: Count,
  expired: Count,
  failed: Type.Integer({ minimum: 0, description: 'status `failed`: not the verdict' }),
  verified: Count,
  suspicious: Count,
  rejected_by_signal: MapOf(Count, {
    description: 'verdict `failed`, by its `reason_code`',
  }),
  reviewed: Type.Integer({ minimum: 0, description: 'people have decided' }),
  overridden: Type.Integer({
    minimum: 0,
    description: 'people approved what was not `verified`, or rejected what was',
  }),
};

const Group = Type.Object({ key: Type.String(), ...counts }, { ...closed, title: 'StatisticsGroup' });

/** Every count is of the verifications that were created in the bucket. */
const Bucket = Type.Object(
  {
    start: DateTime,
    ...counts,
    median_seconds_to_capture: Seconds,
    median_seconds_to_verdict: Seconds,
    median_seconds_to_review: Seconds,
    groups: Type.Optional(
      Type.Array(Group, { description: 'with `by`: the largest first; a verification without a key is in none' }),
    ),
  },
  { ...closed, title: 'StatisticsBucket' },
);
export type StatisticsBucket = Static<typeof Bucket>;

export const Statistics = Type.Object(
  {
    buckets: Type.Array(Bucket),
    funnel: Type.Object(
      Object.fromEntries(FUNNEL_STEPS.map(step => [step, Count])) as Record<
        (typeof FUNNEL_STEPS)[number],
        typeof Count
      >,
      {
        ...closed,
        title: 'Funnel',
        description: 'verifications by the furthest step that the capture page reported',
      },
    ),
  },
  { ...closed, title: 'Statistics' },
);
export type Statistics = Static<typeof Statistics>;
