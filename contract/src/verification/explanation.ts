import { type Static, Type } from 'typebox';
import { BANDS, SIGNAL_NAMES, Unit } from './signals.ts';
import { UNANSWERED_REASONS } from './unanswered.ts';

const closed = { additionalProperties: false } as const;
const Count = Type.Integer({ minimum: 0 });

/** How often genuine pictures score at least as high. */
export const Odds = Type.Object(
  {
    pictures: Type.Integer({ minimum: 1, description: 'genuine pictures in the calibration set' }),
    as_high: Type.Integer({ minimum: 0, description: 'those of them that score at least as high' }),
    one_in: Type.Integer({
      minimum: 1,
      description: 'about one genuine picture in so many: (pictures + 1) / (as_high + 1), to two digits',
    }),
  },
  { ...closed, title: 'Odds' },
);
export type Odds = Static<typeof Odds>;

/** Why there are no odds. */
export const NO_ODDS = ['not_evaluated', 'no_score', 'no_set', 'too_few_pictures', 'other_model'] as const;

const Threshold = Type.Object(
  { at: Unit, odds: Type.Optional(Odds) },
  {
    ...closed,
    title: 'ExplainedThreshold',
    description: 'the score from which the band begins, by the settings of today',
  },
);

const rate = { count: Count, of: Type.Integer({ minimum: 1 }) };
const Rate = Type.Object(rate, { ...closed, title: 'Rate' });
const FoundRate = Type.Object({ ...rate, at_least: Type.Optional(Unit) }, { ...closed, title: 'FoundRate' });

export const HotTile = Type.Object(
  {
    x: Unit,
    y: Unit,
    width: Unit,
    height: Unit,
    strength: Type.Number({ minimum: 0, maximum: 1, description: 'how far its pattern is from what nature has' }),
  },
  { ...closed, title: 'HotTile', description: 'shares of the upright picture, from its upper left corner' },
);
export type HotTile = Static<typeof HotTile>;

export const SignalExplanation = Type.Object(
  {
    score: Type.Optional(Type.Number({ minimum: 0, maximum: 1, description: 'what the thresholds are compared with' })),
    still_score: Type.Optional(
      Type.Number({
        minimum: 0,
        maximum: 1,
        description: 'only the first photo, where two were compared; the odds are those of the first',
      }),
    ),
    model: Type.Optional(Type.String()),
    odds: Type.Optional(Odds),
    no_odds: Type.Optional(Type.Enum([...NO_ODDS], { title: 'NoOdds' })),
    unanswered: Type.Optional(
      Type.Object(
        {
          reason: Type.Optional(
            Type.Enum(UNANSWERED_REASONS, {
              title: 'Unanswered',
              description: 'why the signal could not be evaluated',
            }),
          ),
          chosen_by: Type.Enum(['sender', 'service'], {
            title: 'Chooser',
            description: '`sender`: whoever sends the photo can bring this about, so the photo is not verified',
          }),
        },
        { ...closed, title: 'UnansweredSignal', description: 'present if the signal could not be evaluated' },
      ),
    ),
    thresholds: Type.Optional(
      Type.Object(
        Object.fromEntries(BANDS.slice(1).map(band => [band, Threshold])) as Record<
          'doubtful' | 'confident',
          typeof Threshold
        >,
        { ...closed, title: 'ExplainedThresholds' },
      ),
    ),
    published: Type.Optional(
      Type.Object(
        { flagged: Rate, at_most: Unit, found: Type.Optional(FoundRate) },
        {
          ...closed,
          title: 'PublishedRates',
          description:
            'measured on sources that the detector never saw: genuine pictures flagged, the upper 95% bound of that share, ' +
            'and what it was to find, with the lower bound of that share over the people who took the pictures',
        },
      ),
    ),
    tiles: Type.Optional(Type.Array(HotTile, { description: 'the parts of the picture that say so, strongest first' })),
  },
  { ...closed, title: 'SignalExplanation' },
);
export type SignalExplanation = Static<typeof SignalExplanation>;

/** Why the detectors say what they say, by the name of the signal. */
export const Explanation = Type.Partial(
  Type.Object(
    Object.fromEntries(SIGNAL_NAMES.map(name => [name, SignalExplanation])) as Record<
      (typeof SIGNAL_NAMES)[number],
      typeof SignalExplanation
    >,
  ),
  { ...closed, title: 'Explanation', description: 'for people who sign in; keys and webhooks get none' },
);
export type Explanation = Static<typeof Explanation>;
