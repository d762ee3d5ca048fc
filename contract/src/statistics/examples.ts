import type { EndpointExamples } from '../base/endpoint-examples.ts';

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
  'GET /v1/verifications/export': {
    responses: {
      200: 'id,status,livemode,created_at,completed_at,verdict_label,reason_code,score,captures_count,external_ref,review_state,decision,metadata\r\nvfy_01JD3V6Z8Q4M2N7R5T9W1X3Y6Z,pending,true,2026-11-21T09:30:00.000Z,,,,,0,C-1042,none,,"{""claim"":""C-1042""}"\r\n',
    },
  },
  'GET /v1/changes/stream': {
    responses: {
      200: 'event: changed\nid: MTIzNDo1Njc4\ndata: {"id":"vfy_01JD3V6Z8Q4M2N7R5T9W1X3Y6Z","livemode":true}\n\n',
    },
  },
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
