import type { EndpointExamples } from './examples.ts';

const counts = {
  created: 212,
  completed: 188,
  expired: 19,
  failed: 1,
  verified: 171,
  suspicious: 11,
  rejected_by_signal: { ai_generated: 2, screen_detected: 4 },
  reviewed: 20,
  overridden: 3,
};

export const STATISTICS_EXAMPLES: Record<string, EndpointExamples> = {
  'GET /v1/statistics': {
    responses: {
      200: {
        buckets: [
          {
            start: '2026-11-21T00:00:00.000Z',
            ...counts,
            median_seconds_to_capture: 41,
            median_seconds_to_verdict: 46,
            median_seconds_to_review: 367.5,
          },
        ],
        funnel: {
          landing: 6,
          ready: 9,
          camera_blocked: 2,
          capturing: 4,
          reviewing: 3,
          uploading: 0,
          success: 188,
        },
      },
    },
  },
};
