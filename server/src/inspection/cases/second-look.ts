import { type Static, Type } from 'typebox';
import type { Deps } from '../../platform/deps.ts';
import type { NoAnswer } from '../../platform/vision/client.ts';
import type { CaptureRow, VerificationRow } from '../../verification/verifications/row.ts';
import { picturesForModel } from '../checks/vision-check.ts';
import type { CaseFacts } from './facts.ts';

const Looked = Type.Object({
  score: Type.Integer({ minimum: 0, maximum: 100 }),
  evidence: Type.String({ maxLength: 6_000 }),
  concerns: Type.Array(Type.String({ maxLength: 2_000 }), { maxItems: 50 }),
});
export const CaseAnswer = Type.Object({
  cross_image_consistency: Looked,
  physical_plausibility: Looked,
  narrative_image_match: Looked,
  confidence: Type.Integer({ minimum: 0, maximum: 100 }),
  uncertainty_areas: Type.Array(Type.String({ maxLength: 2_000 }), { maxItems: 50 }),
  text_analysis: Type.String({ maxLength: 6_000 }),
  instructions_found: Type.Boolean(),
});
export type CaseAnswer = Static<typeof CaseAnswer>;

/** Samples must be able to differ, or their agreement says nothing. */
const SAMPLE_TEMPERATURE = 0.7;

export interface SecondLook {
  answers: CaseAnswer[];
  /** The reason why there is no answer; null when there is one. */
  noAnswer: NoAnswer | 'no_picture' | null;
  /** The number of pictures that the model did not see. */
  unseen: number;
}

/** Asks the vision model about the case several times. Resolves within the configured time budget. */
export async function lookAgain(
  deps: Deps & { vision: NonNullable<Deps['vision']> },
  row: VerificationRow,
  captures: readonly CaptureRow[],
  facts: CaseFacts,
  signal: AbortSignal,
): Promise<SecondLook> {
  const { config } = deps.vision;
  const offered = (await picturesForModel(deps, captures, config.imageSide)).slice(0, config.maxImages);
  const unseen = captures.length - offered.length;
  if (offered.length === 0) return { answers: [], noAnswer: 'no_picture', unseen };
  const shown = new Set(offered.map(({ capture }) => capture.id));
  const question = {
    purpose: 'case' as const,
    account: row.tenant_id,
    schema: CaseAnswer,
    data: {
      ...(row.config.context ? { context: row.config.context } : {}),
      narrative: facts.narrative,
      record: facts.captures.filter(({ id }) => shown.has(id)).map(recordOf),
    },
    pictures: offered.map(({ jpeg }) => jpeg),
    budgetMs: config.answerBudgetMs,
    signal,
  };
  const samples = await Promise.all(
    Array.from({ length: config.caseSamples }, () =>
      deps.vision.ask(config.caseSamples > 1 ? { ...question, temperature: SAMPLE_TEMPERATURE } : question),
    ),
  );
  const answers = samples.flatMap(sample => ('answer' in sample ? [sample.answer] : []));
  const missed = samples.find(sample => 'noAnswer' in sample);
  return { answers, noAnswer: answers.length === 0 && missed ? missed.noAnswer : null, unseen };
}

/** The description of one picture for the model: no ids, no exact positions, no names. */
const recordOf = ({
  number,
  stepKey,
  source,
  serverAt,
  clientAt,
  exifAt,
  make,
  model,
  location,
  locationSource,
}: CaseFacts['captures'][number]) => ({
  picture: number,
  step: stepKey,
  source,
  arrived_at: new Date(serverAt).toISOString(),
  ...(clientAt === null ? {} : { taken_at_by_device: new Date(clientAt).toISOString() }),
  ...(exifAt === null ? {} : { taken_at_by_file: new Date(exifAt.at).toISOString() }),
  ...(make || model ? { camera: [make, model].filter(Boolean).join(' ') } : {}),
  ...(location ? { at_declared_place: location.result } : {}),
  ...(locationSource ? { position_sent_by: locationSource } : {}),
});
