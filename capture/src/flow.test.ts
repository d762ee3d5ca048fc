import type { CaptureView, Step } from '@firsthand/sdk/capture/wire.ts';
import { describe, expect, test } from 'vitest';
import {
  asksForMoves,
  endOf,
  faultOfAnswer,
  fillingOf,
  type Held,
  isComplete,
  placeAfter,
  placeToResume,
} from './flow.ts';

const image = (key: string, min: number, max: number): Step => ({ type: 'image', key, description: '', min, max });
const text = (key: string, required: boolean, validation: object = {}): Extract<Step, { type: 'text' }> => ({
  type: 'text',
  key,
  description: '',
  required,
  validation: { max_length: 2000, format: 'free_text', ...validation },
});
const nothing: Held = { captures: [], answers: {} };

function view(steps: Step[], sent: Record<string, number> = {}, more: Partial<CaptureView> = {}): CaptureView {
  return {
    id: 'vfy_1',
    status: 'pending',
    capture_url: '',
    created_at: '2026-01-01T00:00:00Z',
    expires_at: '2026-01-01T01:00:00Z',
    captures_count: Object.values(sent).reduce((a, b) => a + b, 0),
    config: { max_captures: 1, steps, signals_required: [] },
    requires: { location: false, motion_frame: false },
    step_states: steps.map(step =>
      step.type === 'text'
        ? { key: step.key, type: 'text', answered: (sent[step.key] ?? 0) > 0 }
        : {
            key: step.key,
            type: step.type,
            captured: sent[step.key] ?? 0,
            remaining: step.max - (sent[step.key] ?? 0),
          },
    ),
    ...more,
  };
}

describe('fillingOf', () => {
  test('sums what was sent and what is on the device', () => {
    const steps = [image('a', 2, 4)];
    const held = { captures: [{ stepKey: 'a' }, { stepKey: 'other' }], answers: {} };
    expect(fillingOf(view(steps, { a: 1 }), steps[0]!, held)).toEqual({ sent: 1, held: 1, free: 2, needed: 0 });
    expect(fillingOf(view(steps), steps[0]!, nothing)).toEqual({ sent: 0, held: 0, free: 4, needed: 2 });
  });

  test('counts one answer for a text step, sent or held', () => {
    const step = text('t', true);
    expect(fillingOf(view([step]), step, nothing).needed).toBe(1);
    expect(fillingOf(view([step], { t: 1 }), step, nothing).needed).toBe(0);
    expect(fillingOf(view([step]), step, { captures: [], answers: { t: 'x' } }).needed).toBe(0);
  });
});

test('asksForMoves where depth is required, and not in a step of flat things', () => {
  const steps = [image('room', 1, 1), image('papers', 1, 1)];
  const asked = view(steps, {}, { requires: { location: false, motion_frame: true } });
  asked.step_states[1] = { ...asked.step_states[1]!, motion_frame: false } as (typeof asked.step_states)[number];
  expect(steps.map(step => asksForMoves(asked, step))).toEqual([true, false]);
  expect(steps.map(step => asksForMoves(view(steps), step))).toEqual([false, false]);
});

describe('placeToResume and placeAfter', () => {
  const steps = [image('a', 1, 1), text('t', false), image('b', 0, 2), image('c', 1, 1)];

  test('visit optional steps and skip full ones', () => {
    expect(placeAfter(view(steps), nothing, 0)).toEqual({ at: 'step', index: 1 });
    expect(placeAfter(view(steps, { t: 1 }), nothing, 0)).toEqual({ at: 'step', index: 2 });
    expect(placeAfter(view(steps), nothing, 3)).toEqual({ at: 'summary' });
  });

  test('resume at the first incomplete step, else at the summary', () => {
    expect(placeToResume(view(steps, { a: 1 }), nothing)).toEqual({ at: 'step', index: 3 });
    const held = { captures: [{ stepKey: 'c' }], answers: {} };
    expect(placeToResume(view(steps, { a: 1 }), held)).toEqual({ at: 'summary' });
    expect(isComplete(view(steps, { a: 1 }), held)).toBe(true);
  });

  test('start at the first step when nothing is required', () => {
    expect(placeToResume(view([image('a', 0, 1)]), nothing)).toEqual({ at: 'step', index: 0 });
  });
});

describe('endOf', () => {
  const steps = [image('a', 1, 1)];
  const at = Date.parse('2026-01-01T00:30:00Z');
  test.each([
    ['completed', 'completed'],
    ['failed', 'failed'],
    ['pending', undefined],
    ['partially_captured', undefined],
    ['abandoned', undefined],
  ] as const)('%s shows %s', (status, end) => {
    expect(endOf(view(steps, {}, { status }), at, nothing)).toBe(end);
  });

  test('calls an early expiry a withdrawal', () => {
    expect(endOf(view(steps, {}, { status: 'expired' }), at, nothing)).toBe('withdrawn');
    expect(endOf(view(steps, {}, { status: 'expired' }), at + 3_600_000, nothing)).toBe('expired');
  });

  test('calls it done when everything required was sent and only analysis is outstanding', () => {
    const delivered = view(steps, { a: 1 }, { status: 'partially_captured' });
    expect(endOf(delivered, at, nothing)).toBe('completed');
    // An optional answer or photo on the device must still be sent.
    expect(endOf(delivered, at, { captures: [], answers: { note: 'x' } })).toBeUndefined();
    expect(endOf({ ...delivered, status: 'completed' }, at, { captures: [], answers: { note: 'x' } })).toBe(
      'completed',
    );
  });
});

describe('faultOfAnswer', () => {
  test('checks the step’s own rules', () => {
    expect(faultOfAnswer(text('t', true), '')).toEqual({ key: 'text.required' });
    expect(faultOfAnswer(text('t', false), '')).toBeUndefined();
    expect(faultOfAnswer(text('t', true, { format: 'numeric_id' }), '12 3')).toEqual({ key: 'text.digits' });
    expect(faultOfAnswer(text('t', true, { format: 'alphanumeric_id' }), 'AB-12')).toBeUndefined();
    expect(faultOfAnswer(text('t', true, { format: 'alphanumeric_id' }), 'AB_12')).toEqual({
      key: 'text.alphanumeric',
    });
    expect(faultOfAnswer(text('t', true, { min_length: 3 }), 'ab')).toEqual({ key: 'text.tooShort', n: 3 });
    expect(faultOfAnswer(text('t', true, { max_length: 2 }), 'abc')).toEqual({ key: 'text.tooLong', n: 2 });
  });

  test('counts characters, not code units', () => {
    expect(faultOfAnswer(text('t', true, { max_length: 2 }), '🚗🚗')).toBeUndefined();
  });
});
