import { EMPTY, NEW_STEP, type RequestValues } from '../request/values.ts';

export const STARTERS = ['claim', 'handover', 'document'] as const;
type Starter = (typeof STARTERS)[number];

const step = (key: string, description: string, more: Partial<RequestValues['steps'][number]> = {}) => ({
  ...NEW_STEP,
  key,
  description,
  ...more,
});

/** Capture specs to begin with. Their sentences are read by the person with the phone and can be changed. */
export const starterOf = (
  starter: string | null,
  said: (key: `starter.${Starter}.${number}`) => string,
): RequestValues => {
  if (starter === 'claim') {
    return {
      ...EMPTY,
      steps: [
        step('whole', said('starter.claim.1')),
        step('damage', said('starter.claim.2'), { max: 3 }),
        step('plate', said('starter.claim.3'), { type: 'text', format: 'alphanumeric_id' }),
      ],
    };
  }
  if (starter === 'handover') {
    return {
      ...EMPTY,
      steps: [1, 2, 3, 4].map(n => step(`side_${n}`, said(`starter.handover.${n}`))),
    };
  }
  if (starter === 'document') {
    return { ...EMPTY, steps: [step('document', said('starter.document.1'), { type: 'upload' })] };
  }
  return EMPTY;
};
