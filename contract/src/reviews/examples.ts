import type { EndpointExamples } from '../base/endpoint-examples.ts';

const by = { person_id: 'usr_01JD3V5C3D5F7G9H1J3K5M7N9P', name: 'Ada Okafor' };
/** A decision about the example verification. */
export const REVIEW_EXAMPLE = {
  id: 'rev_01JD3V9A2C4E6G8J0M2P4R6T8V',
  decision: 'rejected',
  reasons: ['photo of a screen'],
  note: 'The moiré shows on the number plate.',
  flags: [{ capture_id: 'cap_01JD3V7B2C4D6E8F0G1H3J5K7M', genuine: false }],
  by,
  blind: false,
  seconds: 34,
  created_at: '2026-11-21T09:40:00.000Z',
};

const COMMENT = {
  id: 'cmt_01JD3V9B2C4E6G8J0M2P4R6T8V',
  by: { person_id: 'usr_01JD3V5C3D5F7G9H1J3K5M7N9Q', name: 'Ben Ito' },
  text: 'Could you look at the second photo?',
  mentions: [by],
  created_at: '2026-11-21T09:41:00.000Z',
};

/** Examples of the review endpoints, over an example of a completed verification. */
export const reviewExamples = (completed: object): Readonly<Record<string, EndpointExamples>> => ({
  'POST /v1/reviews/next': {
    request: { queue: 'suspicious' },
    responses: { 200: { ...completed, review: { state: 'claimed', claimed_by: by } } },
  },
  'GET /v1/reviews/waiting': { responses: { 200: { all: 12, mine: 3 } } },
  'POST /v1/reviews/:verification_id/claim': {
    responses: { 200: { ...completed, review: { state: 'claimed', claimed_by: by } } },
  },
  'POST /v1/verifications/:id/reviews': {
    request: {
      decision: REVIEW_EXAMPLE.decision,
      reasons: REVIEW_EXAMPLE.reasons,
      note: REVIEW_EXAMPLE.note,
      flags: REVIEW_EXAMPLE.flags,
    },
    responses: { 201: REVIEW_EXAMPLE },
  },
  'PUT /v1/verifications/:id/assignee': {
    request: { person_id: by.person_id, version: 1 },
    responses: { 200: { ...completed, review: { state: 'open', assigned_to: by, version: 2 } } },
  },
  'GET /v1/verifications/:id/comments': { responses: { 200: { data: [COMMENT] } } },
  'POST /v1/verifications/:id/comments': {
    request: { text: COMMENT.text, mentions: [by.person_id] },
    responses: { 201: COMMENT },
  },
  'GET /v1/reviews/agreement': {
    responses: {
      200: {
        since: '2026-08-23T00:00:00.000Z',
        cases: 842,
        decisions: 1_240,
        median_seconds: 31,
        pairs: 412,
        agreed: 389,
        kappa: 0.871,
        sample: { decided: 96, approved: 95 },
      },
    },
  },
  'GET /v1/reviews/replay': {
    responses: {
      200: {
        cases: 10_000,
        since: '2026-10-02T07:12:44.000Z',
        thresholds: { doubtful: 0.97, confident: 0.9999 },
        in_force: { doubtful: 0.94771, confident: 0.99974 },
        flips: 31,
        by: [
          { from: 'failed', to: 'suspicious', cases: 2, approved: 0, rejected: 2 },
          { from: 'suspicious', to: 'verified', cases: 29, approved: 21, rejected: 6 },
        ],
        verifications: [
          {
            id: 'vfy_01JD3V6Z8Q4M2N7R5T9W1X3Y6Z',
            name: 'claim C-1042',
            created_at: '2026-11-21T09:30:00.000Z',
            from: 'suspicious',
            to: 'verified',
            score: 0.91288,
            decision: 'approved',
          },
        ],
      },
    },
  },
});
