import type { CreateVerificationRequest } from '@firsthand/contract/verification/create-verification.ts';
import type { ReasonCode } from '@firsthand/contract/verification/signals.ts';
import type { Status, Verdict } from '@firsthand/contract/verification/verification.ts';

/** A picture to draw: a direct photograph of a scene, or a photograph of a display that shows a scene. */
export type Drawing = 'direct' | 'display';

export interface Scenario {
  title: string;
  request?: CreateVerificationRequest;
  /** Uses the live key. A forced outcome needs test mode. */
  live?: boolean;
  pictures?: Drawing[];
  /** Sent with each picture. */
  location?: { latitude: number; longitude: number; accuracy_m?: number; simulated?: boolean };
  answers?: Record<string, string>;
  /** The action after the service has the pictures. */
  afterwards?: 'abandon' | 'cancel' | { narrative: string };
  ends: { status: Status; label?: Verdict['label']; reason?: ReasonCode };
}

export interface SeedTenant {
  name: string;
  slug: string;
  colors: { accent: string };
  scenarios: Scenario[];
}

const image = (key: string, description: string, min = 1, max = 1) => ({ key, description, min, max });
const BERLIN = '52.5163,13.3777';
const forced = (outcome: string): CreateVerificationRequest => ({ metadata: { test_outcome: outcome } });
const verified = { status: 'completed', label: 'verified' } as const;
const failedBy = (reason: ReasonCode) => ({ status: 'completed', label: 'failed', reason }) as const;

/** Every status and verdict that a verification can end with. The pictures decide when no outcome is forced. */
const OUTCOMES: readonly Scenario[] = [
  { title: 'Link not opened yet', ends: { status: 'pending' } },
  {
    title: 'One of two photos is in',
    request: { steps: [image('front', 'The front', 2, 2)] },
    pictures: ['direct'],
    ends: { status: 'partially_captured' },
  },
  { title: 'Left the page', afterwards: 'abandon', ends: { status: 'abandoned' } },
  { title: 'Cancelled', afterwards: 'cancel', ends: { status: 'expired' } },
  { title: 'First-hand photo', live: true, pictures: ['direct'], ends: verified },
  { title: 'Photo of a display', live: true, pictures: ['display'], ends: failedBy('screen_detected') },
  {
    title: 'Somebody should look',
    request: forced('suspicious'),
    pictures: ['direct'],
    ends: { status: 'completed', label: 'suspicious', reason: 'screen_detected' },
  },
  { title: 'Generated', request: forced('ai_generated'), pictures: ['direct'], ends: failedBy('ai_generated') },
  {
    title: 'Found elsewhere',
    request: { ...forced('reverse_search_match'), signals_required: ['screen', 'ai', 'reverse'] },
    pictures: ['direct'],
    ends: failedBy('reverse_search_match'),
  },
  { title: 'Analysis failed', request: forced('failed'), pictures: ['direct'], ends: { status: 'failed' } },
];

/** Outcomes that fewer integrations see, with the fields that belong to them. */
const MORE: readonly Scenario[] = [
  { title: 'Expired link', request: forced('expired'), ends: { status: 'expired' } },
  {
    title: 'Does not fit the context',
    request: { ...forced('context_mismatch'), context: { kind: 'claim', summary: 'A dented car door' } },
    pictures: ['direct'],
    ends: failedBy('context_mismatch'),
  },
  {
    title: 'Flat where depth was declared',
    request: {
      ...forced('depth_anomaly'),
      signals_required: ['screen', 'ai', 'depth'],
      context: { kind: 'claim', summary: 'A car', attributes: { three_dimensional: true } },
    },
    pictures: ['direct'],
    ends: failedBy('depth_anomaly'),
  },
  {
    title: 'Uploaded file',
    request: { mode: 'audit', steps: [image('invoice', 'The invoice')] },
    pictures: ['direct'],
    ends: verified,
  },
  {
    title: 'At the declared address',
    request: { expected_location: BERLIN },
    pictures: ['direct'],
    location: { latitude: 52.5164, longitude: 13.3778, accuracy_m: 12 },
    ends: verified,
  },
  {
    title: 'Somewhere else',
    request: { expected_location: BERLIN },
    pictures: ['direct'],
    location: { latitude: 48.1374, longitude: 11.5755, accuracy_m: 20 },
    ends: verified,
  },
  {
    title: 'Simulated location',
    request: { expected_location: BERLIN },
    pictures: ['direct'],
    location: { latitude: 52.5163, longitude: 13.3777, simulated: true },
    ends: verified,
  },
  {
    title: 'Two photos and an answer',
    request: {
      steps: [
        image('front', 'The whole front of the car', 2, 2),
        { type: 'text', key: 'plate', description: 'Licence plate', validation: { format: 'alphanumeric_id' } },
      ],
      metadata: { claim: 'C-1042' },
    },
    pictures: ['direct', 'direct'],
    answers: { plate: 'B-FH-1042' },
    ends: verified,
  },
  {
    title: 'Finalized with a narrative',
    live: true,
    request: { steps: [image('damage', 'The damage, up close', 2, 2)], metadata: { claim: 'C-1043' } },
    pictures: ['direct', 'direct'],
    afterwards: { narrative: 'The car was hit from behind at the lights this morning.' },
    ends: verified,
  },
  {
    title: 'One real photo, one of a display',
    live: true,
    request: { steps: [image('item', 'The item from two sides', 2, 2)] },
    pictures: ['direct', 'display'],
    ends: failedBy('screen_detected'),
  },
];

/** Three tenants and forty verifications. */
export const TENANTS: readonly SeedTenant[] = [
  { name: 'Acme Insurance', slug: 'acme', colors: { accent: '#b45309' }, scenarios: [...OUTCOMES, ...MORE] },
  { name: 'Northwind Rentals', slug: 'northwind', colors: { accent: '#1d4ed8' }, scenarios: [...OUTCOMES] },
  { name: 'Harbour Market', slug: 'harbour', colors: { accent: '#0f766e' }, scenarios: [...OUTCOMES] },
];
