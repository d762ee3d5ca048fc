import { ONE_PIXEL } from '../account/examples.ts';
import type { EndpointExamples } from '../base/endpoint-examples.ts';
import { REVIEW_EXAMPLE } from '../reviews/examples.ts';
import type { WebhookEventType } from '../webhooks/webhooks.ts';

const id = 'vfy_01JD3V6Z8Q4M2N7R5T9W1X3Y6Z';
const captureId = 'cap_01JD3V7B2C4D6E8F0G1H3J5K7M';
const created_at = '2026-11-21T09:30:00.000Z';
const expires_at = '2026-11-21T10:30:00.000Z';
const sha256 = '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08';

const steps = [
  { type: 'image', key: 'front', description: 'The whole front of the car', min: 1, max: 2 },
  {
    type: 'text',
    key: 'plate',
    description: 'Licence plate',
    required: true,
    validation: { max_length: 12, format: 'alphanumeric_id' },
  },
];

const pending = {
  id,
  status: 'pending',
  capture_url: `http://localhost:8080/v/${id}`,
  created_at,
  expires_at,
  captures_count: 0,
  config: {
    max_captures: 2,
    steps,
    signals_required: ['screen', 'ai'],
    metadata: { claim: 'C-1042' },
  },
  livemode: false,
  review: { state: 'none' },
  reviews: [],
};

const capture = {
  id: captureId,
  step_key: 'front',
  source: 'live',
  surface: 'web',
  content_type: 'image/jpeg',
  size_bytes: 1843200,
  width: 4032,
  height: 3024,
  sha256,
  created_at: '2026-11-21T09:31:10.000Z',
  image_url: `http://localhost:8080/blobs/captures/${id}/${captureId}?signature=example`,
  signals: {
    screen_detection: { screen_detected: false, confidence: 0.98 },
    ai_detection: { label: 'unknown', confidence: 0.5 },
  },
};

const explanation = {
  screen: {
    score: 0.02,
    model: 'screen-still-15',
    odds: { pictures: 3_091, as_high: 1_142, one_in: 3 },
    thresholds: {
      doubtful: { at: 0.94771, odds: { pictures: 3_091, as_high: 20, one_in: 150 } },
      confident: { at: 0.99974, odds: { pictures: 3_091, as_high: 0, one_in: 3_100 } },
    },
    published: { flagged: { count: 19, of: 3_091 }, at_most: 0.01, found: { count: 193, of: 250, at_least: 0.71 } },
    tiles: [],
  },
  ai: {
    score: 0.031,
    model: 'generated-1',
    odds: { pictures: 860, as_high: 758, one_in: 1 },
    published: { flagged: { count: 5, of: 860 }, at_most: 0.012, found: { count: 97, of: 455 } },
  },
};

const completed = {
  ...pending,
  status: 'completed',
  captures_count: 1,
  completed_at: '2026-11-21T09:31:12.000Z',
  answers: { plate: { value: 'AB-123', answered_at: '2026-11-21T09:30:40.000Z' } },
  record_seal: {
    algorithm: 'sha256',
    hash: sha256,
    covers: ['record', 'answers'],
    answers_provenance: 'user_declared',
  },
  verdict: { label: 'verified', score: 0.98, signals: capture.signals },
};

const caseAnalysis = {
  overall_risk_score: 0.12,
  confidence: 0.6,
  dimensions: {
    cross_image_consistency: { score: 0.1, evidence: 'One picture; nothing to compare it with.' },
    physical_plausibility: { score: 0.1, evidence: 'No sign of a display or of generation.' },
    narrative_image_match: { score: 0.2, evidence: 'The day named is the day of the capture.' },
  },
  review_priority: 'low',
  uncertainty_areas: ['One picture only'],
  model: 'firsthand-evidence/1',
  rubric_version: 1,
  analysis: [{ capture_id: captureId, ai: 'low', screen: false }],
};

const endUser = {
  id,
  status: 'partially_captured',
  capture_url: pending.capture_url,
  created_at,
  expires_at,
  captures_count: 1,
  config: { max_captures: 2, steps, signals_required: ['screen', 'ai'] },
  step_states: [
    { key: 'front', type: 'image', captured: 1, remaining: 1, min_long_side: 1200 },
    { key: 'plate', type: 'text', answered: false },
  ],
  requires: { location: false, motion_frame: false },
};

export const VERIFICATION_EXAMPLES: Readonly<Record<string, EndpointExamples>> = {
  'POST /v1/verifications': {
    request: {
      steps: [
        {
          key: 'front',
          description: 'The whole front of the car',
          descriptions: { de: 'Die ganze Front des Autos' },
          min: 1,
          max: 2,
        },
        {
          type: 'text',
          key: 'plate',
          description: 'Licence plate',
          validation: { max_length: 12, format: 'alphanumeric_id' },
        },
      ],
      signals_required: ['screen', 'ai', 'reverse'],
      metadata: { claim: 'C-1042' },
    },
    responses: {
      201: {
        ...pending,
        config: { ...pending.config, signals_required: ['screen', 'ai', 'reverse'] },
        captures: [],
        warnings: [
          {
            signal: 'reverse',
            reason: 'nothing_to_search',
            message:
              'There is nothing to search yet: no earlier photos in this account, no imported list and no search engine. Until there is, `reverse` cannot be evaluated.',
          },
        ],
      },
    },
  },
  'GET /v1/verifications': { responses: { 200: { data: [completed], total_estimate: 1 } } },
  'GET /v1/verifications/:id': { responses: { 200: { ...completed, captures: [capture] } } },
  'POST /v1/verifications/:id/cancel': {
    responses: { 200: { ...pending, status: 'expired', cancelled_at: '2026-11-21T09:35:00.000Z', captures: [] } },
  },
  'POST /v1/verifications/:id/send': {
    request: { by: 'email', to: 'ada@people.example', locale: 'de', remind: true },
    responses: { 202: { by: 'email', locale: 'de', remind_at: '2026-11-21T08:30:00.000Z' } },
  },
  'POST /v1/verifications/:id/finalize': {
    request: { narrative: 'The car was hit from behind at the lights on Saturday morning.' },
    responses: {
      200: {
        ...completed,
        captures: [capture],
        narrative: 'The car was hit from behind at the lights on Saturday morning.',
        case_analysis: caseAnalysis,
      },
      202: {
        ...completed,
        captures: [capture],
        narrative: 'The car was hit from behind at the lights on Saturday morning.',
      },
    },
  },
  'GET /v1/verifications/:id/public': {
    responses: {
      200: {
        id,
        status: 'completed',
        created_at,
        completed_at: completed.completed_at,
        captures_count: 1,
        livemode: false,
        verdict: { label: 'verified' },
        record_seal: { algorithm: 'sha256', hash: sha256 },
      },
    },
  },
  'GET /v1/verify/:token': { responses: { 200: endUser } },
  'POST /v1/verifications/:token/challenges': {
    request: { step_key: 'front' },
    responses: {
      201: {
        challenge_id: 'chl_01JD3V6ZB2C4D6E8F0G1H3J5K7',
        moves: ['right', 'up'],
        issued_at: '2026-11-21T09:31:00.000Z',
        expires_at: '2026-11-21T09:33:00.000Z',
      },
    },
  },
  'POST /v1/verifications/:token/films': {
    request: { challenge_id: 'chl_01JD3V6ZB2C4D6E8F0G1H3J5K7', image_sha256: sha256, trace_sha256: sha256 },
    responses: {
      201: { challenge_id: 'chl_01JD3V6ZB2C4D6E8F0G1H3J5K7', announced_at: '2026-11-21T09:31:08.000Z' },
    },
  },
  'POST /v1/verifications/:token/captures/upload-url': {
    request: { contentType: 'image/jpeg', step_key: 'front', size_bytes: 1843200 },
    responses: {
      201: {
        capture_id: captureId,
        image_key: `captures/${id}/${captureId}`,
        upload_url: `http://localhost:8080/blobs/captures/${id}/${captureId}?signature=example`,
        method: 'PUT',
        headers: { 'content-type': 'image/jpeg', 'if-none-match': '*' },
        expires_at: '2026-11-21T09:35:00.000Z',
      },
    },
  },
  'POST /v1/verifications/:token/captures': {
    request: { image_base64: ONE_PIXEL, step_key: 'front', surface: 'web', client_captured_at: '2026-11-21T09:31:09Z' },
    responses: { 201: endUser },
  },
  'POST /v1/verifications/:token/answers': {
    request: { answers: { plate: 'AB-123' } },
    responses: {
      200: { ...endUser, step_states: [endUser.step_states[0], { key: 'plate', type: 'text', answered: true }] },
    },
  },
  'POST /v1/verifications/:token/progress': {
    request: { schema_version: 1, step: 'capturing', step_index: 0, elapsed_ms: 4200, camera_permission: 'granted' },
  },
};

/** A finished verification with all that explains it, as a reviewer sees it. */
export const EXPLAINED = { ...completed, captures: [{ ...capture, explanation }] };

const { image_url: _url, signals: _signals, ...stored } = capture;
const analysed = { ...completed, captures: [{ ...stored, signals: capture.signals }] };
const { metadata: _metadata, ...emptied } = pending.config;
const EVENT_DATA: Readonly<Record<Exclude<WebhookEventType, 'webhook.test'>, object>> = {
  'verification.created': { ...pending, captures: [], sequence: 1 },
  'verification.capture_received': {
    ...pending,
    status: 'partially_captured',
    captures_count: 1,
    captures: [stored],
    sequence: 2,
  },
  'verification.completed': { ...analysed, sequence: 3 },
  'verification.expired': { ...pending, status: 'expired', captures: [], sequence: 2 },
  'verification.failed': { ...pending, status: 'failed', captures_count: 1, captures: [stored], sequence: 3 },
  'verification.case_completed': {
    ...analysed,
    narrative: 'The pipe burst today.',
    case_analysis: caseAnalysis,
    sequence: 4,
  },
  'verification.redacted': {
    ...pending,
    status: 'completed',
    captures_count: 1,
    config: emptied,
    completed_at: completed.completed_at,
    verdict: { label: 'verified', score: 0.98, signals: {} },
    redacted_at: '2026-12-21T09:30:00.000Z',
    captures: [],
    sequence: 4,
  },
  'verification.reviewed': {
    ...analysed,
    review: { state: 'decided', decision: REVIEW_EXAMPLE.decision, decided_at: REVIEW_EXAMPLE.created_at },
    reviews: [REVIEW_EXAMPLE],
    sequence: 4,
  },
};

const EVENT_TIMES: Readonly<Record<WebhookEventType, string>> = {
  'verification.created': created_at,
  'verification.capture_received': capture.created_at,
  'verification.completed': completed.completed_at,
  'verification.expired': expires_at,
  'verification.failed': '2026-11-21T09:33:30.000Z',
  'verification.case_completed': '2026-11-21T09:31:20.000Z',
  'verification.redacted': '2026-12-21T09:30:00.000Z',
  'verification.reviewed': REVIEW_EXAMPLE.created_at,
  'webhook.test': '2026-11-21T09:31:12.000Z',
};

/** The body of an example webhook. */
export function webhookExample(type: WebhookEventType): object {
  const timestamp = EVENT_TIMES[type];
  if (type === 'webhook.test')
    return { type, timestamp, data: { message: 'This is a test. The URL and the signature work.', livemode: false } };
  const metadata = type === 'verification.redacted' ? {} : pending.config.metadata;
  return { type, timestamp, data: { ...EVENT_DATA[type], metadata } };
}
